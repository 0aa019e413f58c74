import type { Beginning, KindMatch } from '../beginning.ts';
import { type Container, FileProblem } from '../table.ts';
import { collectText, MAX_BYTES } from './collect-text.ts';
import { beginsHashConfig, parseHashConfig } from './parse-hash-config.ts';

/** Firebase's hash parameters must be the whole of a small file: any export may have the same words. */
export function matchHashConfig({ text, isWhole }: Beginning): KindMatch {
  if (isWhole && text.length <= MAX_BYTES && parseHashConfig(text) !== undefined) return 'fits';
  return beginsHashConfig(text)
    ? { but: 'it has no base64_signer_key, or it has other text as well' }
    : undefined;
}

/**
 * Reads hash parameters pasted from the Firebase console, in any form, or JSON of Firebase's REST interface.
 */
export const readHashConfig: Container = async function* (bytes, _options, wanted) {
  const record = parseHashConfig(await collectText(bytes));
  if (record === undefined) {
    throw new FileProblem(
      'FILE_INVALID',
      'The hash parameters have no base64_signer_key, or the file has other text as well. Copy the whole block and nothing else: Firebase console, Authentication, Users, ⋮, Password hash parameters.',
    );
  }
  const columns = new Set(Object.keys(record));
  const table = { container: 'hash-config' as const, name: '', columns, first: [record], root: {} };
  if (wanted(table)) yield { table, firstRow: 1, records: [record] };
};

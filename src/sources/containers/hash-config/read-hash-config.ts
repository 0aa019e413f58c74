import type { Beginning, KindMatch } from '../beginning.ts';
import { MAX_BYTES, oneRecord } from './one-record.ts';
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
export const readHashConfig = oneRecord(
  'hash-config',
  parseHashConfig,
  'The hash parameters have no base64_signer_key, or the file has other text as well. Copy the whole block and nothing else: Firebase console, Authentication, Users, ⋮, Password hash parameters.',
);

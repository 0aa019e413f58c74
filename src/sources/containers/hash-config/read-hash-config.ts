import { type Container, FileProblem, type SourceRecord } from '../table.ts';
import { collectText } from './collect-text.ts';

/** Our names, by those of the console (`base64_signer_key`) and of the REST interface (`signerKey`) in small letters alone. */
const NAMES: Readonly<Record<string, string>> = {
  algorithm: 'algorithm',
  base64signerkey: 'signerKey',
  signerkey: 'signerKey',
  base64saltseparator: 'saltSeparator',
  saltseparator: 'saltSeparator',
  rounds: 'rounds',
  memcost: 'memCost',
  memorycost: 'memCost',
};

/** A name, a colon or equals sign, a value; with or without quotes. Starts at the beginning of words only: linear. */
const MEMBER = /\b([A-Za-z0-9_]+)["']?\s*[:=]\s*["']?([A-Za-z0-9+/_=-]+)/g;

/** The rest of a base64 value that was broken into lines when it was copied. */
const CONTINUATION = /^[A-Za-z0-9+/]+={0,2},?$/;

/**
 * Reads the hash parameters that the console of Firebase shows, as they were pasted into a file: on one line or several, with or
 * without commas and quotes; also as JSON of the REST interface.
 */
export const readHashConfig: Container = async function* (bytes, _options, wanted) {
  const record = parseHashConfig(await collectText(bytes));
  if (record.signerKey === undefined) {
    throw new FileProblem(
      'FILE_INVALID',
      'The hash parameters have no base64_signer_key. Copy the whole block: Firebase console, Authentication, Users, ⋮, Password hash parameters.',
    );
  }
  const columns = new Set(Object.keys(record));
  const table = { container: 'hash-config' as const, name: '', columns, first: [record], root: {} };
  if (wanted(table)) yield { table, firstRow: 1, records: [record] };
};

function parseHashConfig(text: string): SourceRecord {
  const record: Record<string, string> = {};
  for (const [, name = '', value = ''] of joinBroken(text).matchAll(MEMBER)) {
    const ours = NAMES[name.replaceAll('_', '').toLowerCase()];
    if (ours !== undefined) record[ours] ??= value;
  }
  return record;
}

function joinBroken(text: string): string {
  const lines: string[] = [];
  for (const line of text.split(/\r?\n|\r/).map((one) => one.trim())) {
    if (lines.length > 0 && CONTINUATION.test(line)) lines.push(`${lines.pop()}${line}`);
    else lines.push(line);
  }
  return lines.join('\n');
}

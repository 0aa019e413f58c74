import type { Beginning, Look } from '../beginning.ts';
import { type Container, FileProblem } from '../table.ts';
import { collectText, MAX_BYTES } from './collect-text.ts';

/** The key of Firebase's scrypt is 64 bytes; base64 of some 24 or more is taken for one. */
const KEY = /^[A-Za-z0-9+/_-]{32,}={0,2}$/;

/** Reads a file that is the base64 of a signer key, and nothing else. */
export const readSignerKey: Container = async function* (bytes, _options, wanted) {
  const record = { signerKey: (await collectText(bytes)).trim() };
  if (!isSignerKey(record.signerKey)) {
    throw new FileProblem('FILE_INVALID', 'The file is not one line of base64, as a signer key is.');
  }
  const columns = new Set(['signerKey']);
  const table = { container: 'signer-key' as const, name: '', columns, first: [record], root: {} };
  if (wanted(table)) yield { table, firstRow: 1, records: [record] };
};

/** @param text without blanks around it */
export const isSignerKey = (text: string): boolean =>
  KEY.test(text) && text.replace(/=+$/, '').length % 4 !== 1 && /[0-9+/=]/.test(text);

/** A signer key fits only if it is all there is in the file. */
export const lookAtSignerKey = ({ text, isWhole }: Beginning): Look =>
  isWhole && text.length <= MAX_BYTES && isSignerKey(text.trim()) ? 'fits' : undefined;

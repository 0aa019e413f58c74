import type { Beginning, KindMatch } from '../beginning.ts';
import { MAX_BYTES, oneRecord } from './one-record.ts';

/** Real signer keys of Firebase have 64 bytes; base64 of 24 bytes or more is accepted. */
const KEY = /^[A-Za-z0-9+/_-]{32,}={0,2}$/;

/** A signer key of Firebase is base64 of enough bytes, and not just letters. */
const isSignerKey = (text: string): boolean =>
  KEY.test(text) && text.replace(/=+$/, '').length % 4 !== 1 && /[0-9+/=]/.test(text);

/** A signer key must be the whole file, because other files contain such texts, too. */
export const matchSignerKey = ({ text, isWhole }: Beginning): KindMatch =>
  isWhole && text.length <= MAX_BYTES && isSignerKey(text.trim()) ? 'fits' : undefined;

export const readSignerKey = oneRecord(
  'signer-key',
  (text) => (isSignerKey(text.trim()) ? { signerKey: text.trim() } : undefined),
  'The file is not one line of base64, as a signer key is. Copy base64_signer_key alone, or the whole block hash_config { … }.',
);

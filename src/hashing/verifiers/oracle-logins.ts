import { canonicalSpelling, patternSpelling } from '../formats/digest-spelling.ts';
import { ANY_HEX } from '../formats/encodings.ts';
import { bytesOf } from '../formats/hash-part.ts';
import { DIGEST_BYTES, sha1 } from '../kdf/digests.ts';
import { atMostBytes, BYTES, inTurn, UPPER_CASE, UTF16 } from '../kdf/password-reading.ts';
import { desCbcLast } from '../kdf/single-des.ts';
import { defineSaltedDigest } from './define-salted-digest.ts';

const BLOCK_BYTES = 8;
/** Oracle allows 30 bytes in the database's character set, whose characters may need four bytes in UTF-8. */
const LONGEST_PASSWORD = 120;
const UPPER_UTF16 = inTurn(UPPER_CASE, UTF16);
const FIXED_KEY = Buffer.from('0123456789abcdef', 'hex');

export const ORACLE_LOGINS = [
  defineSaltedDigest({
    name: 'oracle10',
    displayName: 'Oracle 10g',
    spelling: canonicalSpelling('oracle10', { bytes: BLOCK_BYTES, user: 'required', salt: 'none' }),
    password: inTurn(atMostBytes(LONGEST_PASSWORD), UPPER_UTF16),
    identity: ({ user, hash }) => ({ user: user && UPPER_UTF16.of(bytesOf(user)), hash }),
    digest({ password, user }) {
      const name = UPPER_UTF16.of(user);
      if (name === undefined) return undefined;
      const data = zeroPadded(Buffer.concat([name, password]).swap16());
      return desCbcLast(desCbcLast(FIXED_KEY, data), data);
    },
  }),
  defineSaltedDigest({
    name: 'oracle11',
    displayName: 'Oracle 11g',
    spelling: patternSpelling(/S:(?<hash>[0-9A-Fa-f]{40})(?<salt>[0-9A-Fa-f]{20})/, {
      looksLike: '`S:<60 hex digits>`: digest, salt',
      hash: ANY_HEX,
      salt: ANY_HEX,
      bytes: DIGEST_BYTES.sha1,
    }),
    password: BYTES,
    digest: ({ password, salt }) => sha1(password, salt),
  }),
];

function zeroPadded(data: Buffer): Buffer {
  const padded = Buffer.alloc(Math.ceil(data.length / BLOCK_BYTES) * BLOCK_BYTES);
  data.copy(padded);
  return padded;
}

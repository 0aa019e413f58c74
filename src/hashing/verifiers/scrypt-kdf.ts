import { createHash, createHmac } from 'node:crypto';
import { PADDED_BASE64 } from '../formats/encodings.ts';
import { bytesOf, checkLength, encodedPart, partOf } from '../formats/hash-part.ts';
import { HashRefused } from '../verifier.ts';
import type { ScryptDialect, ScryptHash } from './define-scrypt.ts';

const MAGIC = Buffer.from('scrypt\0', 'latin1');
const SALT_AT = 16;
const CHECKSUM_AT = 48;
const HMAC_AT = 64;
const LENGTH = 96;

/** Header of a file encrypted with the scrypt utility (Tarsnap), which npm's scrypt-kdf stores as a hash. */
export const SCRYPT_KDF: ScryptDialect = {
  name: 'scrypt-kdf',
  displayName: 'scrypt-kdf',
  looksLike: '`c2NyeXB0A…`: base64 of 96 bytes that begin with `scrypt` and a zero',
  shape: /^c2NyeXB0A/,
  reader: () => read,
  decoy: ({ log2N, r, p }) => {
    const head = headOf({ log2N, r, p }, Buffer.alloc(CHECKSUM_AT - SALT_AT));
    return Buffer.concat([head, Buffer.alloc(LENGTH - HMAC_AT)]).toString('base64');
  },
  seal: {
    keyBytes: 64,
    of: (key, parsed) =>
      createHmac('sha256', key.subarray(32))
        .update(headOf(parsed, bytesOf(parsed.salt)))
        .digest(),
  },
};

function read(encoded: string) {
  const whole = encodedPart('hash', encoded, PADDED_BASE64);
  checkLength('hash', whole, { min: LENGTH, max: LENGTH });
  const bytes = bytesOf(whole);
  if (!bytes.subarray(0, MAGIC.length).equals(MAGIC)) {
    throw new HashRefused('format', 'does not begin with scrypt and a zero byte');
  }
  if (!checksum(bytes.subarray(0, CHECKSUM_AT)).equals(bytes.subarray(CHECKSUM_AT, HMAC_AT))) {
    throw new HashRefused('format', 'the checksum of its parameters and salt is wrong');
  }
  return {
    log2N: String(bytes.readUInt8(7)),
    r: String(bytes.readUInt32BE(8)),
    p: String(bytes.readUInt32BE(12)),
    salt: partOf(bytes.subarray(SALT_AT, CHECKSUM_AT)),
    hash: partOf(bytes.subarray(HMAC_AT)),
  };
}

const checksum = (bytes: Buffer) => createHash('sha256').update(bytes).digest().subarray(0, 16);

/** Returns the beginning of a scrypt-kdf hash, which the HMAC at its end covers. */
function headOf({ log2N, r, p }: Pick<ScryptHash, 'log2N' | 'r' | 'p'>, salt: Buffer): Buffer {
  const costs = Buffer.alloc(9);
  costs.writeUInt8(log2N, 0);
  costs.writeUInt32BE(r, 1);
  costs.writeUInt32BE(p, 5);
  const head = Buffer.concat([MAGIC, costs, salt]);
  return Buffer.concat([head, checksum(head)]);
}

import { createCipheriv } from 'node:crypto';

const BLOCK_BYTES = 8;
const NO_IV = Buffer.alloc(BLOCK_BYTES);

/**
 * DES in CBC mode from zeros, of whole blocks. OpenSSL 3 has DES only in its legacy provider; three DES keys that are one and the same
 * are that key alone.
 */
export function desCbc(key: Buffer, data: Buffer): Buffer {
  const cipher = createCipheriv('des-ede3-cbc', Buffer.concat([key, key, key]), NO_IV);
  cipher.setAutoPadding(false);
  return Buffer.concat([cipher.update(data), cipher.final()]);
}

/** The last block: what is left of all of them. */
export const desCbcLast = (key: Buffer, data: Buffer): Buffer => desCbc(key, data).subarray(-BLOCK_BYTES);

/** Seven bytes as a key of eight: seven bits in each, and a parity bit that counts for nothing. */
export function desKey(sevenBytes: Buffer): Buffer {
  const bits = BigInt(`0x${sevenBytes.toString('hex')}`);
  return Buffer.from(
    Array.from({ length: 8 }, (_, index) => Number((bits >> BigInt(49 - 7 * index)) & 127n) << 1),
  );
}

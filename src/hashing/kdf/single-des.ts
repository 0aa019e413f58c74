import { createCipheriv } from 'node:crypto';

const BLOCK_BYTES = 8;
const NO_IV = Buffer.alloc(BLOCK_BYTES);

/**
 * Encrypts with DES in CBC mode. OpenSSL 3 has DES only in its legacy provider, so this uses triple DES with the same
 * key three times, which is equivalent.
 */
export function desCbc(key: Buffer, data: Buffer): Buffer {
  const cipher = createCipheriv('des-ede3-cbc', Buffer.concat([key, key, key]), NO_IV);
  cipher.setAutoPadding(false);
  return Buffer.concat([cipher.update(data), cipher.final()]);
}

export const desCbcLast = (key: Buffer, data: Buffer): Buffer => desCbc(key, data).subarray(-BLOCK_BYTES);

/** Spreads seven bytes over eight. Each of the eight has seven bits, followed by a parity bit that DES ignores. */
export function desKey(sevenBytes: Buffer): Buffer {
  const bits = BigInt(`0x${sevenBytes.toString('hex')}`);
  return Buffer.from(
    Array.from({ length: 8 }, (_, index) => Number((bits >> BigInt(49 - 7 * index)) & 127n) << 1),
  );
}

import { roundHasher } from './round-hasher.ts';

const BLOCK_BYTES = 64;
const DIGEST_BYTES = 20;

/** Order of digest bytes in a sha1-crypt hash. Byte 0 is repeated to complete the last group. */
const ORDER = [2, 1, 0, 5, 4, 3, 8, 7, 6, 11, 10, 9, 14, 13, 12, 17, 16, 15, 0, 19, 18];

/** NetBSD's sha1-crypt: HMAC-SHA1 applied to its own result. Returns the digest in the order of a hash. */
export async function sha1Crypt(password: Buffer, salt: Buffer, rounds: number): Promise<Buffer> {
  const sha1 = await roundHasher('sha1');
  const key = Buffer.alloc(BLOCK_BYTES);
  key.set(password.length > BLOCK_BYTES ? sha1(password) : password);
  const inner = Buffer.alloc(BLOCK_BYTES + DIGEST_BYTES);
  const outer = Buffer.alloc(BLOCK_BYTES + DIGEST_BYTES);
  for (const [index, byte] of key.entries()) {
    inner[index] = byte ^ 0x36;
    outer[index] = byte ^ 0x5c;
  }
  let state = sha1(inner.subarray(0, BLOCK_BYTES), salt, Buffer.from(`$sha1$${rounds}`));
  for (let round = 1; ; round += 1) {
    outer.set(state, BLOCK_BYTES);
    state = sha1(outer);
    if (round >= rounds) break;
    inner.set(state, BLOCK_BYTES);
    state = sha1(inner);
  }
  return Buffer.from(ORDER.map((index) => state[index] ?? 0));
}

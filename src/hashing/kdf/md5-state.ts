type State = [number, number, number, number];

/** Rounds of MD5 (RFC 1321). */
const ROUNDS = [
  {
    mix: (x: number, y: number, z: number) => (x & y) | (~x & z),
    shifts: [7, 12, 17, 22],
    wordAt: (step: number) => step,
  },
  {
    mix: (x: number, y: number, z: number) => (x & z) | (y & ~z),
    shifts: [5, 9, 14, 20],
    wordAt: (step: number) => (5 * step + 1) % 16,
  },
  {
    mix: (x: number, y: number, z: number) => x ^ y ^ z,
    shifts: [4, 11, 16, 23],
    wordAt: (step: number) => (3 * step + 5) % 16,
  },
  {
    mix: (x: number, y: number, z: number) => y ^ (x | ~z),
    shifts: [6, 10, 15, 21],
    wordAt: (step: number) => (7 * step) % 16,
  },
] as const;

const SINES = Array.from({ length: 64 }, (_, step) => Math.floor(Math.abs(Math.sin(step + 1)) * 2 ** 32));

const INITIAL: State = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476];

export const MD5_BLOCK_BYTES = 64;

/** MD5's internal state after one block, without the final padding. OpenSSL does not expose it. */
export function md5State(block: Uint8Array): Buffer {
  const bytes = Buffer.from(block.buffer, block.byteOffset, MD5_BLOCK_BYTES);
  let [a, b, c, d] = INITIAL;
  for (const [round, { mix, shifts, wordAt }] of ROUNDS.entries()) {
    for (let step = 0; step < 16; step += 1) {
      const word = bytes.readInt32LE(4 * wordAt(step));
      const sum = (a + mix(b, c, d) + word + (SINES[16 * round + step] ?? 0)) | 0;
      const shift = shifts[step % 4] ?? 0;
      [a, b, c, d] = [d, (b + ((sum << shift) | (sum >>> (32 - shift)))) | 0, b, c];
    }
  }
  const state = Buffer.alloc(16);
  for (const [index, word] of [a, b, c, d].entries()) {
    state.writeUInt32LE(((INITIAL[index] ?? 0) + word) >>> 0, index * 4);
  }
  return state;
}

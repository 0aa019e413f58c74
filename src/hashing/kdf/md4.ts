/** Rounds of MD4 (RFC 1320). */
const ROUNDS = [
  {
    mix: (x: number, y: number, z: number) => (x & y) | (~x & z),
    constant: 0,
    shifts: [3, 7, 11, 19],
    order: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
  },
  {
    mix: (x: number, y: number, z: number) => (x & y) | (x & z) | (y & z),
    constant: 0x5a827999,
    shifts: [3, 5, 9, 13],
    order: [0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15],
  },
  {
    mix: (x: number, y: number, z: number) => x ^ y ^ z,
    constant: 0x6ed9eba1,
    shifts: [3, 9, 11, 15],
    order: [0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15],
  },
] as const;

type State = [number, number, number, number];

export const MD4_BYTES = 16;
const BLOCK_BYTES = 64;

/** OpenSSL 3 has MD4 only in its legacy provider, which Node.js does not load. */
export function md4(...parts: readonly Uint8Array[]): Buffer {
  const padded = pad(Buffer.concat(parts));
  let state: State = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476];
  for (let at = 0; at < padded.length; at += BLOCK_BYTES) state = addBlock(state, padded, at);
  const digest = Buffer.alloc(MD4_BYTES);
  for (const [index, word] of state.entries()) digest.writeUInt32LE(word >>> 0, index * 4);
  return digest;
}

/** Returns HMAC-MD4 (RFC 2104). */
export function hmacMd4(key: Buffer, message: Uint8Array): Buffer {
  const block = Buffer.alloc(BLOCK_BYTES);
  (key.length > BLOCK_BYTES ? md4(key) : key).copy(block);
  const masked = (mask: number) => block.map((byte) => byte ^ mask);
  return md4(masked(0x5c), md4(masked(0x36), message));
}

function pad(message: Buffer): Buffer {
  const padded = Buffer.alloc(Math.ceil((message.length + 9) / BLOCK_BYTES) * BLOCK_BYTES);
  message.copy(padded);
  padded[message.length] = 0x80;
  padded.writeBigUInt64LE(BigInt(message.length) * 8n, padded.length - 8);
  return padded;
}

function addBlock(state: State, bytes: Buffer, at: number): State {
  let [a, b, c, d] = state;
  for (const { mix, constant, shifts, order } of ROUNDS) {
    for (let step = 0; step < 16; step += 1) {
      const word = bytes.readInt32LE(at + 4 * (order[step] ?? 0));
      const sum = (a + mix(b, c, d) + word + constant) | 0;
      const shift = shifts[step % 4] ?? 0;
      [a, b, c, d] = [d, (sum << shift) | (sum >>> (32 - shift)), b, c];
    }
  }
  return [(state[0] + a) | 0, (state[1] + b) | 0, (state[2] + c) | 0, (state[3] + d) | 0];
}

/** State of MD4 and MD5: four words of 32 bits. */
type State = readonly [number, number, number, number];

/** Round of MD4 or MD5: sixteen steps. */
interface Round {
  mix(x: number, y: number, z: number): number;
  shifts: readonly number[];
  /** Indexes of the words of the block in the order of the steps, as hexadecimal digits. */
  words: string;
  /** Number that a step adds. */
  constant(step: number): number;
}

const ifThenElse = (x: number, y: number, z: number) => (x & y) | (~x & z);
const parity = (x: number, y: number, z: number) => x ^ y ^ z;
const sines = (first: number) => (step: number) => Math.floor(Math.abs(Math.sin(first + step + 1)) * 2 ** 32);

/** MD5 (RFC 1321). */
const MD5: readonly Round[] = [
  { mix: ifThenElse, shifts: [7, 12, 17, 22], words: '0123456789abcdef', constant: sines(0) },
  {
    mix: (x, y, z) => ifThenElse(z, x, y),
    shifts: [5, 9, 14, 20],
    words: '16b05af49e38d27c',
    constant: sines(16),
  },
  { mix: parity, shifts: [4, 11, 16, 23], words: '58be147ad0369cf2', constant: sines(32) },
  { mix: (x, y, z) => y ^ (x | ~z), shifts: [6, 10, 15, 21], words: '07e5c3a18f6d4b29', constant: sines(48) },
];

/** MD4 (RFC 1320), whose blocks and words are those of MD5. Its steps do not add the second word of the state. */
const MD4: readonly Round[] = [
  { mix: ifThenElse, shifts: [3, 7, 11, 19], words: '0123456789abcdef', constant: () => 0 },
  {
    mix: (x, y, z) => (x & y) | (z & (x | y)),
    shifts: [3, 5, 9, 13],
    words: '048c159d26ae37bf',
    constant: () => 0x5a827999,
  },
  { mix: parity, shifts: [3, 9, 11, 15], words: '084c2a6e195d3b7f', constant: () => 0x6ed9eba1 },
];

const INITIAL_STATE: State = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476];

export const MD5_BLOCK_BYTES = 64;

/** Adds a block of 64 bytes to the state. */
function addBlock(state: State, block: Buffer, rounds: readonly Round[]): State {
  let [a, b, c, d] = state;
  for (const { mix, shifts, words, constant } of rounds) {
    for (let step = 0; step < words.length; step += 1) {
      const word = block.readInt32LE(4 * Number.parseInt(words.charAt(step), 16));
      const sum = (a + mix(b, c, d) + word + constant(step)) | 0;
      const shift = shifts[step % 4] as number;
      const turned = (sum << shift) | (sum >>> (32 - shift));
      [a, b, c, d] = [d, rounds === MD5 ? (b + turned) | 0 : turned, b, c];
    }
  }
  return [(state[0] + a) | 0, (state[1] + b) | 0, (state[2] + c) | 0, (state[3] + d) | 0];
}

function bytesOfState(state: State): Buffer {
  const bytes = Buffer.alloc(16);
  for (const [index, word] of state.entries()) bytes.writeInt32LE(word | 0, index * 4);
  return bytes;
}

/** MD5's internal state after one block, without the final padding. OpenSSL does not expose it. */
export const md5State = (block: Uint8Array): Buffer =>
  bytesOfState(addBlock(INITIAL_STATE, Buffer.from(block), MD5));

/** Computes MD4. OpenSSL 3 has it only in its legacy provider, which Node.js does not load. */
export function md4(...parts: readonly Uint8Array[]): Buffer {
  const message = Buffer.concat(parts);
  const padded = Buffer.alloc(Math.ceil((message.length + 9) / MD5_BLOCK_BYTES) * MD5_BLOCK_BYTES);
  message.copy(padded);
  padded[message.length] = 0x80;
  padded.writeBigUInt64LE(BigInt(message.length) * 8n, padded.length - 8);
  let state = INITIAL_STATE;
  for (let at = 0; at < padded.length; at += MD5_BLOCK_BYTES)
    state = addBlock(state, padded.subarray(at), MD4);
  return bytesOfState(state);
}

/** Returns HMAC-MD4 (RFC 2104). */
export function hmacMd4(key: Buffer, message: Uint8Array): Buffer {
  const block = Buffer.alloc(MD5_BLOCK_BYTES);
  (key.length > MD5_BLOCK_BYTES ? md4(key) : key).copy(block);
  const masked = (mask: number) => block.map((byte) => byte ^ mask);
  return md4(masked(0x5c), md4(masked(0x36), message));
}

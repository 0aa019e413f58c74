/** State of MD4 and MD5: four words of 32 bits. */
type Md5State = readonly [number, number, number, number];

/** Round of MD4 or MD5: sixteen steps. `words` are the words of the block in the order of the steps. */
interface Md5Round {
  mix(x: number, y: number, z: number): number;
  shifts: readonly number[];
  words: readonly number[];
}

interface Md5Steps {
  rounds: readonly Md5Round[];
  constantAt(round: number, step: number): number;
  /** Result of a step, for the second word of the state and the turned sum of the step. */
  resultOf(b: number, turned: number): number;
}

/** Returns the order of words that is written as hexadecimal digits. */
const wordsOf = (digits: string) => [...digits].map((digit) => Number.parseInt(digit, 16));

const SINES = Array.from({ length: 64 }, (_, step) => Math.floor(Math.abs(Math.sin(step + 1)) * 2 ** 32));

/** MD5 (RFC 1321). */
const MD5: Md5Steps = {
  rounds: [
    { mix: (x, y, z) => (x & y) | (~x & z), shifts: [7, 12, 17, 22], words: wordsOf('0123456789abcdef') },
    { mix: (x, y, z) => (x & z) | (y & ~z), shifts: [5, 9, 14, 20], words: wordsOf('16b05af49e38d27c') },
    { mix: (x, y, z) => x ^ y ^ z, shifts: [4, 11, 16, 23], words: wordsOf('58be147ad0369cf2') },
    { mix: (x, y, z) => y ^ (x | ~z), shifts: [6, 10, 15, 21], words: wordsOf('07e5c3a18f6d4b29') },
  ],
  constantAt: (round, step) => SINES[16 * round + step] ?? 0,
  resultOf: (b, turned) => (b + turned) | 0,
};

const INITIAL_STATE: Md5State = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476];

export const MD5_BLOCK_BYTES = 64;

/** Adds a block of 64 bytes to the state. */
function addBlock(state: Md5State, block: Buffer, { rounds, constantAt, resultOf }: Md5Steps): Md5State {
  let [a, b, c, d] = state;
  for (const [round, { mix, shifts, words }] of rounds.entries()) {
    for (const [step, word] of words.entries()) {
      const sum = (a + mix(b, c, d) + block.readInt32LE(4 * word) + constantAt(round, step)) | 0;
      const shift = shifts[step % 4] ?? 0;
      [a, b, c, d] = [d, resultOf(b, (sum << shift) | (sum >>> (32 - shift))), b, c];
    }
  }
  return [(state[0] + a) | 0, (state[1] + b) | 0, (state[2] + c) | 0, (state[3] + d) | 0];
}

function bytesOfState(state: Md5State): Buffer {
  const bytes = Buffer.alloc(16);
  for (const [index, word] of state.entries()) bytes.writeInt32LE(word | 0, index * 4);
  return bytes;
}

/** MD5's internal state after one block, without the final padding. OpenSSL does not expose it. */
export const md5State = (block: Uint8Array): Buffer =>
  bytesOfState(addBlock(INITIAL_STATE, Buffer.from(block), MD5));

const CONSTANTS = [0, 0x5a827999, 0x6ed9eba1];

/** MD4 (RFC 1320), whose blocks and words are those of MD5. */
const MD4: Md5Steps = {
  rounds: [
    { mix: (x, y, z) => (x & y) | (~x & z), shifts: [3, 7, 11, 19], words: wordsOf('0123456789abcdef') },
    { mix: (x, y, z) => (x & y) | (z & (x | y)), shifts: [3, 5, 9, 13], words: wordsOf('048c159d26ae37bf') },
    { mix: (x, y, z) => x ^ y ^ z, shifts: [3, 9, 11, 15], words: wordsOf('084c2a6e195d3b7f') },
  ],
  constantAt: (round) => CONSTANTS[round] ?? 0,
  resultOf: (_b, turned) => turned,
};

/** OpenSSL 3 has MD4 only in its legacy provider, which Node.js does not load. */
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

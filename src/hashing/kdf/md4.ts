import {
  addBlock,
  bytesOfState,
  INITIAL_STATE,
  MD5_BLOCK_BYTES,
  type Md5Steps,
  wordsOf,
} from './md5-state.ts';

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

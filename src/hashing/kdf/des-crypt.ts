/** Number of times that a traditional crypt(3) hash encrypts the zero block. */
const ROUNDS = 25;
/** Number of bytes in a DES key, of which 56 bits count: seven of each byte. */
const KEY_BYTES = 8;

/** Tables of DES (FIPS 46-3). Bits are counted from 1, starting with the highest. */
const PC1 = [
  57, 49, 41, 33, 25, 17, 9, 1, 58, 50, 42, 34, 26, 18, 10, 2, 59, 51, 43, 35, 27, 19, 11, 3, 60, 52, 44, 36,
  63, 55, 47, 39, 31, 23, 15, 7, 62, 54, 46, 38, 30, 22, 14, 6, 61, 53, 45, 37, 29, 21, 13, 5, 28, 20, 12, 4,
];
const PC2 = [
  14, 17, 11, 24, 1, 5, 3, 28, 15, 6, 21, 10, 23, 19, 12, 4, 26, 8, 16, 7, 27, 20, 13, 2, 41, 52, 31, 37, 47,
  55, 30, 40, 51, 45, 33, 48, 44, 49, 39, 56, 34, 53, 46, 42, 50, 36, 29, 32,
];
const SHIFTS = [1, 1, 2, 2, 2, 2, 2, 2, 1, 2, 2, 2, 2, 2, 2, 1];
const P = [
  16, 7, 20, 21, 29, 12, 28, 17, 1, 15, 23, 26, 5, 18, 31, 10, 2, 8, 24, 14, 32, 27, 3, 9, 19, 13, 30, 6, 22,
  11, 4, 25,
];
/** S-boxes of DES in hexadecimal digits: four rows of sixteen values for each box. */
const S = [
  'e4d12fb83a6c59070f74e2d1a6cb953841e8d62bfc973a50fc8249175b3ea06d',
  'f18e6b34972dc05a3d47f28ec01a69b50e7ba4d158c6932fd8a13f42b67c05e9',
  'a09e63f51dc7b428d709346a285ecbf1d6498f30b12c5ae71ad069874fe3b52c',
  '7de3069a1285bc4fd8b56f03472c1ae9a690cb7df13e52843f06a1d8945bc72e',
  '2c417ab6853fd0e9eb2c47d150fa3986421bad78f9c5630eb8c71e2d6f09a453',
  'c1af92680d34e75baf427c9561de0b389ef528c3704a1db6432c95fabe17608d',
  '4b2ef08d3c975a61d0b7491ae35c2f8614bdc37eaf6805926bd814a7950fe23c',
  'd2846fb1a93e50c71fd8a374c56b0e927b419ce206adf35821e74a8dfc90356b',
];
/**
 * Initial permutation of a DES block, whose inverse is the final one. Reads columns from the right, even ones
 * first.
 */
const IP = [58, 60, 62, 64, 57, 59, 61, 63].flatMap((first) =>
  Array.from({ length: 8 }, (_, row) => first - 8 * row),
);

/** Final permutation of a DES block, the inverse of the initial one. */
const FP = IP.map((_place, index) => IP.indexOf(index + 1) + 1);

const bitsOf = (bytes: Uint8Array) =>
  Uint8Array.from({ length: bytes.length * 8 }, (_, bit) => ((bytes[bit >> 3] ?? 0) >> (7 - (bit & 7))) & 1);
const pick = (bits: Uint8Array, places: readonly number[]) =>
  Uint8Array.from(places, (place) => bits[place - 1] ?? 0);
const numberOf = (bits: Uint8Array) => bits.reduce((value, bit) => (value << 1) | bit, 0);
const turnedLeft = (word: number, by: number) => (word << by) | (word >>> (32 - by));

/** Order in which S-boxes are looked up. A rotated half of a block has the inputs of four S-boxes, one in each byte. */
const BOX_ORDER = [0, 2, 4, 6, 1, 3, 5, 7];

/** Permuted outputs of the S-boxes in BOX_ORDER, for each of 64 inputs. */
const OUTPUTS = Int32Array.from({ length: 8 * 64 }, (_, index) => {
  const box = BOX_ORDER[index >> 6] as number;
  const row = ((index >> 4) & 2) | (index & 1);
  const nibble = Number.parseInt((S[box] as string).charAt(row * 16 + ((index >> 1) & 15)), 16);
  const word = Buffer.alloc(4);
  word.writeUInt8(box % 2 === 0 ? nibble << 4 : nibble, box >> 1);
  return numberOf(pick(bitsOf(word), P));
});

/**
 * Returns the outputs of the four S-boxes from `first` on. Each byte of `inputs` has the six input bits of one S-box.
 */
const outputOf = (first: number, inputs: number): number =>
  (OUTPUTS[64 * first + ((inputs >> 24) & 63)] as number) ^
  (OUTPUTS[64 * first + 64 + ((inputs >> 16) & 63)] as number) ^
  (OUTPUTS[64 * first + 128 + ((inputs >> 8) & 63)] as number) ^
  (OUTPUTS[64 * first + 192 + (inputs & 63)] as number);

/** Returns the keys of sixteen rounds: two words for each, with the bits of four S-boxes in BOX_ORDER. */
function scheduleOf(key: Uint8Array): Int32Array {
  const bits = pick(bitsOf(key), PC1);
  let turned = 0;
  const keys = SHIFTS.flatMap((shift) => {
    turned += shift;
    const rotated = bits.map((_bit, index) => {
      const half = index < 28 ? 0 : 28;
      return bits[half + ((index - half + turned) % 28)] ?? 0;
    });
    const roundKey = pick(rotated, PC2);
    return BOX_ORDER.map((box) => numberOf(roundKey.subarray(6 * box, 6 * box + 6)));
  });
  const bytes = Buffer.from(keys);
  return Int32Array.from({ length: 32 }, (_, index) => bytes.readInt32BE(4 * index));
}

/**
 * DES whose expansion depends on the salt, which OpenSSL does not implement. Each bit of the salt, the lowest
 * first, swaps an input bit of one of the first four S-boxes with that of the S-box four places later.
 * @param key eight bytes, whose lowest bits are ignored
 * @param count number of times that the block is encrypted
 */
function saltedDes(
  key: Uint8Array,
  salt: number,
  count: number,
  block: Uint8Array = new Uint8Array(8),
): Buffer {
  const schedule = scheduleOf(key);
  const saltBits = Uint8Array.from({ length: 24 }, (_, bit) => (salt >> bit) & 1);
  const saltOf = (box: number) => numberOf(saltBits.subarray(6 * box, 6 * box + 6));
  const evenSalt = (saltOf(0) << 8) | saltOf(2);
  const oddSalt = (saltOf(1) << 8) | saltOf(3);
  const mixed = (inputs: number, saltOfInputs: number, keyOfInputs: number) => {
    const swapped = (inputs ^ (inputs >> 16)) & saltOfInputs;
    return inputs ^ swapped ^ (swapped << 16) ^ keyOfInputs;
  };
  const start = pick(bitsOf(block), IP);
  let left = numberOf(start.subarray(0, 32));
  let right = numberOf(start.subarray(32));
  for (let time = 0; time < count; time += 1) {
    for (let round = 0; round < 32; round += 2) {
      const even = mixed(turnedLeft(right, 29), evenSalt, schedule[round] as number);
      const odd = mixed(turnedLeft(right, 1), oddSalt, schedule[round + 1] as number);
      [left, right] = [right, left ^ outputOf(0, even) ^ outputOf(4, odd)];
    }
    [left, right] = [right, left];
  }
  const halves = Buffer.alloc(8);
  halves.writeInt32BE(left, 0);
  halves.writeInt32BE(right, 4);
  const bits = pick(bitsOf(halves), FP);
  return halves.map((_byte, index) => numberOf(bits.subarray(8 * index, 8 * index + 8))) as Buffer;
}

const keyAt = (password: Buffer, at: number): Buffer =>
  Buffer.from(Array.from({ length: KEY_BYTES }, (_, index) => (password[at + index] ?? 0) << 1));

/** Computes traditional DES-based crypt(3), which reads the first eight bytes of the password. */
export const desCrypt = (password: Buffer, salt: number): Buffer =>
  saltedDes(keyAt(password, 0), salt, ROUNDS);

/** Computes BSDi's crypt(3), which folds the whole password into one DES key. */
export function bsdiCrypt(password: Buffer, salt: number, count: number): Buffer {
  let key = keyAt(password, 0);
  for (let at = KEY_BYTES; at < password.length; at += KEY_BYTES) {
    const folded = saltedDes(key, 0, 1, key);
    key = keyAt(password, at).map((byte, index) => byte ^ (folded[index] ?? 0)) as Buffer;
  }
  return saltedDes(key, salt, count);
}

/**
 * Computes bigcrypt, Digital UNIX's crypt(3). The salt of each block is the first two digits of the block
 * before.
 */
export function bigCrypt(password: Buffer, salt: number): Buffer {
  const blocks: Buffer[] = [];
  let next = salt;
  for (let at = 0; at === 0 || at < password.length; at += KEY_BYTES) {
    const block = saltedDes(keyAt(password, at), next, ROUNDS);
    const twelve = block.readUInt16BE(0) >> 4;
    next = (twelve >> 6) | ((twelve & 63) << 6);
    blocks.push(block);
  }
  return Buffer.concat(blocks);
}

/** Computes crypt16, Ultrix's crypt(3), which reads sixteen bytes of the password. */
export const crypt16 = (password: Buffer, salt: number): Buffer =>
  Buffer.concat([saltedDes(keyAt(password, 0), salt, 20), saltedDes(keyAt(password, KEY_BYTES), salt, 5)]);

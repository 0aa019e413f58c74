/** Number of times that a traditional crypt(3) hash encrypts the zero block. */
const ROUNDS = 25;
/** DES keys have 56 bits: seven of each byte. */
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

const bitsOf = (bytes: Uint8Array) =>
  Uint8Array.from({ length: bytes.length * 8 }, (_, bit) => ((bytes[bit >> 3] ?? 0) >> (7 - (bit & 7))) & 1);
const pick = (bits: Uint8Array, places: readonly number[]) =>
  Uint8Array.from(places, (place) => bits[place - 1] ?? 0);
const numberOf = (bits: Uint8Array) => bits.reduce((value, bit) => ((value << 1) | bit) >>> 0, 0);

function tableOf(box: string, index: number): Int32Array {
  return Int32Array.from({ length: 64 }, (_, six) => {
    const row = ((six >> 4) & 2) | (six & 1);
    const nibble = Number.parseInt(box.charAt(row * 16 + ((six >> 1) & 15)), 16);
    const bits = new Uint8Array(32);
    for (let bit = 0; bit < 4; bit += 1) bits[index * 4 + bit] = (nibble >> (3 - bit)) & 1;
    return numberOf(pick(bits, P)) | 0;
  });
}

const [S1, S2, S3, S4, S5, S6, S7, S8] = S.map(tableOf) as [
  Int32Array,
  Int32Array,
  Int32Array,
  Int32Array,
  Int32Array,
  Int32Array,
  Int32Array,
  Int32Array,
];

function scheduleOf(key: Uint8Array): Int32Array {
  const bits = pick(bitsOf(key), PC1);
  const schedule = new Int32Array(32);
  let turned = 0;
  for (const [round, shift] of SHIFTS.entries()) {
    turned += shift;
    const rotated = bits.map((_bit, index) => {
      const half = index < 28 ? 0 : 28;
      return bits[half + ((index - half + turned) % 28)] ?? 0;
    });
    const roundKey = pick(rotated, PC2);
    schedule[2 * round] = numberOf(roundKey.subarray(0, 24));
    schedule[2 * round + 1] = numberOf(roundKey.subarray(24));
  }
  return schedule;
}

/** Returns the bits that the salt swaps between the halves of DES: its lowest bit swaps the first bit. */
function swappedBits(salt: number): number {
  let swapped = 0;
  for (let bit = 0; bit < 24; bit += 1) if ((salt >> bit) & 1) swapped |= 0x800000 >> bit;
  return swapped;
}

interface DesInput {
  /** DES key of eight bytes, whose lowest bits are ignored. */
  key: Uint8Array;
  salt: number;
  count: number;
  block?: Uint8Array;
}

/** DES whose expansion depends on the salt, which OpenSSL does not implement. */
function saltedDes({ key, salt, count, block = new Uint8Array(8) }: DesInput): Buffer {
  const schedule = scheduleOf(key);
  const saltBits = swappedBits(salt);
  const start = pick(bitsOf(block), IP);
  let left = numberOf(start.subarray(0, 32)) | 0;
  let right = numberOf(start.subarray(32)) | 0;
  for (let time = 0; time < count; time += 1) {
    for (let round = 0; round < 32; round += 2) {
      let high =
        ((right & 1) << 23) |
        ((right >>> 9) & 0x7c0000) |
        ((right >>> 11) & 0x03f000) |
        ((right >>> 13) & 0x000fc0) |
        ((right >>> 15) & 0x00003f);
      let low =
        ((right & 0x1f800) << 7) |
        ((right & 0x1f80) << 5) |
        ((right & 0x1f8) << 3) |
        ((right & 0x1f) << 1) |
        (right >>> 31);
      const swap = (high ^ low) & saltBits;
      high ^= swap ^ (schedule[round] as number);
      low ^= swap ^ (schedule[round + 1] as number);
      const mixed =
        (S1[high >> 18] as number) ^
        (S2[(high >> 12) & 63] as number) ^
        (S3[(high >> 6) & 63] as number) ^
        (S4[high & 63] as number) ^
        (S5[low >> 18] as number) ^
        (S6[(low >> 12) & 63] as number) ^
        (S7[(low >> 6) & 63] as number) ^
        (S8[low & 63] as number) ^
        left;
      left = right;
      right = mixed;
    }
    [left, right] = [right, left];
  }
  const halves = Buffer.alloc(8);
  halves.writeInt32BE(left, 0);
  halves.writeInt32BE(right, 4);
  const out = Buffer.alloc(8);
  for (const [index, bit] of bitsOf(halves).entries()) {
    const place = (IP[index] as number) - 1;
    out[place >> 3] = (out[place >> 3] as number) | (bit << (7 - (place & 7)));
  }
  return out;
}

function keyAt(password: Buffer, at: number): Buffer {
  const key = Buffer.alloc(KEY_BYTES);
  for (let index = 0; index < KEY_BYTES; index += 1) key[index] = (password[at + index] ?? 0) << 1;
  return key;
}

/** Computes traditional DES-based crypt(3), which reads the first eight bytes of the password. */
export const desCrypt = (password: Buffer, salt: number): Buffer =>
  saltedDes({ key: keyAt(password, 0), salt, count: ROUNDS });

/** Computes BSDi's crypt(3), which folds the whole password into one DES key. */
export function bsdiCrypt(password: Buffer, salt: number, count: number): Buffer {
  let key = keyAt(password, 0);
  for (let at = KEY_BYTES; at < password.length; at += KEY_BYTES) {
    const folded = saltedDes({ key, salt: 0, count: 1, block: key });
    key = keyAt(password, at).map((byte, index) => byte ^ (folded[index] ?? 0)) as Buffer;
  }
  return saltedDes({ key, salt, count });
}

/**
 * Computes bigcrypt, Digital UNIX's crypt(3). The salt of each block is the first two digits of the block
 * before.
 */
export function bigCrypt(password: Buffer, salt: number): Buffer {
  const blocks: Buffer[] = [];
  let next = salt;
  for (let at = 0; at === 0 || at < password.length; at += KEY_BYTES) {
    const block = saltedDes({ key: keyAt(password, at), salt: next, count: ROUNDS });
    const twelve = block.readUInt16BE(0) >> 4;
    next = (twelve >> 6) | ((twelve & 63) << 6);
    blocks.push(block);
  }
  return Buffer.concat(blocks);
}

/** Computes crypt16, Ultrix's crypt(3), which reads sixteen bytes of the password. */
export const crypt16 = (password: Buffer, salt: number): Buffer =>
  Buffer.concat([
    saltedDes({ key: keyAt(password, 0), salt, count: 20 }),
    saltedDes({ key: keyAt(password, KEY_BYTES), salt, count: 5 }),
  ]);

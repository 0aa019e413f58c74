import { cryptDigit } from '../encodings.ts';
import { HashRefused } from '../refused.ts';

/** Modes of yescrypt: `rw` is yescrypt's native mode, `scrypt` is plain scrypt, and `worm` is scrypt with a prehash. */
type YescryptFlavor = 'scrypt' | 'worm' | 'rw';

export interface YescryptParameters {
  flavor: YescryptFlavor;
  log2N: number;
  r: number;
  p: number;
  t: number;
}

/**
 * Modes that libxcrypt implements, by their number in a hash. 47 is its only combination of `rw` options: six
 * rounds, four-wide, two-deep, 12 KiB of S-boxes.
 */
const FLAVORS = new Map<number, YescryptFlavor>([
  [0, 'scrypt'],
  [1, 'worm'],
  [47, 'rw'],
]);

const HAS_P = 1;
const HAS_T = 2;

const refused = (why: string) => new HashRefused('format', `parameters ${why}`);

function takeDigit(digits: number[]): number {
  const digit = digits.shift() ?? -1;
  if (digit === -1) throw refused('are cut off, or not of the alphabet ./0-9A-Za-z');
  return digit;
}

/**
 * Takes a number of at least `min` from the digits. Its first digit determines its length. Numbers stay far
 * below 2^32.
 * @throws {HashRefused} `format` if the digits end within the number
 */
function takeNumber(digits: number[], min: number): number {
  const first = takeDigit(digits);
  let value = min;
  let start = 0;
  let end = 47;
  let bits = 0;
  while (first > end) {
    value += (end + 1 - start) * 2 ** bits;
    start = end + 1;
    end = start + Math.floor((62 - end) / 2);
    bits += 6;
  }
  value += (first - start) * 2 ** bits;
  for (; bits > 0; bits -= 6) value += takeDigit(digits) * 2 ** (bits - 6);
  return value;
}

/**
 * Parses the parameters of a yescrypt string, and checks what the library checks in yescrypt_kdf_body.
 * @throws {HashRefused} `format`
 */
export function yescryptParameters(text: string): YescryptParameters {
  const digits = [...text].map(cryptDigit);
  const flavor = FLAVORS.get(takeNumber(digits, 0));
  if (flavor === undefined) throw refused('have an unknown flavor: expected one of . / j');
  const log2N = takeNumber(digits, 1);
  const r = takeNumber(digits, 1);
  const has = digits.length === 0 ? 0 : takeNumber(digits, 1);
  if (has > (HAS_P | HAS_T)) throw refused('require a ROM or an upgrade, which libxcrypt does not support');
  const p = has & HAS_P ? takeNumber(digits, 2) : 1;
  const t = has & HAS_T ? takeNumber(digits, 1) : 0;
  if (digits.length > 0) throw refused('are followed by extra characters');
  if (log2N < 2 || log2N > 31) throw refused('have an N outside of 2^2 to 2^31');
  if (r * p >= 2 ** 30) throw refused('have an r × p of 2^30 or more');
  if (flavor === 'rw' && 2 ** log2N < 4 * p) throw refused('have an N of less than 4 × p');
  if (flavor === 'scrypt' && t > 0) throw refused('include t, which scrypt does not support');
  return { flavor, log2N, r, p, t };
}

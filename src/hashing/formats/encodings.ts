import { checkBase64 } from '../../lib/text/base64.ts';

/** How the text of a hash part stands for bytes. */
export interface Encoding {
  /** How many bytes the text stands for, or the end of a sentence that says why it stands for none and holds none of it. Strict: two texts never stand for the same bytes. */
  check(text: string): number | { problem: string };
  /** Of a text that passed `check`. */
  decode(text: string): Buffer;
  /** The text of this many zero bytes or, where that is no text, of other bytes that say nothing. */
  zeros(text: string): string;
  /** Writes bytes; of the kinds of base64, which are often taken for each other. */
  encode?(bytes: Buffer): string;
}

const fill = (digit: string) => (text: string) => text.replace(/[^=]/g, () => digit);

/** The characters themselves are the bytes, also where they look like hexadecimal digits or base64. */
export const TEXT: Encoding = {
  check: (text) => Buffer.byteLength(text),
  decode: (text) => Buffer.from(text, 'utf8'),
  zeros: (text) => '0'.repeat(Buffer.byteLength(text)),
};

function hex(digits: RegExp, problem: string): Encoding {
  return {
    check: (text) => (digits.test(text) && text.length % 2 === 0 ? text.length / 2 : { problem }),
    decode: (text) => Buffer.from(text, 'hex'),
    zeros: fill('0'),
  };
}

/** Lower case, as applications write it that compare text. */
export const HEX = hex(/^[0-9a-f]*$/, 'is not lower-case hexadecimal');
export const UPPER_HEX = hex(/^[0-9A-F]*$/, 'is not upper-case hexadecimal');
/** One case or the other, not both in one value. */
export const ANY_HEX = hex(/^(?:[0-9a-f]*|[0-9A-F]*)$/, 'is not hexadecimal of one case');

/** Standard or URL-safe, padded or not. */
export const BASE64: Encoding = {
  check: (text) => checkBase64(text, 'lenient'),
  decode: (text) => Buffer.from(text, 'base64'),
  zeros: fill('A'),
  encode: (bytes) => bytes.toString('base64'),
};

const unpadded = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '');

/** Standard, without padding. */
export const BARE_BASE64: Encoding = {
  ...BASE64,
  check: (text) => checkBase64(text, 'bare'),
  encode: unpadded,
};

/** Standard, with the padding. */
export const PADDED_BASE64: Encoding = {
  ...BASE64,
  check: (text) =>
    text.length % 4 === 0 && !/[-_]/.test(text)
      ? checkBase64(text, 'lenient')
      : { problem: 'is not padded standard base64' },
};

/** URL-safe, with the padding. */
export const PADDED_BASE64URL: Encoding = {
  ...BASE64,
  check: (text) =>
    text.length % 4 === 0 && !/[+/]/.test(text)
      ? checkBase64(text, 'lenient')
      : { problem: 'is not padded URL-safe base64' },
  encode: (bytes) => bytes.toString('base64').replaceAll('+', '-').replaceAll('/', '_'),
};

const fromAb64 = (text: string) => text.replaceAll('.', '+');

/** passlib's "adapted base64": `.` for `+`, no padding. Other writers leave the `+`; one value does not have both. */
export const AB64: Encoding = {
  check: (text) =>
    text.includes('.') && text.includes('+')
      ? { problem: 'mixes . and +' }
      : checkBase64(fromAb64(text), 'bare'),
  decode: (text) => Buffer.from(fromAb64(text), 'base64'),
  zeros: fill('A'),
  encode: (bytes) => unpadded(bytes).replaceAll('+', '.'),
};

const CRYPT_DIGITS = './0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const CRYPT_TEXT = /^[./0-9A-Za-z]*$/;

/** The number that a digit of crypt's alphabet stands for; -1 for any other character. */
export const cryptDigit = (digit: string) => CRYPT_DIGITS.indexOf(digit);

/** Text of digits that each stand for six bits of a number of so many bytes. */
function cryptEncoding(readGroup: (digits: number[], bytes: number) => number): Encoding {
  const decode = (text: string): Buffer | undefined => {
    const bytes = Buffer.alloc(Math.floor((text.length * 3) / 4));
    for (let group = 0; group * 4 < text.length; group += 1) {
      const digits = [...text.slice(group * 4, group * 4 + 4)].map(cryptDigit);
      const length = Math.min(3, bytes.length - group * 3);
      const value = readGroup(digits, length);
      if (value < 0 || value >= 2 ** (8 * length)) return undefined;
      for (let index = 0; index < length; index += 1) {
        bytes[group * 3 + index] = littleEndian
          ? (value >> (8 * index)) & 255
          : (value >> (8 * (length - 1 - index))) & 255;
      }
    }
    return bytes;
  };
  const littleEndian = readGroup === lowestFirst;
  return {
    check: (text) => {
      if (!CRYPT_TEXT.test(text) || text.length % 4 === 1)
        return { problem: 'is not of the alphabet ./0-9A-Za-z' };
      return decode(text)?.length ?? { problem: 'has unused bits that are set' };
    },
    decode: (text) => decode(text) as Buffer,
    zeros: fill('.'),
  };
}

function lowestFirst(digits: number[]): number {
  return digits.reduceRight((value, digit) => value * 64 + digit, 0);
}

/** Bits that are left over at the end of the last digit must be zero. */
function highestFirst(digits: number[], bytes: number): number {
  const value = digits.reduce((sum, digit) => sum * 64 + digit, 0);
  const spare = 2 ** (digits.length * 6 - bytes * 8);
  return value % spare === 0 ? value / spare : -1;
}

/** crypt's base64 as phpass and md5-crypt write it: of three bytes, the lowest six bits come first. */
export const CRYPT64 = cryptEncoding(lowestFirst);
/** crypt's alphabet in the order of base64: the highest six bits come first. */
export const CRYPT64_BIG = cryptEncoding(highestFirst);

/** Writes bytes as `CRYPT64` reads them. */
export function toCrypt64(bytes: Buffer): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 3) {
    const group = bytes.subarray(at, at + 3);
    const value = group.readUIntLE(0, group.length);
    for (let digit = 0; digit <= group.length; digit += 1)
      text += CRYPT_DIGITS.charAt((value >> (6 * digit)) & 63);
  }
  return text;
}

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

/** Digits by their character code. */
const DIGIT_OF = Uint8Array.from({ length: 128 }, (_, code) =>
  Math.max(0, cryptDigit(String.fromCharCode(code))),
);

/** Four digits are three bytes, and two or three that are left over one or two. `shiftOf` places a digit in the number of its group. */
function cryptEncoding(shiftOf: (digit: number) => number, byteShiftOf: (byte: number) => number): Encoding {
  const groupOf = (text: string, start: number) => {
    let value = 0;
    for (let digit = 0; digit < 4 && start + digit < text.length; digit += 1) {
      value |= (DIGIT_OF[text.charCodeAt(start + digit)] ?? 0) << shiftOf(digit);
    }
    return value;
  };
  return {
    check(text) {
      const rest = text.length % 4;
      if (!CRYPT_TEXT.test(text) || rest === 1) return { problem: 'is not of the alphabet ./0-9A-Za-z' };
      let unused = rest === 0 ? 0 : groupOf(text, text.length - rest);
      for (let byte = 0; byte < rest - 1; byte += 1) unused &= ~(255 << byteShiftOf(byte));
      return unused === 0 ? Math.floor((text.length * 3) / 4) : { problem: 'has unused bits that are set' };
    },
    decode(text) {
      const bytes = Buffer.alloc(Math.floor((text.length * 3) / 4));
      for (let start = 0, at = 0; start < text.length; start += 4, at += 3) {
        const value = groupOf(text, start);
        for (let byte = 0; byte < 3 && at + byte < bytes.length; byte += 1) {
          bytes[at + byte] = (value >> byteShiftOf(byte)) & 255;
        }
      }
      return bytes;
    },
    zeros: fill('.'),
  };
}

/** crypt's base64 as phpass and md5-crypt write it: of three bytes, the lowest six bits come first. */
export const CRYPT64 = cryptEncoding(
  (digit) => 6 * digit,
  (byte) => 8 * byte,
);
/** crypt's alphabet in the order of base64: the highest six bits come first. */
export const CRYPT64_BIG = cryptEncoding(
  (digit) => 18 - 6 * digit,
  (byte) => 16 - 8 * byte,
);

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

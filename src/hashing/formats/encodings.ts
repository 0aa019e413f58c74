import { checkBase64 } from '../../lib/text/base64.ts';

export interface Encoding {
  /**
   * Returns the number of bytes that the text stands for, or a `problem` that ends a sentence and contains
   * nothing of the text. The check is strict: two different texts never stand for the same bytes.
   */
  check(text: string): number | { problem: string };
  decode(text: string): Buffer;
  /** Returns an encoding of zero bytes, or else of other meaningless bytes, that is as long as this text. */
  zeros(text: string): string;
  /** Encodes bytes. Only kinds of base64 do, to repair hashes in which one kind was mistaken for another. */
  encode?(bytes: Buffer): string;
}

const fill = (digit: string) => (text: string) => text.replace(/[^=]/g, () => digit);

/** Text whose characters are the bytes themselves, even if they look like hexadecimal digits or base64. */
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

/** Hexadecimal digits in lower case, as written by applications that compare hashes as text. */
export const HEX = hex(/^[0-9a-f]*$/, 'is not lower-case hexadecimal');
/** Hexadecimal digits in lower or upper case, but not both in one value. */
export const ANY_HEX = hex(/^(?:[0-9a-f]*|[0-9A-F]*)$/, 'is not hexadecimal of one case');

/** Base64 with the standard or URL-safe alphabet, padded or not. */
export const BASE64: Encoding = {
  check: (text) => checkBase64(text, 'lenient'),
  decode: (text) => Buffer.from(text, 'base64'),
  zeros: fill('A'),
  encode: (bytes) => bytes.toString('base64'),
};

const unpadded = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '');

export const BARE_BASE64: Encoding = {
  ...BASE64,
  check: (text) => checkBase64(text, 'bare'),
  encode: unpadded,
};

export const PADDED_BASE64: Encoding = {
  ...BASE64,
  check: (text) =>
    text.length % 4 === 0 && !/[-_]/.test(text)
      ? checkBase64(text, 'lenient')
      : { problem: 'is not padded standard base64' },
};

export const PADDED_BASE64URL: Encoding = {
  ...BASE64,
  check: (text) =>
    text.length % 4 === 0 && !/[+/]/.test(text)
      ? checkBase64(text, 'lenient')
      : { problem: 'is not padded URL-safe base64' },
  encode: (bytes) => bytes.toString('base64').replaceAll('+', '-').replaceAll('/', '_'),
};

const fromAb64 = (text: string) => text.replaceAll('.', '+');

/** passlib's "adapted base64": `.` for `+`, unpadded. Some writers keep the `+`, but no value has both. */
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

export const cryptDigit = (digit: string) => CRYPT_DIGITS.indexOf(digit);

const DIGIT_OF = Uint8Array.from({ length: 128 }, (_, code) =>
  Math.max(0, cryptDigit(String.fromCharCode(code))),
);

/**
 * Builds an encoding in the alphabet of crypt(3), with four digits for each three bytes. `shiftOf` and
 * `byteShiftOf` return the positions of a digit and of a byte, in bits, in the 24-bit number of their group.
 */
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

/** Base64 of crypt(3) as phpass and md5-crypt write it: the lowest six bits of three bytes come first. */
export const CRYPT64 = cryptEncoding(
  (digit) => 6 * digit,
  (byte) => 8 * byte,
);
/** Base64 with the alphabet of crypt(3) and the usual order of bits: the highest six bits come first. */
export const CRYPT64_BIG = cryptEncoding(
  (digit) => 18 - 6 * digit,
  (byte) => 16 - 8 * byte,
);

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

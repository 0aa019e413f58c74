import { checkBase64 } from '../lib/text/base64.ts';
import { HashRefused } from './refused.ts';

/** Way in which bytes are written in a hash. */
export interface Encoding {
  /**
   * Returns the number of bytes, or a `problem`: the end of a sentence that contains nothing of the text. Texts with
   * characters that `decode` would skip are refused.
   */
  check(text: string): number | { problem: string };
  decode(text: string): Buffer;
  /** Encodings other than base64 need this only for decoys, and may return any text of the right length. */
  encode(bytes: Buffer): string;
  /** Returns a text for decoys that stands for this many bytes, if encoded zeros would not be valid. */
  filler?(bytes: number): string;
  /** Regular expression for one character. */
  readonly char: string;
  /** Regular expression for this many bytes. */
  sourceOf(bytes: number): string;
  /** Whether all texts that match `sourceOf` are valid. */
  readonly isExact?: true;
  /** Whether this is a kind of base64. By mistake, a hash may have been written in another kind. */
  readonly isBase64?: true;
}

/** Part of a hash, such as the salt. Its bytes are decoded only when the key derivation needs them. */
export class HashPart {
  readonly text: string;
  /** Number of bytes that `text` stands for. */
  readonly length: number;
  readonly encoding: Encoding;

  constructor(text: string, length: number, encoding: Encoding) {
    this.text = text;
    this.length = length;
    this.encoding = encoding;
  }
}

/** Text whose characters are the bytes themselves, even if they look like hexadecimal digits or base64. */
export const TEXT: Encoding = {
  check: (text) => Buffer.byteLength(text),
  decode: (text) => Buffer.from(text, 'utf8'),
  encode: (bytes) => bytes.toString('utf8').replaceAll('\0', '0'),
  char: '[^\\p{Cc}\\p{Cs}]',
  sourceOf: (bytes) => `[\\x20-\\x7e]{${bytes}}`,
};

const hex = (char: string, all: RegExp, problem: string): Encoding => ({
  check: (text) => (all.test(text) && text.length % 2 === 0 ? text.length / 2 : { problem }),
  decode: (text) => Buffer.from(text, 'hex'),
  encode: (bytes) => bytes.toString('hex'),
  char,
  sourceOf: (bytes) => `${char}{${2 * bytes}}`,
  isExact: true,
});

/** Hexadecimal digits in lower case, as written by applications that compare hashes as text. */
export const HEX = hex('[0-9a-f]', /^[0-9a-f]*$/, 'is not lower-case hexadecimal');
export const UPPER_HEX = hex('[0-9A-F]', /^[0-9A-F]*$/, 'is not upper-case hexadecimal');
/** Hexadecimal digits in lower or upper case, but not both in one value. */
export const ANY_HEX: Encoding = {
  ...hex('[0-9A-Fa-f]', /^(?:[0-9a-f]*|[0-9A-F]*)$/, 'is not hexadecimal of one case'),
  sourceOf: (bytes) => `(?:[0-9a-f]{${2 * bytes}}|[0-9A-F]{${2 * bytes}})`,
};

const digitsOf = (bytes: number) => Math.ceil((bytes * 4) / 3);
const paddingOf = (bytes: number) => (3 - (bytes % 3)) % 3;
const unpadded = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '');

/** Base64 with the standard or URL-safe alphabet, padded or not. */
export const BASE64: Encoding = {
  check: (text) => checkBase64(text, 'lenient'),
  decode: (text) => Buffer.from(text, 'base64'),
  encode: (bytes) => bytes.toString('base64'),
  char: '[A-Za-z0-9+/_=-]',
  sourceOf: (bytes) => `[A-Za-z0-9+/_-]{${digitsOf(bytes)}}={0,${paddingOf(bytes)}}`,
  isBase64: true,
};

export const BARE_BASE64: Encoding = {
  ...BASE64,
  check: (text) => checkBase64(text, 'bare'),
  encode: unpadded,
  char: '[A-Za-z0-9+/]',
  sourceOf: (bytes) => `[A-Za-z0-9+/]{${digitsOf(bytes)}}`,
};

const paddedBase64 = (alphabet: string, foreign: RegExp, problem: string): Encoding => ({
  ...BASE64,
  check: (text) =>
    text.length % 4 === 0 && !foreign.test(text) ? checkBase64(text, 'lenient') : { problem },
  char: `[=${alphabet}]`,
  sourceOf: (bytes) => `[${alphabet}]{${digitsOf(bytes)}}={${paddingOf(bytes)}}`,
});

export const PADDED_BASE64 = paddedBase64('A-Za-z0-9+/', /[-_]/, 'is not padded standard base64');
export const PADDED_BASE64URL: Encoding = {
  ...paddedBase64('A-Za-z0-9_-', /[+/]/, 'is not padded URL-safe base64'),
  encode: (bytes) => bytes.toString('base64').replaceAll('+', '-').replaceAll('/', '_'),
};

const fromAb64 = (text: string) => text.replaceAll('.', '+');

/** passlib's "adapted base64": `.` for `+`, unpadded. Some writers keep the `+`, but no value has both. */
export const AB64: Encoding = {
  ...BARE_BASE64,
  check: (text) =>
    text.includes('.') && text.includes('+')
      ? { problem: 'mixes . and +' }
      : checkBase64(fromAb64(text), 'bare'),
  decode: (text) => Buffer.from(fromAb64(text), 'base64'),
  encode: (bytes) => unpadded(bytes).replaceAll('+', '.'),
  char: '[A-Za-z0-9./+]',
  sourceOf: (bytes) => `[A-Za-z0-9./+]{${digitsOf(bytes)}}`,
};

export const CRYPT_DIGITS = './0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

export const cryptDigit = (digit: string) => CRYPT_DIGITS.indexOf(digit);

/** Returns the number that digits of crypt(3) stand for, the lowest digit first. */
export const cryptNumber = (text: string) =>
  [...text].reduceRight((value, digit) => value * 64 + cryptDigit(digit), 0);

const BIG = { digits: 'highest first', bytes: 'highest first' } as const;
type Order = 'lowest first' | 'highest first';

/**
 * Builds an encoding with four digits for each three bytes, which are one number of 24 bits.
 * @param order of the digits and of the bytes in this number
 */
function digitEncoding(digits: string, order: { digits: Order; bytes: Order }): Encoding {
  const values = Uint8Array.from({ length: 128 }, (_, code) =>
    Math.max(0, digits.indexOf(String.fromCharCode(code))),
  );
  const digitShifts = order.digits === 'lowest first' ? [0, 6, 12, 18] : [18, 12, 6, 0];
  const byteShifts = order.bytes === 'lowest first' ? [0, 8, 16] : [16, 8, 0];
  function groupOf(text: string, start: number): number {
    let value = 0;
    for (let digit = 0; digit < 4; digit += 1)
      value |= (values[text.charCodeAt(start + digit)] ?? 0) << (digitShifts[digit] as number);
    return value;
  }
  return {
    check(text) {
      const rest = text.length % 4;
      if (!/^[./0-9A-Za-z]*$/.test(text) || rest === 1)
        return { problem: 'is not of the alphabet ./0-9A-Za-z' };
      let unused = rest === 0 ? 0 : groupOf(text, text.length - rest);
      for (const shift of byteShifts.slice(0, Math.max(0, rest - 1))) unused &= ~(255 << shift);
      return unused === 0 ? Math.floor((text.length * 3) / 4) : { problem: 'has unused bits that are set' };
    },
    decode(text) {
      const bytes = Buffer.alloc(Math.floor((text.length * 3) / 4));
      for (let start = 0, at = 0; start < text.length; start += 4) {
        const group = groupOf(text, start);
        for (const shift of byteShifts) if (at < bytes.length) bytes[at++] = (group >> shift) & 255;
      }
      return bytes;
    },
    encode(bytes) {
      let text = '';
      for (let at = 0; at < bytes.length; at += 3) {
        const group = bytes.subarray(at, at + 3);
        const value = group.reduce((sum, byte, index) => sum | (byte << (byteShifts[index] as number)), 0);
        for (const shift of digitShifts.slice(0, group.length + 1))
          text += digits.charAt((value >> shift) & 63);
      }
      return text;
    },
    char: '[./0-9A-Za-z]',
    sourceOf: (bytes) => `[./0-9A-Za-z]{${Math.ceil((bytes * 4) / 3)}}`,
  };
}

/** Base64 of crypt(3) as phpass and md5-crypt write it: the lowest six bits of three bytes come first. */
export const CRYPT64 = digitEncoding(CRYPT_DIGITS, { digits: 'lowest first', bytes: 'lowest first' });
/** Base64 with the alphabet of crypt(3) and the usual order of bits: the highest six bits come first. */
export const CRYPT64_BIG = digitEncoding(CRYPT_DIGITS, BIG);
/**
 * AIX's base64. An incomplete last group is filled with zeros at its low end. Only one digit more than it has bytes is
 * written, so its highest bits are lost.
 */
export const AIX64 = digitEncoding(CRYPT_DIGITS, { digits: 'lowest first', bytes: 'highest first' });
/** bcrypt's base64. Unused bits may be set: passlib before 1.5.3 set them in salts. They are ignored. */
export const BCRYPT64: Encoding = {
  ...digitEncoding('./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789', BIG),
  check: (text) =>
    /^[./A-Za-z0-9]*$/.test(text) ? (text.length * 3) >> 2 : { problem: 'is not of ./A-Za-z0-9' },
  isExact: true,
};

/**
 * Checks the text of a part, and returns the part.
 * @throws {HashRefused} `format`, with `name` for the part and nothing of its text
 */
export function partOf(name: string, text: string, encoding: Encoding): HashPart {
  const length = encoding.check(text);
  if (typeof length !== 'number') throw new HashRefused('format', `${name} ${length.problem}`);
  return new HashPart(text, length, encoding);
}

/** Part that a hash contains in a packed form, such as a salt and a digest in one base64 text. */
export class PackedPart extends HashPart {
  readonly bytes: Buffer;

  constructor(bytes: Buffer) {
    super('', bytes.length, BASE64);
    this.bytes = bytes;
  }
}

export const packedPart = (bytes: Buffer): HashPart => new PackedPart(bytes);

export const bytesOf = (part: HashPart): Buffer =>
  part instanceof PackedPart ? part.bytes : part.encoding.decode(part.text);

export const isPart = (value: unknown): value is HashPart => value instanceof HashPart;

/**
 * Encoded zeros by encoding and length. They are kept because every import makes decoys, most of which have parts of
 * the same few lengths.
 */
const ZEROS = new WeakMap<Encoding, string[]>();
const MAX_KEPT_BYTES = 128;

/** Returns the part with zeros in place of its bytes. */
export function zeroed({ length, encoding }: HashPart): HashPart {
  const kept = ZEROS.get(encoding) ?? [];
  const text = kept[length] ?? encoding.filler?.(length) ?? encoding.encode(Buffer.alloc(length));
  if (length <= MAX_KEPT_BYTES) kept[length] = text;
  ZEROS.set(encoding, kept);
  return new HashPart(text, length, encoding);
}

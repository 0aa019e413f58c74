import { type Base64Style, checkBase64 } from '../../lib/text/base64.ts';
import { type HashParameters, HashRefused } from '../verifier.ts';
import type { Encoding } from './encodings.ts';

/** Part of a hash, such as the salt, that is decoded only when the key derivation needs its bytes. */
export interface HashPart {
  readonly text: string;
  /** Number of bytes that `text` stands for. */
  readonly length: number;
  /** Encoding of the part, by default base64. */
  readonly encoding?: Encoding;
}

/**
 * Returns a base64 text as a part of a hash. The check is strict: unused bits must be zero.
 * @param name of the part in messages
 * @throws {HashRefused} `format`; the message contains nothing of `text`
 */
export function base64Part(name: string, text: string, style: Base64Style): HashPart {
  const length = checkBase64(text, style);
  if (typeof length !== 'number') throw new HashRefused('format', `${name} ${length.problem}`);
  return { text, length };
}

/** @throws {HashRefused} as `base64Part` */
export function encodedPart(name: string, text: string, encoding: Encoding): HashPart {
  const length = encoding.check(text);
  if (typeof length !== 'number') throw new HashRefused('format', `${name} ${length.problem}`);
  return { text, length, encoding };
}

/** Part of a hash that was cut out of decoded bytes, such as a salt and a digest in one base64 text. */
class DecodedPart implements HashPart {
  readonly bytes: Buffer;
  readonly length: number;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
    this.length = bytes.length;
  }

  get text(): string {
    return this.bytes.toString('base64');
  }
}

export const partOf = (bytes: Buffer): HashPart => new DecodedPart(bytes);

export function bytesOf(part: HashPart): Buffer {
  if (part instanceof DecodedPart) return part.bytes;
  return part.encoding === undefined ? Buffer.from(part.text, 'base64') : part.encoding.decode(part.text);
}

/** @throws {HashRefused} `format` if the length of the part, in bytes, is out of range */
export function checkLength(
  name: string,
  { length }: HashPart,
  { min, max }: { min: number; max: number },
): void {
  if (length >= min && length <= max) return;
  const expected = min === max ? `${min}` : `${min} to ${max}`;
  throw new HashRefused('format', `${name} must be ${expected} bytes long, got ${length}`);
}

export const isPart = (value: unknown): value is HashPart =>
  typeof value === 'object' && value !== null && 'text' in value && 'length' in value;

export function numbersAndLengths(parsed: object): HashParameters {
  return Object.fromEntries(
    Object.entries(parsed).flatMap(([name, value]): [string, number][] => {
      if (typeof value === 'number') return [[name, value]];
      return isPart(value) ? [[`${name}Bytes`, value.length]] : [];
    }),
  );
}

import { type Base64Style, checkBase64 } from '../../lib/text/base64.ts';
import { type HashParameters, HashRefused } from '../verifier.ts';

/** A part of a hash string that stands for bytes. They are decoded only where a KDF is to run. */
export interface HashPart {
  readonly text: string;
  /** In bytes. */
  readonly length: number;
}

/** A part and where it stands, which is all that a decoy needs to know of a format. */
export interface PlacedPart extends HashPart {
  /** Index of its first character in the hash string. */
  readonly at: number;
  /** The digit of its alphabet whose bits are zero: `A` in base64, `0` in hexadecimal, `.` in crypt's. */
  readonly zero: string;
}

/**
 * A part that is base64 to its last bit.
 * @param name how a message names the part
 * @throws {HashRefused} `format`; the message says what is wrong and never holds any of `text`
 */
export function base64Part(name: string, text: string, style: Base64Style): HashPart {
  const length = checkBase64(text, style);
  if (typeof length !== 'number') throw new HashRefused('format', `${name} ${length.problem}`);
  return { text, length };
}

export const bytesOf = ({ text }: HashPart): Buffer => Buffer.from(text, 'base64');

const isPart = (value: unknown): value is HashPart =>
  typeof value === 'object' && value !== null && 'text' in value && 'length' in value;
const isPlaced = (value: unknown): value is PlacedPart => isPart(value) && 'at' in value && 'zero' in value;

/** The decoy of algorithms that bring none: the hash with zeros for its placed parts. Padding stays. */
export function zeroedParts(encoded: string, parsed: object): string {
  const parts = Object.values(parsed).filter(isPlaced);
  if (parts.length === 0)
    throw new Error('an algorithm whose parser places no parts needs a decoy of its own');
  return parts.reduce(
    (text, part) =>
      text.slice(0, part.at) +
      part.text.replace(/[^=]/g, () => part.zero) +
      text.slice(part.at + part.text.length),
    encoded,
  );
}

/** The description of algorithms that bring none: the numbers of the hash, and how long its parts are. */
export function numbersAndLengths(parsed: object): HashParameters {
  return Object.fromEntries(
    Object.entries(parsed).flatMap(([name, value]): [string, number][] => {
      if (typeof value === 'number') return [[name, value]];
      return isPart(value) ? [[`${name}Bytes`, value.length]] : [];
    }),
  );
}

import { type Base64Style, checkBase64 as check } from '../../lib/text/base64.ts';
import { HashRefused } from '../verifier.ts';

/** A part of a hash string that is base64 to its last bit. Decoded only where a KDF is to run. */
export interface Base64Part {
  readonly text: string;
  /** In bytes. */
  readonly length: number;
}

/**
 * @param name how a message names the part
 * @throws {HashRefused} `format`; the message says what is wrong and never holds any of `text`
 */
export function checkBase64(name: string, text: string, style: Base64Style): Base64Part {
  const length = check(text, style);
  if (typeof length !== 'number') throw new HashRefused('format', `${name} ${length.problem}`);
  return { text, length };
}

export const bytesOf = ({ text }: Base64Part): Buffer => Buffer.from(text, 'base64');

import { type Base64Style, decodeBase64 as decode } from '../base64.ts';
import { HashRefused } from './verifier.ts';

/**
 * The bytes of a part of a hash string.
 * @param name how a message names the part
 * @throws {HashRefused} `format`; the message says what is wrong and never holds any of `text`
 */
export function decodeBase64(name: string, text: string, style: Base64Style): Buffer {
  const bytes = decode(text, style);
  if ('problem' in bytes) throw new HashRefused('format', `${name} ${bytes.problem}`);
  return bytes;
}

import { decodeBase64 } from '../../lib/text/base64.ts';
import { textOf } from './values.ts';

export type BytesEncoding = 'base64' | 'hex' | 'utf8';

const HEX = /^(?:[0-9a-f]{2})*$/i;

/**
 * Decodes a hash or salt. Base64 may be standard or URL-safe, padded or not. Anything else is undefined: the
 * check is strict, because a hash with a missing character would never match.
 */
export function bytesOf(value: unknown, encoding: BytesEncoding): Buffer | undefined {
  const text = textOf(value);
  if (text === undefined) return undefined;
  if (encoding === 'utf8') return Buffer.from(text, 'utf8');
  if (encoding === 'hex') return HEX.test(text) ? Buffer.from(text, 'hex') : undefined;
  const bytes = decodeBase64(text, 'lenient');
  return Buffer.isBuffer(bytes) ? bytes : undefined;
}

/** Returns the text in a column of bytes. PostgreSQL writes `\x24326124…`, other databases text. */
export function textInBytes(value: unknown): string | undefined {
  const text = textOf(value);
  const bytes = text?.startsWith('\\x') === true ? bytesOf(text.slice(2), 'hex') : undefined;
  return bytes === undefined ? text : bytes.toString();
}

import { BASE64 } from './encodings.ts';
import { bytesOf, isPart } from './hash-part.ts';

/**
 * Returns the hash with zeros in place of the part of `parsed` that holds `digest`. Undefined where no part does, or where it cannot be
 * told which: two parts that hold the same, or a text that stands in the hash twice.
 */
export function zeroedDigest(encoded: string, parsed: object, digest: Buffer): string | undefined {
  const [part, another] = Object.values(parsed)
    .filter(isPart)
    .filter((one) => one.length === digest.length && bytesOf(one).equals(digest));
  if (part === undefined || another !== undefined) return undefined;
  const { text, encoding = BASE64 } = part;
  const at = encoded.indexOf(text);
  if (at === -1 || encoded.includes(text, at + 1)) return undefined;
  return encoded.slice(0, at) + encoding.zeros(text) + encoded.slice(at + text.length);
}

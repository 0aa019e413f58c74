import type { PossibleRepair } from '../algorithm.ts';
import type { Encoding } from '../formats/encodings.ts';
import type { HashPattern } from '../formats/hash-pattern.ts';

const HEX_DIGITS = /^(?:[0-9a-f]{2})+$/i;
const ANY_BASE64 = /^[A-Za-z0-9+/._-]+={0,2}$/;

/** Returns possible repairs of wrong base64, and of `salt` and `hash` that may be swapped. */
export function base64Repairs<Part extends string>(
  encoded: string,
  pattern: HashPattern<Part>,
): PossibleRepair[] {
  const parts = new Map<string, { text: string; encoding: Encoding }>();
  pattern.rewritten(encoded, (text, encoding, name) => {
    parts.set(name, { text, encoding });
    return text;
  });
  const repairs: PossibleRepair[] = [
    { mistake: 'HEX_INSTEAD_OF_BASE64', encoded: pattern.rewritten(encoded, fromHex) },
    { mistake: 'URL_SAFE_OR_UNPADDED_BASE64', encoded: pattern.rewritten(encoded, fromOtherBase64) },
  ];
  const [salt, hash] = [parts.get('salt'), parts.get('hash')];
  if (salt === undefined || salt.encoding !== hash?.encoding) return repairs;
  const swapped = pattern.rewritten(encoded, (text) => (text === salt.text ? hash.text : salt.text));
  return [...repairs, { mistake: 'HASH_AND_SALT_SWAPPED', encoded: swapped }];
}

/** Converts hexadecimal digits, which often pass as base64. Returns other text unchanged. */
function fromHex(text: string, { encode }: Encoding): string {
  return encode !== undefined && HEX_DIGITS.test(text) ? encode(Buffer.from(text, 'hex')) : text;
}

/** Converts base64 with another alphabet or padding. Returns other text unchanged. */
function fromOtherBase64(text: string, { check, encode }: Encoding): string {
  if (encode === undefined || typeof check(text) === 'number' || !ANY_BASE64.test(text)) return text;
  return encode(Buffer.from(text.replaceAll('.', '+'), 'base64'));
}

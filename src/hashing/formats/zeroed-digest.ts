import { BASE64 } from './encodings.ts';
import { bytesOf, type HashPart, isPart } from './hash-part.ts';

/**
 * Returns a hash with zeros in place of its digest, which may be a part of `parsed` or in the text in
 * hexadecimal or in base64, alone or with a salt. Returns undefined if the digest is not found, or is found
 * in two places.
 */
export function zeroedDigest(encoded: string, parsed: object, digest: Buffer): string | undefined {
  const [found, another] = new Set([
    ...inParts(encoded, parsed, digest),
    ...inHex(encoded, digest),
    ...inBase64(encoded, digest),
  ]);
  return another === undefined ? found : undefined;
}

const isDigits = (digest: Buffer) => /^[0-9a-fA-F]+$/.test(digest.toString('latin1'));

function* replacedIn(encoded: string, text: string, zeros: string): Generator<string> {
  if (text === '') return;
  for (let at = encoded.indexOf(text); at !== -1; at = encoded.indexOf(text, at + 1)) {
    yield encoded.slice(0, at) + zeros + encoded.slice(at + text.length);
  }
}

function* inParts(encoded: string, parsed: object, digest: Buffer): Generator<string> {
  for (const part of partsIn(parsed)) {
    if (part.length !== digest.length || !bytesOf(part).equals(digest)) continue;
    const { text, encoding = BASE64 } = part;
    // A digest stored as hexadecimal text must not become zero bytes, because those are no digits.
    if (!isDigits(digest) || encoding.decode(encoding.zeros(text))[0] !== 0)
      yield* replacedIn(encoded, text, encoding.zeros(text));
  }
}

/** Maximum depth of hashes within hashes: some formats contain a hash of another format. */
const MAX_DEPTH = 3;

function partsIn(value: object, depth = 1): HashPart[] {
  return Object.values(value).flatMap((one: unknown) => {
    if (isPart(one)) return [one];
    const isObject = typeof one === 'object' && one !== null && !(one instanceof Uint8Array);
    return isObject && depth < MAX_DEPTH ? partsIn(one, depth + 1) : [];
  });
}

function* inHex(encoded: string, digest: Buffer): Generator<string> {
  const hex = digest.toString('hex');
  for (const text of [hex, hex.toUpperCase()]) yield* replacedIn(encoded, text, '0'.repeat(text.length));
}

/** Matches text in a hash that may be base64, including the variant with `.` for `+`. */
const RUN = /[A-Za-z0-9+/_.-]{10,}={0,2}/g;
const STYLES: ((bytes: Buffer) => string)[] = [
  (bytes) => bytes.toString('base64'),
  (bytes) => bytes.toString('base64').replaceAll('=', ''),
  (bytes) => bytes.toString('base64url'),
  (bytes) => bytes.toString('base64').replaceAll('+', '.').replaceAll('=', ''),
];

function* inBase64(encoded: string, digest: Buffer): Generator<string> {
  for (const { 0: text, index } of encoded.matchAll(RUN)) {
    const bytes = Buffer.from(text.replaceAll('.', '+'), 'base64');
    const write = STYLES.find((style) => style(bytes) === text);
    for (const zeroed of zeroedIn(bytes, digest)) {
      if (write === undefined) continue;
      yield encoded.slice(0, index) + write(zeroed) + encoded.slice(index + text.length);
    }
  }
}

/** The digest may be in these bytes as it is or as hexadecimal digits. */
function* zeroedIn(bytes: Buffer, digest: Buffer): Generator<Buffer> {
  for (const [held, zero] of [
    [digest, isDigits(digest) ? 0x30 : 0],
    [Buffer.from(digest.toString('hex')), 0x30],
  ] as const) {
    for (let at = bytes.indexOf(held); at !== -1; at = bytes.indexOf(held, at + 1)) {
      yield Buffer.from(bytes).fill(zero, at, at + held.length);
    }
  }
}

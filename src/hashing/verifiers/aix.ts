import { defineAlgorithm } from '../algorithm.ts';
import { CRYPT64, type Encoding, TEXT } from '../formats/encodings.ts';
import { bytesOf, type HashPart } from '../formats/hash-part.ts';
import { HashPattern } from '../formats/hash-pattern.ts';
import { md5Crypt } from '../kdf/md5-crypt.ts';
import { hmacKey } from '../kdf/password-reading.ts';
import { PBKDF2_DIGESTS, pbkdf2AsFarAsNeeded } from '../kdf/pbkdf2.ts';
import { HashRefused } from '../verifier.ts';
import { C_STRING } from './crypt-password.ts';
import { PBKDF2_ITERATION_MS } from './define-pbkdf2.ts';
import { MD5_CRYPT_MEMORY_BYTES, MD5_CRYPT_MS } from './md5-crypt.ts';

type SshaDigest = 'sha1' | 'sha256' | 'sha512';

interface AixHash {
  scheme: 'smd5' | SshaDigest;
  /** Log2 of the number of iterations. 0 for `smd5`, whose number of rounds is fixed. */
  cost: number;
  salt: HashPart;
  hash: HashPart;
}

const MIN_COST = 4;
/** AIX accepts costs up to 31, which would take an hour. */
const MAX_COST = 18;

/** Number of bits that AIX's base64 omits, by the length of the last group of bytes. */
const LOST_BITS = [0, 8, 6];

function withoutLostBits(digest: Buffer): Buffer {
  const rest = digest.length % 3;
  const first = digest.length - rest;
  const lost = LOST_BITS[rest] ?? 0;
  return Buffer.from(
    digest.map((byte, index) => (index === first && rest > 0 ? byte & (255 >> lost) : byte)),
  );
}

/**
 * AIX's base64: four digits, lowest six bits first, make three bytes, highest byte first. The last group is
 * filled with zeros at its low end. It has one digit more than bytes, so its highest bits are lost.
 */
const AIX64: Encoding = {
  check(text) {
    const whole = text.padEnd(Math.ceil(text.length / 4) * 4, '.');
    const length = CRYPT64.check(whole);
    if (typeof length !== 'number') return length;
    const bytes = Math.floor((text.length * 3) / 4);
    return swapped(whole)
      .subarray(bytes)
      .every((byte) => byte === 0)
      ? bytes
      : { problem: 'has unused bits that are set' };
  },
  decode: (text) =>
    swapped(text.padEnd(Math.ceil(text.length / 4) * 4, '.')).subarray(0, Math.floor((text.length * 3) / 4)),
  zeros: CRYPT64.zeros,
};

function swapped(text: string): Buffer {
  const bytes = CRYPT64.decode(text);
  for (let at = 0; at < bytes.length; at += 3) bytes.subarray(at, at + 3).reverse();
  return bytes;
}

const SMD5 = new HashPattern(/\{smd5\}(?<salt>[./0-9A-Za-z]{0,8})\$(?<hash>[./0-9A-Za-z]{22})/, {
  parts: { salt: TEXT, hash: CRYPT64 },
  looksLike: '{smd5}<salt, up to 8>$<digest, 22>',
});
const SSHA = new HashPattern(
  /\{s(?<digest>sha1|sha256|sha512)\}(?<cost>[0-9]{2})\$(?<salt>[./0-9A-Za-z]{8,24})\$(?<hash>[./0-9A-Za-z]+)/,
  {
    parts: { salt: TEXT, hash: AIX64 },
    looksLike: '{smd5}…, or {ssha1|ssha256|ssha512}<cost of two digits>$<salt, 8 to 24>$<digest>',
  },
);

/** Hashes of AIX's Loadable Password Algorithm. */
export const aix = defineAlgorithm<AixHash>({
  name: 'aix',
  displayName: 'AIX',
  looksLike: '`{smd5}<salt>$<digest>`, `{ssha1|ssha256|ssha512}<cost>$<salt>$<digest>`',
  strength: 'legacy',
  reference: {
    formula: '`{smd5}`: as MD5 crypt; others as PBKDF2 with 2^cost iterations',
    examples: '`{ssha512}06`: 0.1 ms; `{ssha512}18`: 341 ms',
    measured: 'as of MD5 crypt and PBKDF2',
  },
  // AIX's `{smd5}` is followed by a salt and `$`. LDAP's, followed by base64, must not match.
  shape: /^\{(?:smd5\}[./0-9A-Za-z]{0,8}\$|ssha(?:1|256|512)\}[0-9]{2}\$)/,
  parser: () => parse,
  cost: ({ scheme, cost }) =>
    scheme === 'smd5'
      ? { memoryBytes: MD5_CRYPT_MEMORY_BYTES, ms: MD5_CRYPT_MS, runsOn: 'worker' }
      : { memoryBytes: 8 * 1024, ms: 2 ** cost * PBKDF2_ITERATION_MS[scheme] },
  decoy: ({ scheme }, encoded) => (scheme === 'smd5' ? SMD5 : SSHA).zeroed(encoded),
  describe: ({ scheme, cost, salt, hash }) => ({
    scheme: scheme === 'smd5' ? scheme : `s${scheme}`,
    cost,
    saltBytes: salt.length,
    hashBytes: hash.length,
  }),
  password: ({ scheme }) => (scheme === 'smd5' ? C_STRING : hmacKey(scheme, C_STRING)),
  compute: {
    digest: ({ hash }) => bytesOf(hash),
    async of({ scheme, cost, salt }, password) {
      if (scheme === 'smd5') return md5Crypt(password, bytesOf(salt), '');
      const empty = Buffer.alloc(PBKDF2_DIGESTS[scheme]);
      const input = { password, salt: bytesOf(salt), iterations: 2 ** cost, digest: scheme };
      return withoutLostBits(await pbkdf2AsFarAsNeeded(input, empty));
    },
  },
});

function parse(encoded: string): AixHash {
  if (encoded.startsWith('{smd5}')) {
    const groups = SMD5.read(encoded);
    return { scheme: 'smd5', cost: 0, salt: SMD5.part(groups, 'salt'), hash: SMD5.part(groups, 'hash') };
  }
  const groups = SSHA.read(encoded);
  const scheme = groups.digest as SshaDigest;
  const salt = SSHA.part(groups, 'salt');
  const hash = SSHA.part(groups, 'hash');
  const bytes = PBKDF2_DIGESTS[scheme];
  if (hash.text.length !== Math.ceil((bytes * 4) / 3)) {
    throw new HashRefused(
      'format',
      `digest of s${scheme} must be ${Math.ceil((bytes * 4) / 3)} characters long`,
    );
  }
  const cost = Number(groups.cost);
  if (cost < MIN_COST) throw new HashRefused('format', `cost must be at least ${MIN_COST}`);
  if (cost > MAX_COST)
    throw new HashRefused('cost', `cost ${cost} is above ${MAX_COST}, the highest allowed`);
  return { scheme, cost, salt, hash };
}

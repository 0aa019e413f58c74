import { PADDED_BASE64 } from '../formats/encodings.ts';
import { bytesOf, encodedPart, partOf } from '../formats/hash-part.ts';
import { HashPattern } from '../formats/hash-pattern.ts';
import { BYTES, inNormalForm } from '../kdf/password-reading.ts';
import type { RoundDigest } from '../kdf/round-hasher.ts';
import { HashRefused } from '../verifier.ts';
import { canonicalRounds } from './canonical-rounds.ts';
import { type DigestRounds, defineDigestRounds } from './define-digest-rounds.ts';
import { RAILS_ROUNDS } from './rails-rounds.ts';

const SHIRO_DIGESTS: Readonly<Record<string, RoundDigest>> = {
  MD5: 'md5',
  'SHA-1': 'sha1',
  'SHA-256': 'sha256',
  'SHA-384': 'sha384',
  'SHA-512': 'sha512',
};
const SHIRO = new HashPattern(
  /\$shiro1\$(?<algorithm>MD5|SHA-(?:1|256|384|512))\$(?<rounds>[0-9]+)\$(?<salt>[^$]*)\$(?<hash>[^$]+)/,
  {
    parts: { salt: PADDED_BASE64, hash: PADDED_BASE64 },
    looksLike: '$shiro1$<MD5|SHA-1|SHA-256|SHA-384|SHA-512>$<rounds>$<salt>$<hash>',
  },
);

/** A secret is Shiro's `privateSalt`. The hash does not show whether it was made with one. */
const shiro1 = defineDigestRounds({
  name: 'shiro1',
  displayName: 'Shiro 1',
  looksLike: '`$shiro1$<MD5|SHA-1|SHA-256|SHA-384|SHA-512>$<rounds>$<salt>$<hash>`',
  shape: /^\$shiro1\$/,
  secret: 'optional',
  strength: 'legacy',
  reference: { examples: 'SHA-256, 500,000: 358 ms', measured: 'SHA-256, 500,000: 345 to 358 ms' },
  reader: () => (encoded) => {
    const groups = SHIRO.read(encoded);
    return {
      digest: SHIRO_DIGESTS[groups.algorithm ?? ''] ?? 'md5',
      rounds: groups.rounds ?? '',
      salt: SHIRO.part(groups, 'salt'),
      hash: SHIRO.part(groups, 'hash'),
    };
  },
  decoy: (_parsed, encoded) => SHIRO.zeroed(encoded),
  password: BYTES,
  steps: ({ password, salt, secret }) => ({ first: [secret, salt, password], next: (last) => [last] }),
});

const SYMFONY_REFERENCE = {
  examples: '5000 with SHA-512: 59 ms for 4096 bytes, 5 ms for usual passwords',
  measured:
    '5000 with SHA-512: 60 ms and 6 ms; with SHA-256 80 and 6, with SHA-1 34 and 4, with MD5 40 and 4',
};
const [OPEN, CLOSE] = [Buffer.from('{'), Buffer.from('}')];
/** PHP treats the salt "0" as empty, too. */
const isNothing = (salt: Buffer) => salt.length === 0 || (salt.length === 1 && salt[0] === 0x30);

const NO_SALT = partOf(Buffer.alloc(0));

/**
 * Every round of Symfony digests password and salt again, which takes longer for a longer password. Passwords
 * of more than 4096 bytes therefore never match.
 */
function symfony(name: string, digest: RoundDigest, aliases: readonly string[] = []): DigestRounds {
  const spelling = canonicalRounds(name, { program: 'Symfony', digest, defaultRounds: 5000 });
  return {
    ...spelling,
    aliases,
    strength: 'legacy',
    reference: SYMFONY_REFERENCE,
    reader() {
      const read = spelling.reader();
      return (encoded) => {
        const parts = read(encoded);
        if (/[{}]/.test(bytesOf(parts.salt).toString('latin1'))) {
          throw new HashRefused('format', 'salt must not contain braces, which Symfony puts around it');
        }
        return isNothing(bytesOf(parts.salt)) ? { ...parts, salt: NO_SALT } : parts;
      };
    },
    maxPasswordBytes: 4096,
    password: BYTES,
    steps({ password, salt }) {
      const salted = salt.length === 0 ? [password] : [password, OPEN, salt, CLOSE];
      return { first: salted, next: (last) => [last, ...salted] };
    },
  };
}

/** Salt length and digest of jasypt's two usual encryptors, by the length of the hash's text. */
const JASYPT: Readonly<Record<number, { digest: RoundDigest; rounds: string; saltBytes: number }>> = {
  32: { digest: 'md5', rounds: '1000', saltBytes: 8 },
  64: { digest: 'sha256', rounds: '100000', saltBytes: 16 },
};
/**
 * Text that is all hexadecimal digits is some other hash: one in 10^19 hashes of jasypt has only such digits.
 */
const JASYPT_SHAPE = /^(?![0-9a-f]+$)(?:[A-Za-z0-9+/]{32}|[A-Za-z0-9+/]{64})$/;

const jasypt = defineDigestRounds({
  name: 'jasypt',
  displayName: 'jasypt',
  looksLike: '32 or 64 characters of base64: salt (8 or 16 bytes) and digest (MD5 or SHA-256)',
  shape: JASYPT_SHAPE,
  byNameOnly: true,
  strength: 'legacy',
  reference: { examples: '64 characters (100,000): 72 ms', measured: '64 characters: 69 to 71 ms' },
  reader: () => (encoded) => {
    const kind = JASYPT[encoded.length];
    if (kind === undefined || !JASYPT_SHAPE.test(encoded)) {
      throw new HashRefused('format', 'expected base64 of 24 or 48 bytes');
    }
    const { saltBytes, digest, rounds } = kind;
    const bytes = bytesOf(encodedPart('hash', encoded, PADDED_BASE64));
    return {
      digest,
      rounds,
      salt: partOf(bytes.subarray(0, saltBytes)),
      hash: partOf(bytes.subarray(saltBytes)),
    };
  },
  decoy: (_parsed, encoded) => 'A'.repeat(encoded.length),
  password: inNormalForm('NFC'),
  steps: ({ password, salt }) => ({ first: [salt, password], next: (last) => [last] }),
});

export const DIGEST_ROUNDS = [
  shiro1,
  defineDigestRounds(symfony('symfony-sha512', 'sha512', ['fosuserbundle', 'sylius', 'sha512_symfony'])),
  defineDigestRounds(symfony('symfony-sha256', 'sha256')),
  defineDigestRounds(symfony('symfony-sha1', 'sha1')),
  defineDigestRounds(symfony('symfony-md5', 'md5')),
  jasypt,
  ...RAILS_ROUNDS,
];

import { createHash, pbkdf2Sync } from 'node:crypto';
import { defineAlgorithm } from '../../src/hashing/algorithm.ts';
import { missingSecret } from '../../src/hashing/build-verifier.ts';
import { HEX } from '../../src/hashing/formats/encodings.ts';
import { bytesOf, type HashPart } from '../../src/hashing/formats/hash-part.ts';
import { HashPattern } from '../../src/hashing/formats/hash-pattern.ts';
import { firstBytes } from '../../src/hashing/kdf/password-reading.ts';

/** Returns a hash of class legacy, which is computed on libuv's threads. */
export function weakHash(password: string, salt = 'salt'): string {
  const digest = pbkdf2Sync(password, salt, 1, 32, 'sha256').toString('base64');
  return `$pbkdf2-sha256$i=1$${Buffer.from(salt).toString('base64')}$${digest}`;
}

interface BrokenHash {
  needsSecret: boolean;
  salt: HashPart;
  digest: HashPart;
}

const PATTERN = new HashPattern(/\$test-md5\$(?<secret>s?)\$(?<salt>[0-9a-f]*)\$(?<digest>[0-9a-f]{32})/, {
  parts: { salt: HEX, digest: HEX },
  looksLike: '$test-md5$<s>$<salt>$<digest>',
});

const md5 = (...parts: Uint8Array[]) =>
  parts.reduce((hash, part) => hash.update(part), createHash('md5')).digest();

/**
 * An algorithm of class broken that exists only in tests. It reads the first 8 bytes of a password. Some of
 * its hashes need a secret.
 */
export const testMd5 = defineAlgorithm<BrokenHash>({
  name: 'test-md5',
  displayName: 'Test MD5',
  looksLike: '`$test-md5$<s>$<salt>$<digest>`',
  strength: 'broken',
  reference: { formula: '', examples: '', measured: '' },
  shape: /^\$test-md5\$/,
  secret: 'optional',
  parser:
    ({ secret }) =>
    (encoded) => {
      const groups = PATTERN.read(encoded);
      const needsSecret = groups.secret === 's';
      if (needsSecret && secret === undefined) throw missingSecret('test-md5');
      return {
        needsSecret,
        salt: PATTERN.part(groups, 'salt'),
        digest: PATTERN.part(groups, 'digest'),
      };
    },
  cost: () => ({ memoryBytes: 1024, ms: 0.01, runsOn: 'event-loop' }),
  compute: {
    digest: ({ digest }) => bytesOf(digest),
    of: ({ salt, needsSecret }, password, secret) =>
      md5(bytesOf(salt), password, needsSecret ? secret : Buffer.alloc(0)),
  },
  password: () => firstBytes(8),
  decoy: (_parsed, encoded) => PATTERN.zeroed(encoded),
});

export function brokenHash(password: string, salt = 'ab', secret = ''): string {
  const digest = md5(Buffer.from(salt, 'hex'), Buffer.from(password).subarray(0, 8), Buffer.from(secret));
  return `$test-md5$${secret && 's'}$${salt}$${digest.toString('hex')}`;
}

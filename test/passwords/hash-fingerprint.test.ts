import { createHash, createHmac } from 'node:crypto';
import { expect, it } from 'vitest';
import { buildRegistry } from '../../src/hashing/registry.ts';
import type { KeptHash } from '../../src/hashing/verifier.ts';
import { HashFingerprints } from '../../src/passwords/hash-fingerprint.ts';
import { DEFAULT_LIMITS } from '../support/vectors.ts';

const [OLD, NEW] = ['old-key-0123456789-abc', 'new-key-0123456789-abc'];
const SECRETS = [{ id: 'site', algorithm: 'bcrypt-pepper', bytes: Buffer.from('pepper') }];
const registry = buildRegistry(DEFAULT_LIMITS, SECRETS);
function hash(encoded: string, algorithm = 'hex-md5', secretId?: string): KeptHash {
  const parsed = registry.find(algorithm)?.parse(encoded, secretId ?? null);
  if (parsed === undefined) throw new Error(`no ${algorithm}`);
  return parsed;
}
const MD5 = '5f4dcc3b5aa765d61d8327deb882cf99';

it('recognises the hash, and no other', () => {
  const fingerprints = new HashFingerprints([OLD]);
  const known = fingerprints.of(hash(MD5));
  expect(known).toMatch(/^[0-9a-f]{32}$/);
  expect(fingerprints.matchesFingerprint(hash(MD5), known)).toBe(true);
  for (const other of [hash(MD5.replace('5', '6')), hash(MD5, 'nthash'), hash(MD5, 'hex-md4')]) {
    expect(fingerprints.matchesFingerprint(other, known)).toBe(false);
  }
  const bcrypt = `$2b$04$${'.'.repeat(53)}`;
  const withSecret = fingerprints.of(hash(bcrypt, 'bcrypt-pepper', 'site'));
  expect(fingerprints.matchesFingerprint(hash(bcrypt, 'bcrypt'), withSecret)).toBe(false);
});

it('recognises the hash in another spelling', () => {
  const fingerprints = new HashFingerprints([OLD]);
  for (const [one, other, algorithm] of [
    [
      `{SHA}${Buffer.alloc(20).toString('base64')}`,
      `{sha}${Buffer.alloc(20).toString('base64')}`,
      'ldap-sha',
    ],
    [`$5$rounds=5000$salt$${'.'.repeat(43)}`, `$5$salt$${'.'.repeat(43)}`, 'sha256-crypt'],
    [MD5, MD5.toUpperCase(), 'nthash'],
  ] as const)
    expect(
      fingerprints.matchesFingerprint(hash(other, algorithm), fingerprints.of(hash(one, algorithm))),
    ).toBe(true);
});

it('recognises fingerprints that earlier versions made of the text', () => {
  const key = createHmac('sha256', OLD).update('fingerprints of imported hashes').digest();
  const text = ['nthash', '', MD5].join('\0');
  const known = createHmac('sha256', key).update(text).digest('hex').slice(0, 32);
  expect(new HashFingerprints([OLD]).matchesFingerprint(hash(MD5, 'nthash'), known)).toBe(true);
  expect(new HashFingerprints([OLD]).matchesFingerprint(hash(MD5.replace('5', '6'), 'nthash'), known)).toBe(
    false,
  );
});

it('recognises fingerprints made with any of the keys, and makes new ones with the first', () => {
  const before = new HashFingerprints([OLD]);
  const rotating = new HashFingerprints([NEW, OLD]);
  const after = new HashFingerprints([NEW]);
  expect(rotating.matchesFingerprint(hash(MD5), before.of(hash(MD5)))).toBe(true);
  expect(rotating.of(hash(MD5))).toBe(after.of(hash(MD5)));
  expect(after.matchesFingerprint(hash(MD5), before.of(hash(MD5)))).toBe(false);
});

it('reveals nothing of the hash without a key', () => {
  const fingerprint = new HashFingerprints([OLD]).of(hash(MD5));
  const text = ['hex-md5', '', MD5].join('\0');
  for (const guess of [MD5, text]) {
    for (const algorithm of ['md5', 'sha1', 'sha256']) {
      expect(createHash(algorithm).update(guess).digest('hex')).not.toContain(fingerprint);
    }
  }
});

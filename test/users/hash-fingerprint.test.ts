import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import type { PasswordHash, StoredHash } from '../../src/hashing/verifier.ts';
import { HashFingerprints } from '../../src/users/hash-fingerprint.ts';

const [OLD, NEW] = ['old-key-0123456789-abc', 'new-key-0123456789-abc'];
const hash = (encoded: string, algorithm = 'hex-md5', secretId?: string): PasswordHash => ({
  encoded: encoded as StoredHash,
  algorithm,
  secretId,
});
const MD5 = '5f4dcc3b5aa765d61d8327deb882cf99';

it('knows the hash again, and no other', () => {
  const fingerprints = new HashFingerprints([OLD]);
  const known = fingerprints.of(hash(MD5));
  expect(known).toMatch(/^[0-9a-f]{32}$/);
  expect(fingerprints.isOf(hash(MD5), known)).toBe(true);
  for (const other of [hash(MD5.toUpperCase()), hash(MD5, 'nt-hash'), hash(MD5, 'hex-md5', 'site')]) {
    expect(fingerprints.isOf(other, known)).toBe(false);
  }
});

it('knows those made with any of the keys, and makes them with the first', () => {
  const before = new HashFingerprints([OLD]);
  const rotating = new HashFingerprints([NEW, OLD]);
  const after = new HashFingerprints([NEW]);
  expect(rotating.isOf(hash(MD5), before.of(hash(MD5)))).toBe(true);
  expect(rotating.of(hash(MD5))).toBe(after.of(hash(MD5)));
  expect(after.isOf(hash(MD5), before.of(hash(MD5)))).toBe(false);
});

it('says nothing of the hash to whoever has no key', () => {
  const fingerprint = new HashFingerprints([OLD]).of(hash(MD5));
  const text = ['hex-md5', '', MD5].join('\0');
  for (const guess of [MD5, text]) {
    for (const algorithm of ['md5', 'sha1', 'sha256']) {
      expect(createHash(algorithm).update(guess).digest('hex')).not.toContain(fingerprint);
    }
  }
});

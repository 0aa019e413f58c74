import { scryptSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { buildRegistry, type HashingLimits } from '../../../src/hashing/registry.ts';
import {
  DEFAULT_LIMITS,
  passwordOf,
  refusalOf,
  secretOf,
  vector,
  verifierOf,
} from '../../support/vectors.ts';

const MIB = 1024 * 1024;
const REFERENCE = vector('external_scrypt', 'own-reference');
const GOOD = REFERENCE.hash;
const verifierWith = (signerKey: Uint8Array | undefined, limits: HashingLimits = DEFAULT_LIMITS) =>
  verifierOf('external_scrypt', limits, signerKey);
const verifier = verifierWith(secretOf(REFERENCE));

it.each([
  // Passwords in many encodings.
  ...['own-umlaut', 'own-emoji', 'own-cyrillic', 'own-nul', 'own-bytes'],
  // Spellings of one hash.
  ...['own-urlsafe', 'own-unpadded', 'own-urlsafe-unpadded', 'own-urlsafe-hash-only'],
  ...['own-empty-separator', 'own-order-5', 'fs-pw-05'],
  // More than the default memory of scrypt in node:crypto, and the largest N for an r.
  ...['own-m15', 'own-m15-r1'],
  // Not the password.
  ...['own-umlaut-question-mark', 'own-m15-neg'],
])('%s has the outcome of its source', async (id) => {
  const one = vector('external_scrypt', id);
  const matches = await verifierWith(secretOf(one)).parse(one.hash).verify(passwordOf(one));
  expect(matches).toBe(one.expect);
});

it('the stored cost is exactly the memory that OpenSSL requests', () => {
  const { memoryBytes } = verifier.parse(GOOD).cost;
  const cost = { N: 2 ** 14, r: 8, p: 1 };
  expect(scryptSync('x', 'salt', 64, { ...cost, maxmem: memoryBytes })).toHaveLength(64);
  expect(() => scryptSync('x', 'salt', 64, { ...cost, maxmem: memoryBytes - 1 })).toThrow();
});

it('spellings of one hash give one decoy', () => {
  const decoy = `$f_scrypt$${'A'.repeat(86)}==$${'A'.repeat(14)}==$m=14$r=8$s=AA==`;
  for (const id of ['own-reference', 'own-umlaut', 'own-urlsafe', 'own-unpadded']) {
    expect(verifier.parse(vector('external_scrypt', id).hash).decoy()).toBe(decoy);
  }
});

describe('the signer key', () => {
  it('is requested after all other checks of the hash', () => {
    const keyless = verifierWith(undefined);
    const { reason, message } = refusalOf(() => keyless.parse(GOOD));
    expect(reason).toBe('signer-key-missing');
    expect(message).toContain('external_password_hashing_signer_key');
    expect(refusalOf(() => keyless.parse(GOOD.replace('r=8', 'r=x'))).reason).toBe('format');
    expect(refusalOf(() => keyless.parse(GOOD.replace('m=14', 'm=20'))).reason).toBe('cost');
  });

  it('of another length is reported as a wrong key at import', () => {
    const other = verifierWith(Buffer.alloc(32));
    const { reason, message } = refusalOf(() => other.parse(GOOD));
    expect(reason).toBe('format');
    expect(message).toBe('digest is 64 bytes but the signer key is 32 bytes: wrong key?');
  });

  it('of the same length is a wrong password at sign-in', async () => {
    const other = verifierWith(Buffer.alloc(64));
    expect(await other.parse(GOOD).verify(passwordOf(REFERENCE))).toBe(false);
  });

  it('that is missing is an error at sign-in, not a wrong password', () => {
    const registry = buildRegistry(DEFAULT_LIMITS);
    expect(() => registry.read(verifier.parse(GOOD))).toThrow('is not configured');
  });

  it('of no bytes matches no hash of no bytes', () => {
    const empty = verifierWith(Buffer.alloc(0));
    const { message } = refusalOf(() => empty.parse('$f_scrypt$$AAAA$m=1$r=1$s='));
    expect(message).toBe('digest is empty');
  });
});

describe('a refusal names the reason', () => {
  const [, , hash = ''] = GOOD.split('$');
  it.each([
    [vector('external_scrypt', 'own-bad-m-r').hash, 'm must be less than 16 times r'],
    [
      GOOD.replace('m=14', 'm=31'),
      'needs 2097153 MiB of memory, above the limit of 1024 MiB (hashing_memory_mb)',
    ],
    [
      GOOD.replace('r=8', 'r=1024'),
      'needs 2049 MiB of memory, above the limit of 1024 MiB (hashing_memory_mb)',
    ],
    [GOOD.replace(hash, hash.replace('+', '-')), 'digest is not base64'],
    [GOOD.replace(hash, hash.replace('+', '-')).replace('m=14', 'm=31'), 'digest is not base64'],
  ])('%j', (encoded, message) => {
    expect(refusalOf(() => verifier.parse(encoded)).message).toBe(message);
  });

  it('names the available memory', () => {
    const tight = verifierWith(secretOf(REFERENCE), { ...DEFAULT_LIMITS, memoryBudgetBytes: 16 * MIB });
    expect(refusalOf(() => tight.parse(GOOD)).message).toBe(
      'needs 17 MiB of memory, above the limit of 16 MiB (hashing_memory_mb)',
    );
  });
});

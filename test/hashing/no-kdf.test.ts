import { scrypt } from 'node:crypto';
import argon2 from 'argon2';
import bcrypt from 'bcrypt';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { HashRefused } from '../../src/hashing/refused.ts';
import { buildRegistry } from '../../src/hashing/registry.ts';
import {
  DEFAULT_LIMITS,
  passwordOf,
  secretOf,
  secretsFor,
  vector,
  vectorsOf,
  verifierOf,
} from '../support/vectors.ts';

vi.mock('bcrypt', async (original) => {
  const { default: real } = await original<{ default: typeof bcrypt }>();
  return { default: { ...real, hash: vi.fn(real.hash) } };
});
vi.mock('argon2', async (original) => {
  const { default: real } = await original<{ default: typeof argon2 }>();
  return { default: { ...real, hash: vi.fn(real.hash) } };
});
vi.mock('node:crypto', async (original) => {
  const real = await original<{ scrypt: typeof scrypt }>();
  return { ...real, scrypt: vi.fn(real.scrypt) };
});

const kdfRuns = () =>
  [bcrypt.hash, argon2.hash, scrypt].reduce((runs, kdf) => runs + vi.mocked(kdf).mock.calls.length, 0);

beforeEach(() => {
  vi.clearAllMocks();
});

describe('checking a hash', () => {
  it('runs no key derivation, whatever the hash', () => {
    for (const { algorithm } of buildRegistry(DEFAULT_LIMITS, undefined).all) {
      for (const candidate of vectorsOf(algorithm)) {
        const registry = buildRegistry(DEFAULT_LIMITS, secretsFor(algorithm, secretOf(candidate)));
        registry.recognise(candidate.hash);
        registry.find(algorithm)?.repairs(candidate.hash);
        try {
          const hash = registry.find(algorithm)?.parse(candidate.hash);
          hash?.decoy();
          hash?.describe();
        } catch (error) {
          expect(error).toBeInstanceOf(HashRefused);
        }
      }
    }
    expect(kdfRuns()).toBe(0);
  });
});

describe('verifying', () => {
  it.each([
    ['bcrypt', 'bcrypt-pl-29'],
    ['argon2', 'argon2-dj-3'],
    ['external_scrypt', 'own-m1-r1'],
  ])('runs one key derivation: %s', async (algorithm, id) => {
    const sample = vector(algorithm, id);
    const hash = verifierOf(algorithm, DEFAULT_LIMITS, secretOf(sample)).parse(sample.hash);
    expect(await hash.verify(passwordOf(sample))).toBe(true);
    expect(kdfRuns()).toBe(1);
  });

  it('passes on a failure of the library', async () => {
    const registry = buildRegistry(
      DEFAULT_LIMITS,
      secretsFor('external_scrypt', secretOf(vector('external_scrypt', 'own-m1-r1'))),
    );
    const failure = new Error('out of memory');
    vi.mocked(argon2.hash).mockRejectedValueOnce(failure);
    vi.mocked(bcrypt.hash).mockImplementationOnce(() => Promise.reject(failure));
    vi.mocked(scrypt).mockImplementationOnce(() => {
      throw failure;
    });
    for (const [algorithm, id] of [
      ['bcrypt', 'bcrypt-pl-29'],
      ['argon2', 'argon2-dj-3'],
      ['external_scrypt', 'own-m1-r1'],
    ] as const) {
      const sample = vector(algorithm, id);
      const hash = registry.find(algorithm)?.parse(sample.hash);
      await expect(hash?.verify(passwordOf(sample))).rejects.toBe(failure);
    }
  });

  it("does not mistake bcrypt's error text for a hash that differs", async () => {
    vi.mocked(bcrypt.hash).mockImplementationOnce(() => Promise.resolve(':'));
    const sample = vector('bcrypt', 'bcrypt-pl-29');
    const hash = verifierOf('bcrypt').parse(sample.hash);
    await expect(hash.verify(passwordOf(sample))).rejects.toThrow('something other than a hash');
  });
});

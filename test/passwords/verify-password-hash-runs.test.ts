import { scrypt } from 'node:crypto';
import argon2 from 'argon2';
import bcrypt from 'bcrypt';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { FAMILIES } from '../../src/hashing/families.ts';
import { KdfGate } from '../../src/hashing/kdf-gate.ts';
import { acceptHash } from '../../src/passwords/accept-hash.ts';
import { verifyPasswordHash } from '../../src/passwords/verify-password-hash.ts';
import { mistakenHash } from '../hashing/mistaken-hashes.ts';
import { spiedPasswords } from '../support/spied-passwords.ts';
import { accepted, DEFAULT_LIMITS, secretOf, vectorsOf, verifierOf } from '../support/vectors.ts';
import { BCRYPT_4, OWN_WORK, PASSWORD } from '../users/domain.ts';
import { ARGON2, MANIFOLD, PADDED_ARGON2, passwordsWith, SCRYPT, verify } from './verifying.ts';

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

const trials = vi.spyOn(KdfGate.prototype, 'runTrial');
/** Returns the number of key derivations since the test began. Each must have passed the gate. */
function kdfRuns(): number {
  const runs = [bcrypt.hash, argon2.hash, scrypt].reduce(
    (sum, kdf) => sum + vi.mocked(kdf).mock.calls.length,
    0,
  );
  expect(trials).toHaveBeenCalledTimes(runs);
  return runs;
}

beforeEach(() => {
  vi.clearAllMocks();
});

describe('a hash that is refused', () => {
  it.each([
    ['nothing', '', undefined],
    ['white space', ' \n', undefined],
    ['no algorithm', BCRYPT_4, ''],
    ['an unknown algorithm', BCRYPT_4, 'no-such'],
    ['none that is known', 'hunter2', undefined],
    ['only dollars', '$'.repeat(4000), undefined],
    ['too long', `{BCRYPT}${BCRYPT_4}${'A'.repeat(60_000)}`, undefined],
    ['of another algorithm than named', BCRYPT_4, 'argon2'],
    ['wrapped, of another algorithm than named', `"${BCRYPT_4}"`, 'argon2'],
    ['cut off', BCRYPT_4.slice(0, 41), undefined],
    ['beyond the bounds', BCRYPT_4.replace('$04$', '$31$'), undefined],
    ['beyond the bounds, wrapped', `"${BCRYPT_4.replace('$04$', '$31$')}"`, undefined],
    ['beyond the bounds, padded', PADDED_ARGON2.replace('t=1', 't=1000000'), undefined],
    ['without a signer key', SCRYPT.hash, undefined],
  ])('is refused as by the import, and nothing runs: %s', async (_what, passwordHash, hashingAlgorithm) => {
    const { registry } = passwordsWith();
    let refusal: unknown;
    try {
      acceptHash(registry, passwordHash, hashingAlgorithm);
    } catch (error) {
      refusal = error;
    }
    expect(refusal).toBeInstanceOf(Error);
    const request = {
      passwordHash,
      password: PASSWORD,
      ...(hashingAlgorithm !== undefined && { hashingAlgorithm }),
    };
    await expect(verify(request)).rejects.toEqual(refusal);
    expect(kdfRuns()).toBe(0);
  });

  it('stays refused if a repair is accepted but does not match', async () => {
    const refused = { code: 'PASSWORD_HASH_INVALID' };
    await expect(verify({ passwordHash: PADDED_ARGON2, password: 'wrong' })).rejects.toMatchObject(refused);
    expect(kdfRuns()).toBe(1);
    const wrapped = `"${BCRYPT_4}"`;
    await expect(verify({ passwordHash: wrapped, password: 'wrong' })).rejects.toMatchObject(refused);
  });

  it('stays refused if the signer key is of another length and of another project', async () => {
    const other = Buffer.alloc(32, 7).toString('base64');
    await expect(verify({ passwordHash: SCRYPT.hash, password: PASSWORD }, other)).rejects.toMatchObject({
      message: expect.stringContaining('digest is 64 bytes but the signer key is 32 bytes'),
    });
    expect(kdfRuns()).toBe(1);
  });
});

/** Maximum number of other families that are tried for a hash. */
const MAX_OTHER_FAMILIES = 16;

describe('the work for one hash', () => {
  const rows: [string, string, number][] = [
    ['bcrypt', `$2y$04$${'C'.repeat(53)}`, 8],
    // Hexadecimal digits that are valid base64, costs in swapped order, and no version.
    ['argon2', `$argon2id$m=16,t=8,p=1$${'0a'.repeat(16)}$${'0a'.repeat(32)}`, 8],
    ['external_scrypt', `$f_scrypt$${'A'.repeat(86)}$${'0a'.repeat(8)}$m=2$r=3$s=AAAA`, 8],
  ];

  it.each(rows)(
    'is bounded, however many mistakes are possible: %s',
    async (_algorithm, passwordHash, runs) => {
      const { match, mistake } = await verify({ passwordHash, password: MANIFOLD }, SCRYPT.params?.signerKey);
      expect([match, mistake]).toEqual([false, undefined]);
      // A family may run a KDF twice for one hash.
      const more = trials.mock.calls.length - runs;
      expect(more).toBeGreaterThanOrEqual(0);
      expect(more).toBeLessThanOrEqual(MAX_OTHER_FAMILIES);
    },
  );

  it('never exceeds the limits: repairs that would cost more are skipped', async () => {
    const passwordHash = '$argon2id$v=19$m=64,t=2,p=1$c2FsdHNhbHQ$YC9+jJCrQhs5R6db7LlN8Q';
    await verify({ passwordHash, password: 'x' });
    // Unchanged, of the SHA-256 and of the MD5, as phpBB makes it, with salt and digest swapped, and with a line
    // break. The swapped costs are not tried: m=2 is invalid.
    expect(kdfRuns()).toBe(6);
    for (const [, options] of vi.mocked(argon2.hash).mock.calls)
      expect(options).toMatchObject({ timeCost: 2 });
  });

  it('is one run for a match of the named family, and ends when the mistake is found', async () => {
    await verify({ passwordHash: BCRYPT_4, hashingAlgorithm: 'bcrypt', password: PASSWORD });
    expect(kdfRuns()).toBe(1);
    const { hash, password, mistake } = mistakenHash('argon2, salt only');
    expect(await verify({ passwordHash: hash, password })).toMatchObject({ mistake: { code: mistake } });
    expect(kdfRuns()).toBe(6);
  });

  it('runs one step at a time', async () => {
    let running = 0;
    let most = 0;
    vi.mocked(argon2.hash).mockImplementation(async (_password, options) => {
      running += 1;
      most = Math.max(most, running);
      await new Promise(setImmediate);
      running -= 1;
      return Buffer.alloc(options?.hashLength ?? 0) as never;
    });
    onTestFinished(() => void vi.mocked(argon2.hash).mockRestore());
    await verify({ passwordHash: rows[1]?.[1] ?? '', password: MANIFOLD });
    expect([kdfRuns(), most]).toEqual([11, 1]);
  });
});

it('does not start if too many wait', async () => {
  const { passwords, occupy, work } = spiedPasswords(0);
  const finish = occupy();
  const request = { passwordHash: BCRYPT_4, password: PASSWORD };
  await expect(verifyPasswordHash({ passwords }, request)).rejects.toMatchObject({ code: 'OVERLOADED' });
  const wrapped = { passwordHash: `"${BCRYPT_4}"`, password: PASSWORD };
  await expect(verifyPasswordHash({ passwords }, wrapped)).rejects.toMatchObject({ code: 'OVERLOADED' });
  finish();
  expect(work).toEqual([]);
});

it('does not start for a caller that has gone, and stops for one that leaves', async () => {
  const { passwords, work } = spiedPasswords();
  const request = { passwordHash: BCRYPT_4, password: 'wrong' };
  const reason = new Error('gone');
  await expect(verifyPasswordHash({ passwords }, request, AbortSignal.abort(reason))).rejects.toBe(reason);
  expect(work).toEqual([]);

  const caller = new AbortController();
  vi.mocked(bcrypt.hash).mockImplementationOnce(async (_password, setting) => {
    caller.abort(reason);
    return `${setting}${'.'.repeat(31)}`;
  });
  await expect(verifyPasswordHash({ passwords }, request, caller.signal)).rejects.toBe(reason);
  expect(work).toHaveLength(1);
});

const failure = new Error('out of memory');
function fail(): never {
  throw failure;
}

it.each([
  ['bcrypt', BCRYPT_4, () => vi.mocked(bcrypt.hash).mockImplementationOnce(async () => fail())],
  ['argon2', ARGON2.hash, () => vi.mocked(argon2.hash).mockImplementationOnce(async () => fail())],
  ['scrypt', SCRYPT.hash, () => vi.mocked(scrypt).mockImplementationOnce(fail)],
])('passes on a failure of the library instead of a mismatch: %s', async (_, passwordHash, break_) => {
  break_();
  const request = { passwordHash, password: 'secret' };
  await expect(verify(request, SCRYPT.params?.signerKey)).rejects.toBe(failure);
});

it("does not mistake bcrypt's error text for a hash that differs", async () => {
  vi.mocked(bcrypt.hash).mockImplementationOnce(() => Promise.resolve(':'));
  await expect(verify({ passwordHash: BCRYPT_4, password: PASSWORD })).rejects.toThrow(
    'something other than a hash',
  );
});

it('checking a hash runs no key derivation, whatever the hash', () => {
  for (const { name } of FAMILIES) {
    for (const sample of vectorsOf(name)) {
      const verifier = verifierOf(name, DEFAULT_LIMITS, secretOf(sample));
      verifier.recognises(sample.hash);
      verifier.repairs(sample.hash);
      const hash = accepted(verifier, sample.hash);
      hash?.decoy();
      hash?.describe();
    }
  }
  expect(kdfRuns()).toBe(0);
});

it('teaches the decoys nothing', async () => {
  const { passwords, work } = spiedPasswords();
  await verifyPasswordHash({ passwords }, { passwordHash: BCRYPT_4, password: PASSWORD });
  await verifyPasswordHash({ passwords }, { passwordHash: BCRYPT_4, password: 'wrong' });
  work.length = 0;
  for (const email of ['a@b.c', 'b@b.c', 'c@b.c', 'd@b.c']) {
    await passwords.verifyDecoy(email, Buffer.from('any'));
  }
  expect(work).toEqual(Array(4).fill(OWN_WORK));
});

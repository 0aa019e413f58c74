import bcrypt from 'bcrypt';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { HashVerifier, PasswordHash, StoredHash } from '../../src/hashing/verifier.ts';
import { CHEAP, EXPENSIVE, SETUP } from './expensive.ts';
import { passwordsElsewhere } from './passwords-elsewhere.ts';
import { spiedPasswords } from './spied-passwords.ts';

const PASSWORD = Buffer.from('pässword');
const WRONG = Buffer.from('password');
const BCRYPT: PasswordHash = { encoded: bcrypt.hashSync(PASSWORD, 4) as StoredHash, algorithm: 'bcrypt' };
const BCRYPT_WORK = `$2b$04$${'.'.repeat(53)}`;
const ARGON2_WORK = `$argon2id$v=19$m=64,t=1,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`;

it('throws for a hash that cannot be evaluated, whatever the password', async () => {
  const { passwords, work } = spiedPasswords();
  const unknown = { encoded: BCRYPT.encoded, algorithm: 'md5' };
  await expect(passwords.verify(unknown, PASSWORD)).rejects.toThrow(
    'no verifier for the stored algorithm md5',
  );
  const corrupt = { ...BCRYPT, encoded: BCRYPT.encoded.slice(0, 30) as StoredHash };
  await expect(passwords.verify(corrupt, PASSWORD)).rejects.toThrow('can no longer be verified');
  expect(work).toEqual([]);
});

it('runs nothing for a caller that has gone, or when too many wait', async () => {
  const { passwords, gate, work } = spiedPasswords(0);
  const gone = AbortSignal.abort(new Error('gone'));
  await expect(passwords.verify(BCRYPT, PASSWORD, gone)).rejects.toThrow('gone');
  await expect(passwords.verifyDecoy('a@b.c', PASSWORD, gone)).rejects.toThrow('gone');
  await expect(passwords.hash(PASSWORD, gone)).rejects.toThrow('gone');
  let finish = () => {};
  const held = gate.run(
    { memoryBytes: 1, ms: 1 },
    () =>
      new Promise<void>((resolve) => {
        finish = resolve;
      }),
  );
  const busy = { code: 'OVERLOADED' };
  await expect(passwords.verify(BCRYPT, PASSWORD)).rejects.toMatchObject(busy);
  await expect(passwords.verifyDecoy('a@b.c', PASSWORD)).rejects.toMatchObject(busy);
  await expect(passwords.hash(PASSWORD)).rejects.toMatchObject(busy);
  finish();
  await held;
  expect(work).toEqual([]);
});

it('answers whether this is the password', async () => {
  const { passwords, work } = spiedPasswords();
  expect(await passwords.verify(BCRYPT, PASSWORD)).toBe(true);
  expect(await passwords.verify(BCRYPT, WRONG)).toBe(false);
  expect(work).toEqual([BCRYPT_WORK, BCRYPT_WORK]);
});

it('tries out a hash that is not kept: decoys do not learn of it, and the time in the queue does not count', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const { passwords, gate, work } = spiedPasswords();
  const real = passwords.registry.find('bcrypt');
  if (real === undefined) throw new Error('not registered');
  const verifier: HashVerifier = {
    ...real,
    verify(stored, password) {
      vi.advanceTimersByTime(250);
      return real.verify(stored, password);
    },
  };
  let finish = () => {};
  void gate.run(
    { memoryBytes: 1, ms: 1 },
    () =>
      new Promise<void>((resolve) => {
        finish = resolve;
      }),
  );
  const trial = passwords.tryOut({ verifier, stored: BCRYPT.encoded, password: PASSWORD });
  vi.advanceTimersByTime(60_000);
  finish();
  expect(await trial).toEqual({ matches: true, cost: { ms: 250, memoryBytes: 8192 } });
  await passwords.verifyDecoy('a@b.c', PASSWORD);
  expect(work).toEqual([BCRYPT_WORK, ARGON2_WORK]);
});

it('verifies what it hashed', async () => {
  const { passwords } = spiedPasswords();
  const hash = await passwords.hash(PASSWORD);
  expect(hash.algorithm).toBe('argon2');
  expect(await passwords.verify(hash, PASSWORD)).toBe(true);
  expect(await passwords.verify(hash, WRONG)).toBe(false);
});

it('spends on a decoy what its own hashes cost, until it knows of others', async () => {
  const { passwords, work } = spiedPasswords();
  expect(await passwords.verifyDecoy('a@b.c', PASSWORD)).toBeUndefined();
  passwords.learn(BCRYPT);
  expect(await passwords.verifyDecoy('a@b.c', PASSWORD)).toBeUndefined();
  expect(work).toEqual([ARGON2_WORK, BCRYPT_WORK]);
});

it('notices the cost of what it verifies', async () => {
  const { passwords, work } = spiedPasswords();
  await passwords.verify(BCRYPT, WRONG);
  await passwords.verifyDecoy('a@b.c', PASSWORD);
  expect(work).toEqual([BCRYPT_WORK, BCRYPT_WORK]);
});

it('computes expensive hashes in the other process, those of decoys too, and no others', async () => {
  const { passwords, calls } = passwordsElsewhere();
  expect(await passwords.verify(CHEAP, PASSWORD)).toBe(true);
  await passwords.verifyDecoy('a@b.c', PASSWORD);
  await passwords.hash(PASSWORD);
  expect(calls).toEqual([]);
  expect(await passwords.verify(EXPENSIVE, PASSWORD)).toBe(false);
  expect(calls).toEqual([`verify ${EXPENSIVE.encoded}`]);
  for (let n = 0; n < 1000; n += 1) passwords.learn(EXPENSIVE);
  await passwords.verifyDecoy('a@b.c', PASSWORD);
  expect(calls).toHaveLength(2);
});

it('makes hashes of its own there, too, when they are expensive', async () => {
  const argon2 = { memoryKb: 1024, iterations: 600, parallelism: 1 };
  const { passwords, calls } = passwordsElsewhere({ ...SETUP, newHashes: { ...SETUP.newHashes, argon2 } });
  const hash = await passwords.hash(PASSWORD);
  expect(calls).toEqual(['hash']);
  expect(await passwords.verify(hash, PASSWORD)).toBe(true);
});

it('tries out a hash with the verifier of a repair, which the other process does not know, here', async () => {
  const { passwords, calls } = passwordsElsewhere();
  const real = passwords.registry.find('argon2');
  if (real === undefined) throw new Error('not registered');
  const trial = { verifier: { ...real }, stored: EXPENSIVE.encoded, password: PASSWORD };
  expect(await passwords.tryOut(trial)).toMatchObject({ matches: false });
  expect(calls).toEqual([]);
  expect(await passwords.tryOut({ ...trial, verifier: real })).toMatchObject({ matches: false });
  expect(calls).toHaveLength(1);
});

import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { UpgradePolicy } from '../../src/hashing/passwords.ts';
import { MAX_EVENT_LOOP_PASSWORD_BYTES } from '../../src/hashing/process/hashing-work.ts';
import type { PasswordHash } from '../../src/hashing/verifier.ts';
import { AppError } from '../../src/lib/errors.ts';
import { HashFingerprints } from '../../src/passwords/hash-fingerprint.ts';
import { PasswordUpgrades, type PasswordUpgradesDeps } from '../../src/passwords/upgrade-password.ts';
import { importUser } from '../../src/users/import-user.ts';
import { signIn } from '../../src/users/sign-in.ts';
import { findLoginWithHash } from '../support/find-login-with-hash.ts';
import { vector } from '../support/vectors.ts';
import { weakHash } from '../support/weak-hashes.ts';
import { BCRYPT_4, OWN_WORK, PASSWORD, useDomain } from '../users/domain.ts';

/**
 * Creates a domain with a user of this hash.
 */
async function useUpgrades(
  passwordHash = weakHash(PASSWORD),
  { policy = 'weak', ...changes }: { policy?: UpgradePolicy } & Partial<PasswordUpgradesDeps> = {},
) {
  const domain = await useDomain();
  const errors: unknown[] = [];
  const fingerprints = new HashFingerprints(['a key']);
  const upgrades = new PasswordUpgrades({
    ...domain,
    fingerprints,
    policy,
    onError: (error) => errors.push(error),
    ...changes,
  });
  onTestFinished(() => upgrades.stop());
  const deps = { ...domain, upgrades, fingerprints };
  const email = 'a@b.c';
  const { user } = await importUser(deps, { email, passwordHash });
  const hashNow = async () => (await findLoginWithHash(deps.store, email))?.hash;
  const enter = (password = PASSWORD) => signIn(deps, { email, password });
  const { hash } = (await findLoginWithHash(deps.store, email)) as { hash: PasswordHash };
  const offer = (password: Buffer, address = email) =>
    upgrades.offer({ email: address, recipeUserId: user.id, hash }, password);
  return { ...deps, email, user, hash, errors, hashNow, enter, offer };
}

it('hashes a weak password again, and the password stays the same', async () => {
  const t = await useUpgrades();
  expect(await t.enter()).toMatchObject({ outcome: 'signed-in', login: { hash: { algorithm: 'pbkdf2' } } });
  await t.upgrades.idle();
  expect(await t.hashNow()).toMatchObject({ algorithm: 'argon2' });
  t.work.length = 0;
  expect(await t.enter()).toMatchObject({ outcome: 'signed-in', login: { hash: { algorithm: 'argon2' } } });
  expect(await t.enter('wrong')).toMatchObject({ outcome: 'wrong-credentials' });
  expect(t.work).toEqual([OWN_WORK, OWN_WORK]);
  await t.upgrades.idle();
  expect(t.calls.filter((call) => call === 'replaceHash')).toHaveLength(1);
  expect(t.errors).toEqual([]);
});

it('begins after the sign-in is answered, and delays nobody', async () => {
  const t = await useUpgrades();
  const leave = t.occupy();
  const other = t.enter();
  leave();
  await other;
  expect(t.calls).not.toContain('replaceHash');
  await t.upgrades.idle();
  expect(await t.hashNow()).toMatchObject({ algorithm: 'argon2' });
});

it('does nothing after a wrong password', async () => {
  const t = await useUpgrades();
  await t.enter('wrong');
  await t.upgrades.idle();
  expect(t.calls).not.toContain('replaceHash');
});

it.each([
  ['of a strong hash', BCRYPT_4, PASSWORD, 'weak'],
  ['when it is off', weakHash(PASSWORD), PASSWORD, 'off'],
] as const)('does nothing %s', async (_what, hash, password, policy) => {
  const t = await useUpgrades(hash, { policy });
  expect(await t.enter(password)).toMatchObject({ outcome: 'signed-in' });
  await t.upgrades.idle();
  expect((await t.hashNow())?.encoded).toBe(hash);
});

it('replaces a strong hash of another cost, if the policy covers outdated hashes', async () => {
  const t = await useUpgrades(BCRYPT_4, { policy: 'outdated' });
  await t.enter();
  await t.upgrades.idle();
  expect(await t.hashNow()).toMatchObject({ algorithm: 'argon2' });
});

it('keeps a bcrypt hash that does not cover the whole password', async () => {
  const long = 'x'.repeat(80);
  const { hashSync } = await import('bcrypt');
  const hash = hashSync(long, 4);
  const t = await useUpgrades(hash, { policy: 'outdated' });
  expect(await t.enter(long)).toMatchObject({ outcome: 'signed-in' });
  expect(await t.enter(`${'x'.repeat(72)}another end`)).toMatchObject({ outcome: 'signed-in' });
  await t.upgrades.idle();
  expect((await t.hashNow())?.encoded).toBe(hash);
});

it('keeps a hash that was changed meanwhile', async () => {
  const t = await useUpgrades();
  const leave = t.occupy();
  // The gate is occupied: the sign-in runs first, then background work.
  const entering = t.enter();
  leave();
  await entering;
  await t.store.updatePasswordLogin(t.user.id, { hash: await t.passwords.hash(Buffer.from('other')) });
  const changed = await t.hashNow();
  await t.upgrades.idle();
  expect(await t.hashNow()).toEqual(changed);
  expect(await t.enter('other')).toMatchObject({ outcome: 'signed-in' });
  expect(await t.enter()).toMatchObject({ outcome: 'wrong-credentials' });
});

it('waits while anybody else waits, and is cancelled by a stop', async () => {
  const t = await useUpgrades();
  const { hash } = t;
  const password = Buffer.from(PASSWORD);
  const leave = t.occupy();
  t.offer(password);
  for (let turn = 0; turn < 5; turn += 1) await nextTurn();
  expect(await t.hashNow()).toEqual(hash);
  expect(password.toString()).toBe(PASSWORD);
  await t.upgrades.stop();
  expect(password.every((byte) => byte === 0)).toBe(true);
  leave();
  await t.enter();
  await t.upgrades.idle();
  expect(await t.hashNow()).toEqual(hash);
  expect(t.errors).toEqual([]);
});

it('an upgrade is cancelled when the gate stops', async () => {
  const t = await useUpgrades();
  const leave = t.occupy();
  t.offer(Buffer.from(PASSWORD));
  await nextTurn();
  t.passwords.stop();
  await t.upgrades.idle();
  leave();
  expect([await t.hashNow(), t.errors]).toEqual([t.hash, []]);
});

it('holds one password for each login, and a limited number in total', async () => {
  const t = await useUpgrades();
  const leave = t.occupy();
  const offered = Array.from({ length: 400 }, (_, n) => ({ n, password: Buffer.from(PASSWORD) }));
  for (const { n, password } of offered) t.offer(password, `user-${n}@b.c`);
  const again = Buffer.from(PASSWORD);
  t.offer(again, 'user-0@b.c');
  await t.upgrades.stop();
  leave();
  const held = offered.filter(({ password }) => password.every((byte) => byte === 0));
  expect(held.map(({ n }) => n)).toEqual(Array.from({ length: 256 }, (_, n) => n));
  expect(again.toString()).toBe(PASSWORD);
});

it('leaves a password that is too long for the event loop as it is', async () => {
  const t = await useUpgrades();
  const long = Buffer.alloc(MAX_EVENT_LOOP_PASSWORD_BYTES + 1, 'x');
  t.offer(long);
  await t.upgrades.stop();
  expect([long[0], await t.hashNow(), t.errors]).toEqual(['x'.charCodeAt(0), t.hash, []]);
});

it('cancels upgrades that wait too long', async () => {
  const t = await useUpgrades();
  const leave = t.occupy();
  const password = Buffer.from(PASSWORD);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  t.offer(password);
  await nextTurn();
  await nextTurn();
  vi.advanceTimersByTime(31_000);
  await t.upgrades.idle();
  vi.useRealTimers();
  leave();
  expect([password[0], await t.hashNow(), t.errors]).toEqual([0, t.hash, []]);
});

it('reports an error, and the next sign-in upgrades the hash', async () => {
  const failure = new AppError('STORAGE_UNAVAILABLE', 'away');
  const t = await useUpgrades();
  let isAway = true;
  const upgrades = new PasswordUpgrades({
    ...t,
    policy: 'weak',
    onError: (error) => t.errors.push(error),
    store: {
      replaceHash: async (...call) => (isAway ? Promise.reject(failure) : t.store.replaceHash(...call)),
    },
  });
  const enter = () => signIn({ ...t, upgrades }, { email: t.email, password: PASSWORD });
  await enter();
  await upgrades.idle();
  expect([t.errors, (await t.hashNow())?.algorithm]).toEqual([[failure], 'pbkdf2']);
  isAway = false;
  await enter();
  await upgrades.idle();
  expect((await t.hashNow())?.algorithm).toBe('argon2');
});

it('makes decoys cost what users then cost', async () => {
  const t = await useUpgrades();
  t.work.length = 0;
  await signIn(t, { email: 'nobody@b.c', password: 'x' });
  expect(t.work.splice(0)).toEqual([expect.stringContaining('$pbkdf2-sha256$')]);
  await t.enter();
  await t.upgrades.idle();
  t.work.length = 0;
  await signIn(t, { email: 'nobody@b.c', password: 'x' });
  expect(t.work).toEqual([OWN_WORK]);
});

it.each([['des-crypt', 'lx-des-crypt-07', 'challeng', 'challenger']])(
  'keeps a hash that other passwords match as well, so that they keep working: %s',
  async (name, id, ...pair) => {
    const t = await useUpgrades();
    const { hash } = vector(name, id);
    await importUser(t, { email: t.email, passwordHash: hash, hashingAlgorithm: name });
    for (const password of [...pair, ...pair]) {
      expect(await t.enter(password)).toMatchObject({ outcome: 'signed-in' });
      await t.upgrades.idle();
    }
    expect(await t.hashNow()).toMatchObject({ algorithm: name });
  },
);

it('recognises the imported hash in another spelling', async () => {
  const t = await useUpgrades();
  await t.enter();
  await t.upgrades.idle();
  const passwordHash = weakHash(PASSWORD).replaceAll(/=+(?=\$|$)/g, '');
  expect(passwordHash).not.toBe(weakHash(PASSWORD));
  await importUser(t, { email: t.email, passwordHash });
  expect(await t.hashNow()).toMatchObject({ algorithm: 'argon2' });
});

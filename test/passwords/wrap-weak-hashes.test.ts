import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { Decoys } from '../../src/hashing/decoys.ts';
import { FAMILIES } from '../../src/hashing/families.ts';
import { KdfGate } from '../../src/hashing/kdf-gate.ts';
import { Passwords } from '../../src/hashing/passwords.ts';
import { buildRegistry, newHashMaker } from '../../src/hashing/registry.ts';
import type { HashingSecret } from '../../src/hashing/secrets.ts';
import { HashFingerprints } from '../../src/passwords/hash-fingerprint.ts';
import { PasswordUpgrades } from '../../src/passwords/upgrade-password.ts';
import {
  type BrokenHash,
  type HashPlace,
  WeakHashWrapper,
  type WeakHashWrapperDeps,
} from '../../src/passwords/wrap-weak-hashes.ts';
import { createUserStore } from '../../src/postgres/users/create-user-store.ts';
import { createWeakHashStore } from '../../src/postgres/users/wrap-weak.ts';
import { importUser } from '../../src/users/import-user.ts';
import { signIn } from '../../src/users/sign-in.ts';
import { importInChunks, rollBack } from '../imports/history/rollback-under-test.ts';
import { useTestDatabase } from '../support/database.ts';
import { KEPT_CHANGES } from '../support/user-tables.ts';
import { CHEAP_LIMITS, CHEAP_SETTINGS } from '../support/vectors.ts';
import { brokenHash, testMd5, weakHash } from '../support/weak-hashes.ts';

const SECRETS: HashingSecret[] = [{ id: 'salt', algorithm: 'test-md5', bytes: Buffer.from('pfeffer') }];

/** Creates parts of the service, with an algorithm of class broken. */
async function useBroken() {
  const registry = buildRegistry(CHEAP_LIMITS, SECRETS, [...FAMILIES, testMd5]);
  const maker = newHashMaker({ algorithm: 'argon2', settings: CHEAP_SETTINGS }, registry);
  const gate = new KdfGate({ concurrency: 1, memoryBytes: CHEAP_LIMITS.memoryBudgetBytes, queueLimit: 100 });
  const decoys = new Decoys(maker.example, 'a secret');
  const passwords = new Passwords({ registry, gate, decoys, maker, wrapMaker: maker });
  const { db } = await useTestDatabase();
  const store = createUserStore(db);
  const fingerprints = new HashFingerprints(['a key']);
  const errors: unknown[] = [];
  const onError = (error: unknown) => void errors.push(error);
  const upgrades = new PasswordUpgrades({ store, passwords, fingerprints, policy: 'weak', onError });
  onTestFinished(() => upgrades.stop());
  const deps = { db, store, passwords, fingerprints, upgrades, now: Date.now };
  const wrapped: unknown[] = [];
  const wrapper = (changes: Partial<WeakHashWrapperDeps> = {}) => {
    const hashes = createWeakHashStore(db);
    const onWrapped = (counts: object) => void wrapped.push(counts);
    const made = new WeakHashWrapper({ ...deps, hashes, onError, onWrapped, ...changes });
    onTestFinished(() => made.stop());
    return made;
  };
  const enter = async (email: string, password: string) => (await signIn(deps, { email, password })).outcome;
  const rows = () =>
    db.query<{ email: string; hash_algorithm: string; password_hash: string }>(
      'select email, hash_algorithm, password_hash from password_logins order by email',
    );
  const algorithms = async () => (await rows()).map((row) => row.hash_algorithm);
  const add = (email: string, passwordHash: string) => importUser(deps, { email, passwordHash });
  return { ...deps, gate, errors, wrapper, wrapped, enter, rows, algorithms, add };
}

const EVERYTHING = `
  select coalesce(string_agg(t::text, ' '), '') as text from (
    select to_jsonb(p) as t from password_logins p union all select to_jsonb(r) from import_changes r
    union all select to_jsonb(h) from hash_changes h
  ) all_rows`;

it('leaves no broken hash in the database, and all passwords unchanged', async () => {
  const t = await useBroken();
  await t.add('a@b.c', brokenHash('secret-a'));
  await t.add('b@b.c', weakHash('secret-b'));
  await t.add('c@b.c', brokenHash('secret-c', 'ab', 'pfeffer'));
  const digests = [brokenHash('secret-a'), brokenHash('secret-c', 'ab', 'pfeffer')].map((h) => h.slice(-32));
  await t.wrapper().idle();
  expect(await t.algorithms()).toEqual(['wrapped', 'pbkdf2', 'wrapped']);
  expect([t.wrapped, t.errors]).toEqual([[{ wrapped: 2, left: 0 }], []]);
  const [all] = await t.db.query<{ text: string }>(EVERYTHING);
  for (const digest of digests) expect(all?.text).not.toContain(digest);
  const [changes] = await t.db.query<{ by: string[] }>(
    'select array_agg(distinct changed_by) as by from hash_changes where hash_algorithm = $1',
    ['wrapped'],
  );
  expect(changes?.by).toEqual(['wrap']);
  for (const [email, password] of [
    ['a@b.c', 'secret-a'],
    ['b@b.c', 'secret-b'],
    ['c@b.c', 'secret-c'],
  ] as const) {
    expect([await t.enter(email, 'wrong'), await t.enter(email, password)]).toEqual([
      'wrong-credentials',
      'signed-in',
    ]);
  }
});

it('wrapping is followed by an upgrade at sign-in, unless other passwords match the inner hash', async () => {
  const t = await useBroken();
  await t.add('a@b.c', brokenHash('secret'));
  await t.add('b@b.c', brokenHash('password too long'));
  await t.wrapper().idle();
  await t.enter('a@b.c', 'secret');
  await t.enter('b@b.c', 'password too long');
  await t.upgrades.idle();
  expect(await t.algorithms()).toEqual(['argon2', 'wrapped']);
  expect(await t.enter('a@b.c', 'secret')).toBe('signed-in');
  expect(await t.enter('b@b.c', 'password and another end')).toBe('signed-in');
});

it('keeps a hash wrapped when the same hash is imported again, and then upgraded', async () => {
  const t = await useBroken();
  const again = () => t.add('a@b.c', brokenHash('secret'));
  await again();
  await t.wrapper().idle();
  const before = await t.rows();
  expect((await again()).existed).toBe(true);
  expect(await t.rows()).toEqual(before);
  await t.enter('a@b.c', 'secret');
  await t.upgrades.idle();
  await again();
  expect(await t.algorithms()).toEqual(['argon2']);
  await t.add('a@b.c', brokenHash('changed'));
  expect(await t.algorithms()).toEqual(['test-md5']);
});

it('keeps the origin of a hash: a rollback removes its user, and restores what the import replaced', async () => {
  const t = await useBroken();
  await importInChunks(t.db, 'new', [{ email: 'new@b.c', passwordHash: weakHash('x') }]);
  await importInChunks(t.db, 'over', [{ email: 'old@b.c', passwordHash: weakHash('before') }]);
  await importInChunks(t.db, 'it', [{ email: 'old@b.c', passwordHash: weakHash('after') }]);
  // Simulates an import of hashes that only this test knows.
  const replace = (email: string, hash: string) =>
    t.db.query(
      `update password_logins set password_hash = $2, hash_algorithm = 'test-md5', hash_class = null where email = $1`,
      [email, hash],
    );
  await replace('new@b.c', brokenHash('x'));
  await replace('old@b.c', brokenHash('after'));
  await t.db.query(
    `update import_changes set broken_hashes = 1,
       changes = jsonb_set(changes::jsonb, '{0,3}', changes::jsonb #> '{0,3}' || $1)::json`,
    [{ password_hash: brokenHash('before'), hash_algorithm: 'test-md5', hash_class: null }],
  );
  await t.wrapper().idle();
  expect(t.wrapped).toEqual([{ wrapped: 3, left: 0 }]);
  expect(await t.algorithms()).toEqual(['wrapped', 'wrapped']);
  expect(await rollBack(t.db, 'new')).toMatchObject({ rollback: { usersRemoved: 1, usersKept: 0 } });
  expect(await rollBack(t.db, 'it')).toMatchObject({ rollback: { hashesRestored: 1, hashesKept: 0 } });
  expect(await t.algorithms()).toEqual(['wrapped']);
  expect([await t.enter('old@b.c', 'after'), await t.enter('old@b.c', 'before')]).toEqual([
    'wrong-credentials',
    'signed-in',
  ]);
});

it('wraps the replaced hashes of many users, of whom the journal has a hundred in a row', async () => {
  const t = await useBroken();
  const users = Array.from({ length: 150 }, (_, n) => `u-${n}@b.c`);
  const lines = (hash: string) => users.map((email) => ({ email, passwordHash: weakHash(hash) }));
  await importInChunks(t.db, 'before', lines('before'));
  await importInChunks(t.db, 'it', lines('after'));
  const kept = await t.db.query<{
    id: string;
    changes: [string, string, string, object, { email: string }][];
  }>('select id, changes from import_changes');
  for (const { id, changes } of kept) {
    for (const [, , , before, { email }] of changes)
      Object.assign(before, {
        password_hash: brokenHash(email),
        hash_algorithm: 'test-md5',
        hash_class: 'broken',
      });
    const values = [id, JSON.stringify(changes), changes.length];
    await t.db.query('update import_changes set changes = $2, broken_hashes = $3 where id = $1', values);
  }
  const others = () =>
    t.db.query(`select user_id, part, row_id, after from ${KEPT_CHANGES} changes order by user_id`);
  const before = await others();
  await Promise.all([t.wrapper(), t.wrapper()].map((wrapper) => wrapper.idle()));
  const sum = (t.wrapped as { wrapped: number }[]).reduce((all, { wrapped }) => all + wrapped, 0);
  expect([sum, t.errors]).toEqual([150, []]);
  const rows = await t.db.query(
    'select broken_hashes as left, json_array_length(changes) as count from import_changes order by id',
  );
  expect(rows).toEqual([
    { left: 0, count: 100 },
    { left: 0, count: 50 },
  ]);
  expect(await others()).toEqual(before);
  const [all] = await t.db.query<{ text: string }>(EVERYTHING);
  for (const email of users) expect(all?.text).not.toContain(brokenHash(email).slice(-32));
  expect(await rollBack(t.db, 'it')).toMatchObject({ rollback: { hashesRestored: 150, hashesKept: 0 } });
  expect(new Set(await t.algorithms())).toEqual(new Set(['wrapped']));
  for (const email of [0, 1, 99, 100, 149].map((n) => users[n] as string))
    expect([await t.enter(email, 'after'), await t.enter(email, email)]).toEqual([
      'wrong-credentials',
      'signed-in',
    ]);
});

it('wraps the hashes of users whom an import removed, and restores them', async () => {
  const t = await useBroken();
  await importInChunks(t.db, 'before', [{ email: 'old@b.c', passwordHash: weakHash('x') }]);
  const [removed] = await t.db.query<{ user_id: string; row: Record<string, unknown> }>(
    'select user_id, to_jsonb(password_logins) as row from password_logins',
  );
  const id = removed?.user_id;
  await t.db.query('delete from password_logins');
  const broken = { password_hash: brokenHash('before'), hash_algorithm: 'test-md5', hash_class: 'broken' };
  await importInChunks(t.db, 'it', [{ email: 'new@b.c', passwordHash: weakHash('x') }]);
  await t.db.query(
    `insert into import_changes (import_id, written_at, kind, changes, broken_hashes) values ('it', now(), 'rows', $1, 1)`,
    [JSON.stringify([['password_logins', id, id, { ...removed?.row, ...broken }, null]])],
  );
  await t.wrapper().idle();
  expect([t.wrapped, t.errors]).toEqual([[{ wrapped: 1, left: 0 }], []]);
  const rows = await t.db.query(
    `select before ->> 'hash_algorithm' as algorithm from ${KEPT_CHANGES} changes`,
  );
  expect(rows).toEqual([{ algorithm: 'wrapped' }]);
  await rollBack(t.db, 'it');
  expect([await t.algorithms(), await t.enter('old@b.c', 'before')]).toEqual([['wrapped'], 'signed-in']);
});

it('uses the stored class, and skips hashes that cannot be wrapped', async () => {
  const t = await useBroken();
  await t.add('a@b.c', brokenHash('a'));
  await t.add('b@b.c', weakHash('b'));
  await t.add('c@b.c', brokenHash('c'));
  await t.add('d@b.c', brokenHash('d'));
  await t.db.query(
    `update password_logins set hash_class = case email when 'c@b.c' then 'legacy' else 'broken' end`,
  );
  await t.db.query(`update password_logins set hash_algorithm = 'retired' where email = 'd@b.c'`);
  await t.wrapper().idle();
  expect(await t.algorithms()).toEqual(['wrapped', 'pbkdf2', 'test-md5', 'retired']);
  expect(t.wrapped).toEqual([{ wrapped: 1, left: 2 }]);
});

it('wraps many hashes, each once, with several instances at once', async () => {
  const t = await useBroken();
  const emails = Array.from({ length: 130 }, (_, n) => `user-${String(n).padStart(3, '0')}@b.c`);
  await Promise.all(emails.map((email) => t.add(email, brokenHash(email.slice(5, 8)))));
  await Promise.all([t.wrapper().idle(), t.wrapper().idle(), t.wrapper().idle()]);
  expect(new Set(await t.algorithms())).toEqual(new Set(['wrapped']));
  const [changes] = await t.db.query<{ count: string; logins: string }>(
    "select count(*), count(distinct recipe_user_id) as logins from hash_changes where changed_by = 'wrap'",
  );
  expect(changes).toEqual({ count: '130', logins: '130' });
  expect(await t.enter('user-129@b.c', '129')).toBe('signed-in');
});

it('leaves a hash that was changed meanwhile', async () => {
  const t = await useBroken();
  await t.add('a@b.c', brokenHash('a'));
  const real = createWeakHashStore(t.db);
  const hashes = {
    ...real,
    async isStillKept(...call: [place: HashPlace, kept: BrokenHash]) {
      const is = await real.isStillKept(...call);
      await t.add('a@b.c', weakHash('b'));
      return is;
    },
  };
  await t.wrapper({ hashes }).idle();
  expect(await t.algorithms()).toEqual(['pbkdf2']);
  expect(t.wrapped).toEqual([]);
});

it('pauses while anybody waits for a hash, stops at once, and continues later', async () => {
  const t = await useBroken();
  for (const email of ['a@b.c', 'b@b.c']) await t.add(email, brokenHash('x'));
  let leave = () => {};
  const busy = t.gate.run({ memoryBytes: 1, ms: 1 }, () => new Promise<void>((resolve) => (leave = resolve)));
  const wrapper = t.wrapper();
  wrapper.start();
  for (let turn = 0; turn < 50; turn += 1) await nextTurn();
  expect(await t.algorithms()).toEqual(['test-md5', 'test-md5']);
  await wrapper.stop();
  leave();
  await busy;
  expect([await t.algorithms(), t.errors]).toEqual([['test-md5', 'test-md5'], []]);
  await t.wrapper().idle();
  expect(await t.algorithms()).toEqual(['wrapped', 'wrapped']);
});

it('skips a hash that fails, and reports one error', async () => {
  const t = await useBroken();
  for (const email of ['a@b.c', 'b@b.c', 'c@b.c']) await t.add(email, brokenHash('x'));
  const failure = new Error('the library fails');
  const passwords = Object.assign(Object.create(t.passwords) as Passwords, {
    registry: t.passwords.registry,
    wrap: (hash: BrokenHash['hash'], signal: AbortSignal) =>
      hash.encoded === 'b' ? Promise.reject(failure) : t.passwords.wrap(hash, signal),
    replaced: () => {},
  });
  await t.db.query("update password_logins set password_hash = 'b' where email <> 'c@b.c'");
  await t.wrapper({ passwords }).idle();
  expect(await t.algorithms()).toEqual(['test-md5', 'test-md5', 'wrapped']);
  expect([t.errors, t.wrapped]).toEqual([[failure], [{ wrapped: 1, left: 2 }]]);
});

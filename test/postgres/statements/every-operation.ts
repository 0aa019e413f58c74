import { EventEmitter, once } from 'node:events';
import type { ParsedHash, PasswordHash } from '../../../src/hashing/verifier.ts';
import { BulkPace } from '../../../src/imports/bulk-pace.ts';
import { createStagedWorker, importAtOnce } from '../../../src/imports/staged/import-new-users.ts';
import { AppError } from '../../../src/lib/errors.ts';
import { createLogger } from '../../../src/lib/log.ts';
import { HASH_PLACES } from '../../../src/passwords/wrap-weak-hashes.ts';
import type { Database } from '../../../src/postgres/client/database.ts';
import { waitForDatabase } from '../../../src/postgres/client/wait-for-database.ts';
import { createHandOverStore } from '../../../src/postgres/hand-over/create-hand-over-store.ts';
import { createMovedStore } from '../../../src/postgres/hooks/create-moved-store.ts';
import { createImportStore } from '../../../src/postgres/imports/create-import-store.ts';
import {
  applyMigrations,
  assertMigrated,
  type Migration,
} from '../../../src/postgres/migrate/apply-migrations.ts';
import { createStagedStore } from '../../../src/postgres/staged/create-staged-store.ts';
import { createExportStore } from '../../../src/postgres/users/create-export-store.ts';
import { createUserStore } from '../../../src/postgres/users/create-user-store.ts';
import { createWeakHashStore } from '../../../src/postgres/users/wrap-weak.ts';
import type { PageStart, UserFilter } from '../../../src/users/user-store.ts';
import {
  email,
  googleLine,
  importInChunks,
  linkedLine,
  passwordLine,
  rollBack,
} from '../../imports/history/rollback-under-test.ts';
import { runStream } from '../../imports/import-under-test.ts';
import { hashNumber } from '../../imports/model/model-streams.ts';
import { testPasswords } from '../../support/app.ts';
import type { TestDatabase } from '../../support/database.ts';
import { FACTORS, testVault } from '../../support/factors.ts';
import { findLoginWithHash } from '../../support/find-login-with-hash.ts';
import { labelledHash } from '../../support/labelled-hashes.ts';
import { ndjson } from '../../support/ndjson.ts';
import { stageOn } from '../../support/staged-workers.ts';

/*
 * Calls every operation of the stores in every variant that has its own statement. The calls are sequential, because
 * the number of statements of simultaneous calls would vary.
 */

const passwords = testPasswords();
const rehash = (label: string) => ({
  hash: labelledHash(label) as ParsedHash,
  fingerprint: 'ab'.repeat(16),
});
const START: PageStart = { timeJoinedMs: 1_700_000_000_000, userId: 'ffffffff-ffff-7fff-8fff-ffffffffffff' };
const FILTERS: UserFilter[] = [
  {},
  { recipeIds: [] },
  { recipeIds: ['emailpassword'] },
  { recipeIds: ['thirdparty'] },
];

/** Number of migrations before the one that changes `password_logins` for users without a hash. */
const BEFORE_NO_HASH = 8;

/**
 * Runs every migration on a database without tables. The last ones have to wait for a transaction that uses a table.
 * @param plain the same database; its statements are not recorded
 */
export async function everyMigration(
  db: Database,
  plain: Database,
  migrations: readonly Migration[],
): Promise<void> {
  await assertMigrated(db, []);
  await applyMigrations(db, migrations.slice(0, BEFORE_NO_HASH));
  const blocked = new EventEmitter();
  await plain.connection(async (user) => {
    const ended = once(blocked, 'ended');
    await user.transaction(async () => {
      await user.query('lock table password_logins in access share mode');
      const isBlocked = once(blocked, 'blocked');
      void applyMigrations(db, migrations, { onBlocked: () => blocked.emit('blocked') }).then(
        () => blocked.emit('ended'),
        (error) => blocked.emit('error', error),
      );
      await isBlocked;
    });
    await ended;
  });
}

/**
 * Runs every operation on a migrated database without rows.
 * @param plain the same database; its statements are not recorded
 */
export async function everyOperation(database: TestDatabase, plain: Database): Promise<void> {
  const { db } = database;
  await waitForDatabase(db, 1000, createLogger('fatal'));
  await bulkImports(db);
  await staging(database);
  await singleUsers(db);
  await plain.query(
    `update import_changes set broken_hashes = 1, changes = replace(changes::text, '"hash_class":"strong"', '"hash_class":"broken"')::json`,
  );
  await weakHashes(db);
  await handOvers(db);
  await movedLogins(db);
  await exporting(db);
  await reading(db);
  // So many users that they are looked up differently, and one user who fills a page.
  await plain.query(`
    insert into users (user_id, time_joined_ms) select gen_random_uuid(), n from generate_series(1, 20001) n;
    insert into users (user_id, time_joined_ms) values ('${START.userId}', ${START.timeJoinedMs});
    insert into password_logins (email, user_id, recipe_user_id, time_joined_ms, password_hash, hash_algorithm, hash_set_by, linked)
    select 'large-' || n, '${START.userId}', gen_random_uuid(), n, 'x', 'bcrypt', 'import', true from generate_series(1, 5001) n;
    insert into password_logins (email, user_id, recipe_user_id, time_joined_ms, password_hash, hash_algorithm, hash_set_by)
    select 'many-' || n, gen_random_uuid(), gen_random_uuid(), n, 'x', 'bcrypt', 'import' from generate_series(1, 20001) n;
    insert into third_party_logins (third_party_id, third_party_user_id, email, user_id, recipe_user_id, time_joined_ms)
    select 'google', 'many-' || n, 'x', gen_random_uuid(), gen_random_uuid(), n from generate_series(1, 20001) n`);
  await reading(db);
  await undoing(db);
}

/** Runs on one Postgres and on Citus, where only the records of exports are written. */
async function exporting(db: Database): Promise<void> {
  const store = createExportStore(db, db);
  const exportId = '00000000-0000-7000-8000-000000000001';
  await store.begin(exportId, 'tests');
  await store.countFactorsByKey();
  const { signal } = new AbortController();
  if (store.obstacle === undefined) for await (const _ of store.read(signal, () => ''));
  await store.end(exportId);
}

async function handOvers(db: Database): Promise<void> {
  const store = createHandOverStore(db);
  const [owner, nobody] = ['00000000-0000-7000-8000-000000000001', '00000000-0000-7000-8000-000000000002'];
  await store.count();
  const start = { handOverId: owner, keyName: 'tests', unlinked: false, secretCheck: Buffer.alloc(32) };
  const { handOver } = await store.begin(start);
  await store.begin(start);
  await store.claim(owner, 1000);
  await store.setProblem(owner, 'a problem');
  const { users } = await store.nextUsers(handOver, 2);
  const user = users[0]?.user;
  if (user === undefined) throw new Error('there are no users');
  const login = { recipeUserId: user.id, userId: user.id, coreId: 'x', algorithm: 'bcrypt' };
  await store.recordSending(owner, users, [
    { ...login, state: 'sending' },
    { ...login, recipeUserId: nobody, userId: nobody, state: 'sending' },
  ]);
  await store.markStaged([user.id]);
  await store.sendingUsers(owner, undefined, 2);
  await store.countSending(owner);
  await store.forgetGone(owner);
  await store.departing(user.id);
  await store.record(owner, [{ ...login, state: 'waiting' }]);
  await store.advance(owner, user.id);
  await store.finish(owner);
  await store.find(owner);
  await store.list(1);
  await store.latest();
  await store.counts(owner);
  await store.countWaiting();
  await store.movedByDay(owner);
  await store.listRefused(owner, undefined, 1);
  await store.findLogin(user.id);
  await store.hasCoreUser(user.id);
  await store.lock(user.id, 1000);
  await store.unlock(user.id);
  await store.nextToUndo(owner, 1);
  await store.endWaiting(user.id, 'moved');
  await store.withHashLeft(1);
  await store.hashRemoved(user.id);
  await store.beginUndo(owner);
  await store.forget([user.id]);
  await store.finishUndo(owner);
  await store.release(owner);
}

async function movedLogins(db: Database): Promise<void> {
  const store = createMovedStore(db);
  const userId = '00000000-0000-7000-8000-000000000003';
  const by = { hook: 'kratos', keyName: 'tests' } as const;
  const [row] = await db.query<{
    email: string;
    user_id: string;
    recipe_user_id: string;
    password_hash: string;
  }>(
    `select email, user_id, recipe_user_id, password_hash from password_logins
     where password_hash is not null and not disabled order by email limit 1`,
  );
  if (row === undefined) throw new Error('nobody has a hash');
  const login = { email: row.email, recipeUserId: row.recipe_user_id, userId: row.user_id };
  const hash = { algorithm: 'bcrypt', encoded: row.password_hash } as PasswordHash;
  await store.recordMatch(login, hash, by);
  await store.find(userId);
  await store.expire(-1);
  await store.recordChange(login, by);
  await store.progress();
  await store.importOf(row.recipe_user_id);
  await store.waiting('', 1);
  await db.query('delete from moved_logins where recipe_user_id = $1', [row.recipe_user_id]);
}

async function bulkImports(db: Database): Promise<void> {
  const lines = [passwordLine(1, 0), passwordLine(2, 0), googleLine(3, 'c.d'), linkedLine(4), linkedLine(5)];
  const others = [
    passwordLine(1, 1),
    googleLine(3, 'd.e'),
    linkedLine(6),
    { ...linkedLine(5), ...FACTORS, disabled: true },
  ];
  await dryRun(db, [...lines, ...lines]);
  await importInChunks(db, 'first', lines);
  // Repeated lines are reported from the record, and those of a dry run find rows.
  await importInChunks(db, 'first', lines);
  await dryRun(db, others);
  await importInChunks(db, 'second', others);
  await importOfWaiting(db);
  const bytes = Buffer.from(ndjson({ email: 'nobody' }, passwordLine(1, 0)));
  const limits = { maxLines: 10, maxBytes: 1_000_000, idleMs: 1000, maxAgeMs: 60_000 };
  const stream = { bytes, pace: { sizes: [65_536], pauses: false }, limits };
  await runStream({ db, passwords }, { importId: 'failing', dryRun: false, onConflict: 'fail' }, stream);
  await matching(db);
  const imports = createImportStore(db, db);
  const request = { importId: 'dry', keyName: 'tests', dryRun: true, onConflict: 'overwrite' } as const;
  await imports.begin({ ...request, importId: 'first' });
  const run = await imports.begin(request);
  if (typeof run === 'string') throw new Error(run);
  await imports.sink(run, request).flush();
  await imports.list({ limit: 2 });
  await imports.list({ limit: 2, start: 'first', search: 'first', status: 'FINISHED' });
  await imports.find('first');
  await imports.listFailures('failing', { start: 1, limit: 10 });
  await imports.listFailures('failing', { start: 1, limit: 10, code: 'INVALID_EMAIL' });
}

/** Replaces the hash of a login that waits in front of a core. */
async function importOfWaiting(db: Database): Promise<void> {
  const login = await createUserStore(db).findPasswordLogin(passwordLine(1, 0).email);
  if (login === undefined) throw new Error('an imported login is not there');
  const { recipeUserId } = login;
  const handOver = createHandOverStore(db);
  const record = { recipeUserId, userId: recipeUserId, coreId: 'x', algorithm: 'bcrypt' };
  await handOver.record(recipeUserId, [{ ...record, state: 'waiting' }]);
  await importInChunks(db, 'waiting', [passwordLine(1, 2)]);
}

/** Two users exchange their addresses, others move, get another hash or a login method, and one is gone. */
async function matching(db: Database): Promise<void> {
  const limits = { maxLines: 2, maxBytes: 1_000_000, idleMs: 1000, maxAgeMs: 60_000 };
  const line = (n: number, of: number, variant: number, domain: string) => ({
    externalUserId: `match-${n}`,
    userMetadata: { variant },
    loginMethods: [
      { recipeId: 'emailpassword', email: `match-${of}@b.c`, passwordHash: hashNumber(variant) },
      { recipeId: 'thirdparty', email: `${n}@${domain}`, thirdPartyId: 'google', thirdPartyUserId: `m-${n}` },
    ],
  });
  const run = (importId: string, dryRun: boolean, lines: readonly object[]) =>
    runStream(
      { db, passwords },
      {
        importId,
        dryRun,
        onConflict: 'update-unchanged',
        matchBy: 'externalId',
        source: 'tests',
        deleteMissing: 9,
      },
      { bytes: Buffer.from(ndjson(...lines)), pace: { sizes: [65_536], pauses: false }, limits },
    );
  await run(
    'match-1',
    false,
    [1, 2, 3, 8, 10].map((n) => line(n, n, 0, 'c.d')),
  );
  const linked = {
    ...{ recipeId: 'thirdparty', email: 'linked@c.d', thirdPartyId: 'google', thirdPartyUserId: 'm-linked' },
    timeJoinedInMSSinceEpoch: 1,
  };
  const once = line(8, 8, 1, 'c.d');
  const again = [
    { ...once, loginMethods: [...once.loginMethods, linked] },
    line(1, 2, 0, 'c.d'),
    line(2, 1, 0, 'c.d'),
    line(3, 4, 1, 'd.e'),
    line(4, 5, 0, 'c.d'),
  ];
  const more = [
    { ...line(5, 6, 0, 'c.d'), externalUserId: 'match-1' },
    line(6, 3, 0, 'c.d'),
    line(7, 9, 0, 'c.d'),
  ];
  await run('match-dry', true, [...again, ...more]);
  await run('match-2', false, [...again, ...more]);
  await run('match-2', false, [...again, ...more]);
}

async function dryRun(db: Database, lines: readonly unknown[]): Promise<void> {
  const limits = { maxLines: 2, maxBytes: 1_000_000, idleMs: 1000, maxAgeMs: 60_000 };
  const stream = { bytes: Buffer.from(ndjson(...lines)), pace: { sizes: [65_536], pauses: false }, limits };
  await runStream({ db, passwords }, { importId: 'dry', dryRun: true, onConflict: 'overwrite' }, stream);
}

async function undoing(db: Database): Promise<void> {
  await rollBack(db, 'match-2');
  await rollBack(db, 'waiting');
  await rollBack(db, 'second');
  await createImportStore(db, db).expire(0);
}

async function staging(database: TestDatabase): Promise<void> {
  const { db } = database;
  const staged = createStagedStore(db, db);
  const users = [linkedLine(7), linkedLine(1)];
  await stageOn(database, users);
  const overloaded = staged.processNext(() => {
    throw new AppError('OVERLOADED', 'Service is overloaded: a test');
  });
  await overloaded.catch(() => {});
  // The second half of the batch exists already, and fails.
  const deps = { staged, passwords, vault: testVault(), now: Date.now };
  const worker = createStagedWorker({ ...deps, pace: new BulkPace(), pollMs: 1000, onError: () => {} });
  await worker.idle();
  const { users: left } = await staged.list({ limit: 10, maxBytes: 1000 });
  const [start = ''] = left.map(({ id }) => id);
  await staged.list({ limit: 10, maxBytes: 1000, start });
  await staged.list({ limit: 10, maxBytes: 1000, status: 'FAILED' });
  await staged.list({ limit: 10, maxBytes: 1000, status: 'FAILED', start });
  await staged.count();
  await staged.remove([start]);
  await importAtOnce(deps, linkedLine(8));
}

async function singleUsers(db: Database): Promise<void> {
  const store = createUserStore(db);
  await store.ping();
  const old = labelledHash('old');
  const [address, hash] = ['single@b.c', { ...old, strength: old.strength, secretId: 'salt' }];
  // Created, written again, and read.
  for (let times = 0; times < 3; times += 1) await store.importPasswordUser({ email: address, hash });
  await store.countBySecret({ ids: [], hasSignerKey: false }, 10);
  const login = await findLoginWithHash(store, address);
  if (login === undefined) throw new Error('an imported login is not there');
  await store.findSignedIn(address, login);
  await store.recordSignIn(address, login);
  await store.replaceHash({ ...login, email: address }, rehash('rehash'));
  await store.importPasswordUser({ email: address, hash, matchesFingerprint: () => true });
  await store.importPasswordUser({ email: address, hash, matchesFingerprint: () => false });
  for (const noHash of ['unset', 'waiting'] as const)
    await store.importPasswordUser({ email: 'hashless@b.c', noHash });
  const hashless = await store.findPasswordLogin('hashless@b.c');
  if (hashless === undefined) throw new Error('a login without a hash is not there');
  const profile = { externalId: 'hashless-1', profile: { metadata: '{}' }, verified: true };
  await store.moveIn('hashless@b.c', hashless, hash, profile);
  const identity = { id: 'google', userId: 'l-4' };
  for (const one of [identity, { id: 'google', userId: 'new' }])
    await store.signInUpThirdParty({ identity: one, email: '4@google.c', verified: true });
  await store.createPasswordUser({ email: 'new@b.c', hash });
  await store.updatePasswordLogin(login.recipeUserId, { hash, email: 'moved@b.c' });
  await store.setDisabled(login.recipeUserId, true);
  await store.findFactors(login.recipeUserId);
  await store.findUser(login.recipeUserId);
  await store.findMetadata(login.recipeUserId);
  const linked = (await store.findPasswordLogin(email(4)))?.recipeUserId ?? '';
  const moved = { recipeUserId: linked, userId: linked, coreId: 'old-4', algorithm: 'bcrypt' };
  await createHandOverStore(db).record(linked, [{ ...moved, state: 'moved' }]);
  await store.recordRemoved(['a@b.c']);
  await store.isSettled('a@b.c');
  await store.removeUser(linked, 'login-method');
  await store.removeUser('old-5', 'user');
}

async function reading(db: Database): Promise<void> {
  const store = createUserStore(db);
  for (const filter of FILTERS) {
    await store.countUsers(filter);
    await store.listUsers({ ...filter, order: 'desc', limit: 2 });
  }
  // Order and start have the same effect for every filter.
  await store.listUsers({ recipeIds: ['thirdparty'], order: 'desc', limit: 2, start: START });
  await store.listUsers({
    recipeIds: ['thirdparty'],
    order: 'desc',
    limit: 2,
    start: { ...START, timeJoinedMs: 20_001 },
  });
  for (const order of ['asc', 'desc'] as const) await store.listUsers({ order, limit: 2, start: START });
  await store.listUsers({ order: 'asc', limit: 2 });
  for (const search of [
    { emails: ['user', 'x'] },
    { providers: ['g'] },
    { emails: ['user'], providers: ['g'] },
  ])
    await store.searchUsers({ ...search, order: 'asc', limit: 2 });
  for (const match of ['all', 'any'] as const) {
    const [address, thirdParty] = [email(1), { id: 'google', userId: 'id-3' }];
    for (const info of [{ email: address }, { thirdParty }, { email: address, thirdParty }])
      await store.findUsersByAccountInfo(info, match, 10);
  }
  await store.sampleHashes(1000);
  await store.countHashes('', 10);
}

async function weakHashes(db: Database): Promise<void> {
  const store = createWeakHashStore(db);
  for (const place of HASH_PLACES) {
    const last = await store.endOfPage(place, undefined);
    if (last === undefined) throw new Error(`no hash in ${place}`);
    await store.findBroken(place, { after: undefined, last }, ['bcrypt']);
    const kept = { key: last, hash: labelledHash('none') };
    await store.isStillKept(place, kept);
    await store.wrap(place, kept, rehash('wrapped'));
  }
}

import { readFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../../support/app.ts';
import { BCRYPT, OTHER_BCRYPT } from '../../support/example-hashes.ts';
import { importWithId, rolledBack } from '../../support/import-calls.ts';
import { insertLinkedUser } from '../../support/linked-users.ts';
import { IMPORT, importNew, signInStatus, signInUpNew } from '../../support/service-calls.ts';
import { undoRows, userRows } from '../../support/user-tables.ts';

let service: TestApp;
beforeEach(async () => {
  service = await createTestApp();
});
afterEach(() => service.close());

const ANN = { email: 'ann@b.c', passwordHash: BCRYPT.hash };
const BOB = { email: 'bob@b.c', passwordHash: BCRYPT.hash };
const GOOGLE = { id: 'google', userId: '1' };
const GUS = { thirdPartyId: GOOGLE.id, thirdPartyUserId: GOOGLE.userId, email: { id: 'gus@b.c' } };
/** A user with a password and a Google login, each with its own id. */
const LINKED = {
  externalUserId: 'old-7',
  userMetadata: { plan: 'gold' },
  loginMethods: [
    { recipeId: 'emailpassword', email: 'lin@b.c', passwordHash: BCRYPT.hash, hashingAlgorithm: 'bcrypt' },
    {
      recipeId: 'thirdparty',
      email: 'lin@google.c',
      thirdPartyId: 'google',
      thirdPartyUserId: '7',
      externalUserId: 'old-7-g',
    },
  ],
};

const rows = () => userRows(service.database.db);
const NOTHING_KEPT = {
  import_chunks: 0,
  import_changes: 0,
};

describe('a user that the import created', () => {
  it('is removed with all login methods, ids and metadata, and can be imported again', async () => {
    await importNew(service, 'before@b.c');
    await signInUpNew(service, { id: 'google', userId: 'before' }, 'before@b.c');
    const before = await rows();
    await importWithId(service, 'it', [ANN, GUS, LINKED]);
    expect(await rolledBack(service, 'it')).toEqual({ usersRemoved: 3 });
    expect(await rows()).toEqual(before);
    expect(await undoRows(service.database.db)).toEqual(NOTHING_KEPT);

    const again = await importWithId(service, 'again', [ANN, GUS, LINKED]);
    expect(again.results.map(({ status }) => status)).toEqual(['CREATED', 'CREATED', 'CREATED']);
    expect((await service.send('GET', '/user/id?userId=old-7-g')).body.user.id).toBe('old-7');
  });

  it('is kept with all login methods after a sign-in', async () => {
    await importWithId(service, 'it', [ANN, BOB, GUS, LINKED]);
    expect(await signInStatus(service, 'bob@b.c', 'wrong')).toBe('WRONG_CREDENTIALS_ERROR');
    expect(await signInStatus(service, 'ann@b.c')).toBe('OK');
    await service.send('POST', '/recipe/signinup', {
      thirdPartyId: 'google',
      thirdPartyUserId: '7',
      email: { id: 'lin@google.c' },
    });
    const used = await rows();
    expect(await rolledBack(service, 'it')).toEqual({ usersRemoved: 2, usersKept: 2 });
    expect(await signInStatus(service, 'bob@b.c')).toBe('WRONG_CREDENTIALS_ERROR');
    expect(await signInStatus(service, 'ann@b.c')).toBe('OK');
    expect(await signInStatus(service, 'lin@b.c')).toBe('OK');
    const left = await rows();
    for (const [key, row] of left)
      if (!key.endsWith('lin@b.c')) expect([key, row]).toEqual([key, used.get(key)]);
    expect(new Set([...left.values()].map(({ userId }) => userId)).size).toBe(2);
    expect(left.has('user_aliases old-7-g')).toBe(true);
  });

  it('is kept if its password or e-mail was changed, or a login method removed', async () => {
    const names = ['ann', 'bob', 'cid'];
    const lines = names.map((name) => ({ email: `${name}@b.c`, passwordHash: BCRYPT.hash }));
    const { results } = await importWithId(service, 'it', [...lines, LINKED]);
    const [ann, bob] = results.map(({ userId }) => userId);
    await service.send('PUT', '/recipe/user', { recipeUserId: ann, password: 'a new one' });
    await service.send('PUT', '/recipe/user', { recipeUserId: bob, email: 'robert@b.c' });
    // The address was changed and changed back.
    await service.send('PUT', '/recipe/user', { recipeUserId: results[2]?.userId, email: 'c@b.c' });
    await service.send('PUT', '/recipe/user', { recipeUserId: results[2]?.userId, email: 'cid@b.c' });
    await service.send('POST', '/user/remove', { userId: 'old-7-g', removeAllLinkedAccounts: false });
    const changed = await rows();
    expect(await rolledBack(service, 'it')).toEqual({ usersKept: 4 });
    expect(await rows()).toEqual(changed);
  });

  it('is kept if its hash or e-mail was replaced by another import', async () => {
    await importWithId(service, 'it', [ANN, BOB, GUS, { ...ANN, email: 'cid@b.c' }]);
    await service.send('POST', IMPORT, { email: 'ann@b.c', passwordHash: OTHER_BCRYPT.hash });
    const GUS_MOVED = { ...GUS, email: { id: 'gus@other.c' } };
    await importWithId(service, 'other', [{ ...BOB, passwordHash: OTHER_BCRYPT.hash }, GUS_MOVED]);
    const changed = await rows();
    expect(await rolledBack(service, 'it')).toEqual({ usersRemoved: 1, usersKept: 3 });
    const left = await rows();
    for (const [key, row] of left) expect([key, row]).toEqual([key, changed.get(key)]);
    // After the rollback of the first import, they stay as the other rollback leaves them.
    expect(await rolledBack(service, 'other')).toEqual({ hashesRestored: 1, emailsRestored: 1 });
    expect(await signInStatus(service, 'bob@b.c')).toBe('OK');
  });

  it('is kept if another import has disabled it, until that is undone', async () => {
    await importWithId(service, 'it', [LINKED], '&source=shop');
    const line = { externalUserId: 'old-7', disabled: true, email: 'lin@b.c' };
    const query = '&source=shop&matchBy=externalId&onConflict=overwrite';
    const { results } = await importWithId(service, 'again', [line], query);
    expect(results).toMatchObject([{ status: 'UPDATED' }]);
    expect(await rolledBack(service, 'it')).toEqual({ usersKept: 1 });
    expect(await rolledBack(service, 'again')).toEqual({ statesRestored: 1 });
  });

  it('is removed after the rollback of a later import has restored its data', async () => {
    const before = await rows();
    await importWithId(service, 'it', [BOB, GUS]);
    await importWithId(service, 'other', [
      { ...BOB, passwordHash: OTHER_BCRYPT.hash },
      { ...GUS, email: { id: 'gus@other.c' } },
    ]);
    expect(await rolledBack(service, 'other')).toEqual({ hashesRestored: 1, emailsRestored: 1 });
    expect(await rolledBack(service, 'it')).toEqual({ usersRemoved: 2 });
    expect(await rows()).toEqual(before);
  });

  it('is not confused with a user whose id is in the same range by chance', async () => {
    const { results } = await importWithId(service, 'it', [GUS]);
    const id = `${results[0]?.userId?.slice(0, 24)}00001abcd000`;
    const methods = [
      { recipeUserId: id, email: 'x@b.c', timeJoinedMs: 1, thirdParty: { id: 'apple', userId: '1' } },
    ];
    await insertLinkedUser(service.database.db, { id, timeJoinedMs: 1, methods });
    expect(await rolledBack(service, 'it')).toEqual({ usersRemoved: 1 });
    expect([...(await rows()).keys()]).toEqual([`users ${id}`, 'third_party_logins apple 1']);
  });

  it('is not counted if it was removed since, and a later user with its e-mail is kept', async () => {
    const { results } = await importWithId(service, 'it', [ANN, BOB]);
    for (const { userId } of results) await service.send('POST', '/user/remove', { userId });
    await importNew(service, 'ann@b.c');
    const after = await rows();
    expect(await rolledBack(service, 'it')).toEqual({});
    expect(await rows()).toEqual(after);
  });
});

describe('data that the import replaced', () => {
  it('is not restored if a sign-in that had waited for the import has replaced it', async () => {
    await importWithId(service, 'it', [GUS]);
    await importWithId(service, 'again', [{ ...GUS, email: { id: 'new@b.c' } }], '&onConflict=overwrite');
    // Such a sign-in began before the import wrote the login.
    await service.database.db.query(
      `update third_party_logins set email = 'own@b.c', last_sign_in_at = now() - interval '1 minute'`,
    );
    expect(await rolledBack(service, 'again')).toEqual({ emailsKept: 1 });
  });

  const NEW = (line: { email: string }) => ({ ...line, passwordHash: OTHER_BCRYPT.hash });

  it('is restored exactly: hashes of an import, of the user, and in use before, and e-mails', async () => {
    const { db } = service.database;
    await importNew(service, 'ann@b.c');
    await service.send('POST', '/recipe/signup', { email: 'bob@b.c', password: 'chosen' });
    await signInStatus(service, 'bob@b.c', 'chosen');
    await signInUpNew(service, GOOGLE, 'gus@b.c');
    await importWithId(service, 'first', [LINKED]);
    const before = await rows();
    const MOVED = { ...GUS, email: { id: 'gus@other.c', isVerified: true } };
    const linked = structuredClone(LINKED);
    Object.assign(linked.loginMethods[0] ?? {}, { passwordHash: OTHER_BCRYPT.hash });
    Object.assign(linked.loginMethods[1] ?? {}, { email: 'lin@other.c' });
    await importWithId(service, 'it', [NEW(ANN), NEW(BOB), MOVED, linked], '&onConflict=overwrite');
    expect(await signInWrong('bob@b.c', 'chosen')).toBe(true);
    expect(await rolledBack(service, 'it')).toEqual({ hashesRestored: 3, emailsRestored: 2 });
    expect(await rows()).toEqual(before);
    expect(await signInStatus(service, 'bob@b.c', 'chosen')).toBe('OK');

    const changes = await db.query(
      `select changed_by, import_id, hash_algorithm, count(*)::int from hash_changes
       where import_id = 'it' group by 1, 2, 3 order by 1, 3`,
    );
    expect(changes).toEqual([
      { changed_by: 'import', import_id: 'it', hash_algorithm: 'bcrypt', count: 3 },
      { changed_by: 'rollback', import_id: 'it', hash_algorithm: 'argon2', count: 1 },
      { changed_by: 'rollback', import_id: 'it', hash_algorithm: 'bcrypt', count: 2 },
    ]);
  });

  const signInWrong = async (email: string, password: string) =>
    (await signInStatus(service, email, password)) === 'WRONG_CREDENTIALS_ERROR';

  it('is not restored if the new data was used or changed since, or is gone', async () => {
    const names = ['ann', 'bob', 'cid', 'dan', 'eve', 'fay'];
    for (const name of names) await importNew(service, `${name}@b.c`);
    // An earlier sign-in, so that today's sign-in is already recorded.
    expect(await signInStatus(service, 'ann@b.c')).toBe('OK');
    for (const userId of ['1', '2']) await signInUpNew(service, { id: 'google', userId }, `g${userId}@b.c`);
    const gus = (userId: string, email: string) => ({
      thirdPartyId: 'google',
      thirdPartyUserId: userId,
      email: { id: email },
    });
    const lines = names.map((name) => NEW({ email: `${name}@b.c` }));
    const { results } = await importWithId(
      service,
      'it',
      [...lines, gus('1', 'g1@new.c'), gus('2', 'g2@new.c')],
      '&onConflict=overwrite',
    );
    const id = (name: string) => results[names.indexOf(name)]?.userId;
    expect(await signInStatus(service, 'ann@b.c', OTHER_BCRYPT.password)).toBe('OK');
    await service.send('PUT', '/recipe/user', { recipeUserId: id('bob'), password: 'chosen' });
    await service.send('POST', IMPORT, { email: 'cid@b.c', passwordHash: BCRYPT.hash });
    await service.send('PUT', '/recipe/user', { recipeUserId: id('dan'), email: 'daniel@b.c' });
    await service.send('POST', '/user/remove', { userId: id('eve') });
    await importNew(service, 'eve@b.c');
    await service.send('POST', '/recipe/signinup', gus('1', 'g1@new.c'));
    const changed = await rows();
    expect(await rolledBack(service, 'it')).toEqual({
      hashesRestored: 1,
      hashesKept: 5,
      emailsRestored: 1,
      emailsKept: 1,
    });
    const left = await rows();
    for (const [key, row] of left) {
      if (!/fay@|google 2/.test(key)) expect([key, row]).toEqual([key, changed.get(key)]);
    }
    expect(await signInStatus(service, 'fay@b.c')).toBe('OK');
    expect(left.get('third_party_logins google 2')?.row.email).toBe('g2@b.c');
  });

  it('is restored to the state before the import, however often it was replaced, also for users it created', async () => {
    await importNew(service, 'ann@b.c');
    const before = await rows();
    const CID = { email: 'cid@b.c', passwordHash: BCRYPT.hash };
    const MOVED = { ...GUS, email: { id: 'gus@other.c' } };
    const third = '$2b$04$abcdefghijklmnopqrstuuFkqCYl1sZhFcdBXBznR1I2LdekaY3X.';
    // Changes within one chunk, and across chunks when the lines are repeated.
    const lines: object[] = [NEW(ANN), CID, NEW(CID), GUS, MOVED, NEW(BOB)];
    await importWithId(service, 'it', lines);
    lines.push(
      { ...ANN, passwordHash: third },
      { ...CID, passwordHash: third },
      { ...GUS, email: { id: 'gus@third.c' } },
    );
    await importWithId(service, 'it', lines);
    lines.push(NEW(BOB), { ...CID, passwordHash: BCRYPT.hash });
    await importWithId(service, 'it', lines);
    expect(await undoRows(service.database.db)).toMatchObject({ import_chunks: 3 });
    expect(await rolledBack(service, 'it')).toEqual({
      usersRemoved: 3,
      // Each transaction counts.
      hashesRestored: 5,
      emailsRestored: 1,
    });
    expect(await rows()).toEqual(before);
  });

  it('is restored for a user who has lost another login method since', async () => {
    await importWithId(service, 'first', [LINKED]);
    const before = await rows();
    await importWithId(service, 'it', [NEW({ email: 'lin@b.c' })]);
    await service.send('POST', '/user/remove', { userId: 'old-7-g', removeAllLinkedAccounts: false });
    expect(await rolledBack(service, 'it')).toEqual({ hashesRestored: 1 });
    expect(await signInStatus(service, 'lin@b.c')).toBe('OK');
    expect((await rows()).get('password_logins lin@b.c')?.row).toMatchObject({
      password_hash: BCRYPT.hash,
      hash_set_at: before.get('password_logins lin@b.c')?.row.hash_set_at,
    });
  });

  it('is the hash of the last sign-in, if the import replaced that afterwards', async () => {
    await importNew(service, 'ann@b.c');
    const third = '$2b$04$abcdefghijklmnopqrstuuFkqCYl1sZhFcdBXBznR1I2LdekaY3X.';
    await importWithId(service, 'it', [NEW(ANN)]);
    expect(await signInStatus(service, 'ann@b.c', OTHER_BCRYPT.password)).toBe('OK');
    const used = await rows();
    await importWithId(service, 'it', [NEW(ANN), { ...ANN, passwordHash: third }]);
    expect(await rolledBack(service, 'it')).toEqual({ hashesRestored: 1, hashesKept: 1 });
    expect(await rows()).toEqual(used);
  });
});

it('many changed users are restored, except those whose addresses are in use', async () => {
  const users = (domain: string, more: object) =>
    Array.from({ length: 230 }, (_, n) => ({
      externalUserId: `old-${n}`,
      loginMethods: [
        {
          ...{ recipeId: 'emailpassword', email: `u-${n}@${domain}`, hashingAlgorithm: 'bcrypt' },
          ...{ passwordHash: BCRYPT.hash, timeJoinedInMSSinceEpoch: 1_600_000_000_001 + n },
        },
      ],
      ...more,
    }));
  const userMetadata = { text: 'tab\t, line\n, "quotes", \\ and \\N' };
  await importWithId(service, 'before', users('b.c', { userMetadata }), '&source=shop');
  const before = await rows();
  const options = '&onConflict=overwrite&matchBy=externalId&source=shop';
  const changed = users('new.c', { userMetadata: { text: null, plan: 'gold' }, disabled: true });
  await importWithId(service, 'it', changed, options);
  expect(await undoRows(service.database.db)).toMatchObject({ import_changes: 3 * 230 });
  const taken = [0, 99, 100, 229].map((n) => `u-${n}@b.c`);
  for (const email of taken) await importNew(service, email);
  expect(await rolledBack(service, 'it')).toEqual({
    ...{ usersRestored: 226, usersNotRestored: 4, statesRestored: 230 },
  });
  const after = await rows();
  const kept = new Set(taken.map((email) => before.get(`password_logins ${email}`)?.userId));
  const owners = new Set([...before.values()].map(({ userId }) => userId));
  const restored = (all: typeof after) =>
    new Map([...all].filter(([, { userId }]) => owners.has(userId) && !kept.has(userId)));
  expect(restored(after)).toEqual(restored(before));
  const keptKeys = [...after].filter(([, { userId }]) => kept.has(userId)).map(([key]) => key);
  expect(keptKeys.filter((key) => key.endsWith('@new.c'))).toHaveLength(4);
  expect(await undoRows(service.database.db)).toMatchObject({ import_changes: 0 });
});

it('a person whom the statement of docs/deleting-a-person.md forgets is not restored, and all others are', async () => {
  const { db } = service.database;
  await importWithId(service, 'before', [ANN, BOB]);
  await importWithId(service, 'it', [
    { ...ANN, passwordHash: OTHER_BCRYPT.hash },
    { ...BOB, passwordHash: OTHER_BCRYPT.hash },
  ]);
  await importWithId(service, 'alone', [ANN]);
  const annId = (await rows()).get('password_logins ann@b.c')?.userId ?? '';
  const [, statement = ''] =
    /```sql\n(update .*?)```/s.exec(await readFile('docs/deleting-a-person.md', 'utf8')) ?? [];
  const id = /<> '(.*)'/.exec(statement)?.[1] ?? 'no id';
  await db.query(statement.replaceAll(id, annId));
  const kept = await db.query<{ changes: unknown[] }>('select changes from import_changes order by id');
  expect(JSON.stringify(kept)).not.toContain(annId);
  expect(kept.map(({ changes }) => changes.length)).toEqual([1, 0]);
  expect(await rolledBack(service, 'alone')).toEqual({});
  expect(await rolledBack(service, 'it')).toEqual({ hashesRestored: 1 });
  expect(await undoRows(db)).toMatchObject({ import_changes: 0 });
  expect(await signInStatus(service, 'ann@b.c', BCRYPT.password)).toBe('OK');
  expect(await signInStatus(service, 'bob@b.c', BCRYPT.password)).toBe('OK');
});

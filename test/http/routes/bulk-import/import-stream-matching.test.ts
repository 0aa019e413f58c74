import { afterEach, describe, expect, it } from 'vitest';
import { useTestApp } from '../../../support/app.ts';
import { removeEverything } from '../../../support/database.ts';
import { BCRYPT, OTHER_BCRYPT } from '../../../support/example-hashes.ts';
import { getImport, rolledBack } from '../../../support/import-calls.ts';
import { importLines, ndjson } from '../../../support/ndjson.ts';
import { countUsers, signInStatus } from '../../../support/service-calls.ts';
import { userRows } from '../../../support/user-tables.ts';

const service = await useTestApp();
afterEach(() => removeEverything(service.database.db));

/** Time of joining by which lines with another address are about the same person. */
const joined = (externalUserId: string) => ({
  timeJoinedInMSSinceEpoch: 1_500_000_000_001 + externalUserId.charCodeAt(0),
});
const line = (externalUserId: string, email: string, passwordHash = BCRYPT.hash, more: object[] = []) => ({
  externalUserId,
  loginMethods: [
    {
      ...{ recipeId: 'emailpassword', email, passwordHash, ...joined(externalUserId) },
      ...(more.length > 0 && { isPrimary: true }),
    },
    ...more,
  ],
});
const google = (thirdPartyUserId: string, email: string) => ({
  recipeId: 'thirdparty',
  thirdPartyId: 'google',
  thirdPartyUserId,
  email,
});
const imported = (importId: string, query: string, ...lines: unknown[]) =>
  importLines(service, ndjson(...lines), `?importId=${importId}${query}`);
const MATCH = '&matchBy=externalId';

const methodsOf = async (userId: string): Promise<string[]> => {
  const { body } = await service.send('GET', `/user/id?userId=${userId}`);
  const methods: { email: string; thirdParty?: { id: string; userId: string } }[] = body.user.loginMethods;
  return methods
    .map(({ email, thirdParty }) => (thirdParty ? `${thirdParty.id} ${thirdParty.userId}` : email))
    .sort();
};

const outcomes = ({ results }: Awaited<ReturnType<typeof imported>>) =>
  results.map(({ line: number, status, code }) => [number, status, ...(code === undefined ? [] : [code])]);

describe('matchBy=externalId', () => {
  it('finds a user with another address, and changes nothing twice', async () => {
    await imported('a', '', line('1', 'old@b.c'));
    const again = line('1', 'new@b.c', OTHER_BCRYPT.hash);
    expect(outcomes(await imported('b', MATCH, again))).toEqual([[1, 'UPDATED']]);
    expect(outcomes(await imported('c', MATCH, again))).toEqual([[1, 'SKIPPED', 'UNCHANGED']]);
    expect(await countUsers(service)).toBe(1);
    expect(await signInStatus(service, 'new@b.c', OTHER_BCRYPT.password)).toBe('OK');
    expect(await signInStatus(service, 'old@b.c', BCRYPT.password)).toBe('WRONG_CREDENTIALS_ERROR');
  });

  it.each(['', '&dryRun=true'])('never takes an account of another source%s', async (dryRun) => {
    await imported('a', '&source=wiki', line('17', 'boss@b.c'));
    await imported('plain', '', line('18', 'plain@b.c'));
    const before = await userRows(service.database.db);
    const attack = [line('17', 'thief@b.c', OTHER_BCRYPT.hash), line('18', 'thief-2@b.c')];
    for (const [importId, source] of [
      ['b', '&source=shop'],
      ['c', ''],
    ] as const) {
      const lines = source === '' ? attack.slice(0, 1) : attack;
      const report = await imported(importId, `${MATCH}${source}${dryRun}&onConflict=overwrite`, ...lines);
      expect(outcomes(report)).toEqual(
        lines.map((_, index) => [index + 1, 'FAILED', 'EXTERNAL_ID_ALREADY_EXISTS']),
      );
    }
    expect(await userRows(service.database.db)).toEqual(before);
  });

  it('never moves an address of somebody who keeps it', async () => {
    await imported('a', '', line('1', 'one@b.c'), line('2', 'two@b.c'));
    const lines = [line('1', 'two@b.c'), line('3', 'two@b.c', OTHER_BCRYPT.hash)];
    const report = await imported('b', `${MATCH}&onConflict=overwrite`, ...lines);
    expect(outcomes(report)).toEqual([
      [1, 'DEFERRED'],
      [2, 'DEFERRED'],
      [1, 'FAILED', 'EMAIL_ALREADY_EXISTS'],
      [2, 'FAILED', 'EMAIL_ALREADY_EXISTS'],
    ]);
    expect(report.summary).toMatchObject({ lines: 2, failed: 2 });
    const { text } = await service.send('GET', '/bulk-import/imports/b/failures');
    expect(JSON.parse(text).failures.map((one: { line: number }) => one.line)).toEqual([1, 2]);
    expect(await signInStatus(service, 'two@b.c', BCRYPT.password)).toBe('OK');
  });

  it('needs an external id, and does not mistake ids of this service for one', async () => {
    const { results } = await imported('a', '', line('1', 'one@b.c'));
    const report = await imported(
      'b',
      MATCH,
      { email: 'one@b.c', passwordHash: OTHER_BCRYPT.hash },
      line(results[0]?.userId ?? '', 'thief@b.c'),
    );
    expect(outcomes(report)).toEqual([
      [1, 'FAILED', 'FIELD_INVALID'],
      [2, 'FAILED', 'EXTERNAL_ID_ALREADY_EXISTS'],
    ]);
  });

  it('updates all logins of a user, adds those that nobody has, and removes none', async () => {
    const one = line('1', 'one@b.c', BCRYPT.hash, [google('g-1', 'one@google.c')]);
    await imported('a', '', one, line('2', 'two@b.c', BCRYPT.hash, [google('g-2', 'two@google.c')]));
    const before = await userRows(service.database.db);
    const report = await imported(
      'b',
      MATCH,
      line('1', 'uno@b.c', BCRYPT.hash, [google('g-1', 'uno@google.c')]),
      line('2', 'due@b.c', BCRYPT.hash, [google('g-3', 'two@google.c')]),
      line('3', 'three@b.c', BCRYPT.hash, [google('g-1', 'two@google.c')]),
    );
    expect(outcomes(report)).toEqual([
      [1, 'UPDATED'],
      [2, 'UPDATED'],
      [3, 'DEFERRED'],
      [3, 'FAILED', 'THIRD_PARTY_USER_ALREADY_EXISTS'],
    ]);
    expect(await methodsOf('2')).toEqual(['due@b.c', 'google g-2', 'google g-3']);
    expect(await signInStatus(service, 'uno@b.c', BCRYPT.password)).toBe('OK');
    await service.database.db.query('update password_logins set last_sign_in_at = null');
    expect(await rolledBack(service, 'b')).toEqual({ usersRestored: 2 });
    expect(await userRows(service.database.db)).toEqual(before);
  });

  it('adds a password with an earlier time and an id of its own, whatever else the line changes', async () => {
    const social = { externalUserId: '1', disabled: true, loginMethods: [google('g-1', 'one@google.c')] };
    await imported('a', '', social, line('2', 'two@b.c'));
    await service.send('PUT', '/recipe/user/disabled', { userId: '1', disabled: true });
    const before = await userRows(service.database.db);
    const password = {
      ...{ recipeId: 'emailpassword', email: 'one@b.c', passwordHash: BCRYPT.hash, isVerified: true },
      ...{ externalUserId: '1-password', timeJoinedInMSSinceEpoch: 1_500_000_000_000 },
    };
    const both = {
      ...{ externalUserId: '1', userMetadata: { plan: 'pro' } },
      loginMethods: [{ ...google('g-1', 'uno@google.c'), isPrimary: true }, password],
    };
    expect(outcomes(await imported('dry', `${MATCH}&dryRun=true`, both))).toEqual([[1, 'UPDATED']]);
    expect(await userRows(service.database.db)).toEqual(before);
    expect(outcomes(await imported('b', MATCH, both))).toEqual([[1, 'UPDATED']]);
    expect(outcomes(await imported('c', MATCH, both))).toEqual([[1, 'SKIPPED', 'UNCHANGED']]);
    const { body } = await service.send('GET', '/user/id?userId=1-password');
    expect(body.user).toMatchObject({ id: '1', timeJoined: 1_500_000_000_000, disabled: true });
    expect(await signInStatus(service, 'one@b.c', BCRYPT.password)).toBe('WRONG_CREDENTIALS_ERROR');
    expect(await rolledBack(service, 'b')).toEqual({ usersRestored: 1 });
    expect(await userRows(service.database.db)).toEqual(before);
  });

  it.each([
    ['password', 'update-unchanged', [1, 'SKIPPED', 'LOGIN_METHODS_CHANGED_SINCE']],
    ['google', 'update-unchanged', [1, 'SKIPPED', 'LOGIN_METHODS_CHANGED_SINCE']],
    ['google', 'overwrite', [1, 'UPDATED']],
  ])(
    'does not bring back a login method that was removed here (%s, %s)',
    async (removed, policy, outcome) => {
      const password = { recipeId: 'emailpassword', email: 'one@b.c', passwordHash: BCRYPT.hash };
      const loginMethods = [password, google('g-1', 'one@google.c')].map((method) => ({
        ...{ ...method, isPrimary: (method.recipeId === 'emailpassword') !== (removed === 'password') },
      }));
      const both = { externalUserId: '1', loginMethods };
      await imported('a', '', both);
      const table = removed === 'password' ? 'password_logins' : 'third_party_logins';
      const [login] = await service.database.db.query<{ id: string }>(
        `select recipe_user_id as id from ${table}`,
      );
      await service.send('POST', '/user/remove', { userId: login?.id, removeAllLinkedAccounts: false });
      expect(await methodsOf('1')).toHaveLength(1);
      const left = loginMethods.filter(
        ({ recipeId }) => (recipeId === 'emailpassword') !== (removed === 'password'),
      );
      // These lines change something else, and not that the user has changed something here.
      const others = [
        { externalUserId: '1', userMetadata: { plan: 'pro' }, loginMethods: left },
        { loginMethods: left.map((method) => ({ ...method, isVerified: true })) },
      ];
      const unchanged = `onConflict=update-unchanged`;
      expect(outcomes(await imported('by-id', `${MATCH}&${unchanged}`, others[0]))).toEqual([[1, 'UPDATED']]);
      expect(outcomes(await imported('by-login', `&${unchanged}`, others[1]))).toEqual([[1, 'UPDATED']]);
      expect(outcomes(await imported('b', `${MATCH}&onConflict=${policy}`, both))).toEqual([outcome]);
      expect(await methodsOf('1')).toHaveLength(policy === 'overwrite' ? 2 : 1);
    },
  );

  it('adds the login of a user who is gone from the export', async () => {
    const [gone, stays] = [
      line('1', 'one@b.c', BCRYPT.hash, [google('g-1', 'x@google.c')]),
      line('2', 'two@b.c'),
    ];
    await imported('a', '&source=shop', gone, stays);
    const before = await userRows(service.database.db);
    const again = line('2', 'two@b.c', BCRYPT.hash, [google('g-1', 'x@google.c')]);
    for (const dryRun of ['&dryRun=true', '']) {
      const query = `${MATCH}&source=shop&onConflict=overwrite&deleteMissing=1${dryRun}`;
      expect(outcomes(await imported(`b${dryRun.length}`, query, again))).toEqual([
        [1, 'DEFERRED'],
        [1, 'UPDATED'],
      ]);
    }
    expect(await methodsOf('2')).toEqual(['google g-1', 'two@b.c']);
    expect(await rolledBack(service, 'b0')).toEqual({ usersRestored: 2 });
    expect(await userRows(service.database.db)).toEqual(before);
  });

  it('keeps a login that was added and used since, and cannot tell which of several addresses is new', async () => {
    await imported('a', '', line('1', 'one@b.c'));
    const added = line('1', 'one@b.c', BCRYPT.hash, [google('g-1', 'one@google.c')]);
    await imported('b', MATCH, added);
    const divided = line('1', 'two@b.c', BCRYPT.hash, [
      { recipeId: 'emailpassword', email: 'three@b.c', passwordHash: BCRYPT.hash },
    ]);
    expect(outcomes(await imported('c', MATCH, divided))).toEqual([[1, 'FAILED', 'LOGIN_METHODS_DIVIDED']]);
    const signInUp = { thirdPartyId: 'google', thirdPartyUserId: 'g-1', email: { id: 'one@google.c' } };
    expect((await service.send('POST', '/recipe/signinup', signInUp)).body.createdNewUser).toBe(false);
    expect(await rolledBack(service, 'b')).toEqual({ usersNotRestored: 1 });
    expect(await methodsOf('1')).toEqual(['google g-1', 'one@b.c']);
  });

  it('keeps a hash when the line has none, and takes one where there is none', async () => {
    const without = (id: string, email: string) => ({
      externalUserId: id,
      loginMethods: [{ recipeId: 'emailpassword', email, password: 'unset', ...joined(id) }],
    });
    await imported('a', '', line('1', 'one@b.c'), without('2', 'two@b.c'));
    const before = await userRows(service.database.db);
    const report = await imported('b', MATCH, without('1', 'uno@b.c'), line('2', 'due@b.c'));
    expect(outcomes(report)).toEqual([
      [1, 'UPDATED'],
      [2, 'UPDATED'],
    ]);
    expect(await rolledBack(service, 'b')).toMatchObject({ usersRestored: 2 });
    expect(await userRows(service.database.db)).toEqual(before);
  });

  it('is an option of the import', async () => {
    await imported('a', '&source=shop', line('1', 'one@b.c'));
    expect(await getImport(service, 'a')).toMatchObject({ matchBy: 'login', source: 'shop' });
    await expect(imported('a', `&source=shop${MATCH}`, line('1', 'one@b.c'))).rejects.toThrow(
      'IMPORT_OPTIONS_DIFFER',
    );
  });
});

describe('deleteMissing', () => {
  const DELETE = `${MATCH}&source=shop&deleteMissing=`;
  const three = () =>
    imported('a', '&source=shop', line('1', 'one@b.c'), line('2', 'two@b.c'), line('3', 'three@b.c'));

  it('removes the users of the source whom no line names, and a rollback brings them back', async () => {
    await imported('other', '&source=wiki', line('w-1', 'wiki@b.c'));
    await three();
    const before = await userRows(service.database.db);
    // The address of somebody who is gone goes to somebody new.
    const lines = [line('1', 'one@b.c'), { externalUserId: '2' }, line('4', 'three@b.c')];
    const tried = await imported('dry', `${DELETE}1&dryRun=true`, ...lines);
    const report = await imported('b', `${DELETE}1`, ...lines);
    for (const { missing, summary } of [tried, report]) {
      expect(missing).toMatchObject([{ status: 'REMOVED', externalUserId: '3' }]);
      expect(summary).toMatchObject({ lines: 2, missing: { found: 1, removed: 1, kept: 0 } });
    }
    expect(outcomes(report).at(-1)).toEqual([3, 'CREATED']);
    expect(await rolledBack(service, 'b')).toMatchObject({ usersRestored: 1, usersRemoved: 1 });
    expect(await userRows(service.database.db)).toEqual(before);
  });

  it('removes nobody if more are missing, or if a line names nobody', async () => {
    await three();
    for (const dryRun of ['&dryRun=true', '']) {
      const few = await imported(`b${dryRun.length}`, `${DELETE}1${dryRun}`, line('1', 'one@b.c'));
      expect(few.summary?.missing).toEqual({ found: 2, removed: 0, kept: 0, refused: 'TOO_MANY' });
      expect(few.missing).toEqual([]);
    }
    const broken = await imported('c', `${DELETE}9`, line('1', 'one@b.c'), '{"externalUserId":');
    expect(broken.summary?.missing).toMatchObject({ removed: 0, refused: 'UNNAMED_LINES' });
    expect(await countUsers(service)).toBe(3);
  });

  it('keeps users of failed lines, and users who have been active here', async () => {
    await three();
    await service.send('POST', '/recipe/signin', { email: 'two@b.c', password: BCRYPT.password });
    const report = await imported('b', `${DELETE}9`, line('1', 'one@b.c', 'no hash'));
    expect(report.summary?.missing).toEqual({ found: 2, removed: 1, kept: 1 });
    expect(await countUsers(service)).toBe(2);
    // A repetition does not remove users who came later.
    await imported('later', '&source=shop', line('5', 'five@b.c'));
    const again = await imported('b', `${DELETE}9`, line('1', 'one@b.c', 'no hash'));
    expect(again.summary?.missing).toEqual({ found: 2, removed: 1, kept: 1 });
    expect(await countUsers(service)).toBe(3);
  });

  it.each(['&deleteMissing=1', `${MATCH}&deleteMissing=1`, `${DELETE}1&onConflict=skip`, `${DELETE}x`])(
    'refuses %s',
    async (query) => {
      await expect(imported('b', query, line('1', 'one@b.c'))).rejects.toThrow('QUERY_INVALID');
    },
  );
});

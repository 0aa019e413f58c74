import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { API_KEY, createTestApp, type TestApp } from '../support/app.ts';
import { BCRYPT, OTHER_BCRYPT } from '../support/example-hashes.ts';
import { getImport, importWithId, rolledBack } from '../support/import-calls.ts';
import { IMPORT, importNew, signInStatus } from '../support/service-calls.ts';
import { userRows } from '../support/user-tables.ts';
import { weakHash } from '../support/weak-hashes.ts';

let service: TestApp;
beforeEach(async () => {
  service = await createTestApp();
});
afterEach(() => service.close());

const PASSWORD = 'old password';
const WEAK = weakHash(PASSWORD);
const ANN = { email: 'ann@b.c', passwordHash: WEAK };
const OTHER = { email: 'ann@b.c', passwordHash: weakHash('other', 'pepper') };

/** Signs in, and waits until the hash has been upgraded. */
const signInAndUpgrade = async (password = PASSWORD, email = ANN.email) => {
  const status = await signInStatus(service, email, password);
  await service.upgrades.idle();
  return status;
};
const login = async () => {
  const [row] = await service.database.db.query(
    `select hash_algorithm as algorithm, hash_set_by as "setBy", imported_fingerprint is not null as upgraded
     from password_logins where email = $1`,
    [ANN.email],
  );
  return row;
};
const UPGRADED = { algorithm: 'argon2', setBy: 'rehash', upgraded: true };
const IMPORTED = { algorithm: 'pbkdf2', setBy: 'import', upgraded: false };

/** Imports Ann with a weak hash, and signs her in. */
async function upgradeAnn(): Promise<string> {
  await importNew(service, ANN.email, WEAK);
  expect(await signInAndUpgrade()).toBe('OK');
  expect(await login()).toEqual(UPGRADED);
  const { body } = await service.send('POST', '/recipe/signin', { ...ANN, password: PASSWORD });
  return body.user.id;
}

const rows = () => userRows(service.database.db);

describe('the same hash imported again', () => {
  it('by a single import keeps the upgraded hash', async () => {
    const id = await upgradeAnn();
    const before = await rows();
    const { body } = await service.send('POST', IMPORT, ANN);
    expect(body).toMatchObject({ status: 'OK', didUserAlreadyExist: true, user: { id } });
    expect(await rows()).toEqual(before);
  });

  it.each(['update-unchanged', 'overwrite'])(
    'by a stream keeps the upgraded hash: %s',
    async (onConflict) => {
      const userId = await upgradeAnn();
      const before = await rows();
      for (const [importId, dryRun] of [
        ['dry', true],
        ['real', false],
      ] as const) {
        const query = `&onConflict=${onConflict}&dryRun=${dryRun}`;
        const { results, summary } = await importWithId(service, importId, [ANN], query);
        expect(results).toEqual([{ line: 1, status: 'UPDATED', userId }]);
        expect(summary).toMatchObject({ updated: 1 });
        expect(await getImport(service, importId)).toMatchObject({ algorithms: { pbkdf2: 1 } });
      }
      expect(await rows()).toEqual(before);
      expect(await rolledBack(service, 'real')).toEqual({});
      expect(await rows()).toEqual(before);
    },
  );

  it('is recognised beside a line with another hash', async () => {
    await upgradeAnn();
    await importWithId(service, 'it', [ANN, OTHER, ANN], '&onConflict=overwrite');
    expect(await login()).toEqual(IMPORTED);
    expect(await signInAndUpgrade()).toBe('OK');
  });
});

describe('another hash', () => {
  it('by a single import replaces the upgraded hash', async () => {
    await upgradeAnn();
    await service.send('POST', IMPORT, OTHER);
    expect(await login()).toEqual(IMPORTED);
    expect([await signInAndUpgrade(), await signInAndUpgrade('other')]).toEqual([
      'WRONG_CREDENTIALS_ERROR',
      'OK',
    ]);
  });

  it('by a stream replaces the upgraded hash, which still counts as imported', async () => {
    const userId = await upgradeAnn();
    const { results } = await importWithId(service, 'it', [OTHER], '&onConflict=update-unchanged');
    expect(results).toEqual([{ line: 1, status: 'UPDATED', userId }]);
    expect(await login()).toEqual(IMPORTED);
  });

  it('does not replace a password that its user has set since', async () => {
    const recipeUserId = await upgradeAnn();
    await service.send('PUT', '/recipe/user', { recipeUserId, password: 'chosen' });
    for (const line of [ANN, OTHER]) {
      const { results } = await importWithId(
        service,
        line.passwordHash.slice(-8, -4),
        [line],
        '&onConflict=update-unchanged',
      );
      expect(results).toMatchObject([{ status: 'SKIPPED', code: 'PASSWORD_CHANGED_SINCE' }]);
    }
    expect(await signInAndUpgrade('chosen')).toBe('OK');
  });
});

describe('a rollback', () => {
  it('keeps a user whom the import created and whose hash was upgraded since', async () => {
    await importWithId(service, 'it', [ANN, { email: 'bob@b.c', passwordHash: WEAK }]);
    await signInAndUpgrade();
    const upgraded = (await rows()).get('password_logins ann@b.c');
    expect(await rolledBack(service, 'it')).toEqual({ usersRemoved: 1, usersKept: 1 });
    expect((await rows()).get('password_logins ann@b.c')).toEqual(upgraded);
  });

  it('keeps an upgraded hash that replaced the hash of the import', async () => {
    await importNew(service, ANN.email, OTHER_BCRYPT.hash);
    await importWithId(service, 'it', [ANN], '&onConflict=overwrite');
    await signInAndUpgrade();
    expect(await login()).toEqual(UPGRADED);
    expect(await rolledBack(service, 'it')).toEqual({ hashesKept: 1 });
    expect(await login()).toEqual(UPGRADED);
    expect([await signInAndUpgrade(), await signInAndUpgrade(OTHER_BCRYPT.password)]).toEqual([
      'OK',
      'WRONG_CREDENTIALS_ERROR',
    ]);
  });

  it('restores an upgraded hash, and the fingerprint of its original', async () => {
    await upgradeAnn();
    const before = (await rows()).get('password_logins ann@b.c');
    await importWithId(service, 'it', [OTHER], '&onConflict=overwrite');
    expect(await rolledBack(service, 'it')).toEqual({ hashesRestored: 1 });
    expect((await rows()).get('password_logins ann@b.c')).toEqual(before);
    await service.send('POST', IMPORT, ANN);
    expect(await login()).toEqual(UPGRADED);
  });
});

it('recognises upgraded hashes after a rotation of keys, while the old key is configured', async () => {
  const newKey = 'new-key-0123456789-abcdef';
  await upgradeAnn();
  const { database } = service;
  for (const [keys, expected] of [
    [`${newKey},${API_KEY}`, UPGRADED],
    [newKey, IMPORTED],
  ] as const) {
    const rotated = await createTestApp({ config: { api_keys: keys }, database });
    await rotated.send('POST', IMPORT, ANN, { 'api-key': newKey });
    expect(await login()).toEqual(expected);
    await rotated.upgrades.stop();
    await rotated.app.close();
  }
  // The old password still works, and the login is upgraded again.
  expect(await signInAndUpgrade()).toBe('OK');
  expect(await login()).toEqual(UPGRADED);
});

it('leaves no password or hash in the log', async () => {
  await upgradeAnn();
  await signInAndUpgrade(BCRYPT.hash);
  for (const text of [PASSWORD, WEAK, '$argon2id$']) expect(service.log()).not.toContain(text);
});

/** Whom a hook is about, and what it tells of the user. */
import { afterEach, describe, expect, it } from 'vitest';
import type { Config } from '../../src/config/schema.ts';
import { createTestApp, type TestApp } from '../support/app.ts';
import { BCRYPT } from '../support/example-hashes.ts';
import { importWithId } from '../support/import-calls.ts';

const ADA = {
  externalUserId: '42',
  userMetadata: { first_name: 'Ada', big: 1 },
  userRoles: [{ role: 'editor' }],
  totpDevices: [{ secretKey: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ' }],
  loginMethods: [
    { recipeId: 'emailpassword', email: 'ada@b.c', passwordHash: BCRYPT.hash, isVerified: true },
    { recipeId: 'thirdparty', email: 'ada@b.c', thirdPartyId: 'google', thirdPartyUserId: '1' },
  ],
};

let service: TestApp;
afterEach(() => service.close());

async function start(config: Partial<Config> = {}): Promise<void> {
  service = await createTestApp({ config });
  await importWithId(service, 'first', [ADA]);
}

const verify = (more: object) =>
  service.send('POST', '/hooks/verify', { identifier: 'ada@b.c', password: BCRYPT.password, ...more });

describe('the external id', () => {
  it('must be that of the user if it is sent, and names a user whose password has changed', async () => {
    await start();
    for (const externalUserId of ['43', ''])
      expect((await verify({ externalUserId })).body).toEqual({ status: 'NO_MATCH' });
    expect(await service.database.db.query('select from moved_logins')).toEqual([]);
    expect((await verify({ externalUserId: '42' })).body).toMatchObject({ status: 'MATCH' });
    for (const externalUserId of ['nobody', '42']) {
      const changed = await service.send('POST', '/hooks/changed', { externalUserId });
      expect(changed.body).toEqual({ status: 'OK' });
    }
    expect((await verify({})).body).toEqual({ status: 'NO_MATCH' });
  });
});

describe('the profile', () => {
  it('has what the next system keeps and what fits into an answer, and no hash', async () => {
    await start();
    const { text } = await verify({});
    const { user } = JSON.parse(text);
    expect(user).toMatchObject({
      ...{ externalUserId: '42', email: 'ada@b.c', isVerified: true, roles: ['editor'] },
      userMetadata: ADA.userMetadata,
    });
    expect(text).not.toContain('$2b$');
    expect(user).not.toHaveProperty('totpDevices');
    const big = {
      userMetadata: { note: 'x'.repeat(20_000) },
      loginMethods: [{ recipeId: 'emailpassword', email: 'big@b.c', passwordHash: BCRYPT.hash }],
    };
    await importWithId(service, 'second', [big]);
    const { text: answer } = await verify({ identifier: 'big@b.c' });
    expect(answer.length).toBeLessThan(16 * 1024);
    expect(JSON.parse(answer)).toMatchObject({ status: 'MATCH', user: { email: 'big@b.c' } });
  });

  it('has TOTP secrets only if the setting says so', async () => {
    await start({ password_hooks_factors: true });
    expect(JSON.parse((await verify({})).text).user.totpDevices).toMatchObject(ADA.totpDevices);
  });

  it('is told before a password was verified only if the setting says so', async () => {
    await start();
    const lookup = () => service.send('POST', '/hooks/lookup', { identifier: ' ADA@b.c' });
    const ofKeycloak = (login: string) => service.send('GET', `/hooks/keycloak/${encodeURIComponent(login)}`);
    expect((await lookup()).body).toEqual({ status: 'UNKNOWN' });
    expect((await ofKeycloak('ada@b.c')).status).toBe(404);
    await service.close();
    await start({ password_hooks_profiles: true });
    expect((await lookup()).body).toMatchObject({ status: 'OK', user: { externalUserId: '42' } });
    for (const login of ['ADA@b.c', '42'])
      expect(JSON.parse((await ofKeycloak(login)).text)).toMatchObject({
        ...{ username: 'ada@b.c', email: 'ada@b.c', enabled: true, emailVerified: true, firstName: 'Ada' },
        attributes: { externalUserId: ['42'] },
        roles: ['editor'],
      });
    expect((await ofKeycloak('nobody@b.c')).status).toBe(404);
  });
});

describe('hashes', () => {
  it('are deleted some days after the last match', async () => {
    await start();
    await verify({});
    const { db } = service.database;
    const { createMovedStore } = await import('../../src/postgres/hooks/create-moved-store.ts');
    const moved = createMovedStore(db);
    expect(await moved.expire(30)).toBe(0);
    await db.query("update moved_logins set last_match_at = now() - interval '31 days'");
    expect([await moved.expire(30), await moved.expire(30)]).toEqual([1, 0]);
    expect((await verify({ waits: true })).body).toEqual({ status: 'NO_MATCH' });
    expect(await db.query('select state from moved_logins')).toEqual([{ state: 'gone' }]);
    expect(await db.query('select from password_logins where password_hash is not null')).toEqual([]);
  });
});

describe('progress', () => {
  it('counts who waits, and who has moved by key, day and family', async () => {
    await start();
    const waiting = { email: 'bob@b.c', passwordHash: BCRYPT.hash };
    await importWithId(service, 'second', [waiting, { email: 'cy@b.c', passwordHash: BCRYPT.hash }]);
    await verify({});
    await verify({});
    await service.send('POST', '/hooks/changed', { identifier: 'cy@b.c' });
    const day = new Date().toISOString().slice(0, 10);
    const moved = { keyName: 'key-1', day, algorithm: 'bcrypt', logins: 1 };
    expect((await service.send('GET', '/hooks/progress')).body).toEqual({
      ...{ status: 'OK', moving: true, waiting: 1, askedAgain: 1 },
      moved: [
        { ...moved, state: 'changed' },
        { ...moved, state: 'moved' },
      ],
    });
    expect((await service.send('GET', '/hooks/waiting')).body).toEqual({
      status: 'OK',
      logins: [{ email: 'bob@b.c', algorithm: 'bcrypt' }],
    });
    expect((await service.send('GET', '/hooks/waiting?after=a%00')).body.code).toBe('QUERY_INVALID');
    expect((await service.send('GET', '/hooks/waiting?after=bob@b.c&limit=5')).body).toMatchObject({
      logins: [],
    });
    const metrics = (await service.send('GET', '/metrics')).text;
    expect(metrics).toContain('user_import_hook_answers_total{hook="verify",outcome="match"} 2');
    await expect
      .poll(async () => (await service.send('GET', '/metrics')).text)
      .toContain('user_import_waiting 1');
  });

  it('lists who waits after thousands who have moved, with their external ids', async () => {
    await start();
    const { db } = service.database;
    await db.query(
      `insert into password_logins (email, user_id, recipe_user_id, time_joined_ms, password_hash, hash_algorithm)
       select 'a' || n, id, id, 1, 'any', 'bcrypt'
       from generate_series(1, 5000) n, lateral (select ('00000000-0000-7000-9000-' || lpad(n::text, 12, '0'))::uuid as id) ids`,
    );
    await db.query(
      `insert into moved_logins (recipe_user_id, user_id, state, key_name, hook)
       select ('00000000-0000-7000-9000-' || lpad(n::text, 12, '0'))::uuid,
         ('00000000-0000-7000-9000-' || lpad(n::text, 12, '0'))::uuid, 'moved', 'key-1', 'kratos'
       from generate_series(1, 5000) n`,
    );
    const lines = ['b@b.c', 'c@b.c', 'd@b.c'].map((email, n) => ({
      ...{ email, passwordHash: BCRYPT.hash },
      ...(n === 0 && { externalUserId: 'old-b' }),
    }));
    await importWithId(service, 'second', lines);
    const { text } = await service.send('GET', '/hooks/waiting?after=a&limit=3');
    expect(JSON.parse(text).logins).toEqual([
      expect.objectContaining({ email: 'ada@b.c' }),
      { email: 'b@b.c', externalUserId: 'old-b', algorithm: 'bcrypt' },
      { email: 'c@b.c', algorithm: 'bcrypt' },
    ]);
  });
});

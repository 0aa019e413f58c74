import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FactorVault } from '../../src/users/factor-vault.ts';
import type { UserFactors } from '../../src/users/user.ts';
import { createTestApp, type TestApp } from '../support/app.ts';
import { BCRYPT } from '../support/example-hashes.ts';
import { FACTORS, FACTORS_SECRET, TRACES_OF_FACTORS, testVault } from '../support/factors.ts';
import { importLines as importReport, ndjson } from '../support/ndjson.ts';
import { signInStatus } from '../support/service-calls.ts';

const OTHER_SECRET = 'another secret, as long as it has to be';
const NONE = { totpDevices: [], userRoles: [], phoneNumbers: [] };

describe('the vault', () => {
  const factors = FACTORS as unknown as UserFactors;

  it('opens what it has sealed, for the same user only', () => {
    const vault = testVault();
    const sealed = vault.seal('user-1', factors);
    expect(vault.open('user-1', sealed)).toEqual(FACTORS);
    expect(() => vault.open('user-2', sealed)).toThrow('cannot be decrypted');
    expect(sealed.includes('JBSWY3DPEHPK3PXP')).toBe(false);
  });

  it('seals the same factors of the same user alike, and no others with the same nonce', () => {
    const vault = testVault();
    expect(vault.seal('user-1', factors)).toEqual(vault.seal('user-1', factors));
    const sealed = [
      vault.seal('user-1', factors),
      vault.seal('user-2', factors),
      vault.seal('user-1', { ...factors, phoneNumbers: ['+1 555 0199'] }),
      new FactorVault(OTHER_SECRET).seal('user-1', factors),
    ];
    const nonces = sealed.map((one) => one.subarray(10, 22).toString('hex'));
    expect(new Set(nonces).size).toBe(sealed.length);
  });

  it('notices every change of a byte', () => {
    const vault = testVault();
    const sealed = vault.seal('user', factors);
    for (let at = 0; at < sealed.length; at += 7) {
      const changed = Buffer.from(sealed);
      changed[at] = (changed[at] as number) ^ 1;
      expect(() => vault.open('user', changed)).toThrow();
    }
    expect(() => vault.open('user', sealed.subarray(0, 20))).toThrow();
  });

  it('encrypts with the first secret and decrypts with all', () => {
    const before = testVault().seal('user', factors);
    const rotated = new FactorVault(`${OTHER_SECRET}, ${FACTORS_SECRET}`);
    expect(rotated.open('user', before)).toEqual(FACTORS);
    const after = rotated.seal('user', factors);
    expect(new FactorVault(OTHER_SECRET).open('user', after)).toEqual(FACTORS);
    expect(() => testVault().open('user', after)).toThrow('factors_secret');
    expect(() => new FactorVault(undefined).seal('user', factors)).toThrow('factors_secret');
  });
});

describe('factors of users', () => {
  let service: TestApp;
  beforeAll(async () => {
    service = await createTestApp();
  });
  afterAll(() => service.close());

  const user = (id: string, members: object = FACTORS) => ({
    externalUserId: id,
    ...members,
    loginMethods: [
      {
        recipeId: 'emailpassword',
        email: `${id}@b.c`,
        passwordHash: BCRYPT.hash,
        hashingAlgorithm: 'bcrypt',
      },
    ],
  });
  const importLines = async (lines: readonly unknown[], query = '', on = service) =>
    (await importReport(on, ndjson(...lines), query)).results;
  const factorsOf = async (id: string) =>
    ((await service.send('GET', `/recipe/user/factors?userId=${id}`)).body as unknown as { factors: object })
      .factors;

  it.each([
    ['stream', () => importLines([user('stream')])],
    ['once', () => service.send('POST', '/bulk-import/import', user('once'))],
    [
      'staged',
      async () => {
        await service.send('POST', '/bulk-import/users', { users: [user('staged')] });
        await service.staged.idle();
      },
    ],
  ])('are kept by an import (%s), encrypted, and read back', async (id, bring) => {
    await bring();
    expect(await factorsOf(id)).toEqual(FACTORS);
    const rows = await service.database.db.query<{ text: string }>(
      `select to_jsonb(u)::text as text from users u union all select to_jsonb(s)::text from staged_users s`,
    );
    const everywhere = [...rows.map(({ text }) => text), service.log()];
    expect(everywhere.length).toBeGreaterThan(1);
    for (const text of everywhere) {
      for (const trace of TRACES_OF_FACTORS) expect(text).not.toContain(trace);
    }
    // Nothing is enforced.
    expect(await signInStatus(service, `${id}@b.c`)).toBe('OK');
  });

  it.each(['', '&dryRun=true'])('that are as they were change nothing (external ids%s)', async (more) => {
    const query = `?matchBy=externalId&source=kept&onConflict=overwrite`;
    const others = { ...FACTORS, phoneNumbers: ['+1 555 0199'] };
    const [id, other] = [`same${more.length}`, `other${more.length}`];
    await importLines([user(id), user(other)], query);
    const [same, changed] = await importLines([user(id), user(other, others)], query + more);
    expect([same, changed]).toMatchObject([{ status: 'SKIPPED', code: 'UNCHANGED' }, { status: 'UPDATED' }]);
    expect(await factorsOf(other)).toEqual(more === '' ? others : FACTORS);
  });

  it('takes the example of SuperTokens, with its defaults', async () => {
    const example = {
      userRoles: [{ role: 'role1', tenantIds: ['public'] }],
      totpDevices: [{ secretKey: 'secretKey', deviceName: 'deviceName' }],
    };
    expect((await service.send('POST', '/bulk-import/users', { users: [user('st', example)] })).status).toBe(
      200,
    );
    await service.staged.idle();
    expect(await factorsOf('st')).toEqual({
      totpDevices: [
        {
          deviceName: 'deviceName',
          secretKey: 'SECRETKEY',
          period: 30,
          skew: 1,
          digits: 6,
          algorithm: 'SHA1',
        },
      ],
      userRoles: [{ role: 'role1' }],
      phoneNumbers: [],
    });
  });

  it.each([
    [{ totpDevices: [{ period: 30 }] }, 'secretKey is required for a totp device.'],
    [{ totpDevices: [{ secretKey: '!' }] }, 'secretKey should be base32 for a totp device.'],
    [{ totpDevices: [{ secretKey: 'A', period: 0 }] }, 'period should be > 0 for a totp device.'],
    [{ totpDevices: [{ secretKey: 'A', skew: -1 }] }, 'skew should be >= 0 for a totp device.'],
    [{ totpDevices: [{ secretKey: 'A', digits: 99 }] }, 'digits should be from 4 to 10 for a totp device.'],
    [{ totpDevices: 'x' }, 'totpDevices should be of type array of object.'],
    [{ userRoles: [{}] }, 'role is required for a user role.'],
    [{ userRoles: ['admin'] }, 'userRoles should be of type array of object.'],
    [{ phoneNumbers: [1] }, 'phoneNumbers should be of type array of string.'],
    [
      { userRoles: Array.from({ length: 101 }, (_, n) => ({ role: `r${n}` })) },
      'At most 100 userRoles are allowed.',
    ],
  ])('are refused if they are invalid: %j', async (members, message) => {
    const [result] = await importLines([user('invalid', members)]);
    expect(result).toMatchObject({ status: 'FAILED', code: 'FIELD_INVALID', message });
  });

  it('are refused without a secret, with every way of importing', async () => {
    const other = await createTestApp({
      database: service.database,
      config: { factors_secret: undefined } as never,
    });
    const [result, empty] = await importLines(
      [user('unkept'), user('empty', { totpDevices: [], userRoles: [] })],
      '',
      other,
    );
    expect(result).toMatchObject({ status: 'FAILED', code: 'FACTORS_SECRET_MISSING' });
    expect(empty).toMatchObject({ status: 'CREATED' });
    const staged = await other.send('POST', '/bulk-import/users', { users: [user('unkept')] });
    expect(staged).toMatchObject({ status: 400, text: expect.stringContaining('factors_secret') });
    await other.app.close();
  });

  it('of a user who exists are replaced, and an undo restores them', async () => {
    await importLines([user('again')]);
    const roles = { userRoles: [{ role: 'owner' }] };
    await importLines([user('again', roles), user('again', {})], '?importId=again');
    expect(await factorsOf('again')).toEqual({ ...NONE, ...roles });
    const { body } = await service.send('POST', '/bulk-import/imports/again/rollback');
    expect(body).toMatchObject({ rollback: { factorsRestored: 1, factorsKept: 0 } });
    expect(await factorsOf('again')).toEqual(FACTORS);
  });

  it('of somebody without any, and of nobody, are empty', async () => {
    await importLines([user('plain', {})]);
    expect(await factorsOf('plain')).toEqual(NONE);
    expect(await factorsOf('nobody')).toEqual(NONE);
  });

  it('are gone with the user', async () => {
    await importLines([user('gone')]);
    await service.send('POST', '/user/remove', { userId: 'gone' });
    expect(await factorsOf('gone')).toEqual(NONE);
  });
});

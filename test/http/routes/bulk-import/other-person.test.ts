import { createHash } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { useTestApp } from '../../../support/app.ts';
import { removeEverything } from '../../../support/database.ts';
import { BCRYPT, OTHER_BCRYPT } from '../../../support/example-hashes.ts';
import { getImport, rolledBack } from '../../../support/import-calls.ts';
import { importLines, ndjson } from '../../../support/ndjson.ts';
import { countUsers, signInStatus } from '../../../support/service-calls.ts';
import { userRows } from '../../../support/user-tables.ts';
import { weakHash } from '../../../support/weak-hashes.ts';

const service = await useTestApp();
afterEach(() => removeEverything(service.database.db));

const TIME = 1_500_000_000_001;
const MATCH = '&source=shop&matchBy=externalId';
const password = (email: string, passwordHash: string = BCRYPT.hash, more: object = {}) => ({
  ...{ recipeId: 'emailpassword', email, passwordHash, ...more },
});
const google = (thirdPartyUserId: string, email: string, more: object = {}) => ({
  ...{ recipeId: 'thirdparty', thirdPartyId: 'google', thirdPartyUserId, email, ...more },
});
const line = (...loginMethods: object[]) => ({ externalUserId: '1', loginMethods });
const joined = (timeJoinedInMSSinceEpoch: number | undefined) => ({ timeJoinedInMSSinceEpoch });
const md5 = (text: string) => createHash('md5').update(text).digest('hex');

const imported = (importId: string, query: string, ...lines: unknown[]) =>
  importLines(service, ndjson(...lines), `?importId=${importId}${query}`);
const first = (...lines: unknown[]) => imported('first', '&source=shop', ...lines);
const outcome = async (importId: string, query: string, ...lines: unknown[]) => {
  const { results } = await imported(importId, query, ...lines);
  return results.map(({ status, code }) => code ?? status).at(-1);
};
const call = async (method: 'PUT' | 'POST', path: string, body: object) =>
  expect((await service.send(method, path, body)).body.status).toBe('OK');

const THIEF = line(password('thief@b.c', OTHER_BCRYPT.hash, joined(TIME + 1)));

describe('a line whose external id belongs to somebody else of the source', () => {
  it.each(
    ['update-unchanged', 'overwrite', 'skip', 'fail'].flatMap((policy) =>
      ['', '&dryRun=true'].map((dryRun) => `&onConflict=${policy}${dryRun}`),
    ),
  )('fails%s', async (query) => {
    await first(line(password('owner@b.c', BCRYPT.hash, joined(TIME))));
    const before = await userRows(service.database.db);
    expect(await outcome('b', MATCH + query, THIEF)).toBe('OTHER_PERSON');
    expect(await userRows(service.database.db)).toEqual(before);
    expect(await signInStatus(service, 'owner@b.c', BCRYPT.password)).toBe('OK');
  });

  it('is about the user of the id if the import trusts the ids, which is an option of the import', async () => {
    await first(line(password('owner@b.c')));
    const trusting = `${MATCH}&trustExternalIds=true`;
    expect(await outcome('dry', `${trusting}&dryRun=true`, THIEF)).toBe('UPDATED');
    expect(await outcome('b', trusting, THIEF)).toBe('UPDATED');
    expect(await getImport(service, 'b')).toMatchObject({ trustExternalIds: true });
    expect(await getImport(service, 'first')).not.toHaveProperty('trustExternalIds');
    await expect(imported('b', MATCH, THIEF)).rejects.toThrow('IMPORT_OPTIONS_DIFFER');
    await expect(imported('c', '&trustExternalIds=true', THIEF)).rejects.toThrow('QUERY_INVALID');
    await expect(imported('c', `${MATCH}&trustExternalIds=1`, THIEF)).rejects.toThrow('QUERY_INVALID');
  });

  it('prevents that missing users are removed', async () => {
    await first(line(password('owner@b.c')), {
      externalUserId: '2',
      loginMethods: [password('two@b.c')],
    });
    for (const dryRun of ['&dryRun=true', '']) {
      const query = `${MATCH}&onConflict=overwrite&deleteMissing=9${dryRun}`;
      const { summary } = await imported(`b${dryRun.length}`, query, THIEF);
      expect(summary?.missing).toEqual({ found: 1, removed: 0, kept: 0, refused: 'OTHER_PERSONS' });
    }
    expect(await countUsers(service)).toBe(2);
  });
});

const WEAK = weakHash('old password');

/** What both lines say. The rest of the second line differs. */
const AGREES: [what: string, stored: object[], again: object[]][] = [
  ['the address', [password('a@b.c')], [password('a@b.c', OTHER_BCRYPT.hash)]],
  [
    'the address of another method',
    [google('g', 'a@b.c', { isVerified: true })],
    [password('a@b.c', OTHER_BCRYPT.hash)],
  ],
  ['the third-party login', [google('g', 'a@b.c')], [google('g', 'z@b.c')]],
  ['the hash', [password('a@b.c')], [password('z@b.c')]],
  ['the imported hash, which was upgraded', [password('a@b.c', WEAK)], [password('z@b.c', WEAK)]],
  [
    'the time',
    [password('a@b.c', BCRYPT.hash, joined(TIME))],
    [password('z@b.c', OTHER_BCRYPT.hash, joined(TIME))],
  ],
];

it.each(AGREES)(
  'a line with another address is about the same person if this agrees: %s',
  async (what, stored, again) => {
    await first(line(...stored));
    if (what.includes('upgraded')) {
      expect(await signInStatus(service, 'a@b.c', 'old password')).toBe('OK');
      await service.upgrades.idle();
      const [row] = await service.database.db.query('select imported_fingerprint from password_logins');
      expect(row?.imported_fingerprint).not.toBeNull();
    }
    expect(await outcome('b', `${MATCH}&onConflict=overwrite`, line(...again))).toBe('UPDATED');
  },
);

const QUARTER = 15 * 60 * 1000;

/** Stored login methods, what happened since, and the login methods of the second line. */
const PROVES_NOTHING: [what: string, stored: object[], again: object[], since?: () => Promise<unknown>][] = [
  [
    'an address to which the user changed here',
    [password('a@b.c')],
    [password('victim@b.c', OTHER_BCRYPT.hash)],
    async () => {
      const { body } = await service.send('GET', '/user/id?userId=1');
      await call('PUT', '/recipe/user', { recipeUserId: body.user.id, email: 'victim@b.c' });
    },
  ],
  [
    'an address that came with a third-party sign-in',
    [google('g', 'a@b.c')],
    [password('victim@b.c', OTHER_BCRYPT.hash)],
    () =>
      call('POST', '/recipe/signinup', {
        ...{ thirdPartyId: 'google', thirdPartyUserId: 'g', email: { id: 'victim@b.c', isVerified: true } },
      }),
  ],
  ['an unverified third-party address', [google('g', 'a@b.c')], [password('a@b.c', OTHER_BCRYPT.hash)]],
  ['an unverified third-party address of the line', [password('a@b.c')], [google('h', 'a@b.c')]],
  [
    'a hash without salt',
    [password('a@b.c', md5('123456'), { hashingAlgorithm: 'hex-md5' })],
    [password('z@b.c', md5('123456'), { hashingAlgorithm: 'hex-md5' })],
  ],
  ['no time', [password('a@b.c')], [password('z@b.c', OTHER_BCRYPT.hash)]],
  ['time 0', [password('a@b.c', BCRYPT.hash, joined(0))], [password('z@b.c', OTHER_BCRYPT.hash, joined(0))]],
  [
    'a date',
    [password('a@b.c', BCRYPT.hash, joined(QUARTER * 999))],
    [password('z@b.c', OTHER_BCRYPT.hash, joined(QUARTER * 999))],
  ],
  [
    'no password',
    [{ recipeId: 'emailpassword', email: 'a@b.c', password: 'unset' }],
    [{ recipeId: 'emailpassword', email: 'z@b.c', password: 'unset' }],
  ],
];

it.each(PROVES_NOTHING)(
  'does not show that a line is about the same person: %s',
  async (_, stored, again, since) => {
    await first(line(...stored));
    await since?.();
    const before = await userRows(service.database.db);
    expect(await outcome('b', `${MATCH}&onConflict=overwrite`, line(...again))).toBe('OTHER_PERSON');
    expect(await userRows(service.database.db)).toEqual(before);
  },
);

describe('a line {"externalUserId":"…","disabled":true}', () => {
  const disabling = (more: object = {}) => ({ externalUserId: '1', disabled: true, ...more });
  const ADA = { email: 'ADA@b.c ' };
  const ada = () => first(line(password('ada@b.c', BCRYPT.hash, joined(TIME))));
  const signIn = () => signInStatus(service, 'ada@b.c', BCRYPT.password);

  it.each([
    ['address', ADA],
    ['time of joining', joined(TIME)],
  ])('disables a user if the %s agrees, creates nobody, and can be undone', async (_, evidence) => {
    await ada();
    const before = await userRows(service.database.db);
    expect(await outcome('dry', `${MATCH}&dryRun=true`, disabling(evidence))).toBe('UPDATED');
    expect(await userRows(service.database.db)).toEqual(before);
    const unknown = { ...disabling(evidence), externalUserId: '2' };
    const { results } = await imported('b', MATCH, disabling(evidence), unknown);
    expect(results.map(({ status, code }) => [status, code])).toEqual([
      ['UPDATED', undefined],
      ['SKIPPED', 'USER_UNKNOWN'],
    ]);
    expect(await signIn()).toBe('WRONG_CREDENTIALS_ERROR');
    expect(await countUsers(service)).toBe(1);
    expect(await outcome('c', MATCH, disabling(evidence))).toBe('UNCHANGED');
    expect(await rolledBack(service, 'b')).toEqual({ statesRestored: 1 });
    expect(await userRows(service.database.db)).toEqual(before);
  });

  it('disables users without a password, and all logins of a user', async () => {
    await first(
      line(google('g', 'g@b.c', joined(TIME)), password('ada@b.c', BCRYPT.hash, { isPrimary: true })),
    );
    expect(await outcome('b', MATCH, disabling(joined(TIME)))).toBe('UPDATED');
    const states = await service.database.db.query(
      'select disabled from password_logins union all select disabled from third_party_logins',
    );
    expect(states).toEqual([{ disabled: true }, { disabled: true }]);
  });

  it('disables nobody of another source, and no other person', async () => {
    await ada();
    expect(await outcome('b', '&source=wiki&matchBy=externalId', disabling(ADA))).toBe(
      'EXTERNAL_ID_ALREADY_EXISTS',
    );
    for (const evidence of [{}, { email: 'eve@b.c' }, { email: 7 }, joined(TIME + 1)])
      expect(await outcome('c', `${MATCH}&dryRun=true`, disabling(evidence))).toBe('OTHER_PERSON');
    expect(await outcome('d', `${MATCH}&trustExternalIds=true`, disabling())).toBe('UPDATED');
  });

  it.each([
    ['update-unchanged', 'STATE_CHANGED_SINCE'],
    ['overwrite', 'UPDATED'],
    ['skip', 'EXTERNAL_ID_ALREADY_EXISTS'],
    ['fail', 'EXTERNAL_ID_ALREADY_EXISTS'],
  ])('follows the policy about a state that was set here: %s', async (policy, expected) => {
    await ada();
    await call('PUT', '/recipe/user/disabled', { userId: '1', disabled: false });
    expect(await outcome('b', `${MATCH}&onConflict=${policy}`, disabling(ADA))).toBe(expected);
    expect(await signIn()).toBe(expected === 'UPDATED' ? 'WRONG_CREDENTIALS_ERROR' : 'OK');
  });

  it('keeps a user from being missing, and is not read in an import that matches by login', async () => {
    await ada();
    const query = `${MATCH}&onConflict=overwrite&deleteMissing=9`;
    const { summary } = await imported('b', query, disabling(ADA));
    expect(summary).toMatchObject({ updated: 1, missing: { found: 0, removed: 0 } });
    expect(await outcome('c', '', disabling(ADA))).toBe('FIELD_INVALID');
    // With a hash, the line is about a user with a password login.
    expect(await outcome('d', `${MATCH}&dryRun=true`, disabling({ ...ADA, passwordHash: BCRYPT.hash }))).toBe(
      'UNCHANGED',
    );
    for (const more of [{ disabled: false }, { externalUserId: ' ' }])
      expect(await outcome('d', `${MATCH}&dryRun=true`, disabling({ ...ADA, ...more }))).toBe(
        'FIELD_INVALID',
      );
  });
});

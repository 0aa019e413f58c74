/**
 * A field of a user passes through readers, staged users, rows and the interface description. These tests
 * compare each of them with the tables of fields (src/imports/input/field-reader.ts,
 * src/postgres/imports/copy-people.ts). A new field that is missing somewhere fails a test that says where.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  LOGIN_METHOD_FIELDS,
  STAGED_USER_FIELDS,
  stagedMethodFields,
  USER_FIELDS,
} from '../src/imports/input/field-reader.ts';
import { readUserPayload } from '../src/imports/input/read-user-payload.ts';
import type { JsonObject } from '../src/lib/json/json-object.ts';
import { COPY_TARGETS } from '../src/postgres/imports/copy-people.ts';
import { PROFILE_PARTS } from '../src/users/user.ts';
import { createTestApp, SIGNER_KEY, type TestApp } from './support/app.ts';
import { IS_CITUS } from './support/citus.ts';
import { EXTERNAL_SCRYPT } from './support/example-hashes.ts';
import { exportLines } from './support/exports.ts';
import { FACTORS, TRACES_OF_FACTORS } from './support/factors.ts';
import { NDJSON } from './support/ndjson.ts';
import { readDeps } from './support/user-forms.ts';

/** One login method of each kind. Every member is present, and none has its default value. */
const METHODS = [
  {
    recipeId: 'emailpassword',
    tenantIds: ['public'],
    email: 'own@example.com',
    isVerified: true,
    isPrimary: true,
    timeJoinedInMSSinceEpoch: 1_600_000_000_001,
    externalUserId: 'external-user',
    passwordHash: EXTERNAL_SCRYPT.hash,
    hashingAlgorithm: 'external_scrypt',
    hashingSecretId: 'project-b',
  },
  {
    recipeId: 'thirdparty',
    tenantIds: ['public'],
    email: 'other@example.com',
    isVerified: true,
    isPrimary: false,
    timeJoinedInMSSinceEpoch: 1_600_000_000_002,
    externalUserId: 'external-method',
    thirdPartyId: 'google',
    thirdPartyUserId: 'subject',
  },
];
const USER = {
  externalUserId: 'external-user',
  userMetadata: { plan: 'gold' },
  disabled: true,
  ...FACTORS,
  loginMethods: METHODS,
};
const SECRETS = [{ id: 'project-b', algorithms: ['external_scrypt'], secret_base64: SIGNER_KEY }];
/** Members that a login method has instead of a hash. */
const ALTERNATIVE = ['plainTextPassword', 'password', 'legacySignIn'];
/** Column that is null if there is a hash. test/http/routes/logins-without-hash.test.ts covers it. */
const WITHOUT_HASH = 'no_hash';

const named = (fields: object) => Object.keys(fields).sort();
const ofAll = (objects: readonly object[]) => [...new Set(objects.flatMap((one) => Object.keys(one)))].sort();

describe('the user of this test', () => {
  it('has a value for every field', () => {
    expect(named(USER)).toEqual(named(USER_FIELDS));
    expect(ofAll([...METHODS, { plainTextPassword: '', password: 'unset', legacySignIn: true }])).toEqual(
      named(LOGIN_METHOD_FIELDS),
    );
  });
});

describe('the reader of payloads', () => {
  /** Returns a proxy that records in `seen` which members are read. */
  function watched(object: JsonObject, seen: Set<string>): JsonObject {
    return new Proxy(object, {
      get(target, name, receiver) {
        if (typeof name === 'string') seen.add(name);
        return Reflect.get(target, name, receiver);
      },
    });
  }

  it('reads every field', () => {
    const ofUser = new Set<string>();
    const ofMethods = new Set<string>();
    const loginMethods = METHODS.map((method) => watched(method, ofMethods));
    const read = readUserPayload(
      readDeps(SIGNER_KEY, { hashing_secrets: SECRETS }),
      watched({ ...USER, loginMethods }, ofUser),
    );
    expect(read).toHaveProperty('methods');
    expect([...ofUser]).toEqual(expect.arrayContaining(named(USER_FIELDS)));
    expect([...ofMethods]).toEqual(expect.arrayContaining(named(LOGIN_METHOD_FIELDS)));
  });
});

describe('a user with every field', () => {
  let service: TestApp;
  beforeAll(async () => {
    service = await createTestApp({ stagedWaits: true, config: { hashing_secrets: SECRETS } });
  });
  afterAll(() => service.close());

  const TABLES = Object.values(COPY_TARGETS).map(({ table }) => table);
  /** Columns that depend on the time of the import, or that the service chooses. */
  const ITS_OWN = ['user_id', 'recipe_user_id', 'hash_set_at', 'factors'];

  /** Returns all rows of users, without what differs between imports, and deletes them. */
  async function takeRows(): Promise<Record<string, JsonObject[]>> {
    const all: Record<string, JsonObject[]> = {};
    for (const table of TABLES) {
      const rows = await service.database.db.query<{ row: Record<string, unknown> }>(
        `with taken as (delete from ${table} returning *) select to_jsonb(t) as row from taken t`,
      );
      all[table] = rows.map(({ row }) =>
        Object.fromEntries(Object.entries(row).filter(([name]) => !ITS_OWN.includes(name))),
      );
      all[table].sort((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)));
    }
    // The alias of a further login method is an id that the service chose, too.
    all.user_aliases = (all.user_aliases ?? []).filter(({ kind }) => kind !== 'recipe_user');
    return all;
  }

  const WAYS: [string, () => Promise<unknown>][] = [
    [
      'as a line of a stream',
      () => service.send('POST', '/bulk-import/stream', JSON.stringify(USER), { 'content-type': NDJSON }),
    ],
    ['at once', () => service.send('POST', '/bulk-import/import', USER)],
    [
      'staged',
      async () => {
        await service.send('POST', '/bulk-import/users', { users: [USER] });
        await service.staged.idle();
      },
    ],
  ];

  it('is stored identically by every way of importing, in every column that imports write', async () => {
    const written: [string, Record<string, JsonObject[]>][] = [];
    for (const [way, bring] of WAYS) {
      await bring();
      written.push([way, await takeRows()]);
    }
    const [, first] = written[0] ?? ['', {}];
    for (const [way, rows] of written) expect([way, rows]).toEqual([way, first]);
    for (const { table, columns } of Object.values(COPY_TARGETS)) {
      const given = new Set(
        first?.[table]
          ?.flatMap((row) => Object.entries(row).filter(([, value]) => value !== null))
          .map(([name]) => name),
      );
      for (const column of columns.filter((name) => !ITS_OWN.includes(name) && name !== WITHOUT_HASH))
        expect([table, ...given]).toContain(column);
    }
  });

  it.skipIf(IS_CITUS)(
    'is exported with every field, which an import by external id changes and a rollback restores',
    async () => {
      const importAs = (id: string, user: object) =>
        service.send(
          'POST',
          `/bulk-import/stream?importId=${id}&matchBy=externalId&source=old`,
          JSON.stringify(user),
          { 'content-type': NDJSON },
        );
      const exported = async () => (await exportLines(service)).map((line) => JSON.parse(line));
      const changed = { userMetadata: { plan: 'silver' } };
      expect(named(changed)).toEqual(
        Object.values(PROFILE_PARTS)
          .map(({ member }) => member)
          .sort(),
      );
      await importAs('first', USER);
      const before = await exported();
      expect(before).toEqual([
        expect.objectContaining({ ...ofStaged(USER), loginMethods: expect.anything() }),
      ]);
      expect(named(before[0])).toEqual(named(USER_FIELDS));
      await importAs('second', { ...USER, ...changed });
      expect(await exported()).toEqual([{ ...before[0], ...changed }]);
      await service.send('POST', '/bulk-import/imports/second/rollback');
      expect(await exported()).toEqual(before);
      await takeRows();
    },
  );

  it('is listed as it was staged, without its secrets', async () => {
    await service.send('POST', '/bulk-import/users', { users: [USER] });
    const { text } = await service.send('GET', '/bulk-import/users');
    const [listed] = JSON.parse(text).users;
    expect(listed).toMatchObject({ ...ofStaged(USER), loginMethods: METHODS.map(withoutSecrets) });
    for (const trace of TRACES_OF_FACTORS) expect(text).not.toContain(trace);
    expect(listed.loginMethods.map(named)).toEqual(
      METHODS.map((method) => named({ ...withoutSecrets(method), superTokensUserId: '' })),
    );
    await service.send('POST', '/bulk-import/users/remove', { ids: [listed.id] });
  });

  const ofStaged = (user: JsonObject) =>
    Object.fromEntries(STAGED_USER_FIELDS.map((name) => [name, user[name]]));
  const withoutSecrets = (method: JsonObject) =>
    Object.fromEntries(
      stagedMethodFields(method.recipeId)
        .filter((name) => !ALTERNATIVE.includes(name))
        .map((name) => [name, method[name]]),
    );

  it('is described with every field, both in requests and in listings', async () => {
    const { text } = await service.send('GET', '/openapi.json');
    const { paths } = JSON.parse(text);
    const sent = paths['/bulk-import/import'].post.requestBody.content['application/json'].schema.properties;
    const listed =
      paths['/bulk-import/users'].get.responses['200'].content['application/json'].schema.properties.users
        .items.properties;
    const methodsOf = (schema: { items: { anyOf: { properties: object }[] } }) =>
      ofAll(schema.items.anyOf.map(({ properties }) => properties));
    expect(named(sent)).toEqual(named(USER_FIELDS));
    expect(methodsOf(sent.loginMethods)).toEqual(named(LOGIN_METHOD_FIELDS));
    expect(named(listed)).toEqual(expect.arrayContaining([...STAGED_USER_FIELDS]));
    const kept = [...new Set(METHODS.flatMap(({ recipeId }) => stagedMethodFields(recipeId)))].sort();
    expect(named(listed.loginMethods.items.properties)).toEqual([...kept, 'superTokensUserId'].sort());
    expect(kept).toEqual(named(LOGIN_METHOD_FIELDS).filter((name) => !isSecret(name)));
  });

  const isSecret = (name: string) =>
    ['plainTextPassword', 'passwordHash', 'hashingAlgorithm', 'hashingSecretId'].includes(name);

  /** Columns that imports leave at their default, and what fills them later. */
  const BY_DEFAULT: Record<string, string[]> = {
    // Filled by sign-ins and by changes of password or e-mail.
    password_logins: [
      'hash_set_at',
      'hash_set_by',
      'last_sign_in_at',
      'changed_at',
      'changed_by_import_at',
      'email_set_by',
      'imported_fingerprint',
      'state_set_at',
      'state_by_call',
    ],
    // Importing a user is not a sign-in.
    third_party_logins: ['last_sign_in_at', 'changed_at', 'state_set_at', 'state_by_call'],
    user_aliases: [],
    users: ['factors_set_at'],
  };

  it('fills every column, or leaves it to its default on purpose', async () => {
    for (const { table, columns } of Object.values(COPY_TARGETS)) {
      const rows = await service.database.db.query<{ name: string }>(
        'select column_name as name from information_schema.columns where table_name = $1',
        [table],
      );
      expect([...columns, ...(BY_DEFAULT[table] ?? [])].sort()).toEqual(rows.map(({ name }) => name).sort());
    }
  });

  it('keeps every column when its e-mail changes', async () => {
    const { db } = service.database;
    await service.send('POST', '/bulk-import/import', USER);
    await db.query(
      `update password_logins set last_sign_in_at = now(), changed_at = now(), changed_by_import_at = now(), hash_set_by = 'user',
         imported_fingerprint = 'x', state_set_at = now(), state_by_call = true, email_set_by = 'sign-up'`,
    );
    const row = async () => {
      const [login] = await db.query<Record<string, unknown>>('select * from password_logins');
      return login ?? {};
    };
    const before = await row();
    // A column that is null here would not show that it was lost. Give it a value above.
    expect(Object.entries(before).filter(([, value]) => value === null)).toEqual([[WITHOUT_HASH, null]]);
    const change = { recipeUserId: 'external-user', email: 'new@example.com' };
    expect((await service.send('PUT', '/recipe/user', change)).body.status).toBe('OK');
    const after = await row();
    expect(after).toEqual({
      ...before,
      ...{ email: 'new@example.com', changed_at: after.changed_at, email_set_by: 'change' },
    });
    await takeRows();
  });
});

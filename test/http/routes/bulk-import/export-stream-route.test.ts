import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { FAMILIES } from '../../../../src/hashing/families.ts';
import { API_KEY, createTestApp, type TestApp } from '../../../support/app.ts';
import { IS_CITUS } from '../../../support/citus.ts';
import { removeEverything } from '../../../support/database.ts';
import { ARGON2, BCRYPT } from '../../../support/example-hashes.ts';
import { EXPORT, exportLines } from '../../../support/exports.ts';
import { importLines, ndjson } from '../../../support/ndjson.ts';
import { failure } from '../../../support/service-calls.ts';
import { isAvailable, secretOf, vectorsOf, verifierOf } from '../../../support/vectors.ts';

/** A hash of each algorithm, the cheapest one that needs no white space around it. */
const HASHES = FAMILIES.map(({ name }) => name)
  .filter(isAvailable)
  .flatMap((name) => {
    const costOf = (one: ReturnType<typeof vectorsOf>[number]) =>
      verifierOf(name, undefined, secretOf(one)).parse(one.hash).cost.ms;
    const [first] = vectorsOf(name)
      .filter((one) => one.expect === true && !one.acceptable && !one.tags?.length)
      .toSorted((a, b) => costOf(a) - costOf(b));
    return first === undefined ? [] : [{ name, hash: first.hash, secret: secretOf(first) }];
  });
const SECRETS = HASHES.flatMap(({ name, secret }) =>
  secret === undefined
    ? []
    : [{ id: `of-${name}`, algorithms: [name], secret_base64: secret.toString('base64') }],
);

const record = async (service: TestApp) =>
  service.database.db.query<{ users: string | null; ended: boolean; key: string; digest: string | null }>(
    `select users, ended_at is not null as ended, key_name as key, encode(sha256, 'hex') as digest
     from exports order by started_at desc limit 1`,
  );

describe.skipIf(IS_CITUS)('an export', () => {
  let service: TestApp;
  let other: TestApp;
  beforeAll(async () => {
    [service, other] = await Promise.all([
      createTestApp({ config: { hashing_secrets: SECRETS } }),
      createTestApp({ config: { hashing_secrets: SECRETS } }),
    ]);
  });
  afterAll(() => Promise.all([service.close(), other.close()]));
  afterEach(() => Promise.all([service, other].map(({ database }) => removeEverything(database.db))));

  async function importInto(target: TestApp, lines: readonly unknown[]): Promise<void> {
    const { summary, results } = await importLines(target, ndjson(...lines));
    const failed = results.filter(({ status }) => status === 'FAILED');
    expect([failed, summary?.created]).toEqual([[], lines.length]);
  }

  /** Exports, imports that elsewhere, and exports there. */
  async function roundTrip(): Promise<[string[], string[]]> {
    const lines = await exportLines(service);
    await importInto(other, lines);
    return [lines, await exportLines(other)];
  }

  it('of no users has its last line only', async () => {
    expect(await exportLines(service)).toEqual([]);
  });

  it('has the form of the lines that were imported, with every field', async () => {
    const user = {
      totpDevices: [
        {
          deviceName: 'phöne "1"',
          secretKey: 'JBSWY3DP',
          period: 60,
          skew: 0,
          digits: 8,
          algorithm: 'SHA256',
        },
        { secretKey: 'JBSWY3DPEHPK3PXP', period: 30, skew: 1, digits: 6, algorithm: 'SHA1' },
      ],
      userRoles: [{ role: 'admin' }],
      phoneNumbers: ['+49 1'],
      disabled: true,
      externalUserId: 'nr "1"',
      userMetadata: { b: 1e308, a: 'ü\n\\', 1: -0.0 },
      loginMethods: [
        {
          recipeId: 'emailpassword',
          email: 'a"\\\u0001@b.c',
          isVerified: true,
          timeJoinedInMSSinceEpoch: 1_600_000_000_001,
          passwordHash: BCRYPT.hash,
          hashingAlgorithm: 'bcrypt',
          isPrimary: true,
        },
        {
          recipeId: 'thirdparty',
          email: 'other@b.c',
          timeJoinedInMSSinceEpoch: 1_500_000_000_000,
          thirdPartyId: 'google',
          thirdPartyUserId: 'x',
          externalUserId: 'nr 2',
        },
      ],
    };
    const text = JSON.stringify(user);
    await importInto(service, [text]);
    expect(await exportLines(service)).toEqual([text]);
  });

  it('brings every hash algorithm and secret to another service unchanged', async () => {
    const lines = HASHES.map(({ name, hash, secret }) => ({
      email: `${name}@b.c`,
      passwordHash: hash,
      hashingAlgorithm: name,
      ...(secret !== undefined && { hashingSecretId: `of-${name}` }),
    }));
    // A few vectors are no hash that an import takes, such as clear text.
    const { results } = await importLines(service, ndjson(...lines));
    const taken = results.filter(({ status }) => status === 'CREATED').length;
    expect(taken).toBeGreaterThan(150);
    const [first, second] = await roundTrip();
    expect(first.length).toBe(taken);
    expect(second).toEqual(first);
  });

  it('gives the same bytes after an import into an empty service, whatever the users', async () => {
    const text = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
      .filter((one) => one.trim() === one);
    const time = fc.option(fc.integer({ min: 0, max: 1_700_000_000_000 }), { nil: undefined });
    const credential = fc.constantFrom<object>(
      { passwordHash: BCRYPT.hash },
      { passwordHash: ARGON2.hash, hashingAlgorithm: 'argon2' },
      { password: 'unset' },
      { legacySignIn: true },
    );
    const common = { isVerified: fc.boolean(), timeJoinedInMSSinceEpoch: time };
    const id = fc.option(text, { nil: undefined });
    const password = fc.record({ recipeId: fc.constant('emailpassword'), ...common, credential });
    const thirdParty = fc.record({
      recipeId: fc.constant('thirdparty'),
      ...common,
      thirdPartyId: text,
      subject: text,
    });
    const user = fc.record({
      disabled: fc.boolean(),
      factors: fc.record(
        {
          userRoles: fc.array(fc.record({ role: text }), { minLength: 1, maxLength: 3 }),
          phoneNumbers: fc.array(text, { maxLength: 2 }),
          totpDevices: fc.constant([{ secretKey: 'jbsw y3dp' }]),
        },
        { requiredKeys: [] },
      ),
      externalId: id,
      userMetadata: fc.option(fc.dictionary(fc.string(), fc.jsonValue()), { nil: undefined }),
      primary: fc.integer({ min: 0, max: 5 }),
      methods: fc.array(fc.record({ method: fc.oneof(password, thirdParty), externalId: id }), {
        minLength: 1,
        maxLength: 4,
      }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(user, { minLength: 20, maxLength: 40 }), async (users) => {
        await Promise.all([service, other].map(({ database }) => removeEverything(database.db)));
        const lines = users.map(({ disabled, factors, externalId, userMetadata, primary, methods }, nr) => ({
          ...factors,
          ...(externalId !== undefined && { externalUserId: `${nr}-${externalId}` }),
          userMetadata,
          disabled,
          loginMethods: methods.map(({ method, externalId: own }, place) => {
            const isPrimary = methods.length > 1 && place === primary;
            const isFirst = isPrimary || methods.length === 1;
            const base = {
              email: `${nr}-${place}@b.c`,
              isPrimary,
              ...(own !== undefined &&
                !isFirst &&
                primary < methods.length && { externalUserId: `${nr}.${place}-${own}` }),
            };
            if ('credential' in method) {
              const { credential: one, ...rest } = method;
              return { ...rest, ...base, ...one };
            }
            const { subject, ...rest } = method;
            return { ...rest, ...base, thirdPartyUserId: `${nr}.${place}-${subject}` };
          }),
        }));
        const { summary } = await importLines(service, ndjson(...lines.map((line) => JSON.stringify(line))));
        const [first, second] = await roundTrip();
        expect(first.length).toBe(summary?.created);
        expect(second).toEqual(first);
      }),
      { numRuns: 6 },
    );
  });

  it('marks a login method as primary where the primary one was removed', async () => {
    const method = (subject: string, joined: number) => ({
      recipeId: 'thirdparty',
      email: 'a@b.c',
      timeJoinedInMSSinceEpoch: joined,
      thirdPartyId: 'google',
      thirdPartyUserId: subject,
    });
    const loginMethods = [{ ...method('1', 3), isPrimary: true }, method('2', 2), method('3', 1)];
    await importInto(service, [{ externalUserId: 'nr', loginMethods }]);
    await service.database.db.query(`delete from third_party_logins where third_party_user_id = '1'`);
    const [first, second] = await roundTrip();
    expect(first.map((line) => JSON.parse(line))).toEqual([
      { externalUserId: 'nr', loginMethods: [{ ...method('3', 1), isPrimary: true }, method('2', 2)] },
    ]);
    expect(second).toEqual(first);
  });

  it('can be sent to an import as it came, with its last line', async () => {
    await importInto(service, [{ email: 'a@b.c', passwordHash: BCRYPT.hash }]);
    const { text } = await service.send('GET', EXPORT);
    const { results, summary } = await importLines(other, text);
    expect([results.length, summary?.created, summary?.failed]).toEqual([1, 1, 0]);
  });

  it('is on record with its key, its number of users and its digest', async () => {
    await importInto(service, [{ email: 'a@b.c', passwordHash: BCRYPT.hash }]);
    const { text, headers } = await service.send('GET', EXPORT);
    const { export: end } = JSON.parse(text.trimEnd().split('\n').at(-1) ?? '');
    expect(headers['export-id']).toMatch(/^[0-9a-f-]{36}$/);
    expect(await record(service)).toEqual([{ users: '1', ended: true, key: 'key-1', digest: end.sha256 }]);
    expect(service.log()).not.toContain(BCRYPT.hash);
  });

  it('leaves factors out on request, also without the secret that they need', async () => {
    const loginMethods = [{ recipeId: 'emailpassword', email: 'a@b.c', passwordHash: BCRYPT.hash }];
    await importInto(service, [{ phoneNumbers: ['+49 1'], loginMethods }]);
    const rotated = await createTestApp({
      database: service.database,
      config: { factors_secret: 'another secret of at least 32 characters' },
    });
    expect(await rotated.send('GET', EXPORT)).toMatchObject(
      failure(
        400,
        'FACTORS_SECRET_MISSING',
        "TOTP devices, roles or phone numbers were encrypted with a secret that is not configured (users: 1). Add the former secret to 'factors_secret', after a comma, or export without them (factors=omit)",
      ),
    );
    expect(await rotated.send('GET', `${EXPORT}?factors=drop`)).toMatchObject({ status: 400 });
    const { text } = await rotated.send('GET', `${EXPORT}?factors=omit`);
    const [line, last] = text.split('\n').map((one) => one && JSON.parse(one));
    expect(Object.keys(line)).toEqual(['loginMethods']);
    expect(last).toMatchObject({ export: { users: 1 } });
    await rotated.app.close();
  });

  it('ends with an error if factors were changed in the database', async () => {
    const loginMethods = [{ recipeId: 'emailpassword', email: 'a@b.c', passwordHash: BCRYPT.hash }];
    await importInto(service, [{ phoneNumbers: ['+49 1'], loginMethods }]);
    await service.database.db.query(
      `update users set factors = set_byte(factors, 30, 255 - get_byte(factors, 30))`,
    );
    const { text } = await service.send('GET', EXPORT);
    expect(JSON.parse(text)).toMatchObject({ error: { code: 'INTERNAL' } });
    expect(await record(service)).toMatchObject([{ users: null, ended: true }]);
    expect(await service.send('GET', '/hello')).toMatchObject({ status: 200 });
  });

  it('needs a key with the right to export, which the short form of keys lacks', async () => {
    const short = await createTestApp({ database: service.database, config: { api_keys: API_KEY } });
    expect(await short.send('GET', EXPORT)).toMatchObject(
      failure(403, 'RIGHT_MISSING', 'The API key "key-1" lacks the right "export"'),
    );
    await short.app.close();
  });

  it('reads nothing for HEAD', async () => {
    const { statusCode } = await service.app.inject({
      method: 'HEAD',
      url: EXPORT,
      headers: { 'api-key': API_KEY },
    });
    expect(statusCode).toBe(200);
    const before = await service.database.db.query('select * from exports');
    await service.app.inject({ method: 'HEAD', url: EXPORT, headers: { 'api-key': API_KEY } });
    expect(await service.database.db.query('select * from exports')).toEqual(before);
  });

  describe('of many users', () => {
    let url: string;
    beforeAll(async () => {
      url = await service.app.listen({ port: 0, host: '127.0.0.1' });
    });

    /** Adds so many users that no buffer between the database and the caller holds them. */
    const addMany = () =>
      service.database.db.query(`
        with added as (insert into users select gen_random_uuid(), n, json_build_object('x', repeat('x', 4000))::text
          from generate_series(1, 8000) n returning user_id)
        insert into password_logins (email, user_id, recipe_user_id, time_joined_ms, password_hash, hash_algorithm)
        select user_id || '@b.c', user_id, user_id, 1, 'x', 'bcrypt' from added`);

    async function open(): Promise<IncomingMessage> {
      const request = httpRequest(url + EXPORT, { headers: { 'api-key': API_KEY } }).end();
      const [response] = (await once(request, 'response')) as [IncomingMessage];
      return response;
    }

    const running = () =>
      service.database.db.query(
        `select state from pg_stat_activity where query like 'copy (%' and state = 'active'
         and datname = current_database()`,
      );

    it('ends its statements when the caller leaves, and is on record without a number', async () => {
      await addMany();
      const response = await open();
      await once(response, 'readable');
      await expect.poll(running).toHaveLength(2);
      // A second one would hold two more connections.
      expect(await service.send('GET', EXPORT)).toMatchObject(
        failure(503, 'OVERLOADED', 'Service is overloaded: an export runs already'),
      );
      response.destroy();
      await expect.poll(running).toEqual([]);
      await expect
        .poll(() => record(service))
        .toEqual([{ users: null, ended: true, key: 'key-1', digest: null }]);
      // The place is free again, and a connection is, too.
      expect(await exportLines(service)).toHaveLength(8000);
    });

    it('has an error as its last line if the database ends the statement', async () => {
      await addMany();
      const response = await open();
      await once(response, 'readable');
      await service.database.db.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where query like 'copy (%' and pid <> pg_backend_pid()
         and datname = current_database()`,
      );
      let text = '';
      for await (const piece of response) text += piece;
      const last = JSON.parse(text.trimEnd().split('\n').at(-1) ?? '');
      expect(last).toMatchObject({ error: { code: 'STORAGE_UNAVAILABLE' }, exportId: expect.any(String) });
    });
  });
});

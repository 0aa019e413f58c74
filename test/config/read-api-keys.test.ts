import { describe, expect, it } from 'vitest';
import { digestOf } from '../../src/config/api-keys.ts';
import { KEY, loaded, problems } from './sources.ts';

const OTHER = 'other-key-0123456789-abcdef';
const FILES: Record<string, string> = {
  '/run/key': ` ${KEY}\n`,
  '/run/empty': '\n',
  '/run/short': 'short-secret',
};
const readSecret = (path: string) => {
  const text = FILES[path];
  if (text !== undefined) return text;
  throw Object.assign(new Error(`no ${path}`), { code: 'ENOENT' });
};
const wrong = (yaml: string) => problems({ yaml: `api_keys: ${yaml}`, readSecret });
const A = { name: 'a', key: KEY, allow: ['read'] };

it('keys are a list of entries, each with the key itself, its file or its digest', () => {
  const yaml = `api_keys:
  - {name: job_1, key: ${OTHER}, allow: [read, import, read]}
  - {name: ${'b'.repeat(32)}, key_file: /run/key, allow: [export]}
  - {name: digest, key_sha256: ${digestOf('x').toUpperCase()}, allow: [signin, manage]}
  - {name: retired, key: ${OTHER}x, allow: []}`;
  expect(loaded({ yaml, readSecret }).api_keys).toEqual([
    { name: 'job_1', key: OTHER, allow: ['import', 'read'] },
    { name: 'b'.repeat(32), key: KEY, allow: ['export'] },
    { name: 'digest', key_sha256: digestOf('x'), allow: ['signin', 'manage'] },
    { name: 'retired', key: `${OTHER}x`, allow: [] },
  ]);
});

it.each([
  ['JSON', `[{"name":"a","key":"${KEY}","allow":["read"]}]`],
  ['YAML', `- name: a\n  key: ${KEY}\n  allow: [read]\n`],
  ['indented YAML', `\n  - name: a\n    key: ${KEY}\n    allow: [read]\n`],
])('the environment has the list as %s, in a variable or a file', (_kind, text) => {
  expect(loaded({ env: { API_KEYS: text } }).api_keys).toEqual([A]);
  expect(loaded({ env: { API_KEYS_FILE: '/run/keys' }, readSecret: () => text }).api_keys).toEqual([A]);
});

describe('a problem', () => {
  const ONE_OF = 'must have one of key, key_file, key_sha256';
  const RIGHTS = 'import, signin, read, manage, export, verify';
  const NAME = 'must have a name of 1 to 32 characters of A-Z a-z 0-9 _ -';
  const LENGTH = 'without a key of at least 20 of A-Z a-z 0-9 = -';
  const MEMBERS = 'has an unknown member: expected only name, allow, key, key_file, key_sha256';
  const BARE = { name: 'a', allow: [] };
  it.each<[what: string, entry: unknown, problem: string]>([
    ['a text', KEY, 'is not a mapping'],
    ['an unknown member', { ...A, rights: [] }, MEMBERS],
    ['no name', { key: KEY, allow: ['read'] }, NAME],
    ['a name with a colon', { ...A, name: 'a:b' }, NAME],
    ['no rights', { name: 'a', key: KEY }, `must have allow as a list of ${RIGHTS}`],
    ['a right that is no list', { ...A, allow: 'read' }, `must have allow as a list of ${RIGHTS}`],
    [
      'an unknown right',
      { ...A, allow: ['write'] },
      `has an unknown right in allow: expected only ${RIGHTS}`,
    ],
    ['no key', BARE, ONE_OF],
    ['two keys', { ...A, key_sha256: digestOf(KEY) }, ONE_OF],
    ['a short key', { ...A, key: 'short-secret' }, `has a key ${LENGTH}`],
    [
      'a file that is not there',
      { ...BARE, key_file: '/none' },
      'has a key_file that cannot be read (ENOENT)',
    ],
    ['an empty file', { ...BARE, key_file: '/run/empty' }, `has a key_file ${LENGTH}`],
    ['a short digest', { ...BARE, key_sha256: 'abc' }, 'has a key_sha256 that is not 64 hexadecimal digits'],
    ['the digest of nothing', { ...BARE, key_sha256: digestOf('') }, 'has the key_sha256 of an empty text'],
  ])('%s is named without its value', (_what, entry, problem) => {
    const found = wrong(JSON.stringify([{ name: 'first', key: OTHER, allow: ['read'] }, entry]));
    expect(found).toEqual([`api_keys: entry 2 ${problem}`]);
    for (const value of [KEY, 'short-secret', '/none']) expect(found.join()).not.toContain(value);
  });

  it('the same key twice would have two sets of rights', () => {
    expect(wrong(JSON.stringify([A, { name: 'b', key_sha256: digestOf(KEY), allow: ['manage'] }]))).toEqual([
      'api_keys: entry 2 has the same key as an earlier entry',
    ]);
  });

  it('the same name twice, an example as a key, and an empty list are refused', () => {
    expect(wrong(JSON.stringify([A, { ...A, key: OTHER }]))).toEqual([
      'api_keys: two keys have the same name (keys without a name are named after their position: key-1, key-2)',
    ]);
    expect(wrong(JSON.stringify([{ ...A, key: 'replace-me-0123456789' }]))).toEqual([
      expect.stringContaining('a key is copied from an example'),
    ]);
    expect(wrong('[]')).toEqual(['api_keys: must have one entry or more']);
  });
});

import { expect, it } from 'vitest';
import { apiKeysOf, digestOf } from '../../src/config/api-keys.ts';

const ALL_BUT_EXPORT = ['import', 'signin', 'read', 'manage', 'verify'];

it('reads each key of the short form with its name, or names it by its position', () => {
  const keys = apiKeysOf(' first-key ,ops:second-key, third=key-3 ');
  expect(
    keys.map(({ name, secret, digest, allow }) => [name, secret, digest.toString('hex'), allow]),
  ).toEqual([
    ['key-1', 'first-key', digestOf('first-key'), ALL_BUT_EXPORT],
    ['ops', 'second-key', digestOf('second-key'), ALL_BUT_EXPORT],
    ['key-3', 'third=key-3', digestOf('third=key-3'), ALL_BUT_EXPORT],
  ]);
});

it('reads the list form, in which a key may be known by its digest only', () => {
  const keys = apiKeysOf([
    { name: 'job', key: 'a-key', allow: ['import', 'read'] },
    { name: 'backup', key_sha256: digestOf('another-key'), allow: ['export'] },
  ]);
  expect(
    keys.map(({ name, secret, digest, allow }) => [name, secret, digest.toString('hex'), allow]),
  ).toEqual([
    ['job', 'a-key', digestOf('a-key'), ['import', 'read']],
    ['backup', digestOf('another-key'), digestOf('another-key'), ['export']],
  ]);
});

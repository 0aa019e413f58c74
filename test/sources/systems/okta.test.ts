import { createHash, pbkdf2Sync } from 'node:crypto';
import bcrypt from 'bcrypt';
import { describe, expect, it } from 'vitest';
import type { SourceRecord } from '../../../src/sources/containers/table.ts';
import { okta } from '../../../src/sources/systems/hosted.ts';
import { adviceOf, formNamed, formsOf, headOf, readTables, verifies } from './read-users.ts';

const importBody = formNamed(okta, 'okta-import');
const PASSWORD = 'pässwörd';

const user = (password: object, changes: SourceRecord = {}): SourceRecord => ({
  profile: { login: 'ada', email: 'a@b.c' },
  credentials: { password },
  ...changes,
});

function read(record: SourceRecord) {
  const { users, dropped } = readTables(importBody, [
    { head: headOf([user({ value: 'x' }), record]), records: [record] },
  ]);
  return { ...users[0], dropped };
}

describe('hashes of an import body', () => {
  it('are read for bcrypt, which is split in two', async () => {
    const [, , , rest = ''] = (await bcrypt.hash(PASSWORD, 4)).split('$');
    const hash = { algorithm: 'BCRYPT', workFactor: 4, salt: rest.slice(0, 22), value: rest.slice(22) };
    expect(await verifies(read(user({ hash })).password, PASSWORD)).toBe(true);
  });

  it.each([
    ['SHA-512', 'sha512'],
    ['SHA-256', 'sha256'],
    ['SHA-1', 'sha1'],
    ['MD5', 'md5'],
  ])('are read for %s with the salt before, after, and missing', async (algorithm, digest) => {
    const of = (text: string) => createHash(digest).update(text).digest('base64');
    const salt = Buffer.from('salt').toString('base64');
    const before = { algorithm, salt, saltOrder: 'PREFIX', value: of(`salt${PASSWORD}`) };
    const behind = { algorithm, salt, saltOrder: 'POSTFIX', value: of(`${PASSWORD}salt`) };
    expect(
      await Promise.all(
        [before, behind, { algorithm, value: of(PASSWORD) }].map((hash) =>
          verifies(read(user({ hash })).password, PASSWORD),
        ),
      ),
    ).toEqual([true, true, true]);
  });

  it.each([
    ['SHA256_HMAC', 'sha256'],
    ['SHA512_HMAC', 'sha512'],
  ])('are read for PBKDF2 with %s', async (digestAlgorithm, digest) => {
    const value = pbkdf2Sync(PASSWORD, 'salt', 1000, 32, digest).toString('base64');
    const hash = {
      algorithm: 'PBKDF2',
      salt: 'c2FsdA==',
      value,
      iterationCount: 1000,
      keySize: 32,
      digestAlgorithm,
    };
    expect(await verifies(read(user({ hash })).password, PASSWORD)).toBe(true);
    expect(read(user({ hash: { ...hash, keySize: 64 } })).password).toMatchObject({
      problem: 'PASSWORD_HASH_INVALID',
    });
  });

  it('are missing for a plain password', () => {
    expect(read(user({ value: 'secret' })).password).toEqual({ plainText: 'secret' });
  });

  it.each([
    [{ algorithm: 'BCRYPT', salt: 'x' }, 'PASSWORD_HASH_INVALID'],
    [{ algorithm: 'SHA-1', value: '*' }, 'PASSWORD_HASH_INVALID'],
    [{ algorithm: 'PBKDF2', value: 'AAAA' }, 'PASSWORD_HASH_INVALID'],
    [
      { algorithm: 'PBKDF2', value: 'AAAA', salt: 'AAAA', digestAlgorithm: 'SHA1_HMAC' },
      'HASH_ALGORITHM_UNSUPPORTED',
    ],
    [
      { algorithm: 'PBKDF2', value: 'AAAA', salt: 'AAAA', digestAlgorithm: 'SHA256_HMAC' },
      'PASSWORD_HASH_INVALID',
    ],
    [{ algorithm: 'LANMAN', value: 'AAAA' }, 'HASH_ALGORITHM_UNKNOWN'],
    [{}, 'HASH_ALGORITHM_UNKNOWN'],
  ])('are unusable: %j', (hash, problem) => {
    expect(read(user({ hash })).password).toMatchObject({ problem });
  });
});

it.each([
  ['SUSPENDED', 'DISABLED', {}],
  ['DEPROVISIONED', 'DISABLED', {}],
  ['LOCKED_OUT', undefined, { 'temporary locks': 1 }],
  ['PASSWORD_EXPIRED', undefined, { 'forced password changes': 1 }],
  ['RECOVERY', undefined, { 'forced password changes': 1 }],
])('%s', (status, state, dropped) => {
  const found = read(user({}, { status }));
  expect(found.state).toBe(state);
  expect(found.dropped).toEqual(dropped);
});

it('keeps the profile, and treats no address as verified', () => {
  const profile = {
    login: 'ada',
    email: 'a@b.c',
    secondEmail: 'b@b.c',
    mobilePhone: '+1555',
    firstName: 'Ada',
    nickName: null,
  };
  const found = read(user({}, { profile, groupIds: ['g'] }));
  expect(found.isVerified).toBeUndefined();
  expect(found).toMatchObject({
    emails: ['a@b.c', 'b@b.c'],
    hasPhone: true,
    metadata: { profile: { login: 'ada', firstName: 'Ada' } },
    dropped: { 'phone numbers': 1, organisations: 1 },
  });
});

it('distinguishes an import body from a list, which has no hashes', () => {
  const list = headOf([user({}, { id: '00u' })]);
  expect(formsOf(okta, list)).toEqual(['okta-users']);
  expect(formsOf(okta, headOf([user({ value: 'x' })]))[0]).toBe('okta-import');
  expect(formsOf(okta, headOf([{ profile: {}, credentials: {} }]))).toEqual([]);
  expect(adviceOf(formNamed(okta, 'okta-users'), list)).toEqual([
    { level: 'warn', text: expect.stringContaining('No hashes leave Okta') },
  ]);
});

import { createHash, scryptSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { appwrite, appwritePassword } from '../../../src/sources/systems/appwrite.ts';
import { acceptedHash, readUsers, tableOf } from './read-users.ts';

const USER = {
  $id: 'u1',
  email: 'ada@example.com',
  emailVerification: true,
  registration: '2024-01-15T10:30:00.000+00:00',
  status: true,
  prefs: {},
};
const readOne = (more: object, ...others: ReturnType<typeof tableOf>[]) =>
  readUsers(appwrite, [tableOf('json', [{ ...USER, ...more }], { name: 'users' }), ...others]);
const digest = (name: string) => createHash(name).update('a password').digest('hex');
const SCRYPT = { salt: 'a salt, as text', costCpu: 1024, costMemory: 4, costParallel: 2, length: 32 };
const ofScrypt = scryptSync('a password', SCRYPT.salt, 32, { N: 1024, r: 4, p: 2 }).toString('hex');

describe('appwritePassword', () => {
  it.each([
    ['scrypt', ofScrypt, SCRYPT, {}],
    ['scrypt', ofScrypt, JSON.stringify(SCRYPT), {}],
    ['md5', digest('md5'), {}, {}],
    ['sha', digest('sha1'), {}, {}],
    ['sha', digest('sha256'), { version: 'sha256' }, {}],
    ['SHA', digest('sha512'), {}, { shaVersion: 'SHA512' }],
  ])('reads %s %s', async (hash, password, hashOptions, settings) => {
    const read = appwritePassword({ hash, password, hashOptions }, settings);
    expect(await acceptedHash(read).verify(Buffer.from('a password'))).toBe(true);
    expect(await acceptedHash(read).verify(Buffer.from('another'))).toBe(false);
  });

  it.each([
    ['sha', digest('sha256'), {}, 'HASH_ALGORITHM_UNKNOWN'],
    ['sha', digest('sha3-256'), { version: 'sha3-256' }, 'HASH_ALGORITHM_UNSUPPORTED'],
    ['scrypt', ofScrypt, {}, 'PASSWORD_HASH_INVALID'],
    ['scrypt', ofScrypt, { ...SCRYPT, costCpu: 1000 }, 'PASSWORD_HASH_INVALID'],
    ['scrypt', ofScrypt, { ...SCRYPT, costMemory: -1 }, 'PASSWORD_HASH_INVALID'],
    ['scrypt', 'not hex', SCRYPT, 'PASSWORD_HASH_INVALID'],
    ['scryptMod', 'aGFzaA==', {}, 'PASSWORD_HASH_INVALID'],
    ['argon2', '{"data":"x","method":"aes-128-gcm"}', {}, 'HASH_ENCRYPTED'],
  ])('reports what is wrong with %s %s', (hash, password, hashOptions, problem) => {
    const read = appwritePassword({ hash, password, hashOptions }, {});
    expect(read).toMatchObject({ problem });
    expect(JSON.stringify(read)).not.toContain(password);
  });

  it('accepts a plain password only if it is marked as one', () => {
    expect(appwritePassword({ hash: 'plaintext', password: 'x' }, {})).toEqual({ plainText: 'x' });
    expect(appwritePassword({ hash: '', password: '' }, {})).toBeUndefined();
  });
});

describe('appwrite', () => {
  it('joins the list of identities', () => {
    const list = tableOf(
      'json',
      [
        {
          $id: 'i1',
          userId: 'u1',
          provider: 'google',
          providerUid: '110',
          providerEmail: 'g@example.com',
          providerAccessToken: 'ya29',
        },
      ],
      {
        name: 'identities',
      },
    );
    const { users } = readOne({ email: '', password: '' }, list);
    expect(users[0]).toMatchObject({
      state: undefined,
      identities: [{ provider: 'google', userId: '110', email: 'g@example.com' }],
    });
    expect(JSON.stringify(users)).not.toContain('ya29');
  });

  it('reads its database, whose hashes are encrypted', () => {
    const { status, $id, ...rest } = USER;
    const row = {
      ...rest,
      _uid: 'u1',
      status: '0',
      password: '{"data":"x"}',
      prefs: '{"a":1}',
      emailVerification: '1',
    };
    const { form, users } = readUsers(appwrite, [tableOf('sql', [row], { name: '_1_users' })]);
    expect(form.name).toBe('appwrite-tables');
    expect(users[0]).toMatchObject({
      externalUserId: 'u1',
      state: 'DISABLED',
      isVerified: true,
      metadata: { prefs: { a: 1 } },
    });
  });

  it('counts what cannot be imported', () => {
    expect(readOne({ phone: '+1', mfa: true, labels: ['vip'] }).dropped).toEqual({
      'phone numbers': 1,
      mfa: 1,
      roles: 1,
    });
  });

  it('gives advice about the signer key, the version of SHA, and missing hashes', () => {
    const adviceOn = (more: object) =>
      readUsers(appwrite, [tableOf('json', [{ ...USER, ...more }])]).advice.join(' ');
    const said = adviceOn({ hash: 'scryptMod', password: 'x', hashOptions: { signerKey: 'c2VjcmV0' } });
    expect(said).toContain('external_password_hashing_signer_key');
    expect(said).not.toContain('c2VjcmV0');
    expect(adviceOn({ hash: 'sha', password: 'x' })).toContain('shaVersion');
    expect(adviceOn({})).toContain('GET /users');
  });
});

it('joins identities to users of the same project if projects share tables', () => {
  const user = {
    _uid: 'admin',
    email: 'a@example.com',
    emailVerification: '1',
    registration: '2025-01-01',
    prefs: '{}',
  };
  const identity = { provider: 'google', userId: 'admin' };
  const { users } = readUsers(appwrite, [
    tableOf(
      'sql',
      [
        { ...user, _tenant: '1' },
        { ...user, _tenant: '2' },
      ],
      { name: '_users' },
    ),
    tableOf(
      'sql',
      [
        { ...identity, _tenant: '1', providerUid: 'g1' },
        { ...identity, _tenant: '2', providerUid: 'g2' },
      ],
      { name: 'identities' },
    ),
    // Sessions have a provider, too.
    tableOf('sql', [{ ...identity, _tenant: '1', providerUid: 's1', userAgent: '' }], { name: '_sessions' }),
  ]);
  expect(users.map(({ identities }) => identities?.map(({ userId }) => userId))).toEqual([['g1'], ['g2']]);
});

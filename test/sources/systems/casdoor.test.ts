import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { casdoor, passwordOf } from '../../../src/sources/systems/casdoor.ts';
import { acceptedHash, readOne, readUsers, tableOf } from './read-users.ts';

const ADA = {
  owner: 'shop',
  name: 'ada',
  id: 'u1',
  email: 'ada@example.com',
  password: `$2a$04$${'a'.repeat(53)}`,
  password_type: 'bcrypt',
  password_salt: 's',
  is_forbidden: 'f',
  is_deleted: 'f',
  signup_application: 'app',
};
const usersOf = (...records: object[]) =>
  tableOf(
    'sql',
    records.map((record) => ({ ...ADA, ...record })),
    { name: 'public.user' },
  );
const organizationOf = (record: object) =>
  tableOf(
    'sql',
    [
      {
        owner: 'admin',
        name: 'shop',
        password_type: 'salt',
        password_salt: 'pepper',
        master_password: 'm',
        ...record,
      },
    ],
    { name: 'public.organization' },
  );
const readWith = (record: object, organization: object) =>
  readUsers(casdoor, [usersOf(record), organizationOf(organization)]).users[0];

it('takes password type and salt from the organisation if the user has none', () => {
  const hash = createHash('sha256').update(`${createHash('sha256').update('secret').digest('hex')}pepper`);
  const password = hash.digest('hex');
  const read = readWith({ password, password_type: '', password_salt: '' }, {})?.password;
  expect(read).toEqual(passwordOf({ encoded: password, type: 'salt', salt: 'pepper' }));
  expect(readOne(casdoor, usersOf({ password, password_type: '' })).password).toMatchObject({
    problem: 'HASH_ALGORITHM_UNKNOWN',
  });
});

describe('a password', () => {
  const digest = (name: string, text: string) => createHash(name).update(text).digest('hex');

  it.each([
    ['salt', 's', digest('sha256', 'x'), 'xenforo-sha256'],
    ['salt', undefined, digest('sha256', 'x'), 'hex-sha256'],
    ['md5-salt', 's', digest('md5', 'x'), 'vbulletin'],
    ['md5-salt', undefined, digest('md5', 'x'), 'hex-md5'],
    ['sha512-salt', 's', digest('sha512', 'x'), 'casdoor-sha512'],
    ['sha512-salt', undefined, digest('sha512', 'x'), 'hex-sha512'],
    ['pbkdf2-salt', 'c2FsdA==', Buffer.alloc(64).toString('base64'), 'pbkdf2'],
    ['pbkdf2-django', 's', `pbkdf2_sha256$260000$s$${Buffer.alloc(32).toString('base64')}`, 'django-pbkdf2'],
  ])('of type %s with the salt %s is read as a family', (type, salt, encoded, family) => {
    expect(acceptedHash(passwordOf({ encoded, type, salt })).algorithm).toBe(family);
  });

  it.each([
    ['scrypt', 's', 'x', 'HASH_ALGORITHM_UNSUPPORTED'],
    ['sha512-salt', 's', 'no digits', 'PASSWORD_HASH_INVALID'],
    ['constructor', 's', 'x', 'HASH_ALGORITHM_UNSUPPORTED'],
    ['salt', 's', 'no digits', 'PASSWORD_HASH_INVALID'],
    ['bcrypt', 's', '***', 'HASH_REDACTED'],
  ])('of type %s with the salt %s is unusable', (type, salt, encoded, problem) => {
    expect(passwordOf({ encoded, type, salt })).toMatchObject({ problem });
  });

  it('may be plain text, but a user of a directory has none', () => {
    expect(passwordOf({ encoded: 'x', type: 'plain', salt: undefined })).toEqual({ plainText: 'x' });
    const user = readOne(casdoor, usersOf({ ldap: 'uuid-1' }));
    expect(user.password).toBeUndefined();
    expect(user.identities).toEqual([{ provider: 'ldap', userId: 'uuid-1', isSso: true }]);
  });

  it('uses the part of a salt that Casdoor can read as base64', () => {
    const saltOf = (salt: string) =>
      (passwordOf({ encoded: 'AA==', type: 'pbkdf2-salt', salt }) as { encoded: string }).encoded.split(
        '$',
      )[3];
    expect(saltOf('c2FsdA==')).toBe('c2FsdA');
    expect(saltOf('c2FsdHh')).toBe('c2Fs');
    expect(saltOf('-')).toBe('');
  });
});

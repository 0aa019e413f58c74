import { createHash, scryptSync } from 'node:crypto';
import { expect, it } from 'vitest';
import { customHash } from '../../../src/sources/systems/auth0-custom-hash.ts';
import { verifies } from './read-users.ts';

const PASSWORD = 'pässwörd';
const verifiesCustom = (custom: Record<string, unknown>, password = PASSWORD) =>
  verifies(customHash(custom), password);

it.each(['utf16le', 'ucs2'])('a digest of a password in %s is read', async (encoding) => {
  const value = createHash('sha1').update(Buffer.from(PASSWORD, 'utf16le')).digest('base64');
  const custom = { algorithm: 'sha1', hash: { value, encoding: 'base64' }, password: { encoding } };
  expect(await verifiesCustom(custom)).toBe(true);
  expect(await verifiesCustom(custom, 'other')).toBe(false);
});

it('a salt in base64 and a hash in upper-case digits are read', async () => {
  const value = createHash('md5').update(`${PASSWORD}abc`).digest('hex').toUpperCase();
  const salt = { value: 'YWJj', encoding: 'base64', position: 'suffix' };
  expect(await verifiesCustom({ algorithm: 'md5', hash: { value }, salt })).toBe(true);
});

it('MD4 is read, which in UTF-16 is the hash of Windows', async () => {
  // MD4 of `password`, in UTF-8 and in UTF-16.
  const plain = { algorithm: 'md4', hash: { value: '8A9D093F14F8701DF17732B2BB182C74', encoding: 'hex' } };
  const windows = {
    ...plain,
    hash: { value: '8846f7eaee8fb117ad06bdd830b7586c' },
    password: { encoding: 'ucs2' },
  };
  expect(await verifiesCustom(plain, 'password')).toBe(true);
  expect(await verifiesCustom(windows, 'password')).toBe(true);
});

it('scrypt has defaults, and a hash of the stated length', async () => {
  const derived = scryptSync(PASSWORD, 'salt', 32).toString('base64');
  const scrypt = {
    algorithm: 'scrypt',
    hash: { value: derived, encoding: 'base64' },
    salt: { value: 'salt' },
  };
  expect(await verifiesCustom({ ...scrypt, keylen: 32 })).toBe(true);
  expect(customHash({ ...scrypt, keylen: 64 })).toMatchObject({ problem: 'PASSWORD_HASH_INVALID' });
});

const BCRYPT = { value: '$2b$10$KwBCUpZQPBObDVE4SuTLtukI.XMW9g4AU.7xkMPvKPOQckh7hN0J2' };

it.each([
  ['bcrypt over a salt and the password', { algorithm: 'bcrypt', hash: BCRYPT, salt: { value: 'x' } }],
  ['bcrypt of UTF-16', { algorithm: 'bcrypt', hash: BCRYPT, password: { encoding: 'utf16le' } }],
  ['HMAC with a salt', { algorithm: 'hmac', hash: { value: '00', digest: 'sha1' }, salt: { value: 'x' } }],
  ['HMAC of another digest', { algorithm: 'hmac', hash: { value: '00', digest: 'whirlpool' } }],
  ['MD4 with a salt', { algorithm: 'md4', hash: { value: '00' }, salt: { value: 'x' } }],
])('does not accept %s', (_name, custom) => {
  expect(customHash(custom)).toMatchObject({ problem: 'HASH_ALGORITHM_UNSUPPORTED' });
});

it.each([
  undefined,
  {},
  { algorithm: 'sha1' },
  { algorithm: 'sha1', hash: { value: 'not hex' } },
  { algorithm: 'sha1', hash: { value: '00', encoding: 'base32' } },
  { algorithm: 'sha1', hash: { value: '00' }, salt: { value: 'zz', encoding: 'hex' } },
  { algorithm: 'hmac', hash: { value: '00', digest: 'sha1' } },
])('refuses %j', (custom) => {
  expect(customHash(custom)).toMatchObject({ problem: 'PASSWORD_HASH_INVALID' });
});

it('accepts no other algorithm', () => {
  expect(customHash({ algorithm: 'whirlpool', hash: { value: '00' } })).toMatchObject({
    problem: 'HASH_ALGORITHM_UNKNOWN',
  });
});

import { createHash, createHmac, scryptSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { customHash } from '../../../src/sources/systems/auth0-custom-hash.ts';
import { verifies } from './read-users.ts';

const PASSWORD = 'pässwörd';
const verifiesCustom = (custom: Record<string, unknown>, password = PASSWORD) =>
  verifies(customHash(custom), password);

const sha1 = (...parts: (string | Buffer)[]) =>
  parts.reduce((hash, part) => hash.update(part), createHash('sha1')).digest();

describe('digests', () => {
  it.each(['md5', 'sha1', 'sha256', 'sha512'])(
    '%s is read with the salt before or after the password',
    async (algorithm) => {
      const of = (text: string) => createHash(algorithm).update(text).digest('hex').toUpperCase();
      const before = { value: 'abc', position: 'prefix' };
      const behind = { value: 'YWJj', encoding: 'base64', position: 'suffix' };
      expect(await verifiesCustom({ algorithm, hash: { value: of(`abc${PASSWORD}`) }, salt: before })).toBe(
        true,
      );
      expect(await verifiesCustom({ algorithm, hash: { value: of(`${PASSWORD}abc`) }, salt: behind })).toBe(
        true,
      );
      expect(await verifiesCustom({ algorithm, hash: { value: of(PASSWORD), encoding: 'hex' } })).toBe(true);
      expect(await verifiesCustom({ algorithm, hash: { value: of('other'), encoding: 'hex' } })).toBe(false);
    },
  );

  it.each(['utf16le', 'ucs2'])('a digest of a password in %s is read', async (encoding) => {
    const value = sha1(Buffer.from(PASSWORD, 'utf16le')).toString('base64');
    const custom = { algorithm: 'sha1', hash: { value, encoding: 'base64' }, password: { encoding } };
    expect(await verifiesCustom(custom)).toBe(true);
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
});

it('HMAC with a key, and scrypt with its defaults, are read', async () => {
  const value = createHmac('sha256', 'key').update(PASSWORD).digest('hex');
  const hash = { value, encoding: 'hex', digest: 'sha256', key: { value: '6b6579', encoding: 'hex' } };
  expect(await verifiesCustom({ algorithm: 'hmac', hash })).toBe(true);
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

import { createHash, scryptSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { appwritePassword } from '../../../src/sources/systems/appwrite.ts';
import { acceptedHash } from './read-users.ts';

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

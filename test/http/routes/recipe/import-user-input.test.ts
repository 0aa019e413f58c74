import { describe, expect, it } from 'vitest';
import type { ErrorCode } from '../../../../src/lib/errors.ts';
import { useTestApp } from '../../../support/app.ts';
import { ARGON2, BCRYPT, EXTERNAL_SCRYPT } from '../../../support/example-hashes.ts';
import { failure, IMPORT, importNew, importUser, signInStatus } from '../../../support/service-calls.ts';

const service = await useTestApp();

describe('a hash that could not be verified later', () => {
  const { hash } = BCRYPT;
  const [scrypt, argon] = [EXTERNAL_SCRYPT.hash, ARGON2.hash];
  const EMPTY = ['PASSWORD_HASH_EMPTY', 'Password hash cannot be an empty string'] as const;
  const NO_NAME = ['HASHING_ALGORITHM_EMPTY', 'Hashing Algorithm cannot be an empty string'] as const;
  const NO_FAMILY = ['HASHING_ALGORITHM_UNSUPPORTED', 'Unsupported password hashing algorithm'] as const;
  const invalid = (format: string) =>
    ['PASSWORD_HASH_INVALID', `Password hash is in invalid ${format}`] as const;
  const cost = (why: string) => ['PASSWORD_HASH_COST', `Password hash cost is not allowed: ${why}`] as const;
  const slow = (ms: number) =>
    cost(`takes ${ms} ms by the reference table, above the limit of 2000 ms (hashing_max_ms)`);
  const large = (mib: number) => cost(`needs ${mib} MiB of memory, above the limit of `);
  const length = (bytes: number) => invalid(`BCrypt format: digest must be 23 bytes long, got ${bytes}`);

  it.each<[what: string, hash: string, algorithm: string | undefined, ...(readonly [ErrorCode, string])]>([
    ['empty', '', undefined, ...EMPTY],
    ['white space', ' \t\n', undefined, ...EMPTY],
    ['empty, named', '', 'bcrypt', ...EMPTY],
    ['none known', 'hunter2', undefined, ...invalid('format')],
    ['bare MD5', '5f4dcc3b5aa765d61d8327deb882cf99', undefined, ...invalid('format')],
    ['bcrypt of no variant', `$2$04${hash.slice(6)}`, undefined, ...invalid('BCrypt format')],
    ['bcrypt cut off', hash.slice(0, 41), undefined, ...length(9)],
    ['bcrypt, one more', `${hash}a`, 'bcrypt', ...length(24)],
    ['bcrypt, a stray character', `${hash.slice(0, -1)}!`, undefined, ...invalid('BCrypt format')],
    ['bcrypt with a NUL', `${hash.slice(0, -1)}\0a`, undefined, ...invalid('BCrypt format')],
    ['argon2 cut off', argon.slice(0, 50), undefined, ...invalid('Argon2 format')],
    ['argon2 of no type', argon.replace('argon2id', 'argon2x'), undefined, ...invalid('Argon2 format')],
    ['scrypt cut off', scrypt.slice(0, -9), undefined, ...invalid('External SCrypt format')],
    ['named bcrypt, is argon2', argon, 'bcrypt', ...invalid('BCrypt format')],
    ['named argon2, is bcrypt', hash, 'argon2', ...invalid('Argon2 format')],
    ['named scrypt, is bcrypt', hash, 'external_scrypt', ...invalid('External SCrypt format')],
    ['bcrypt too dear', hash.replace('$04$', '$16$'), undefined, ...slow(3200)],
    ['argon2 with too many passes', argon.replace('t=1', 't=100000'), undefined, ...slow(5625)],
    ['argon2, much of both', argon.replace('m=64,p=1,t=1', 'm=1048576,p=1,t=32'), undefined, ...slow(29492)],
    ['argon2 with too much memory', argon.replace('m=64', 'm=4294967295'), undefined, ...large(4194304)],
    [
      'argon2 with too many lanes',
      argon.replace('m=64,p=1', 'm=131072,p=16384'),
      undefined,
      ...cost('p is above 255, the fixed limit of lanes'),
    ],
    ['scrypt too dear', scrypt.replace('m=14', 'm=20'), 'external_scrypt', ...large(1025)],
    ['empty algorithm', hash, '', ...NO_NAME],
    ['blank algorithm', hash, ' \t', ...NO_NAME],
    ['unknown algorithm', hash, 'md5', ...NO_FAMILY],
    ['algorithm of a prototype', hash, 'constructor', ...NO_FAMILY],
  ])('is refused: %s', async (_what, passwordHash, algorithm, code, message) => {
    const answer = await importUser(service, 'refused@b.c', passwordHash, { hashingAlgorithm: algorithm });
    expect(answer).toMatchObject(failure(400, code, message));
    expect(await signInStatus(service, 'refused@b.c', BCRYPT.password)).toBe('WRONG_CREDENTIALS_ERROR');
    if (passwordHash.trim().length > 20) expect(answer.text).not.toContain(passwordHash.trim().slice(0, 20));
  });

  it('does not replace the stored one', async () => {
    await importNew(service, 'kept@b.c');
    expect((await importUser(service, 'kept@b.c', hash.slice(0, 59))).status).toBe(400);
    expect(await signInStatus(service, 'kept@b.c', BCRYPT.password)).toBe('OK');
  });

  it('is refused if it is external scrypt and no signer key is configured', async () => {
    const keyless = await useTestApp({ signerKey: '' });
    for (const hashingAlgorithm of ['external_scrypt', 'firebase_scrypt', undefined]) {
      const body = { email: 'a@b.c', passwordHash: scrypt, hashingAlgorithm };
      expect(await keyless.send('POST', IMPORT, body)).toMatchObject(
        failure(400, 'SIGNER_KEY_NOT_CONFIGURED', "'external_password_hashing_signer_key' is not configured"),
      );
    }
    expect((await keyless.send('POST', IMPORT, { email: 'a@b.c', passwordHash: hash })).status).toBe(200);
  });
});

describe('an e-mail', () => {
  const at = (length: number) => `${'x'.repeat(length - 4)}@b.c`;

  it.each([
    [' \t\r\nStripped@B.C\u0000\u001f\u0020', 'stripped@b.c'],
    ['ÄÖ@Ü.C', 'äö@ü.c'],
    ['two words@b.c', 'two words@b.c'],
    ['"a@b"@c.d', '"a@b"@c.d'],
    [at(256), at(256)],
    [`${'😀'.repeat(252)}@b.c`, `${'😀'.repeat(252)}@b.c`],
    [`${' '.repeat(300)}padded@b.c`, 'padded@b.c'],
    // Stripped by JavaScript's trim(), but not by Java's.
    ['\u00a0nbsp@b.c\u2003', '\u00a0nbsp@b.c\u2003'],
    ['%_\\@b.c', '%_\\@b.c'],
  ])('is stored in its normal form: %j', async (email, normal) => {
    const { status, body } = await importUser(service, email, BCRYPT.hash);
    expect(status).toBe(200);
    expect(body.user.emails).toEqual([normal]);
    expect(body.user.loginMethods[0].email).toBe(normal);
  });

  it('is the same address in any letter case', async () => {
    const { id } = await importNew(service, 'Case@B.C');
    expect((await importUser(service, ' cASE@b.c ', BCRYPT.hash)).body).toMatchObject({
      didUserAlreadyExist: true,
      user: { id },
    });
  });
});

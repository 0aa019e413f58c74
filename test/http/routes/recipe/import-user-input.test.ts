/** What test/passwords/accept-hash.test.ts and test/users/email.test.ts refuse and accept, as the route answers it. */
import { expect, it } from 'vitest';
import type { ErrorCode } from '../../../../src/lib/errors.ts';
import { useTestApp } from '../../../support/app.ts';
import { ARGON2, BCRYPT, EXTERNAL_SCRYPT } from '../../../support/example-hashes.ts';
import { failure, IMPORT, importNew, importUser, signInStatus } from '../../../support/service-calls.ts';

const service = await useTestApp();
const { hash } = BCRYPT;
const [scrypt, argon] = [EXTERNAL_SCRYPT.hash, ARGON2.hash];

const COST = 'Password hash cost is not allowed: ';
const slow = (ms: number) =>
  `${COST}takes ${ms} ms by the reference table, above the limit of 2000 ms (hashing_max_ms)`;
const large = (mib: number) => `${COST}needs ${mib} MiB of memory, above the limit of `;

it.each<[hash: string, algorithm: string | undefined, code: ErrorCode, message: string]>([
  ['', 'bcrypt', 'PASSWORD_HASH_EMPTY', 'Password hash cannot be an empty string'],
  ['hunter2', undefined, 'PASSWORD_HASH_INVALID', 'Password hash is in invalid format'],
  [
    `${hash.slice(0, -1)}\0a`,
    undefined,
    'PASSWORD_HASH_INVALID',
    'Password hash is in invalid BCrypt format',
  ],
  [hash, 'argon2', 'PASSWORD_HASH_INVALID', 'Password hash is in invalid Argon2 format'],
  [scrypt.slice(0, -9), undefined, 'PASSWORD_HASH_INVALID', 'Password hash is in invalid External SCrypt'],
  [hash, ' \t', 'HASHING_ALGORITHM_EMPTY', 'Hashing Algorithm cannot be an empty string'],
  [hash, 'constructor', 'HASHING_ALGORITHM_UNSUPPORTED', 'Unsupported password hashing algorithm'],
  [hash.replace('$04$', '$16$'), undefined, 'PASSWORD_HASH_COST', slow(3200)],
  [argon.replace('t=1', 't=100000'), undefined, 'PASSWORD_HASH_COST', slow(5625)],
  [argon.replace('m=64,p=1,t=1', 'm=1048576,p=1,t=32'), undefined, 'PASSWORD_HASH_COST', slow(29492)],
  [argon.replace('m=64', 'm=4294967295'), undefined, 'PASSWORD_HASH_COST', large(4194304)],
  [argon.replace('m=64,p=1', 'm=131072,p=16384'), undefined, 'PASSWORD_HASH_COST', `${COST}p is above 255`],
  [scrypt.replace('m=14', 'm=20'), 'external_scrypt', 'PASSWORD_HASH_COST', large(1025)],
])('the hash %j, called %j, is refused: %s', async (passwordHash, algorithm, code, message) => {
  await importNew(service, 'kept@b.c');
  for (const email of ['refused@b.c', 'kept@b.c']) {
    const answer = await importUser(service, email, passwordHash, { hashingAlgorithm: algorithm });
    expect(answer).toMatchObject(failure(400, code, message));
    if (passwordHash.length > 20) expect(answer.text).not.toContain(passwordHash.slice(0, 20));
  }
  expect(await signInStatus(service, 'refused@b.c')).toBe('WRONG_CREDENTIALS_ERROR');
  expect(await signInStatus(service, 'kept@b.c')).toBe('OK');
  await service.database.db.query('truncate users, password_logins');
});

it('external scrypt is refused if no signer key is configured', async () => {
  const keyless = await useTestApp({ signerKey: '' });
  for (const hashingAlgorithm of ['external_scrypt', 'firebase_scrypt', undefined]) {
    const body = { email: 'a@b.c', passwordHash: scrypt, hashingAlgorithm };
    expect(await keyless.send('POST', IMPORT, body)).toMatchObject(
      failure(400, 'SIGNER_KEY_NOT_CONFIGURED', "'external_password_hashing_signer_key' is not configured"),
    );
  }
  expect((await keyless.send('POST', IMPORT, { email: 'a@b.c', passwordHash: hash })).status).toBe(200);
});

it.each([
  [' \t\r\nStripped@B.C\u0000\u001f\u0020', 'stripped@b.c'],
  ['ÄÖ@Ü.C', 'äö@ü.c'],
  [`${'😀'.repeat(252)}@b.c`, `${'😀'.repeat(252)}@b.c`],
  [`${' '.repeat(300)}padded@b.c`, 'padded@b.c'],
  ['%_\\@b.c', '%_\\@b.c'],
])(
  'the e-mail %j is stored in its normal form, and the same address in any letter case',
  async (email, normal) => {
    const { status, body } = await importUser(service, email, hash);
    expect([status, body.user.emails, body.user.loginMethods[0].email]).toEqual([200, [normal], normal]);
    expect((await importUser(service, ` ${normal.toUpperCase()} `, hash)).body).toMatchObject({
      didUserAlreadyExist: true,
      user: { id: body.user.id },
    });
  },
);

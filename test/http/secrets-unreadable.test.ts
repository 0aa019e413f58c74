/** Attempts to read configured secrets byte by byte, with every call that compares a password with a hash. */
import bcrypt from 'bcrypt';
import { describe, expect, it } from 'vitest';
import type { PasswordHash } from '../../src/hashing/verifier.ts';
import { createTestApp, useTestApp } from '../support/app.ts';
import { useTestDatabase } from '../support/database.ts';
import { importLines, ndjson } from '../support/ndjson.ts';
import { IMPORT, signIn, signInStatus, VERIFY } from '../support/service-calls.ts';

const REST_KEY = 'the key of restful_authentication, 40 long';
const PEPPER = 'the pepper of Devise, which is long enough';
const base64 = (text: string) => Buffer.from(text).toString('base64');

const service = await useTestApp({
  config: {
    hashing_secrets: [
      { id: 'REST', algorithms: ['restful-auth'], secret_base64: base64(REST_KEY) },
      {
        id: 'PEPPER',
        algorithm: 'bcrypt-pepper',
        algorithms: ['nextcloud'],
        secret_base64: base64(PEPPER),
      },
    ],
  },
});

/** A hash made from the password, the known part of the secret and a guess of its next byte. */
interface Guess {
  passwordHash: string;
  password: string;
  hashingAlgorithm?: string;
  hashingSecretId?: string;
}
const rightGuess = (secret: string, known: number): Pick<Guess, 'passwordHash' | 'password'> => {
  const password = 'A'.repeat(71 - known);
  return { password, passwordHash: bcrypt.hashSync(password + secret.slice(0, known + 1), 4) };
};

/** Ways to name the family and the secret. Without an id, the service chooses the secret. */
const WAYS = [
  { hashingAlgorithm: 'bcrypt-pepper' },
  { hashingAlgorithm: 'nextcloud' },
  { hashingAlgorithm: 'flask-security' },
  {},
  { hashingAlgorithm: 'bcrypt' },
].flatMap((way) => [way, { ...way, hashingSecretId: 'REST' }, { ...way, hashingSecretId: 'PEPPER' }]);

describe.each([
  ['REST', REST_KEY],
  ['PEPPER', PEPPER],
])('a right guess of the first bytes of %s', (_id, secret) => {
  it.each(WAYS)('is answered like a wrong one: %j', async (way) => {
    for (const known of [0, 1, 14]) {
      const guess = { ...rightGuess(secret, known), ...way };
      const verified = await service.send('POST', VERIFY, guess);
      expect(verified.body).not.toMatchObject({ match: true });
      expect(verified.body).not.toHaveProperty('likelyMistakes');
      expect(verified.body).not.toHaveProperty('matches');

      const { password, ...hash } = guess;
      const email = `${known}@b.c`;
      await service.send('POST', IMPORT, { email, ...hash });
      const streamed = `stream-${known}@b.c`;
      await importLines(service, ndjson({ email: streamed, ...hash }));
      for (const one of [email, streamed]) {
        expect(await signInStatus(service, one, password)).toBe('WRONG_CREDENTIALS_ERROR');
      }
    }
  });
});

it('a secret is refused for families that its entry does not name, with this reason', async () => {
  const passwordHash = bcrypt.hashSync(`password${REST_KEY}`, 4);
  const request = { passwordHash, hashingAlgorithm: 'bcrypt-pepper', hashingSecretId: 'REST' };
  const refusal = {
    status: 400,
    body: {
      code: 'HASHING_SECRET_MISSING',
      message: expect.stringMatching(
        /^the entry of hashingSecretId in 'hashing_secrets' does not serve bcrypt-pepper: /,
      ),
    },
  };
  expect(await service.send('POST', VERIFY, { ...request, password: 'password' })).toMatchObject(refusal);
  expect(await service.send('POST', IMPORT, { ...request, email: 'a@b.c' })).toMatchObject(refusal);
});

it('a legitimate user of a pepper signs in with a password of up to 56 bytes', async () => {
  for (const [length, status] of [
    [8, 'OK'],
    [56, 'OK'],
    [57, 'WRONG_CREDENTIALS_ERROR'],
  ] as const) {
    const password = 'p'.repeat(length);
    const email = `honest-${length}@b.c`;
    const passwordHash = bcrypt.hashSync(password + PEPPER, 4);
    await service.send('POST', IMPORT, { email, passwordHash, hashingAlgorithm: 'devise' });
    expect(await signInStatus(service, email, password)).toBe(status);
  }
});

it('the loss of a configured secret does not reveal who has an account', async () => {
  const database = await useTestDatabase();
  const pepper = { id: 'gone', algorithm: 'bcrypt-pepper', secret_base64: base64(PEPPER) };
  const before = await createTestApp({ database, config: { hashing_secrets: [pepper] } });
  const passwordHash = bcrypt.hashSync(`password${PEPPER}`, 4);
  await before.send('POST', IMPORT, { email: 'a@b.c', passwordHash, hashingAlgorithm: 'devise' });
  await before.app.close();

  const later = await createTestApp({ database });
  const stored = await database.db.query<PasswordHash>(
    'select password_hash as encoded, hash_algorithm as algorithm, hash_secret_id as "secretId" from password_logins',
  );
  // The service does this at each start.
  for (const hash of stored) later.passwords.learn(hash, 1);
  const answer = async (email: string) => {
    const { status, body } = await signIn(later, email, 'password');
    return { ...body, status, message: String(body.message).replace(/request \S+/, 'request') };
  };
  expect(await answer('nobody@b.c')).toEqual(await answer('a@b.c'));
  expect((await answer('nobody@b.c')).status).toBe(500);
  await later.app.close();
});

import { createHmac, randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { useTestApp } from '../../../support/app.ts';
import { failure } from '../../../support/service-calls.ts';

const PATH = '/recipe/user/passwordhash/signer-keys';
const [OWN, SECOND, SHARED] = [randomBytes(64), randomBytes(64), randomBytes(64)];
const PASSPHRASE = 'a passphrase that somebody thought up, of more than 32 letters';
const PEPPER = randomBytes(64);

const service = await useTestApp({
  config: {
    external_password_hashing_signer_key: OWN.toString('base64'),
    hashing_secrets: [
      { id: 'second', algorithms: ['external_scrypt'], secret_base64: SECOND.toString('base64') },
      { id: 'shared', algorithms: ['external_scrypt', 'shiro1'], secret_base64: SHARED.toString('base64') },
      {
        id: 'short',
        algorithms: ['external_scrypt'],
        secret_base64: OWN.subarray(0, 31).toString('base64'),
      },
      {
        id: 'text',
        algorithms: ['external_scrypt'],
        secret_base64: Buffer.from(PASSPHRASE).toString('base64'),
      },
      { id: 'pepper', algorithms: ['bcrypt-pepper'], secret_base64: PEPPER.toString('base64') },
    ],
  },
});

const ask = (nonce: unknown) => service.send('POST', PATH, { nonce });
const newNonce = () => randomBytes(16);

/** Computes a fingerprint as the interface description defines it. */
const fingerprint = (key: Buffer, nonce: Buffer) =>
  createHmac('sha256', key)
    .update(`user-import-core: fingerprint of a signer key, 1\0${key.length}\0`)
    .update(nonce)
    .digest('base64');

it('returns fingerprints of signer keys, and nothing of secrets that could be guessed or are for other families', async () => {
  const nonce = newNonce();
  expect((await ask(nonce.toString('base64'))).body).toEqual({
    status: 'OK',
    signerKeys: [
      { isDefault: true, fingerprint: fingerprint(OWN, nonce) },
      { hashingSecretId: 'second', isDefault: false, fingerprint: fingerprint(SECOND, nonce) },
      { hashingSecretId: 'shared', isDefault: false },
      { hashingSecretId: 'short', isDefault: false },
      { hashingSecretId: 'text', isDefault: false },
    ],
  });
});

it('returns different fingerprints for each nonce', async () => {
  const [one, other] = await Promise.all(
    [newNonce(), newNonce()].map(async (nonce) => (await ask(nonce.toString('base64url'))).text),
  );
  expect(one).not.toBe(other);
});

it.each([
  '',
  Buffer.alloc(15).toString('base64'),
  Buffer.alloc(65).toString('base64'),
  '!'.repeat(24),
  null,
  5,
  'A'.repeat(100_000),
])('refuses the nonce %j', async (nonce) => {
  expect(await ask(nonce)).toMatchObject(
    failure(400, 'FIELD_INVALID', "Field name 'nonce' is invalid in JSON input"),
  );
});

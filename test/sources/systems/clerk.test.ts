import { createHash, pbkdf2Sync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { SourceRecord } from '../../../src/sources/containers/table.ts';
import { clerk, hashOf } from '../../../src/sources/systems/clerk.ts';
import { adviceOf, formNamed, headOf, tablesOfSample, verifies } from './read-users.ts';

const csv = formNamed(clerk, 'clerk-csv');
const PASSWORD = 'pässwörd';

const derived = (salt: string | Buffer, digest: string) => pbkdf2Sync(PASSWORD, salt, 1000, 32, digest);
const SALT = Buffer.from('00ffaa', 'hex');

it.each([
  ['md5', createHash('md5').update(PASSWORD).digest('hex').toUpperCase()],
  ['sha256', createHash('sha256').update(PASSWORD).digest('hex')],
  ['pbkdf2_sha1', `pbkdf2_sha1$1000$not hex$${derived('not hex', 'sha1').toString('hex')}`],
  ['pbkdf2_sha1', `pbkdf2_sha1$1000$00ffaa$${derived(SALT, 'sha1').toString('hex')}$32`],
  ['pbkdf2_sha256', `pbkdf2_sha256$1000$AP+q$${derived(SALT, 'sha256').toString('base64')}`],
  ['pbkdf2_sha256_django', `pbkdf2_sha256$1000$AP+q$${derived('AP+q', 'sha256').toString('base64')}`],
  ['pbkdf2_sha512', `pbkdf2_sha512$1000$00ffaa$${derived('00ffaa', 'sha512').toString('hex')}`],
  ['pbkdf2_sha512_hex', `pbkdf2_sha512_hex$1000$00ffaa$${derived(SALT, 'sha512').toString('hex')}`],
])('the hash matches: %s: %s', async (hasher, digest) => {
  expect(await verifies(hashOf(digest, hasher, {}), PASSWORD)).toBe(true);
});

describe('converted digests', () => {
  it('of Firebase need no signer key in the hash', () => {
    expect(hashOf('aGFzaA==$c2FsdA==$c2VjcmV0$Bw==$8$14', 'scrypt_firebase', {})).toEqual({
      encoded: '$f_scrypt$aGFzaA==$c2FsdA==$m=14$r=8$s=Bw==',
      algorithm: 'external_scrypt',
    });
  });

  it('of Symfony are read', () => {
    expect(hashOf('sha512_symfony$5000$salt$aGFzaA==', 'sha512_symfony', {})).toEqual({
      encoded: '$symfony-sha512$i=5000$c2FsdA==$aGFzaA==',
      algorithm: 'symfony-sha512',
    });
  });

  it('with a pepper leave it out if the service has it', () => {
    const bcrypt = '$2a$10$KwBCUpZQPBObDVE4SuTLtukI.XMW9g4AU.7xkMPvKPOQckh7hN0J2';
    const digest = `${bcrypt}$the pepper`;
    expect(hashOf(digest, 'bcrypt_peppered', {})).toMatchObject({ problem: 'HASH_ALGORITHM_UNSUPPORTED' });
    expect(hashOf(digest, 'bcrypt_peppered', { pepper: 'yes' })).toEqual({
      encoded: bcrypt,
      algorithm: 'bcrypt-pepper',
    });
  });
});

it.each([
  ['md5_salted', 'a$b', 'HASH_ALGORITHM_UNSUPPORTED'],
  ['constructor', 'x', 'HASH_ALGORITHM_UNKNOWN'],
  ['', 'x', 'HASH_ALGORITHM_UNKNOWN'],
  ['scrypt_firebase', 'a$b$c', 'PASSWORD_HASH_INVALID'],
  ['pbkdf2_sha256', 'pbkdf2_sha256$x$AP+q$AP+q', 'PASSWORD_HASH_INVALID'],
  ['pbkdf2_sha256', 'pbkdf2_sha256$1$*$AP+q', 'PASSWORD_HASH_INVALID'],
  ['sha512_symfony', 'x', 'PASSWORD_HASH_INVALID'],
])('refuses %s: %s', (hasher, digest, problem) => {
  expect(hashOf(digest, hasher, {})).toMatchObject({ problem });
});

it('has no hash for awscognito', () => {
  expect(hashOf('awscognito#a#b#c', 'awscognito', {})).toBeUndefined();
});

const row = (changes: SourceRecord) => ({
  id: 'user_1',
  primary_email_address: 'a@b.c',
  verified_email_addresses: 'a@b.c',
  password_digest: '',
  password_hasher: '',
  ...changes,
});

it('gives advice about missing data', async () => {
  expect(csv.details?.api?.missing).toContain('api.clerk.com');
  const [api] = await tablesOfSample('clerk/api-users.json');
  expect(adviceOf(formNamed(clerk, 'clerk-api'), api?.head ?? headOf([]))[0]?.text).toContain('dashboard');
  const hasher = (password_hasher: string) =>
    adviceOf(csv, headOf([row({ password_digest: 'x', password_hasher })], { container: 'csv' })).map(
      ({ text }) => text,
    );
  expect(hasher('scrypt_firebase').join()).toContain('signer key');
  expect(hasher('bcrypt_peppered').join()).toContain('--set pepper=yes');
  expect(hasher('awscognito').join()).toContain('Cognito');
  expect(hasher('bcrypt')).toEqual([]);
  const { password_digest: _digest, ...without } = row({});
  expect(adviceOf(csv, headOf([without], { container: 'csv' }))[0]?.text).toContain('password_digest');
});

import { pbkdf2Sync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { buildRegistry } from '../../../src/hashing/registry.ts';
import type { SourceRecord } from '../../../src/sources/containers/table.ts';
import { keycloak } from '../../../src/sources/systems/keycloak.ts';
import { passwordOf } from '../../../src/sources/systems/keycloak-credential.ts';
import { DEFAULT_LIMITS } from '../../support/vectors.ts';
import { contextOf, formNamed, headOf } from './read-users.ts';

const realm = formNamed(keycloak, 'keycloak-realm');

describe('credentials', () => {
  const salt = Buffer.from('0123456789abcdef');
  const value = pbkdf2Sync('old', salt, 20000, 64, 'sha1').toString('base64');
  const flat = {
    type: 'password',
    hashedSaltedValue: value,
    salt: salt.toString('base64'),
    hashIterations: 20000,
  };

  it.each([undefined, 'pbkdf2', 'HmacSHA1'])('from before version 8 sign in: %s', async (algorithm) => {
    const password = passwordOf({ ...flat, ...(algorithm !== undefined && { algorithm }) });
    if (password === undefined || !('encoded' in password)) throw new Error('no hash');
    const hash = buildRegistry(DEFAULT_LIMITS).named('pbkdf2')?.parse(password.encoded);
    expect(await hash?.verify(Buffer.from('old'))).toBe(true);
    expect(await hash?.verify(Buffer.from('new'))).toBe(false);
  });

  it('in the clear, of another provider, and none', () => {
    expect(passwordOf({ type: 'password', value: 'secret' })).toEqual({ plainText: 'secret' });
    expect(passwordOf({ type: 'password' })).toBeUndefined();
    const bcrypt = '$2a$10$KwBCUpZQPBObDVE4SuTLtukI.XMW9g4AU.7xkMPvKPOQckh7hN0J2';
    const secretData = JSON.stringify({ value: bcrypt, salt: '' });
    expect(passwordOf({ secretData, credentialData: '{"algorithm":"bcrypt","hashIterations":10}' })).toEqual({
      encoded: bcrypt,
      algorithm: 'bcrypt',
    });
  });

  it.each([
    [{ algorithm: 'pbkdf2-sha3' }, 'HASH_ALGORITHM_UNKNOWN'],
    [{ hashIterations: 'many' }, 'PASSWORD_HASH_INVALID'],
    [{ salt: undefined }, 'PASSWORD_HASH_INVALID'],
    [{ algorithm: 'argon2', additionalParameters: { type: ['x'] } }, 'PASSWORD_HASH_INVALID'],
  ])('that cannot be had: %j', (changes, problem) => {
    expect(passwordOf({ ...flat, ...changes })).toMatchObject({ problem });
  });

  it('with argon2 have defaults', () => {
    const secretData = '{"value":"aGFzaA==","salt":"c2FsdA=="}';
    const credentialData =
      '{"algorithm":"argon2","hashIterations":5,"additionalParameters":{"version":["1.0"]}}';
    expect(passwordOf({ secretData, credentialData })).toEqual({
      encoded: '$argon2id$v=16$m=7168,t=5,p=1$c2FsdA$aGFzaA',
      algorithm: 'argon2',
    });
  });
});

const USER = { id: 'u1', username: 'ada@b.c', createdTimestamp: 1546227914789, enabled: true };

it('takes a user name for an address only where told so', () => {
  const emailOf = (settings: Record<string, string>) => realm.read(USER, contextOf({ settings }))?.email;
  expect(emailOf({})).toBeUndefined();
  expect(emailOf({ usernameIsEmail: 'yes' })).toBe('ada@b.c');
});

it('sees through aliases, where the file tells what stands behind them', () => {
  const identities = (root: SourceRecord) => {
    const aliases = ['my-google', 'corp', 'insta', 'github'];
    const federatedIdentities = aliases.map((identityProvider) => ({ identityProvider, userId: '1' }));
    const table = headOf([USER], { name: 'users', root });
    return realm.read({ ...USER, federatedIdentities }, contextOf({ table }))?.identities;
  };
  const identityProviders = [
    { alias: 'my-google', providerId: 'google' },
    { alias: 'corp', providerId: 'saml' },
    { alias: 'insta', providerId: 'instagram' },
    { alias: 'github', providerId: 'oidc' },
  ];
  expect(identities({ realm: 'x', identityProviders })).toEqual([
    { provider: 'google', userId: '1' },
    { provider: 'corp', userId: '1', isSso: true },
    { provider: 'insta', userId: '1', isSso: false },
    { provider: 'github', userId: '1', isSso: true },
  ]);
  expect(identities({})).toEqual([
    { provider: 'my-google', userId: '1', isSso: true },
    { provider: 'corp', userId: '1', isSso: true },
    { provider: 'insta', userId: '1', isSso: true },
    { provider: 'github', userId: '1', isSso: true },
  ]);
});

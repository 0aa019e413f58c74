import { expect, it } from 'vitest';
import { dex } from '../../../src/sources/systems/dex.ts';
import { acceptedHash, formsOf, readOne, readUsers, tableOf } from './read-users.ts';

const HASH = '$2a$10$jox7CGuhb4HpcfDVwYNEtuRrQHUUtC4qW4qZ.ZvPUsJkZpFKd.PI.';
const bytes = (text: string) => `\\x${Buffer.from(text).toString('hex')}`;
const ADA = { email: 'ada@example.com', hash: bytes(HASH), username: 'ada', user_id: 'u1' };
const usersOf = (record: object = {}) => tableOf('sql', [{ ...ADA, ...record }], { name: 'public.password' });
const sessionOf = (record: object) =>
  tableOf(
    'sql',
    [
      {
        user_id: 's',
        connector_id: 'local',
        claims_user_id: 'u1',
        blocked_until: '0001-01-01 00:00:00',
        mfa_secrets: null,
        ...record,
      },
    ],
    { name: 'user_identity' },
  );
const RESOURCE = {
  apiVersion: 'dex.coreos.com/v1',
  kind: 'Password',
  metadata: { name: 'mfsgc' },
  email: 'ada@example.com',
  hash: Buffer.from(HASH).toString('base64'),
  username: 'ada',
  userID: 'u1',
};

it('reads bytes as text, in the spelling of any database', () => {
  for (const hash of [bytes(HASH), HASH])
    expect(acceptedHash(readOne(dex, usersOf({ hash })).password).encoded).toBe(HASH);
  expect(() => acceptedHash(readOne(dex, usersOf({ hash: '\\xff00' })).password)).toThrow();
});

it('reads resources of Kubernetes', () => {
  const user = readOne(dex, tableOf('json', [{ ...RESOURCE, emailVerified: true }]));
  expect(acceptedHash(user.password).encoded).toBe(HASH);
  expect(user).toMatchObject({ externalUserId: 'u1', email: 'ada@example.com', isVerified: true });
  expect(formsOf(dex, tableOf('json', [{ ...RESOURCE, kind: 'Connector' }]).head)).toEqual([]);
  expect(formsOf(dex, tableOf('json', []).head)).toEqual([]);
});

it('does not assume that an address is verified', () => {
  expect(readOne(dex, usersOf({ email_verified: null })).isVerified).toBeUndefined();
  expect(readOne(dex, usersOf({ email_verified: 'f' })).isVerified).toBe(false);
});

it('counts groups and second factors of its own users only', () => {
  const dropped = (record: object, groups = bytes('null')) =>
    readUsers(dex, [usersOf({ groups }), sessionOf(record)]).dropped;
  expect(dropped({})).toEqual({});
  expect(dropped({}, bytes('["admins"]'))).toEqual({ roles: 1 });
  expect(dropped({ mfa_secrets: bytes('{"totp":{"secret":"x"}}') })).toEqual({ mfa: 1 });
  expect(dropped({ webauthn_credentials: bytes('{"key":[{"id":"x"}]}') })).toEqual({ mfa: 1 });
  expect(dropped({ mfa_secrets: bytes('{"totp":{}}'), connector_id: 'github' })).toEqual({});
});

import { expect, it } from 'vitest';
import { hanko } from '../../../src/sources/systems/hanko.ts';
import { formsOf, readOne, readUsers, type TestTable, tableOf } from './read-users.ts';

const table = (name: string, ...records: object[]) =>
  tableOf('sql', records as TestTable['records'], { name: `public.${name}` });
const TIMES = { created_at: '2025-03-04 05:06:07.89', updated_at: '2025-03-04 05:06:07.89' };
const USERS = table('users', { id: 'u1', ...TIMES });
const EMAILS = table(
  'emails',
  { id: 'e1', user_id: 'u1', address: 'second@example.com', verified: 't' },
  { id: 'e2', user_id: 'u1', address: 'first@example.com', verified: 'f' },
);
const PRIMARY = table('primary_emails', { id: 'p', email_id: 'e2', user_id: 'u1' });
const identityOf = (record: object) =>
  table('identities', { id: 'i', provider_id: 'google', provider_user_id: 'g1', ...record });

const readWith = (...tables: TestTable[]) => readUsers(hanko, [USERS, EMAILS, PRIMARY, ...tables]);

it('accepts the table users only with evidence of Hanko', () => {
  expect(formsOf(hanko, USERS.head)).toEqual([]);
  const newest = {
    ...USERS.head,
    columns: new Set([...USERS.head.columns, 'tenant_id', 'name', 'family_name', 'given_name', 'picture']),
  };
  expect(formsOf(hanko, newest)).toEqual(['hanko-tables']);
});

it('signs in with the primary address, which may be unconfirmed', () => {
  expect(readWith().users[0]).toMatchObject({
    email: 'first@example.com',
    emails: ['second@example.com', 'first@example.com'],
    isVerified: false,
  });
});

it('finds identities by user or, in older versions, by address, and keeps only claims', () => {
  const data = '{"email":"ada@gmail.example","email_verified":true,"access_token":"ya29"}';
  for (const key of [{ user_id: 'u1' }, { user_id: null, email_id: 'e1' }, { email_id: 'e2' }]) {
    const identities = identityOf({ ...key, data });
    expect(readWith(identities).users[0]?.identities).toEqual([
      { provider: 'google', userId: 'g1', email: 'ada@gmail.example', isVerified: true, isSso: false },
    ]);
    expect(JSON.stringify(readWith(identities))).not.toContain('ya29');
  }
  const saml = table('saml_identities', { id: 's', identity_id: 'i' });
  expect(readWith(identityOf({ user_id: 'u1' }), saml).users[0]?.identities?.[0]?.isSso).toBe(true);
});

it.each([
  ['otp_secrets', { user_id: 'u1', secret: 'JBSWY3DPEHPK3PXP' }],
  ['webauthn_credentials', { user_id: 'u1', public_key: 'pQECAyYgASFY' }],
])('counts %s once, and keeps nothing of them', (name, record) => {
  const read = readWith(table(name, record, record));
  expect(read.dropped).toEqual({ mfa: 1 });
  expect(JSON.stringify(read.users)).not.toMatch(/JBSW|pQEC/);
});

it('imports one tenant if it is named', () => {
  const users = table(
    'users',
    { id: 'u1', tenant_id: 't1', ...TIMES },
    { id: 'u2', tenant_id: 't2', ...TIMES },
  );
  const all = readUsers(hanko, [users, PRIMARY]);
  expect(all.users).toHaveLength(2);
  const one = readUsers(hanko, [users, PRIMARY], { settings: { realm: 't2' } });
  expect(one.users.map(({ externalUserId }) => externalUserId)).toEqual(['u2']);
  expect(one.dropped).toEqual({ 'other tenants': 1 });
});

it('gives advice where the signer key is', () => {
  const passwords = table('password_credentials', {
    user_id: 'u1',
    password: '$fbscrypt$v=1,n=14,r=8,p=1,ss=Bw==,sk=a2V5$c2FsdA==$aGFzaA==',
  });
  const { users, advice } = readWith(passwords);
  expect(advice.join()).toContain('sk=');
  expect(users[0]?.password).toMatchObject({ algorithm: 'external_scrypt' });
  expect(JSON.stringify(users)).not.toContain('a2V5');
});

it('reads the input of hanko user import', () => {
  const entry = {
    user_id: 'u1',
    emails: [
      { address: 'b@example.com', is_primary: false, is_verified: true },
      { address: 'a@example.com', is_primary: true, is_verified: false },
    ],
    password: { password: `$2a$04$${'a'.repeat(53)}` },
    otp_secret: { secret: 'JBSWY3DPEHPK3PXP' },
  };
  const { users, dropped, advice } = readUsers(hanko, [tableOf('json', [entry])]);
  expect(users[0]).toMatchObject({
    email: 'a@example.com',
    isVerified: false,
    password: { algorithm: 'bcrypt' },
  });
  expect(dropped).toEqual({ mfa: 1 });
  expect(advice).toEqual([]);
  expect(formsOf(hanko, tableOf('json', [{ ...entry, name: 'x' }]).head)).toEqual([]);
  expect(readOne(hanko, tableOf('json', [{ ...entry, emails: [] }, entry])).email).toBeUndefined();
});

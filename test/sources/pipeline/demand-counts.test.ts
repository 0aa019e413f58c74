import { expect, it } from 'vitest';
import { Tally } from '../../../src/sources/pipeline/tally.ts';
import { fileOf } from '../containers/read-whole.ts';
import { planOf, verdictsOf } from '../samples.ts';

const BCRYPT = '$2b$04$Kk3X1dQv5vQ1mJ0m8w7jzeF3r1m0nq1n0uJx3T2XvX0X0o7p5yq9K';

async function droppedOf(texts: readonly string[], options: Record<string, string> = {}) {
  const files = texts.map((text, index) => ({ ...fileOf(text), name: `file ${index}` }));
  const tally = new Tally();
  await verdictsOf(await planOf({ files, options }), { tally });
  return Object.fromEntries(tally.dropped);
}

const copy = (table: string, rows: readonly Record<string, string>[]) =>
  [
    'SET standard_conforming_strings = on;',
    `COPY public.${table} (${Object.keys(rows[0] ?? {}).join(', ')}) FROM stdin;`,
    ...rows.map((row) => Object.values(row).join('\t')),
    '\\.\n',
  ].join('\n');

const csv = (...rows: readonly Record<string, string>[]) =>
  [Object.keys(rows[0] ?? {}), ...rows.map((row) => Object.values(row))]
    .map((row) => row.join(','))
    .join('\n');

it('counts users of Django by the tables of allauth and django-otp, each once', async () => {
  const user = (id: string) => ({
    ...{ id, password: 'pbkdf2_sha256$1000$salt$aGFzaA==', last_login: '\\N', is_superuser: 'f' },
    ...{ username: id, email: `u${id}@example.org`, is_active: 't', date_joined: '2024-01-15 10:30:00+00' },
  });
  const dump = [
    copy('auth_user', [user('1'), user('2'), user('3'), user('4')]),
    copy('mfa_authenticator', [
      { id: '1', type: 'totp', data: '{}', user_id: '1' },
      { id: '2', type: 'recovery_codes', data: '{}', user_id: '1' },
    ]),
    copy('otp_totp_totpdevice', [
      { id: '1', name: 'phone', confirmed: 't', key: 'ab', user_id: '2' },
      { id: '2', name: 'phone', confirmed: 'f', key: 'ab', user_id: '3' },
    ]),
  ].join('\n');
  expect(await droppedOf([dump])).toEqual({ mfa: 2 });
});

it('uses a file of second factors beside the users', async () => {
  const users = csv(
    {
      id: 'u1',
      email: 'a@x',
      encrypted_password: BCRYPT,
      raw_user_meta_data: '{}',
      created_at: '2024-01-15',
    },
    {
      id: 'u2',
      email: 'b@x',
      encrypted_password: BCRYPT,
      raw_user_meta_data: '{}',
      created_at: '2024-01-15',
    },
  );
  const factors = csv(
    { id: 'f1', user_id: 'u1', factor_type: 'webauthn', status: 'verified', secret: '' },
    { id: 'f2', user_id: 'u2', factor_type: 'totp', status: 'unverified', secret: 's' },
  );
  expect(await droppedOf([users, factors])).toEqual({ mfa: 1 });
});

it('leaves columns to a system that interprets them', async () => {
  const user = { email: 'a@x', password: BCRYPT, is_authorized: 't', otp_secret: 'DPJQ3FYM3XYR4RFA' };
  const rows = [
    { id: '1', username: 'ada', ...user, has_2fa: 'f' },
    { id: '2', username: 'two', ...user, has_2fa: 't' },
  ];
  for (const text of [csv(...rows), JSON.stringify(rows), copy('users_info', rows)])
    expect(await droppedOf([text])).toEqual({ mfa: 1 });
});

it('counts the columns of any table, once for each user', async () => {
  const user = { email: 'a@x', hash: BCRYPT };
  const rows = [
    { id: '1', ...user, has_2fa: 'true', totp_secret: 'x' },
    { id: '2', ...user, has_2fa: 'false', totp_secret: '' },
    { id: '3', ...user, has_2fa: 'false', totp_secret: '' },
  ];
  const expected = { mfa: 1 };
  expect(await droppedOf([csv(...rows)])).toEqual(expected);
  expect(await droppedOf([JSON.stringify(rows)])).toEqual(expected);
});

it('counts users by a table of second factors that the system does not declare', async () => {
  const user = (id: string) => ({ id, email: `u${id}@example.org`, password_hash: BCRYPT });
  const dump = [
    copy('users', [user('1'), user('2'), user('3')]),
    copy('user_two_factor', [
      { id: '1', user_id: '1', confirmed: 't' },
      { id: '2', user_id: '1', confirmed: 't' },
      { id: '3', user_id: '2', confirmed: 'f' },
    ]),
  ].join('\n');
  expect(await droppedOf([dump])).toEqual({ mfa: 1 });
});

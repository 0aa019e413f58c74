import { describe, expect, it } from 'vitest';
import type { SourceRecord } from '../../../src/sources/containers/table.ts';
import { auth0 } from '../../../src/sources/systems/auth0.ts';
import {
  adviceOf,
  contextOf,
  formNamed,
  formsOf,
  headOf,
  jsonTablesOf,
  readTables,
  type TestTable,
} from './read-users.ts';

const users = formNamed(auth0, 'auth0-ndjson');
const csv = formNamed(auth0, 'auth0-csv');
const passwords = formNamed(auth0, 'auth0-password-export');

const HASH = '$2b$10$KwBCUpZQPBObDVE4SuTLtukI.XMW9g4AU.7xkMPvKPOQckh7hN0J2';
const hashLine = (changes: SourceRecord) => ({
  passwordHash: HASH,
  connection: 'Users',
  tenant: 't',
  ...changes,
});
const table = (records: SourceRecord[], about = {}): TestTable => ({
  head: headOf(records, about),
  records,
});

it.each(['_id', '_ID'])('reads the id of a hash from %s, resolved or not', (name) => {
  const id = '5efefa82d16c1b9849c5b66c';
  for (const value of [id, { $oid: id }]) {
    const record = hashLine({ [name]: value, email: 'a@b.c' });
    expect(formsOf(auth0, headOf([record]))).toEqual(['auth0-password-export']);
    expect(passwords.read(record, contextOf())).toMatchObject({
      externalUserId: `auth0|${id}`,
      timeJoinedMs: 0x5efefa82 * 1000,
      password: { encoded: HASH, algorithm: 'bcrypt' },
    });
  }
});

it('rejects hashes that may belong to anybody', () => {
  expect(
    formsOf(auth0, headOf([{ _id: '5efefa82d16c1b9849c5b66c', passwordHash: HASH, email: 'a@b.c' }])),
  ).toEqual([]);
  expect(formsOf(auth0, headOf([{ user_id: '12', email: 'a@b.c' }]))).toEqual([]);
  expect(formsOf(auth0, headOf([{ email: 'a@b.c', password_hash: HASH }]))).toEqual([]);
});

it('finds the hash of a linked account, with its own address', () => {
  const record = {
    user_id: 'google-oauth2|1',
    email: 'ada@gmail.example',
    email_verified: true,
    identities: [
      { provider: 'google-oauth2', user_id: '1', connection: 'google-oauth2' },
      {
        provider: 'auth0',
        user_id: 'x1',
        connection: 'Users',
        profileData: { email: 'ada@work.example', email_verified: false },
      },
    ],
  };
  const hashes = table([hashLine({ alt_id: 'x1', _id: '5efefa82d16c1b9849c5b66c' })]);
  expect(readTables(users, [table([record]), hashes]).users).toEqual([
    expect.objectContaining({
      externalUserId: 'google-oauth2|1',
      email: 'ada@work.example',
      isVerified: false,
      password: { encoded: HASH, algorithm: 'bcrypt' },
      identities: [{ provider: 'google-oauth2', userId: '1', email: 'ada@gmail.example', isVerified: true }],
    }),
  ]);
});

it('identifies enterprises by their connection, and providers by their name', () => {
  const record = {
    user_id: 'samlp|corp|u-77',
    email: 'a@b.c',
    identities: [
      { provider: 'samlp', user_id: 'corp|u-77', connection: 'corp', isSocial: false },
      { provider: 'waad', user_id: 'w-1', connection: 'azure-corp', isSocial: false },
      { provider: 'oauth2', user_id: 'own|3', connection: 'own', isSocial: true },
      { provider: 'email', user_id: 'e', connection: 'email' },
      { provider: 'github', connection: 'github' },
      { user_id: 'no provider' },
    ],
  };
  const { users: read, dropped } = readTables(users, [table([record])]);
  expect(read[0]?.identities).toEqual([
    { provider: 'corp', userId: 'corp|u-77', isSso: true },
    { provider: 'waad', userId: 'w-1' },
    { provider: 'own', userId: 'own|3', isSso: false },
  ]);
  expect(dropped).toEqual({ 'identities without an id': 1 });
});

it('takes the first identity from the id if an export has none', () => {
  const read = (id: string) => users.read({ user_id: id, email: 'a@b.c' }, contextOf())?.identities;
  expect(read('github|1955466')).toEqual([{ provider: 'github', userId: '1955466' }]);
  expect(read('samlp|corp|u-77')).toEqual([{ provider: 'corp', userId: 'corp|u-77', isSso: true }]);
  for (const id of ['auth0|1', 'email|1', 'sms|1', 'none', '|1', 'github|']) expect(read(id)).toEqual([]);
});

describe('CSV with titles chosen by the operator', () => {
  const columns = ['user_id', 'email', 'email_verified', 'created_at', 'blocked', 'phone_number'];
  const cells = ["'auth0|x1", "''quoted'@b.c", 'true', '2020-07-03T09:29:38.123Z', 'true', "'"];
  const record = Object.fromEntries(columns.map((column, at) => [column, cells[at]]));

  it('has one apostrophe stripped, and its hashes joined', () => {
    const tables = [table([record], { container: 'csv' }), table([hashLine({ alt_id: 'x1', _id: 'y' })])];
    expect(formsOf(auth0, headOf([record], { container: 'csv' }))).toEqual(['auth0-csv']);
    expect(readTables(csv, tables).users).toEqual([
      expect.objectContaining({
        externalUserId: 'auth0|x1',
        email: "'quoted'@b.c",
        isVerified: true,
        state: 'DISABLED',
        hasPhone: false,
        timeJoinedMs: Date.UTC(2020, 6, 3, 9, 29, 38, 123),
        password: { encoded: HASH, algorithm: 'bcrypt' },
      }),
    ]);
  });

  it('is rejected if the ids are not those of Auth0', () => {
    for (const id of ['12', "'12", '']) {
      expect(formsOf(auth0, headOf([{ ...record, user_id: id }], { container: 'csv' }))).toEqual([]);
    }
    expect(formsOf(auth0, headOf([{ name: 'auth0|x', email: 'a@b.c' }], { container: 'csv' }))).toEqual([]);
  });
});

it('gives advice about missing data', () => {
  expect(users.details?.hashes?.missing).toContain('support of Auth0');
  const head = headOf([{ user_id: 'auth0|1', email: 'a@b.c' }]);
  const texts = adviceOf(users, head).map(({ text }) => text);
  expect(texts.join()).toContain('blocked');
});

it('reads users of an import file who have another password or none', async () => {
  const [first] = await jsonTablesOf([
    { email: 'a@b.c', custom_password_hash: null, blocked: true, mfa_factors: [{ totp: {} }] },
    { email: 'b@b.c', custom_password_hash: { algorithm: 'bcrypt', hash: { value: HASH } } },
  ]);
  if (first === undefined) throw new Error('no table');
  const form = formNamed(auth0, 'auth0-import-schema');
  expect(formsOf(auth0, first.head)).toEqual(['auth0-import-schema']);
  const { users: read, dropped } = readTables(form, [first]);
  expect(read.map(({ state, password }) => [state, password])).toEqual([
    ['DISABLED', undefined],
    [undefined, { encoded: HASH, algorithm: 'bcrypt' }],
  ]);
  expect(dropped).toEqual({ mfa: 1 });
});

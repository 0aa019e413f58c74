import { expect, it } from 'vitest';
import type { SourceRecord } from '../../../src/sources/containers/table.ts';
import { cognito } from '../../../src/sources/systems/cognito.ts';
import { adviceOf, formNamed, formsOf, headOf, readTables } from './read-users.ts';

const list = formNamed(cognito, 'cognito-list-users');
const csv = formNamed(cognito, 'cognito-csv');

const attributes = (members: Record<string, unknown>) =>
  Object.entries(members).map(([Name, Value]) => ({ Name, Value }));
const user = (changes: SourceRecord, of: Record<string, unknown> = {}): SourceRecord => ({
  Username: 'ada',
  Attributes: attributes({ sub: 's-1', email: 'a@b.c', ...of }),
  UserStatus: 'CONFIRMED',
  UserCreateDate: '2018-11-02T06:43:41.456000+00:00',
  ...changes,
});
const read = (record: SourceRecord) => {
  const { users, dropped } = readTables(list, [{ head: headOf([record]), records: [record] }]);
  return { ...users[0], dropped };
};

it.each([
  ['2018-11-02T06:43:41.456000+00:00', 1541141021456],
  ['2018-11-02T08:43:41.456000+02:00', 1541141021456],
  [1541141021.456, 1541141021456],
])('reads the date of the CLI: %j', (UserCreateDate, ms) => {
  expect(read(user({ UserCreateDate })).timeJoinedMs).toBe(ms);
});

it.each([
  [{ Enabled: false }, 'DISABLED'],
  [{ UserStatus: 'ARCHIVED' }, 'DISABLED'],
  [{ UserStatus: 'COMPROMISED' }, 'DISABLED'],
  [{ UserStatus: 'FORCE_CHANGE_PASSWORD', Enabled: true }, undefined],
  [{ UserStatus: 'UNCONFIRMED' }, undefined],
])('reads the state of %j', (changes, state) => {
  expect(read(user(changes)).state).toBe(state);
});

it('takes ids at providers from their list, as text or number', () => {
  const identities = JSON.stringify([
    { userId: 1129, providerName: 'Google', providerType: 'Google', dateCreated: 1544557835000 },
    { userId: 'u-1', providerName: 'Corp', providerType: 'SAML' },
    { userId: 'o-1', providerName: 'Google', providerType: 'OIDC' },
    { userId: 'a.1', providerName: 'SignInWithApple', providerType: 'SignInWithApple' },
    { providerName: 'Facebook', providerType: 'Facebook' },
  ]);
  const { identities: found, dropped } = read(
    user({ Username: 'google_1129' }, { identities, phone_number: '+1555' }),
  );
  expect(found).toEqual([
    { provider: 'Google', userId: '1129', isSso: false },
    { provider: 'Corp', userId: 'u-1', isSso: true },
    { provider: 'Google', userId: 'o-1', isSso: true },
    { provider: 'SignInWithApple', userId: 'a.1', isSso: false },
  ]);
  expect(dropped).toEqual({ 'identities without an id': 1, 'phone numbers': 1 });
  for (const wrong of ['', '{', '{}', '[1]', null])
    expect(read(user({}, { identities: wrong })).identities).toEqual([]);
});

it('reads the output of admin-get-user, one user a line', () => {
  const { Attributes, ...rest } = user({});
  const record = { ...rest, UserAttributes: Attributes, MFAOptions: [{ DeliveryMedium: 'SMS' }] };
  expect(formsOf(cognito, headOf([record]))).toEqual([list.name]);
  expect(read(record)).toMatchObject({ externalUserId: 's-1', dropped: { mfa: 1 } });
});

it('keeps attributes as metadata, except those that have a field or do not describe the person', () => {
  const of = { name: 'Ada', 'custom:plan': 'pro', email_verified: 'true', updated_at: '1', locale: '' };
  expect(read(user({}, of)).metadata).toEqual({ name: 'Ada', 'custom:plan': 'pro', username: 'ada' });
  const hostile = user({ Attributes: JSON.parse('[{"Name":"__proto__","Value":{"email":"x"}}]') });
  expect(read(hostile)).toMatchObject({ email: undefined, externalUserId: 'ada' });
});

it('takes sub as the id in a CSV that has it', () => {
  const record = {
    sub: 's-1',
    email: 'a@b.c',
    email_verified: 'TRUE',
    'cognito:mfa_enabled': 'TRUE',
    'cognito:username': 'ada',
  };
  const head = headOf([record], { container: 'csv' });
  expect(formsOf(cognito, head)).toEqual([csv.name]);
  const { users, dropped } = readTables(csv, [{ head, records: [record] }]);
  expect(users[0]).toMatchObject({
    externalUserId: 's-1',
    isVerified: true,
    metadata: { username: 'ada' },
  });
  expect(dropped).toEqual({ mfa: 1 });
});

it('gives advice that there are no hashes', () => {
  expect(adviceOf(list, headOf([user({})]))[0]?.text).toContain('never gives hashes away');
  expect(adviceOf(csv, headOf([{ 'cognito:username': 'a' }], { container: 'csv' }))).toHaveLength(1);
});

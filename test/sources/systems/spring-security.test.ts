import { describe, expect, it } from 'vitest';
import { springSecurity } from '../../../src/sources/systems/spring-security.ts';
import { formsOf, headOf, readOne, readUsers, type TestTable, tableOf } from './read-users.ts';

const ADA = { username: 'ada@example.com', password: `{bcrypt}$2a$04$${'a'.repeat(53)}`, enabled: 't' };
const usersOf = (record: object) => tableOf('sql', [{ ...ADA, ...record }], { name: 'public.users' });
const AUTHORITIES = tableOf('sql', [{ USERNAME: 'ada@example.com', AUTHORITY: 'ROLE_USER' }], {
  name: 'PUBLIC.AUTHORITIES',
});

it('accepts the three columns of the default schema in any case, and more columns only with evidence of Spring', () => {
  expect(formsOf(springSecurity, usersOf({}).head)).toEqual(['spring-security-tables']);
  const inUpperCase = headOf([], {
    container: 'sql',
    name: 'U.USERS',
    columns: ['USERNAME', 'PASSWORD', 'ENABLED'],
  });
  expect(formsOf(springSecurity, inUpperCase)).toEqual(['spring-security-tables']);
  expect(formsOf(springSecurity, usersOf({ id: '1' }).head)).toEqual(['spring-security-tables']);
  const other = usersOf({ id: '1', password: '$2a$04$' });
  expect(formsOf(springSecurity, other.head)).toEqual([]);
  expect(readUsers(springSecurity, [other, AUTHORITIES]).users).toHaveLength(1);
  expect(formsOf(springSecurity, { ...usersOf({}).head, name: 'members' })).toEqual([]);
});

it.each([
  [{ enabled: 'true' }, undefined],
  [{ enabled: '1' }, undefined],
  [{ enabled: 'f' }, 'DISABLED'],
  [{ enabled: null }, 'DISABLED'],
  [{ enabled: 'suspended' }, { column: 'enabled', word: 'suspended' }],
  [{ account_non_locked: 'f' }, 'DISABLED'],
  [{ account_non_expired: null }, 'DISABLED'],
  [{ acc_locked: 't' }, 'DISABLED'],
  [{ credentials_expired: 'maybe' }, { column: 'credentials_expired', word: 'maybe' }],
  [{ ACC_LOCKED: 't' }, 'DISABLED'],
  [{ account_locked: 'f', account_non_locked: 't' }, undefined],
])('%j has the state %s', (record, state) => {
  expect(readOne(springSecurity, usersOf(record)).state).toEqual(state);
});

it('counts authorities, whatever the case of their columns', () => {
  expect(readUsers(springSecurity, [usersOf({}), AUTHORITIES]).dropped).toEqual({ roles: 1 });
});

it('disables users without authorities of their own or of a group, as Spring does', () => {
  const memberOf = (username: string) =>
    tableOf('sql', [{ username, group_id: '1' }], { name: 'public.group_members' });
  const other = tableOf('sql', [{ username: 'b@example.com', authority: 'ROLE_USER' }], {
    name: 'public.authorities',
  });
  const stateWith = (...more: readonly TestTable[]) =>
    readUsers(springSecurity, [usersOf({}), ...more]).users[0]?.state;
  expect(stateWith()).toBeUndefined();
  expect(stateWith(AUTHORITIES)).toBeUndefined();
  expect(stateWith(other)).toBe('DISABLED');
  expect(stateWith(other, memberOf('b@example.com'))).toBe('DISABLED');
  expect(stateWith(other, memberOf('ada@example.com'))).toBeUndefined();
});

describe('the address', () => {
  it('is the user name only on request', () => {
    expect(readOne(springSecurity, usersOf({})).email).toBeUndefined();
    expect(readOne(springSecurity, usersOf({}), { usernameIsEmail: 'yes' }).email).toBe('ada@example.com');
    expect(readOne(springSecurity, usersOf({ email: 'a@b.example' })).email).toBe('a@b.example');
  });

  it('is requested', () => {
    const advice = (record: object, settings = {}) =>
      readUsers(springSecurity, [usersOf(record)], { settings }).advice.join();
    expect(advice({})).toContain('--set usernameIsEmail=yes');
    expect(advice({}, { usernameIsEmail: 'yes' })).toBe('');
    expect(advice({ email: 'a@b.example' })).toBe('');
  });
});

it.each([
  ['$2a$10$abc', { encoded: '$2a$10$abc', algorithm: 'bcrypt' }],
  ['{noop}secret', { encoded: '{noop}secret', algorithm: 'spring-delegating' }],
  ['{ldap}{SSHA}eA==', { encoded: '{SSHA}eA==' }],
  ['{SHA}eA==', { encoded: '{SHA}eA==' }],
  ['{other}x', { encoded: '{other}x', algorithm: 'spring-delegating' }],
  ['', undefined],
])('the hash %s is read as %j', (password, expected) => {
  expect(readOne(springSecurity, usersOf({ password })).password).toEqual(expected);
});

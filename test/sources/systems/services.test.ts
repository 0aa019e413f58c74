import { describe, expect, it } from 'vitest';
import { descope } from '../../../src/sources/systems/descope.ts';
import { stytch, workos } from '../../../src/sources/systems/hosted.ts';
import { findForm, readUsers, tableOf } from './read-users.ts';

describe('stytch', () => {
  const user = { user_id: 'user-live-1', emails: [], providers: [], created_at: '2024-01-15T10:30:00Z' };
  const readOne = (more: object) =>
    readUsers(stytch, [tableOf('json', [{ ...user, ...more }], { name: 'results' })]);

  it('takes the first verified address, and keeps all of them', () => {
    const emails = [
      { email: 'first@example.com', verified: false },
      { email: 'second@example.com', verified: true },
    ];
    expect(readOne({ emails }).users[0]).toMatchObject({
      email: 'second@example.com',
      isVerified: true,
      emails: ['first@example.com', 'second@example.com'],
    });
  });

  it('counts what cannot be imported', () => {
    const row = { phone_numbers: [{}], totps: [{}], roles: ['stytch_user', 'admin'], is_locked: true };
    expect(readOne(row).dropped).toEqual({ 'phone numbers': 1, mfa: 1, roles: 1, 'temporary locks': 1 });
  });

  it('gives advice who has the hashes', () => {
    expect(stytch.forms[0]?.advice?.({ tables: [], settings: {} })[0]?.text).toContain('support');
  });
});

describe('workos', () => {
  const user = {
    object: 'user',
    id: 'user_01',
    email: 'ada@example.com',
    email_verified: false,
    created_at: '2024-01-15T10:30:00Z',
  };

  it('is recognised by the kind of object and the id', () => {
    const formOf = (more: object) =>
      findForm(workos, [tableOf('json', [{ ...user, ...more }], { name: 'data' })])?.name;
    expect(formOf({})).toBe('workos-users');
    expect(formOf({ object: 'member' })).toBeUndefined();
    expect(formOf({ email_addresses: [] })).toBeUndefined();
    expect(formOf({ id: '5' })).toBeUndefined();
  });

  it('gives advice how its users come in without a hash', () => {
    const [advice] = workos.forms[0]?.advice?.({ tables: [], settings: {} }) ?? [];
    expect(advice).toMatchObject({ level: 'warn', text: expect.stringContaining('at their first sign-in') });
  });
});

describe('descope', () => {
  const user = {
    userId: 'U1',
    loginIds: ['ada@example.com'],
    email: '',
    status: 'enabled',
    createdTime: 1633189522,
  };
  const readOne = (more: object) =>
    readUsers(descope, [tableOf('json', [{ ...user, ...more }], { name: 'users' })]);

  it('accepts an address that is a login id', () => {
    expect(readOne({}).users[0]).toMatchObject({ email: 'ada@example.com', timeJoinedMs: 1633189522000 });
  });

  it('counts social accounts without an id', () => {
    const { users, dropped } = readOne({
      OAuth: { google: true, github: true, apple: false },
      loginIds: ['google-', 'github-5', 'x'],
    });
    expect(users[0]?.identities).toEqual([{ provider: 'github', userId: '5' }]);
    expect(dropped).toEqual({ 'identities without an id': 1 });
  });

  it('counts what cannot be imported', () => {
    const row = { phone: '+1', TOTP: true, roleNames: ['x'], userTenants: [{}] };
    expect(readOne(row).dropped).toEqual({ 'phone numbers': 1, mfa: 1, roles: 1, organisations: 1 });
  });

  it('recognises disabled users, and treats invited ones as enabled', () => {
    expect(readOne({ status: 'disabled' }).users[0]?.state).toBe('DISABLED');
    expect(readOne({ status: 'invited' }).users[0]?.state).toBeUndefined();
  });
});

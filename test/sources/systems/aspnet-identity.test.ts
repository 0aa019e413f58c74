import { describe, expect, it } from 'vitest';
import { aspnetIdentity } from '../../../src/sources/systems/aspnet-identity.ts';
import { findForm, NOW_MS, readUsers, tableOf } from './read-users.ts';

const ROW = {
  Id: '1',
  UserName: 'ada',
  Email: 'ada@example.com',
  NormalizedEmail: 'ADA@EXAMPLE.COM',
  EmailConfirmed: '1',
  PasswordHash: 'AQAAAAx',
  SecurityStamp: 'S',
  PhoneNumber: null,
  TwoFactorEnabled: '0',
  LockoutEnd: null as string | null,
  LockoutEnabled: '1',
};
const usersOf = (row: object, name = 'dbo.AspNetUsers') => tableOf('sql', [{ ...ROW, ...row }], { name });
const inMs = (ms: number) => new Date(NOW_MS + ms).toISOString();
const DAY_MS = 24 * 3600 * 1000;

const camel = Object.fromEntries(
  Object.entries(ROW).map(([name, value]) => [name[0]?.toLowerCase() + name.slice(1), value]),
);
const snake = Object.fromEntries(
  Object.entries(ROW).map(([name, value]) => [name.replace(/(?<!^)[A-Z]/g, '_$&').toLowerCase(), value]),
);

describe('aspnetIdentity', () => {
  it.each([
    ['SQL Server', usersOf({}), 'aspnet-identity-sql'],
    ['JSON of .NET', tableOf('json', [{ ...camel, emailConfirmed: true }]), 'aspnet-identity-json'],
    ['snake case', tableOf('sql', [snake], { name: 'public.users' }), 'aspnet-identity-sql'],
    ['True and False', tableOf('csv', [{ ...ROW, EmailConfirmed: 'True' }]), 'aspnet-identity-csv'],
  ])('reads %s', (_name, table, form) => {
    const read = readUsers(aspnetIdentity, [table]);
    expect(read.form.name).toBe(form);
    expect(read.users).toEqual([
      expect.objectContaining({
        externalUserId: '1',
        email: 'ada@example.com',
        isVerified: true,
        password: { encoded: 'AQAAAAx', algorithm: 'aspnet-identity' },
        state: undefined,
      }),
    ]);
  });

  it('reads Identity 2, which has no normalised address', () => {
    const { NormalizedEmail, LockoutEnd, ...rest } = ROW;
    const old = { ...rest, LockoutEndDateUtc: inMs(400 * DAY_MS), AccessFailedCount: '0' };
    const [user] = readUsers(aspnetIdentity, [tableOf('csv', [old])]).users;
    expect(user?.state).toBe('DISABLED');
  });

  it.each([
    [{ LockoutEnd: '9999-12-31 23:59:59.9999999 +00:00' }, 'DISABLED', {}],
    [{ LockoutEnd: '9999-12-31 23:59:59.9999999 +00:00', LockoutEnabled: '0' }, undefined, {}],
    [{ LockoutEnd: inMs(-DAY_MS) }, undefined, {}],
    [{ LockoutEnd: inMs(DAY_MS) }, undefined, { 'temporary locks': 1 }],
    [{ IsDeleted: '1' }, 'DELETED', {}],
    [{ IsActive: 'False' }, 'DISABLED', {}],
    [{ IsActive: null }, 'DISABLED', {}],
    [{ IsDeleted: null }, undefined, {}],
  ])('reads the state of %j', (row, state, dropped) => {
    const read = readUsers(aspnetIdentity, [usersOf(row)]);
    expect(read.users[0]?.state).toBe(state);
    expect(read.dropped).toEqual(dropped);
  });

  it.each([
    [['3155378975999999999', 0], 'DISABLED'],
    [{ DateTime: '9999-12-31T23:59:59Z', Ticks: '3155378975999999999', Offset: 0 }, 'DISABLED'],
    [['638000000000000000', 60], undefined],
    [['0', 0], undefined],
    [['soon', 0], 'DISABLED'],
    [{ until: 'x' }, 'DISABLED'],
  ])('reads the lock %j of MongoDB', (end, state) => {
    const { LockoutEnd, ...rest } = ROW;
    const [user] = readUsers(aspnetIdentity, [tableOf('json', [{ ...rest, LockoutEnd: end }])]).users;
    expect(user?.state).toBe(state);
  });

  it('names bcrypt of a custom hasher', () => {
    const [user] = readUsers(aspnetIdentity, [usersOf({ PasswordHash: '$2a$11$x' })]).users;
    expect(user?.password).toEqual({ encoded: '$2a$11$x', algorithm: 'bcrypt' });
  });

  it('counts roles, second factors and phone numbers', () => {
    const roles = tableOf('sql', [{ UserId: '1', RoleId: '2' }], { name: 'dbo.AspNetUserRoles' });
    const { dropped, users } = readUsers(aspnetIdentity, [
      usersOf({ PhoneNumber: '+1', TwoFactorEnabled: '1' }),
      roles,
    ]);
    expect(dropped).toEqual({ mfa: 1, 'phone numbers': 1, roles: 1 });
    expect(users[0]?.hasPhone).toBe(true);
  });

  it('rejects the old Membership tables', () => {
    const membership = { UserId: '1', Password: 'x', PasswordSalt: 'y', Email: 'a@b.c', PasswordFormat: '1' };
    expect(
      findForm(aspnetIdentity, [tableOf('sql', [membership], { name: 'dbo.aspnet_Membership' })]),
    ).toBeUndefined();
  });

  it('names the table with the social logins', () => {
    expect(aspnetIdentity.forms[0]?.details?.logins?.missing).toContain('AspNetUserLogins');
  });
});

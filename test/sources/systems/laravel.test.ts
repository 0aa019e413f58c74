import { describe, expect, it } from 'vitest';
import { laravel } from '../../../src/sources/systems/laravel.ts';
import { findForm, readUsers, tableOf } from './read-users.ts';

const ROW = {
  id: '7',
  name: 'Ada',
  email: 'ada@example.com',
  email_verified_at: null,
  password: '$2y$12$x',
  remember_token: null,
  created_at: '2024-01-15 10:30:00',
  deleted_at: null,
};
const usersOf = (row: object, name = 'users') => tableOf('sql', [{ ...ROW, ...row }], { name });

describe('laravel', () => {
  it.each([
    ['sql', 'public.users', 'laravel-pg_dump'],
    ['sql', 'users', 'laravel-mysqldump'],
    ['csv', '', 'laravel-csv'],
    ['json', 'users', 'laravel-json'],
  ] as const)('reads %s %s', (container, name, form) => {
    const read = readUsers(laravel, [tableOf(container, [ROW], { name })]);
    expect(read.form.name).toBe(form);
    expect(read.users).toEqual([
      expect.objectContaining({
        externalUserId: '7',
        isVerified: false,
        timeJoinedMs: Date.UTC(2024, 0, 15, 10, 30),
      }),
    ]);
  });

  it('rejects tables of custom guards, and tables without remember_token', () => {
    expect(findForm(laravel, [usersOf({}, 'admins')])).toBeUndefined();
    const { remember_token, ...few } = ROW;
    expect(findForm(laravel, [tableOf('sql', [few], { name: 'users' })])).toBeUndefined();
    expect(findForm(laravel, [tableOf('sql', [few], { name: 'users' })], { isNamed: true })).toBeDefined();
  });

  it('joins the accounts of Socialstream', () => {
    const accounts = tableOf('sql', [
      { id: '1', user_id: '7', provider: 'github', provider_id: '55', token: 'x' },
    ]);
    const [user] = readUsers(laravel, [usersOf({ password: null }), accounts]).users;
    expect(user).toMatchObject({ password: undefined, identities: [{ provider: 'github', userId: '55' }] });
    expect(JSON.stringify(user)).not.toContain('token');
  });

  it('reads ids of social accounts from columns only on request', () => {
    const table = usersOf({ google_id: '110', provider: 'facebook', provider_id: '9', apple_id: null });
    expect(readUsers(laravel, [table]).users[0]?.identities).toEqual([]);
    const settings = { socialColumns: 'google_id, provider_id,apple_id,nothing' };
    expect(readUsers(laravel, [table], { settings }).users[0]?.identities).toEqual([
      { provider: 'google', userId: '110' },
      { provider: 'facebook', userId: '9' },
    ]);
    const advise = (set: Record<string, string>) =>
      laravel.forms[0]
        ?.advice?.({ tables: [table.head], settings: set })
        .map(({ text }) => text)
        .join(' ');
    expect(advise({})).toContain('--set socialColumns=google_id,apple_id,provider_id');
    expect(advise(settings)).not.toContain('socialColumns');
    expect(advise({})).toContain('time zone');
  });

  it.each([
    [{ deleted_at: '2024-01-01 00:00:00' }, 'DELETED'],
    [{ banned_at: '2024-01-01 00:00:00' }, 'DISABLED'],
    [{ deleted_at: '0000-00-00 00:00:00' }, undefined],
  ])('reads the state of %j', (row, state) => {
    expect(readUsers(laravel, [usersOf(row)]).users[0]?.state).toBe(state);
  });

  it('counts second factors', () => {
    expect(readUsers(laravel, [usersOf({ two_factor_secret: 'eyJ' })]).dropped).toEqual({ mfa: 1 });
  });
});

import { describe, expect, it } from 'vitest';
import { devise } from '../../../src/sources/systems/devise.ts';
import { passwordOf, vector } from '../../support/vectors.ts';
import { acceptedHash, findForm, readUsers, tableOf } from './read-users.ts';

/** A row as pg_dump writes it: text and null. */
const ROW = {
  id: '7',
  email: 'ada@example.com',
  encrypted_password: '$2a$12$x',
  reset_password_token: null,
  confirmed_at: '2024-01-15 10:30:00.123456',
  created_at: '2024-01-15 10:30:00.123456',
  locked_at: null,
  deleted_at: null,
};
const usersOf = (...rows: object[]) =>
  tableOf(
    'sql',
    rows.map((row) => ({ ...ROW, ...row })),
    { name: 'public.users' },
  );

describe('devise', () => {
  it('reads SQL dumps in which no value is null', () => {
    const { form, users } = readUsers(devise, [usersOf({})]);
    expect(form.name).toBe('devise-sql');
    expect(users).toEqual([
      expect.objectContaining({
        externalUserId: '7',
        isVerified: true,
        timeJoinedMs: Date.UTC(2024, 0, 15, 10, 30, 0, 123),
        state: undefined,
        password: { encoded: '$2a$12$x', algorithm: 'bcrypt' },
      }),
    ]);
  });

  it('does not know whether an address is confirmed if the module is not used', () => {
    const { confirmed_at, ...row } = ROW;
    const [user] = readUsers(devise, [tableOf('sql', [row], { name: 'users' })]).users;
    expect(user?.isVerified).toBeUndefined();
  });

  it("reads MySQL's zero dates as nothing", () => {
    const [user] = readUsers(devise, [
      usersOf({ deleted_at: '0000-00-00 00:00:00', confirmed_at: '0000-00-00 00:00:00' }),
    ]).users;
    expect(user).toMatchObject({ state: undefined, isVerified: false });
  });

  it('joins a table of identities', () => {
    const identities = tableOf('sql', [
      { id: '1', user_id: '7', provider: 'google_oauth2', uid: '110' },
      { id: '2', user_id: '7', provider: 'github', uid: null },
      { id: '3', user_id: '8', provider: 'github', uid: '5' },
    ]);
    const [user] = readUsers(devise, [usersOf({ provider: 'facebook', uid: '9' }), identities]).users;
    expect(user?.identities).toEqual([
      { provider: 'facebook', userId: '9' },
      { provider: 'google_oauth2', userId: '110' },
    ]);
  });

  it('rejects staff of ActiveAdmin, and users of GoTrue', () => {
    expect(findForm(devise, [tableOf('sql', [ROW], { name: 'public.admin_users' })])).toBeUndefined();
    const gotrue = { ...ROW, raw_user_meta_data: '{}', instance_id: '0' };
    expect(findForm(devise, [tableOf('sql', [gotrue], { name: 'auth.users' })])).toBeUndefined();
  });

  it('accepts a table that only has the hash if the operator names Devise', () => {
    const [few] = [tableOf('csv', [{ id: '1', email: 'a@b.c', encrypted_password: '$2a$10$x' }])];
    expect(findForm(devise, [few])).toBeUndefined();
    expect(findForm(devise, [few], { isNamed: true })?.name).toBe('devise-csv');
  });

  it.each(['devise-sha1', 'devise-sha512'] as const)(
    'combines hashes of devise-encryptable: %s',
    async (name) => {
      const known = vector(name, `lt-${name}-02`);
      const [, , , salt = '', digest = ''] = known.hash.split('$');
      const row = {
        encrypted_password: Buffer.from(digest, 'base64').toString('hex'),
        password_salt: Buffer.from(salt, 'base64').toString(),
      };
      const [user] = readUsers(devise, [usersOf(row)]).users;
      expect(user?.password).toMatchObject({ algorithm: name });
      expect(await acceptedHash(user?.password).verify(passwordOf(known))).toBe(true);
      const [other] = readUsers(devise, [usersOf(row)], { settings: { stretches: '20' } }).users;
      expect(await acceptedHash(other?.password).verify(passwordOf(known))).toBe(false);
    },
  );

  it('names the family with a pepper if the operator says so', () => {
    const [user] = readUsers(devise, [usersOf({})], { settings: { pepper: 'yes' } }).users;
    expect(user?.password).toEqual({ encoded: '$2a$12$x', algorithm: 'devise' });
  });

  it('gives advice about the pepper until it is named', () => {
    const said = (settings: Record<string, string>) =>
      readUsers(devise, [usersOf({ provider: null })], { settings }).advice.join(' ');
    expect(said({})).toContain('config.pepper');
    expect(said({ pepper: 'no' })).not.toContain('config.pepper');
    expect(said({})).toContain('random password');
  });
});

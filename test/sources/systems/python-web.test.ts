import { describe, expect, it } from 'vitest';
import { django } from '../../../src/sources/systems/django.ts';
import { fastapiUsers } from '../../../src/sources/systems/fastapi-users.ts';
import { flaskAppBuilder } from '../../../src/sources/systems/flask-appbuilder.ts';
import { flaskSecurity } from '../../../src/sources/systems/flask-security.ts';
import { jupyterhub } from '../../../src/sources/systems/jupyterhub.ts';
import { findForm, readOne, readUsers, tableOf } from './read-users.ts';

const BCRYPT = '$2b$04$tpDMOHO03U2RcAv.FsdV4uP9h2UxN64TPdLzFyY9/rzLWffB4PR7K';
/** Values of a boolean column that must not let anybody in, because they are not true. */
const NOT_YES = [false, 'f', '0', null, '', undefined, 'maybe'];
/** A word that the system does not know is a question. */
const outBy = (column: string, value: unknown) =>
  value === 'maybe' ? { column, word: 'maybe' } : 'DISABLED';

describe('FastAPI Users', () => {
  const user = {
    id: 'u1',
    email: 'a@x',
    hashed_password: BCRYPT,
    is_active: 't',
    is_superuser: 'f',
    is_verified: 't',
  };

  it('reads accounts inside the user, as Beanie stores them', () => {
    const account = {
      oauth_name: 'google',
      access_token: 'ya29',
      account_id: 'people/110',
      account_email: 'g@x',
    };
    const { id: _, ...document } = user;
    const [read] = readUsers(fastapiUsers, [
      tableOf('json', [{ ...document, _id: '65a50d1800000000000000aa', oauth_accounts: [account] }]),
    ]).users;
    expect(read).toMatchObject({
      externalUserId: '65a50d1800000000000000aa',
      timeJoinedMs: 0x65a50d18 * 1000,
      isVerified: true,
      identities: [{ provider: 'google', userId: '110', email: 'g@x' }],
    });
    expect(JSON.stringify(read)).not.toContain('ya29');
  });

  it('warns about ids of Microsoft', () => {
    const accounts = tableOf('csv', [
      { user_id: 'u1', oauth_name: 'microsoft', account_id: 'm1', account_email: 'a@x' },
    ]);
    const { users, advice } = readUsers(fastapiUsers, [tableOf('csv', [user]), accounts]);
    expect(users[0]?.identities).toEqual([{ provider: 'microsoft', userId: 'm1', email: 'a@x' }]);
    expect(advice).toEqual([expect.stringMatching(/^warn: The ids of Microsoft/)]);
  });

  it('counts superusers', () => {
    expect(readUsers(fastapiUsers, [tableOf('csv', [{ ...user, is_superuser: 't' }])]).dropped).toEqual({
      roles: 1,
    });
  });

  it.each(NOT_YES)('does not import users whose is_active is %j', (is_active) => {
    expect(readOne(fastapiUsers, tableOf('json', [{ ...user, is_active }])).state).toEqual(
      outBy('is_active', is_active),
    );
  });
});

describe('Flask-Security', () => {
  const user = {
    id: '1',
    email: 'a@x',
    password: BCRYPT,
    active: '1',
    fs_uniquifier: 'f',
    confirmed_at: null,
  };
  const passwordOf = (password: string, settings = {}) =>
    readOne(flaskSecurity, tableOf('sql', [{ ...user, password }], { name: 'user' }), settings).password;

  it('recognises hashes that were made with the salt of the application', () => {
    expect(passwordOf(BCRYPT)).toEqual({ encoded: BCRYPT, algorithm: 'flask-security' });
    expect(passwordOf(BCRYPT, { singleHash: 'yes' })).toEqual({ encoded: BCRYPT, algorithm: 'bcrypt' });
    const ofDjango = 'argon2$argon2id$v=19$m=256,t=1,p=1$c2FsdHNhbHQ$aGFzaA';
    expect(passwordOf(ofDjango)).toEqual({ encoded: ofDjango });
    const bare = '$argon2id$v=19$m=256,t=1,p=1$c2FsdHNhbHQ$aGFzaA';
    expect(passwordOf(bare)).toEqual({ encoded: bare, algorithm: 'flask-security' });
  });

  it('gives advice that the service needs the salt, unless no hash has it', () => {
    const advice = (settings: Record<string, string>) =>
      readUsers(flaskSecurity, [tableOf('csv', [user])], { settings }).advice;
    expect(advice({})).toEqual([
      expect.stringMatching(/SECURITY_PASSWORD_SALT.* as the default of algorithm flask-security, or /),
    ]);
    expect(advice({ singleHash: 'yes' })).toEqual([]);
  });

  it.each(['tf_primary_method', 'tf_totp_secret', 'us_totp_secrets', 'mf_recovery_codes'])(
    'counts %s',
    (column) => {
      const table = tableOf('csv', [{ ...user, [column]: 'SECRET' }]);
      const { users, dropped } = readUsers(flaskSecurity, [table]);
      expect(dropped).toEqual({ mfa: 1 });
      expect(JSON.stringify(users)).not.toContain('SECRET');
    },
  );

  it('counts roles and passkeys', () => {
    const roles = tableOf('sql', [{ user_id: '1', role_id: '1' }], { name: 'roles_users' });
    const passkey = { id: '1', credential_id: 'SECRET', sign_count: '0', usage: 'secondary', user_id: '1' };
    const passkeys = tableOf('sql', [passkey], { name: 'web_authn' });
    const users = tableOf('sql', [user, { ...user, id: '2' }], { name: 'user' });
    const { dropped } = readUsers(flaskSecurity, [users, roles, passkeys]);
    expect(dropped).toEqual({ roles: 1, mfa: 1 });
  });

  it('counts phone numbers', () => {
    const table = tableOf('csv', [{ ...user, us_phone_number: '+49' }]);
    expect(readUsers(flaskSecurity, [table])).toMatchObject({
      users: [{ hasPhone: true }],
      dropped: { 'phone numbers': 1 },
    });
  });

  it('accepts tables of versions before 4 by name only', () => {
    const { fs_uniquifier: _, ...old } = user;
    const table = tableOf('csv', [old]);
    expect(findForm(flaskSecurity, [table])).toBeUndefined();
    expect(findForm(flaskSecurity, [table], { isNamed: true })?.name).toBe('flask-security-csv');
  });

  it.each(NOT_YES)('does not import users whose active is %j', (active) => {
    expect(readOne(flaskSecurity, tableOf('json', [{ ...user, active }])).state).toEqual(
      outBy('active', active),
    );
  });
});

describe('Flask-AppBuilder', () => {
  const user = {
    id: '1',
    username: 'ada@example.org',
    password: 'scrypt:1024:8:1$salt$00',
    active: 't',
    email: 'ada@email.notfound',
    login_count: '1',
    fail_login_count: '0',
  };

  it('recognises made-up addresses', () => {
    const table = tableOf('sql', [user], { name: 'public.ab_user' });
    expect(readOne(flaskAppBuilder, table).email).toBeUndefined();
    expect(readOne(flaskAppBuilder, table, { usernameIsEmail: 'yes' }).email).toBe('ada@example.org');
  });

  it.each(NOT_YES)('does not import users whose active is %j', (active) => {
    expect(readOne(flaskAppBuilder, tableOf('json', [{ ...user, active }])).state).toEqual(
      outBy('active', active),
    );
  });
});

describe('JupyterHub', () => {
  const user = {
    id: '1',
    username: 'ada',
    password: `\\x${Buffer.from(BCRYPT).toString('hex')}`,
    is_authorized: 't',
    email: 'ada@x',
    has_2fa: 'f',
    otp_secret: 'QSW5TRDDNVXNSOO2',
  };

  it('reads bytes as PostgreSQL writes them, and never the secret of the second factor', () => {
    const { users, dropped, advice } = readUsers(jupyterhub, [tableOf('csv', [user])]);
    expect(users[0]?.password).toEqual({ encoded: BCRYPT, algorithm: 'bcrypt' });
    expect(JSON.stringify(users)).not.toContain('QSW5');
    expect(dropped).toEqual({});
    expect(advice).toEqual([]);
  });

  it('makes addresses of names if the operator names a domain', () => {
    const emailOf = (changes: object, settings: Record<string, string>) =>
      readOne(jupyterhub, tableOf('csv', [{ ...user, ...changes }]), settings).email;
    const domain = { emailDomain: 'example.com' };
    expect(emailOf({}, domain)).toBe('ada@x');
    expect(emailOf({ email: null }, {})).toBeUndefined();
    expect(emailOf({ email: null }, domain)).toBe('ada@example.com');
    expect(emailOf({ email: null, username: 'ada@y' }, domain)).toBeUndefined();
    expect(emailOf({ email: null, username: 'ada@y' }, { usernameIsEmail: 'yes' })).toBe('ada@y');
  });

  it.each([true, 't', null])('counts a second factor of %j', (has_2fa) => {
    expect(readUsers(jupyterhub, [tableOf('json', [{ ...user, has_2fa }])]).dropped).toEqual({ mfa: 1 });
  });

  it.each(NOT_YES)('does not import users whose is_authorized is %j', (is_authorized) => {
    expect(readOne(jupyterhub, tableOf('json', [{ ...user, is_authorized }])).state).toEqual(
      outBy('is_authorized', is_authorized),
    );
  });
});

describe('Django, as a plain list in JSON', () => {
  const user = {
    id: 1,
    password: 'pbkdf2_sha256$1000$salt$hash',
    last_login: null,
    is_superuser: false,
    username: 'ada',
    email: 'a@x',
    is_active: true,
    date_joined: '2024-05-07T07:08:09.123456+00:00',
  };

  it('is recognised with certainty', () => {
    const table = tableOf('json', [user]);
    expect(findForm(django, [table])?.name).toBe('django-json');
    expect(readOne(django, table)).toMatchObject({
      externalUserId: '1',
      timeJoinedMs: Date.UTC(2024, 4, 7, 7, 8, 9, 123),
      state: undefined,
    });
    const { is_superuser: _, ...others } = user;
    expect(findForm(django, [tableOf('json', [others])])).toBeUndefined();
  });

  it.each(NOT_YES)('does not import users whose is_active is %j', (is_active) => {
    expect(readOne(django, tableOf('json', [{ ...user, is_active }])).state).toEqual(
      is_active === undefined ? undefined : outBy('is_active', is_active),
    );
  });

  it('imports all users of a model without such a column', () => {
    const { is_active: _, ...others } = user;
    expect(readOne(django, tableOf('json', [others])).state).toBeUndefined();
  });
});

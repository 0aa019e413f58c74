import { describe, expect, it } from 'vitest';
import type { SourceRecord } from '../../../src/sources/containers/table.ts';
import type { Source } from '../../../src/sources/source.ts';
import { appwrite } from '../../../src/sources/systems/appwrite.ts';
import { aspnetIdentity } from '../../../src/sources/systems/aspnet-identity.ts';
import { nhost, parse, strapi } from '../../../src/sources/systems/backends.ts';
import { betterAuth } from '../../../src/sources/systems/better-auth.ts';
import { casdoor } from '../../../src/sources/systems/casdoor.ts';
import { descope } from '../../../src/sources/systems/descope.ts';
import { devise } from '../../../src/sources/systems/devise.ts';
import { dex } from '../../../src/sources/systems/dex.ts';
import { discourse } from '../../../src/sources/systems/discourse.ts';
import { stytch } from '../../../src/sources/systems/hosted.ts';
import { laravel } from '../../../src/sources/systems/laravel.ts';
import { mastodon } from '../../../src/sources/systems/messengers.ts';
import { payload } from '../../../src/sources/systems/payload.ts';
import { rails } from '../../../src/sources/systems/rails.ts';
import { medusa, vendure } from '../../../src/sources/systems/shops.ts';
import { supabase } from '../../../src/sources/systems/supabase.ts';
import { findForm, NOW_MS, readUsers, tableOf } from './read-users.ts';

const BCRYPT = '$2b$04$tpDMOHO03U2RcAv.FsdV4uP9h2UxN64TPdLzFyY9/rzLWffB4PR7K';
const PAST = '2024-01-01 00:00:00+00';
const FUTURE = new Date(NOW_MS + 1000).toISOString();
const asks = (column: string, word: string) => ({ column, word });

interface Case {
  source: Source;
  /** Name of the table of users. */
  table: string;
  user: SourceRecord;
  container?: 'sql' | 'json';
  states: readonly [changes: SourceRecord, state: unknown][];
}

const CASES: readonly Case[] = [
  {
    source: betterAuth,
    table: 'user',
    user: {
      id: '1',
      name: 'A',
      email: 'a@x',
      emailVerified: '1',
      image: null,
      createdAt: PAST,
      updatedAt: PAST,
    },
    states: [
      [{ banned: '0' }, undefined],
      [{ banned: 'perhaps' }, asks('banned', 'perhaps')],
      [{ banned: '1', banExpires: 'perhaps' }, 'DISABLED'],
    ],
  },
  {
    source: devise,
    table: 'users',
    user: { id: '1', email: 'a@x', encrypted_password: BCRYPT, sign_in_count: '0' },
    states: [
      [{ deleted_at: PAST }, 'DELETED'],
      [{ discarded_at: PAST }, 'DELETED'],
      [{ deleted_at: 'perhaps' }, asks('deleted_at', 'perhaps')],
      [{ invitation_token: 'x', invitation_accepted_at: null }, 'DISABLED'],
      [{ invitation_token: null, invitation_accepted_at: null }, undefined],
      [{ invitation_token: 'x', invitation_accepted_at: PAST }, undefined],
      [{ expired_at: PAST }, 'DISABLED'],
      [{ expired_at: 'perhaps' }, 'DISABLED'],
      [{ expired_at: FUTURE }, undefined],
    ],
  },
  {
    source: laravel,
    table: 'users',
    user: { id: '1', email: 'a@x', password: BCRYPT, remember_token: null },
    states: [
      [{ deleted_at: 'perhaps' }, asks('deleted_at', 'perhaps')],
      [{ banned_at: PAST, deleted_at: PAST }, 'DELETED'],
    ],
  },
  {
    source: discourse,
    table: 'users',
    user: { id: '1', username: 'a', active: 't', staged: 'f', suspended_till: null, approved: 'f' },
    states: [
      [{}, undefined],
      [{ suspended_till: FUTURE }, 'DISABLED'],
      [{ suspended_till: 'perhaps' }, asks('suspended_till', 'perhaps')],
    ],
  },
  {
    source: strapi,
    table: 'up_users',
    user: { id: '1', username: 'a', email: 'a@x', provider: 'local', confirmed: 't', blocked: 'f' },
    states: [
      [{}, undefined],
      [{ blocked: null }, undefined],
      [{ blocked: 't' }, 'DISABLED'],
      [{ blocked: 'perhaps' }, asks('blocked', 'perhaps')],
    ],
  },
  {
    source: payload,
    table: 'users',
    user: { id: '1', email: 'a@x', hash: 'ab'.repeat(512), salt: 'ab', login_attempts: '0' },
    states: [[{ deleted_at: 'perhaps' }, asks('deleted_at', 'perhaps')]],
  },
  {
    source: medusa,
    table: 'customer',
    user: { id: '1', email: 'a@x', company_name: null, has_account: 't', deleted_at: null },
    states: [
      [{ has_account: 'perhaps' }, 'ANONYMOUS'],
      [{ deleted_at: 'perhaps' }, asks('deleted_at', 'perhaps')],
    ],
  },
  {
    source: appwrite,
    table: '_1_users',
    user: { _uid: '1', email: 'a@x', emailVerification: '1', registration: PAST, prefs: '{}', status: '1' },
    states: [
      [{}, undefined],
      [{ status: '0' }, 'DISABLED'],
      [{ status: null }, 'DISABLED'],
      [{ status: 'perhaps' }, asks('status', 'perhaps')],
      [{ email: '' }, 'ANONYMOUS'],
    ],
  },
  {
    source: nhost,
    table: 'auth.users',
    user: { id: '1', email: 'a@x', password_hash: BCRYPT, email_verified: 't', default_role: 'user' },
    states: [
      [{ disabled: 'f', is_anonymous: 'f' }, undefined],
      [{ disabled: 't' }, 'DISABLED'],
      [{ is_anonymous: 't' }, 'ANONYMOUS'],
      [{ disabled: 'perhaps' }, asks('disabled', 'perhaps')],
      [{ is_anonymous: 'perhaps' }, asks('is_anonymous', 'perhaps')],
    ],
  },
  {
    source: supabase,
    table: 'auth.users',
    user: { id: '1', email: 'a@x', encrypted_password: BCRYPT, email_confirmed_at: null },
    states: [
      [{ deleted_at: 'perhaps' }, asks('deleted_at', 'perhaps')],
      [{ is_anonymous: 'perhaps' }, asks('is_anonymous', 'perhaps')],
      [{ banned_until: '0001-01-01 00:00:00+00' }, undefined],
    ],
  },
  {
    source: parse,
    table: '_User',
    container: 'json',
    user: {
      _id: '1',
      username: 'a',
      _created_at: PAST,
      _hashed_password: BCRYPT,
      _rperm: ['*'],
      _wperm: ['1'],
    },
    states: [
      [{}, undefined],
      [{ _rperm: undefined, _wperm: undefined }, undefined],
      [{ _rperm: [], _wperm: ['1'] }, undefined],
      [{ _rperm: [], _wperm: [] }, 'DISABLED'],
      [{ _rperm: '{}', _wperm: '{}' }, 'DISABLED'],
      [{ ACL: {} }, 'DISABLED'],
      [{ _auth_data_anonymous: { id: 'x' } }, 'ANONYMOUS'],
      [{ _auth_data_anonymous: null }, undefined],
    ],
  },
  {
    source: aspnetIdentity,
    table: 'AspNetUsers',
    user: { Id: '1', Email: 'a@x', NormalizedEmail: 'A@X', PasswordHash: 'AQ', SecurityStamp: 's' },
    states: [
      [{ LockoutEnd: 'perhaps', LockoutEnabled: '1' }, 'DISABLED'],
      [{ IsActive: 'perhaps' }, asks('IsActive', 'perhaps')],
      [{ isDeleted: '1' }, 'DELETED'],
      [{ is_active: '0' }, 'DISABLED'],
      [{ Leaved: '1' }, 'DISABLED'],
    ],
  },
  {
    source: vendure,
    table: 'user',
    user: { id: '1', identifier: 'a@x', verified: 't', deletedAt: null, lastLogin: null },
    states: [
      [{}, undefined],
      [{ deletedAt: PAST }, 'DELETED'],
      [{ deletedAt: 'perhaps' }, asks('deletedAt', 'perhaps')],
    ],
  },
  {
    source: descope,
    table: 'users',
    container: 'json',
    user: { userId: '1', loginIds: ['a@x'], createdTime: 1_633_189_522, status: 'enabled' },
    states: [
      [{ status: 'perhaps' }, asks('status', 'perhaps')],
      [{ status: '' }, asks('status', '(empty)')],
    ],
  },
  {
    source: stytch,
    table: 'results',
    container: 'json',
    user: { user_id: '1', emails: [], providers: [], status: 'active' },
    states: [
      [{}, undefined],
      [{ status: 'deleted' }, 'DELETED'],
      [{ status: 'perhaps' }, asks('status', 'perhaps')],
    ],
  },
];

describe.each(CASES)('$source.name', ({ source, table, user, container = 'sql', states }) => {
  it.each(states)('reads %j', (changes, state) => {
    const users = tableOf(container, [{ ...user, ...changes }], { name: table });
    expect(readUsers(source, [users]).users[0]?.state).toEqual(state);
  });
});

/** State of the first user, if other tables say it. */
const stateWith = (source: Source, users: SourceRecord, table: string, other: SourceRecord, name: string) =>
  readUsers(source, [tableOf('sql', [users], { name: table }), tableOf('sql', [other], { name })]).users[0]
    ?.state;

it.each([
  ['0', 'f', 'DISABLED'],
  ['2', 'f', 'DISABLED'],
  ['perhaps', 'f', 'DISABLED'],
  ['1', 'f', undefined],
  ['0', 't', undefined],
])('Discourse: a request for approval with status %s, approved: %s', (status, approved, state) => {
  const user = { id: '1', username: 'a', active: 't', staged: 'f', suspended_till: null, approved };
  const request = { type: 'ReviewableUser', target_type: 'User', target_id: '1', status };
  expect(stateWith(discourse, user, 'users', request, 'reviewables')).toBe(state);
  const post = { ...request, type: 'ReviewableFlaggedPost', target_type: 'Post' };
  expect(stateWith(discourse, user, 'users', post, 'reviewables')).toBeUndefined();
});

const MASTODON = {
  ...{ id: '1', email: 'a@x', encrypted_password: BCRYPT, account_id: '9' },
  ...{ disabled: 'f', approved: 't', otp_required_for_login: 'f' },
};

it.each<[user: SourceRecord, account: SourceRecord, state: unknown]>([
  [{}, {}, undefined],
  [{ disabled: 't' }, {}, 'DISABLED'],
  [{ approved: 'f' }, {}, 'DISABLED'],
  [{ approved: null }, {}, 'DISABLED'],
  [{ disabled: 'perhaps' }, {}, asks('disabled', 'perhaps')],
  [{}, { suspended_at: PAST }, 'DISABLED'],
  [{}, { suspended_at: 'perhaps' }, asks('accounts.suspended_at', 'perhaps')],
  [{}, { memorial: 't' }, 'DISABLED'],
  [{}, { id: '8', suspended_at: PAST }, undefined],
  [{}, { domain: 'other.example', suspended_at: PAST }, undefined],
])('Mastodon: %j with the account %j', (user, account, state) => {
  const own = { id: '9', username: 'a', domain: null, suspended_at: null, memorial: 'f', ...account };
  expect(stateWith(mastodon, { ...MASTODON, ...user }, 'users', own, 'accounts')).toEqual(state);
});

it('users of Mastodon are not read as users of Devise, and those of any Rails app only on request', () => {
  const users = tableOf('sql', [{ ...MASTODON, sign_in_count: '0' }], { name: 'users' });
  expect([findForm(devise, [users]), findForm(mastodon, [users])?.name]).toEqual([
    undefined,
    'mastodon-pg_dump',
  ]);
  const own = tableOf('sql', [{ id: '1', email_address: 'a@x', password_digest: BCRYPT }], { name: 'users' });
  expect(findForm(rails, [own])).toBeUndefined();
  expect(readUsers(rails, [own], { isNamed: true }).users).toMatchObject([
    { email: 'a@x', isVerified: undefined, password: { encoded: BCRYPT } },
  ]);
});

it.each([
  [FUTURE, 'DISABLED'],
  ['perhaps', asks('user_identity.blocked_until', 'perhaps')],
  [PAST, undefined],
  ['0001-01-01 00:00:00', undefined],
])('Dex: blocked until %s', (blocked_until, state) => {
  const user = { email: 'a@x', hash: BCRYPT, username: 'a', user_id: '1' };
  const identity = { user_id: 's', connector_id: 'local', claims_user_id: '1', blocked_until };
  expect(stateWith(dex, user, 'password', identity, 'user_identity')).toEqual(state);
});

it.each([
  ['t', 'DISABLED'],
  ['perhaps', asks('organization.disable_signin', 'perhaps')],
  [null, undefined],
])('Casdoor: an organisation with disable_signin %s', (disable_signin, state) => {
  const user = {
    owner: 'o',
    name: 'a',
    id: '1',
    password_type: 'plain',
    is_forbidden: 'f',
    signup_application: 'a',
  };
  const organization = {
    name: 'o',
    password_type: '',
    password_salt: '',
    master_password: '',
    disable_signin,
  };
  expect(stateWith(casdoor, user, 'user', organization, 'organization')).toEqual(state);
});

describe('identities', () => {
  it.each([
    [devise, { id: '7', email: 'a@x', encrypted_password: BCRYPT, sign_in_count: '0' }, { uid: '110' }],
    [laravel, { id: '7', email: 'a@x', password: BCRYPT, remember_token: null }, { provider_id: '110' }],
  ])('of users are not given to another model: %#', (source, record, id) => {
    const account = tableOf('sql', [{ user_id: '7', provider: 'google', ...id }], { name: 'accounts' });
    const identitiesOf = (name: string) =>
      readUsers(source, [tableOf('sql', [record], { name }), account]).users[0]?.identities;
    expect(identitiesOf('users')).toEqual([{ provider: 'google', userId: '110' }]);
    expect(identitiesOf('members')).toEqual([]);
  });

  it('stand in the documents of ASP.NET Identity in MongoDB', () => {
    const document = {
      _id: '5f1f1f1f1f1f1f1f1f1f1f01',
      Email: 'a@x',
      NormalizedEmail: 'A@X',
      PasswordHash: 'AQ',
      SecurityStamp: 's',
      Logins: [{ LoginProvider: 'Google', ProviderKey: '1077' }],
    };
    expect(readUsers(aspnetIdentity, [tableOf('json', [document])]).users).toMatchObject([
      { externalUserId: document._id, identities: [{ provider: 'Google', userId: '1077' }] },
    ]);
  });
});

it('Strapi and Supabase take no password of users who sign in elsewhere', () => {
  const ofStrapi = { id: '1', username: 'a', email: 'a@x', confirmed: 't', blocked: 'f', password: BCRYPT };
  const passwordOf = (source: Source, name: string, record: SourceRecord) =>
    readUsers(source, [tableOf('sql', [record], { name })]).users[0]?.password;
  expect(passwordOf(strapi, 'up_users', { ...ofStrapi, provider: 'github' })).toBeUndefined();
  expect(passwordOf(strapi, 'up_users', { ...ofStrapi, provider: null })).toBeDefined();
  const ofSupabase = { id: '1', email: 'a@x', encrypted_password: BCRYPT, email_confirmed_at: null };
  expect(passwordOf(supabase, 'auth.users', { ...ofSupabase, is_sso_user: 't' })).toBeUndefined();
  expect(passwordOf(supabase, 'auth.users', { ...ofSupabase, is_sso_user: 'f' })).toBeDefined();
});

it('unverified addresses stay unverified', () => {
  const isVerified = (source: Source, name: string, record: SourceRecord) =>
    readUsers(source, [tableOf('sql', [record], { name })]).users[0]?.isVerified;
  const ofDiscourse = { id: '1', username: 'a', suspended_till: null };
  expect(isVerified(discourse, 'users', { ...ofDiscourse, active: 'f', staged: 'f' })).toBe(false);
  expect(isVerified(discourse, 'users', { ...ofDiscourse, active: 't', staged: 't' })).toBe(false);
  const ofParse = { objectId: '1', _hashed_password: BCRYPT, username: 'a@x', emailVerified: 't' };
  expect(isVerified(parse, '_User', ofParse)).toBe(false);
  expect(isVerified(parse, '_User', { ...ofParse, email: 'b@x' })).toBe(true);
});

import { describe, expect, it } from 'vitest';
import type { SourceRecord } from '../../../src/sources/containers/table.ts';
import { supabase } from '../../../src/sources/systems/supabase.ts';
import {
  adviceOf,
  contextOf,
  formNamed,
  formsOf,
  headOf,
  jsonTablesOf,
  NOW_MS,
  readTables,
  type TestTable,
  tablesOfSample,
} from './read-users.ts';

const dump = formNamed(supabase, 'supabase-pg_dump-copy');
const BCRYPT = '$2a$05$EB16j6bcp8iEw69Sjcu.8OXSoPHka9BuWT/t8lwc8PABZ7/i/quKa';
const USER = {
  id: 'u1',
  email: 'a@b.c',
  encrypted_password: BCRYPT,
  email_confirmed_at: null,
  raw_app_meta_data: '{}',
};
const read = (changes: SourceRecord) => dump.read({ ...USER, ...changes }, contextOf());

describe('hashes', () => {
  it('of Firebase are read without the signer key', () => {
    const encoded = '$fbscrypt$v=1,n=14,r=8,p=1,ss=Bw==,sk=c2VjcmV0$c2FsdA==$aGFzaA==';
    expect(read({ encrypted_password: encoded })?.password).toEqual({
      encoded: '$f_scrypt$aGFzaA==$c2FsdA==$m=14$r=8$s=Bw==',
      algorithm: 'external_scrypt',
    });
    const bare = '$fbscrypt$v=1,n=14,r=8,p=1$c2FsdA==$aGFzaA==';
    expect(read({ encrypted_password: bare })?.password).toMatchObject({
      encoded: '$f_scrypt$aGFzaA==$c2FsdA==$m=14$r=8$s=',
    });
    for (const wrong of [
      '$fbscrypt$',
      '$fbscrypt$v=1,n=14,r=8,p=2$a$b',
      '$fbscrypt$v=1,n=14,r=8,p=1$a$b$c',
    ]) {
      expect(read({ encrypted_password: wrong })?.password).toMatchObject({
        problem: 'PASSWORD_HASH_INVALID',
      });
    }
  });

  it('may be encrypted', () => {
    const encrypted = '{"key_id":"k","alg":"aes-gcm-hkdf","data":"AA==","nonce":"BB=="}';
    expect(read({ encrypted_password: encrypted })?.password).toMatchObject({ problem: 'HASH_ENCRYPTED' });
    const said = adviceOf(dump, headOf([{ ...USER, encrypted_password: encrypted }], { container: 'sql' }));
    expect(said).toContainEqual(expect.objectContaining({ text: expect.stringContaining('encrypted') }));
  });

  it('may be of other kinds, or missing', () => {
    expect(read({ encrypted_password: '$argon2id$v=19$m=1' })?.password).toMatchObject({
      algorithm: 'argon2',
    });
    expect(read({ encrypted_password: 'x' })?.password).toEqual({ encoded: 'x' });
    for (const none of ['', null, undefined])
      expect(read({ encrypted_password: none })?.password).toBeUndefined();
  });
});

it.each([
  [{ banned_until: new Date(NOW_MS + 1000).toISOString() }, 'DISABLED'],
  [{ banned_until: 'infinity' }, 'DISABLED'],
  [{ banned_until: new Date(NOW_MS - 1000).toISOString() }, undefined],
  [{ banned_until: 'whenever' }, { column: 'banned_until', word: 'whenever' }],
  [{ is_anonymous: 't' }, 'ANONYMOUS'],
  [{ is_anonymous: 'f', deleted_at: '' }, undefined],
  [{ deleted_at: '2024-02-21 21:25:06+00', is_anonymous: 't' }, 'DELETED'],
])('reads the state of %j', (changes, state) => {
  expect(read(changes)?.state).toEqual(state);
});

it("shows no digest in place of a deleted user's address", () => {
  expect(
    read({ email: 's1q32ICBBer-HFXRZC1tlv57f6p6Vrl8f5QQpHwo47k', deleted_at: '2024-01-01' })?.email,
  ).toBeUndefined();
});

it('reads the id of an identity from before 2023-11', () => {
  const identity = { id: '117', user_id: 'u1', provider: 'google', identity_data: '{"email":"x@y.z"}' };
  const sql = (records: SourceRecord[], name: string): TestTable => ({
    head: headOf(records, { container: 'sql', name }),
    records,
  });
  const tables = [
    sql([identity, { user_id: 'u1', provider: 'github', identity_data: '{}' }], 'auth.identities'),
    sql([USER], 'auth.users'),
  ];
  const { users, dropped } = readTables(dump, tables);
  expect(users[0]?.identities).toEqual([
    { provider: 'google', userId: '117', email: 'x@y.z', isVerified: undefined, isSso: false },
  ]);
  expect(dropped).toEqual({ 'identities without an id': 1 });
});

it('recognises enterprise users without their identities, and rejects other tables of users', () => {
  expect(read({ is_sso_user: 't' })?.identities).toEqual([{ provider: 'sso', userId: 'u1', isSso: true }]);
  const named = (name: string) => formsOf(supabase, headOf([USER], { container: 'sql', name }));
  expect([named('auth.users'), named('users'), named('public.users_backup')]).toEqual([
    ['supabase-pg_dump-copy'],
    ['supabase-pg_dump-copy'],
    [],
  ]);
  const devise = { id: 1, email: 'a@b.c', encrypted_password: BCRYPT, confirmed_at: null };
  expect(formsOf(supabase, headOf([devise], { container: 'sql', name: 'users' }))).toEqual([]);
});

it('reads the tables as JSON, with objects in their columns', () => {
  const record = { ...USER, raw_user_meta_data: { name: 'Ada' }, is_anonymous: false, is_sso_user: false };
  expect(formsOf(supabase, headOf([record]))).toEqual(['supabase-users-json']);
  expect(read(record)).toMatchObject({ metadata: { user_metadata: { name: 'Ada' } }, isVerified: false });
});

it('reads the admin API, which has identities and no hashes', async () => {
  const [table] = await jsonTablesOf({
    users: [
      {
        id: 'u1',
        aud: 'authenticated',
        email: 'a@b.c',
        email_confirmed_at: '2024-01-01T00:00:00Z',
        app_metadata: { providers: ['google'] },
        user_metadata: { name: 'Ada' },
        identities: [
          {
            identity_id: 'i1',
            id: '117',
            user_id: 'u1',
            provider: 'google',
            identity_data: { email: 'a@b.c', email_verified: true },
          },
          { identity_id: 'i2', id: 'u1', provider: 'email', identity_data: {} },
        ],
      },
    ],
    aud: 'authenticated',
  });
  if (table === undefined) throw new Error('no table');
  const form = formNamed(supabase, 'supabase-admin-api');
  expect(formsOf(supabase, table.head)).toEqual([form.name]);
  expect(readTables(form, [table]).users[0]).toMatchObject({
    isVerified: true,
    password: undefined,
    identities: [{ provider: 'google', userId: '117', email: 'a@b.c', isVerified: true, isSso: false }],
    metadata: { user_metadata: { name: 'Ada' }, app_metadata: { providers: ['google'] } },
  });
  expect(adviceOf(form, table.head)[0]?.text).toContain('supabase db dump');
});

it('gives advice about missing data', async () => {
  expect(dump.details?.identities?.missing).toContain('auth.identities');
  const [users] = await tablesOfSample('supabase/auth_users.csv');
  const csv = formNamed(supabase, 'supabase-users-csv');
  expect(adviceOf(csv, users?.head ?? headOf([]))).toEqual([]);
  const firebase = { ...USER, encrypted_password: '$fbscrypt$v=1' };
  const texts = adviceOf(csv, headOf([firebase], { container: 'csv' })).map(({ text }) => text);
  expect(texts.join()).toContain('sk=');
  const none = headOf([{ ...USER, encrypted_password: '' }], { container: 'csv' });
  expect(adviceOf(csv, none)[0]).toMatchObject({ level: 'warn' });
});

import { describe, expect, it } from 'vitest';
import type { SourceRecord } from '../../../src/sources/containers/table.ts';
import { wordpress } from '../../../src/sources/systems/wordpress.ts';
import {
  adviceOf,
  familyOf,
  formNamed,
  formsOf,
  headOf,
  readTables,
  type TestTable,
  tablesOfSample,
} from './read-users.ts';

const USER = {
  ID: '7',
  user_login: 'ada',
  user_pass: '$P$Bwk4lSBqayRuXK23D3wyQpeVnpaemX1',
  user_nicename: 'ada',
  user_email: 'a@b.c',
  user_url: '',
  user_registered: '2020-09-07 01:27:53',
  user_activation_key: '',
  user_status: '0',
  display_name: 'Ada',
};
const META = { umeta_id: '1', user_id: '7', meta_key: 'first_name', meta_value: 'Ada' };
const table = (records: SourceRecord[], about: object): TestTable => ({
  head: headOf(records, about),
  records,
});

const BCRYPT = '$2y$04$tpDMOHO03U2RcAv.FsdV4uP9h2UxN64TPdLzFyY9/rzLWffB4PR7K';

it.each([
  [`$wp${BCRYPT}`, 'wordpress-bcrypt'],
  ['$P$Bwk4lSBqayRuXK23D3wyQpeVnpaemX1', 'phpass'],
  ['$H$Bwk4lSBqayRuXK23D3wyQpeVnpaemX1', 'phpass'],
  [BCRYPT, 'wordpress-compat'],
  ['$argon2id$v=19$m=1024,t=1,p=1$c2FsdHNhbHQ$aGFzaGhhc2g', 'wordpress-compat'],
  ['8097dc84b33c9fbe3cd4ea41ab3d837f', 'wordpress-compat'],
  ['8097DC84B33C9FBE3CD4EA41AB3D837F', undefined],
  ['something', undefined],
])('%s', (encoded, algorithm) => {
  const dump = table([{ ...USER, user_pass: encoded }], { container: 'sql', name: 'wp_users' });
  const { users } = readTables(formNamed(wordpress, 'wordpress-mysqldump'), [dump]);
  expect(familyOf(users[0]?.password)).toBe(algorithm);
});

describe.each([
  [
    'wordpress-mysqldump',
    { container: 'sql', name: 'shop7_users' },
    { container: 'sql', name: 'shop7_usermeta' },
  ],
  [
    'wordpress-phpmyadmin-json',
    { container: 'json', name: 'blog_users' },
    { container: 'json', name: 'blog_usermeta' },
  ],
  ['wordpress-wp-cli-csv', { container: 'csv' }, { container: 'csv' }],
])('%s', (name, ofUsers, ofMeta) => {
  const meta = [
    META,
    { ...META, meta_key: 'wp_capabilities' },
    { ...META, meta_key: 'nickname', meta_value: '' },
  ];
  const tables = [table(meta, ofMeta), table([USER], ofUsers)];

  it('is recognised by its columns, whatever the prefix, and its tables are joined', () => {
    const [ofForm] = formsOf(wordpress, tables[1]?.head ?? headOf([]));
    expect(ofForm).toBe(name);
    const { users } = readTables(formNamed(wordpress, name), tables);
    expect(users).toEqual([
      expect.objectContaining({
        externalUserId: '7',
        timeJoinedMs: Date.UTC(2020, 8, 7, 1, 27, 53),
        metadata: { user_login: 'ada', display_name: 'Ada', first_name: 'Ada' },
      }),
    ]);
  });
});

it.each([
  [{ spam: '1', deleted: '0' }, 'DISABLED'],
  [{ spam: '0', deleted: '1' }, 'DELETED'],
  [{ spam: '0', deleted: '0' }, undefined],
  // BuddyPress: nobody has activated the account.
  [{ user_status: '2' }, { column: 'user_status', word: '2' }],
])('reads the state of %j', (changes, state) => {
  const dump = table([{ ...USER, ...changes }], { container: 'sql', name: 'wp_users' });
  expect(readTables(formNamed(wordpress, 'wordpress-mysqldump'), [dump]).users[0]?.state).toEqual(state);
});

describe('the CSV of phpMyAdmin without a header', () => {
  const cellsOf = (record: object) =>
    Object.fromEntries(Object.values(record).map((cell, at) => [`${at}`, cell]));
  const about = (cells: number) => ({ container: 'csv', columns: new Set<string>(), cells }) as const;

  it.each([
    [10, USER, undefined],
    [12, { ...USER, spam: '0', deleted: '1' }, 'DELETED'],
  ])('may have %d cells', (cells, record, state) => {
    const csv = table([cellsOf(record)], about(cells));
    expect(formsOf(wordpress, csv.head)).toEqual(['wordpress-phpmyadmin-csv']);
    const { users } = readTables(formNamed(wordpress, 'wordpress-phpmyadmin-csv'), [csv]);
    expect(users[0]).toMatchObject({
      externalUserId: '7',
      email: 'a@b.c',
      state,
      password: { encoded: USER.user_pass },
      metadata: { user_login: 'ada', display_name: 'Ada' },
    });
  });

  it.each([
    { ID: 'x' },
    { user_pass: 'in the clear' },
    { user_registered: 'yesterday' },
    { user_status: '' },
  ])('is rejected with %j', (changes) => {
    expect(formsOf(wordpress, headOf([cellsOf({ ...USER, ...changes })], about(10)))).toEqual([]);
  });
});

it('rejects tables of sign-ups and of other systems', () => {
  const signup = { signup_id: '1', user_login: 'ada', user_email: 'a@b.c', activation_key: 'x' };
  expect(formsOf(wordpress, headOf([signup], { container: 'sql', name: 'wp_signups' }))).toEqual([]);
  expect(formsOf(wordpress, headOf([{ ID: 1, user_email: 'a@b.c' }]))).toEqual([]);
});

it.each([
  ['first_name', true],
  ['blog7_capabilities', true],
  ['wp_2_user-settings-time', true],
  ['metaboxhidden_nav-menus', true],
  ['edit_post_per_page', true],
  ['session_tokens', true],
  ['_two_factor_totp_key', true],
  ['account_status', false],
  ['pw_user_status', false],
  ['ja_disable_user', false],
  ['wp-approve-user', false],
  ['has_to_be_activated', false],
  ['billing_phone', false],
])('the key %s is known: %s', (key, isKnown) => {
  const { usermeta } = formNamed(wordpress, 'wordpress-mysqldump').details ?? {};
  expect(usermeta?.keys?.isKnown(key)).toBe(isKnown);
  expect(usermeta?.decides).toBe('states');
});

it('gives advice which command exports hashes, and counts roles', async () => {
  const [csv] = await tablesOfSample('wordpress/wp-cli-default.csv');
  if (csv === undefined) throw new Error('no sample');
  const form = formNamed(wordpress, 'wordpress-wp-cli-csv');
  expect(adviceOf(form, csv.head)[0]?.text).toContain('--fields=ID,user_login,user_email,user_pass');
  expect(readTables(form, [csv]).dropped).toEqual({ roles: 2 });
  expect(adviceOf(form, headOf([USER], { container: 'csv' }))).toEqual([]);
});

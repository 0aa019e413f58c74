import { describe, expect, it } from 'vitest';
import type { SourceRecord } from '../../../src/sources/containers/table.ts';
import { SOURCES } from '../../../src/sources/sources.ts';
import { auth0 } from '../../../src/sources/systems/auth0.ts';
import { payload } from '../../../src/sources/systems/headless.ts';
import { ldif } from '../../../src/sources/systems/ldif.ts';
import { meteor, passportLocalMongoose } from '../../../src/sources/systems/node-libraries.ts';
import { magento } from '../../../src/sources/systems/shops.ts';
import { wordpress } from '../../../src/sources/systems/wordpress.ts';
import { contextOf, findForm, formNamed, headOf, readUsers, tableOf } from './read-users.ts';

const detailsNamed = (system: string, name: string) =>
  SOURCES.filter((source) => source.name === system).flatMap(({ forms }) =>
    forms.flatMap(({ details }) => details?.[name] ?? []),
  );

it.each([
  ['clerk', 'api', 'states'],
  ['auth0', 'users', 'states'],
  ['fusionauth', 'users', 'states'],
  ['fusionauth', 'user_action_logs', 'states'],
  ['synapse', 'validity', 'states'],
  ['wordpress', 'usermeta', 'states'],
  ['zulip', 'zerver_realm', 'states'],
  ['gitea', 'two_factor', 'factors'],
  ['zammad', 'user_two_factor_preferences', 'factors'],
  ['nextcloud', 'oc_preferences', 'states'],
  ['nextcloud', 'oc_twofactor_providers', 'factors'],
])('an export of %s without %s is asked about: it decides about %s', (system, name, decides) => {
  expect(detailsNamed(system, name).map((detail) => detail.decides)).toContain(decides);
});

it.each([
  ['aspnet-identity', 'logins', 'AspNetUserLogins'],
  ['auth0', 'hashes', 'support of Auth0'],
  ['clerk', 'api', 'api.clerk.com'],
  ['kratos', 'credentials', 'identity_credentials'],
  ['supabase', 'identities', 'auth.identities'],
])('an export of %s without %s says what is missing: %s', (system, name, part) => {
  expect(detailsNamed(system, name).map(({ missing }) => missing)).toContainEqual(
    expect.stringContaining(part),
  );
});

it('takes the first identity of a user of Auth0 from the id if an export has none', () => {
  const form = formNamed(auth0, 'auth0-ndjson');
  const read = (id: string) => form.read({ user_id: id, email: 'a@b.c' }, contextOf())?.identities;
  expect(read('github|1955466')).toEqual([{ provider: 'github', userId: '1955466' }]);
  expect(read('samlp|corp|u-77')).toEqual([{ provider: 'corp', userId: 'corp|u-77', isSso: true }]);
  for (const id of ['auth0|1', 'email|1', 'sms|1', 'none', '|1', 'github|']) expect(read(id)).toEqual([]);
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
])('the key %s of WordPress is known: %s', (key, isKnown) => {
  const { usermeta } = formNamed(wordpress, 'wordpress-mysqldump').details ?? {};
  expect(usermeta?.keys?.isKnown(key)).toBe(isKnown);
});

it('attributes that a shop has added to Magento are asked about, in the tables of all types', () => {
  const { attributes } = formNamed(magento, 'magento-mysqldump').details ?? {};
  const columns = ['value_id', 'entity_id', 'attribute_id', 'value'];
  for (const type of ['varchar', 'int', 'datetime', 'text', 'decimal']) {
    const head = headOf([], { container: 'sql', name: `mage_customer_entity_${type}`, columns });
    expect(attributes?.fits(head)).toBe(true);
  }
  const isKnown = ['5', '44', '45', '163'].map((number) => attributes?.keys?.isKnown(number));
  expect(isKnown).toEqual([true, true, false, false]);
});

it("members of an application's own users of Meteor are asked about", () => {
  expect(meteor.forms[1]?.known).not.toContain('active');
  expect(meteor.forms[1]?.known).not.toContain('account');
  expect(meteor.forms[0]?.known).toContain('active');
});

it.each(['employeetype', 'employeestatus', 'organizationalstatus'])(
  'the attribute %s of a directory is asked about',
  (name) => {
    const known = ldif.forms.map((form) => form.known);
    expect(known.map((names) => names instanceof Set && names.has(name))).toEqual([false]);
    expect(known.map((names) => names instanceof Set && names.has('employeenumber'))).toEqual([true]);
  },
);

it.each([
  [meteor, { _id: '1', services: {}, username: 'a' }],
  [passportLocalMongoose, { username: 'a', hash: 'ff', salt: 'ab' }],
])('$name needs no further evidence if the operator names it', (source, record) => {
  const table = tableOf('json', [record]);
  expect(findForm(source, [table])).toBeUndefined();
  expect(findForm(source, [table], { isNamed: true })).toBeDefined();
});

describe('hashes that Payload does not make', () => {
  const user = { id: 1, email: 'a@x', hash: 'ab'.repeat(512), salt: 'ef'.repeat(32), login_attempts: 0 };

  it.each([
    'ab'.repeat(32),
    `pbkdf2-sha256-v1:${'cd'.repeat(32)}00`,
    `pbkdf2-sha512-v2:${'cd'.repeat(32)}`,
    '$2b$04$tpDMOHO03U2RcAv.FsdV4uP9h2UxN64TPdLzFyY9/rzLWffB4PR7K',
  ])('are no evidence of it, and are refused beside its own: %s', (hash) => {
    const other = { ...user, hash, lock_until: null };
    expect(findForm(payload, [tableOf('sql', [other], { name: 'public.users' })])).toBeUndefined();
    const records = [...Array(20).fill({ ...user, lock_until: null }), other];
    const { users } = readUsers(payload, [tableOf('sql', records, { name: 'users' })]);
    expect(users[20]?.password).toMatchObject({ problem: 'PASSWORD_HASH_INVALID' });
  });
});

const INVALID = { problem: 'PASSWORD_HASH_INVALID' };
const COLUMNS_OF_HASHES = SOURCES.flatMap((source) =>
  source.forms.flatMap((form) => {
    const { hash = undefined } = 'declaration' in form ? (form.declaration as { hash?: unknown }) : {};
    return typeof hash === 'string' ? [[form.name, form, hash.split('|')[0] ?? hash] as const] : [];
  }),
);

it.each(COLUMNS_OF_HASHES)('%s: a hash that is no text is not the same as none', (_, form, column) => {
  const record: SourceRecord = { id: '1', [column]: { not: 'a text' } };
  expect(form.read(record, contextOf({ table: headOf([record]) }))?.password).toMatchObject(INVALID);
});

it.each<[form: string, record: SourceRecord, details?: Record<string, object>]>([
  ['kratos-identities', { credentials: { password: { config: '{"hashed' } } }],
  ['kratos-identities', { credentials: { password: { config: { hashed_password: ['x'] } } } }],
  ['okta-import', { credentials: { password: { hash: 'x' } } }],
  ['meteor-mongoexport', { services: { password: 'x' } }],
  ['meteor-mongoexport', { services: { password: { bcrypt: {} } } }],
  ['zitadel-export', { user: { hashedPassword: 'x' } }],
  ['hanko-export', { password: 'x' }],
  ['dex-kubernetes', { hash: 'not base64!' }],
  ['fusionauth-users', { password: {}, salt: 'x' }],
  [
    'xenforo-sql',
    { user_id: '1' },
    { xf_user_authenticate: { scheme_class: 'XF:Core12', data: 'a:1:{s:4:"ha' } },
  ],
  ['better-auth-json', { id: '1' }, { accounts: { provider: 'credential', password: {} } }],
  ['rejects', { user: { email: 'a@b.c', password: { encode: 'x' } } }],
])('%s: a password that cannot be read is not the same as none', (name, record, details = {}) => {
  const forms = SOURCES.flatMap((source) => source.forms).filter((form) => form.name === name);
  const context = contextOf({
    table: headOf([record]),
    details: (detail) => (detail in details ? [details[detail] as SourceRecord] : []),
  });
  expect(forms.map((form) => form.read({ id: '1', ...record }, context)?.password)).toMatchObject([INVALID]);
});

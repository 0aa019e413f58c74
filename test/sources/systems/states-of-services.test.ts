import { describe, expect, it } from 'vitest';
import type { ContainerName, SourceRecord } from '../../../src/sources/containers/table.ts';
import type { Source } from '../../../src/sources/source.ts';
import { auth0 } from '../../../src/sources/systems/auth0.ts';
import { clerk } from '../../../src/sources/systems/clerk.ts';
import { cognito } from '../../../src/sources/systems/cognito.ts';
import { firebase } from '../../../src/sources/systems/firebase.ts';
import { nodebb } from '../../../src/sources/systems/forums.ts';
import { frappe } from '../../../src/sources/systems/frappe.ts';
import { fusionauth } from '../../../src/sources/systems/fusionauth.ts';
import { gitea } from '../../../src/sources/systems/gitea.ts';
import { okta } from '../../../src/sources/systems/hosted.ts';
import { ldif } from '../../../src/sources/systems/ldif.ts';
import { logto } from '../../../src/sources/systems/logto.ts';
import { synapse, zulip } from '../../../src/sources/systems/messengers.ts';
import { prestashop } from '../../../src/sources/systems/shops.ts';
import { supertokens } from '../../../src/sources/systems/supertokens.ts';
import { metabase, nextcloud, zammad } from '../../../src/sources/systems/team-tools.ts';
import { web2py } from '../../../src/sources/systems/web2py.ts';
import { NOW_MS, readUsers, tableOf } from './read-users.ts';

const PAST = NOW_MS - 1000;
const FUTURE = NOW_MS + 1000;
const UNKNOWN = { word: expect.any(String) };

interface System {
  source: Source;
  container: ContainerName;
  name?: string;
  /** A user who may sign in. */
  active: SourceRecord;
}

const SYSTEMS = {
  clerk: {
    source: clerk,
    container: 'json',
    active: {
      id: 'user_1',
      email_addresses: [],
      primary_email_address_id: null,
      banned: false,
      locked: false,
    },
  },
  auth0: { source: auth0, container: 'json', active: { user_id: 'auth0|1', email: 'a@b.c' } },
  'auth0 in a CSV': {
    source: auth0,
    container: 'csv',
    active: { Id: "'auth0|1", Email: "'a@b.c", Blocked: 'false' },
  },
  cognito: {
    source: cognito,
    container: 'json',
    active: { Username: 'a', Attributes: [], UserStatus: 'CONFIRMED', Enabled: true },
  },
  okta: {
    source: okta,
    container: 'json',
    active: { profile: { login: 'a' }, credentials: {}, status: 'ACTIVE' },
  },
  fusionauth: {
    source: fusionauth,
    container: 'json',
    active: { id: 'u', email: 'a@b.c', active: true, insertInstant: 1_512_360_248_000 },
  },
  firebase: { source: firebase, container: 'json', active: { localId: 'a', email: 'a@b.c' } },
  supertokens: {
    source: supertokens,
    container: 'json',
    active: { loginMethods: [{ recipeId: 'emailpassword', email: 'a@b.c' }] },
  },
  ldif: { source: ldif, container: 'ldif', active: { dn: ['uid=a'], mail: ['a@b.c'] } },
  gitea: {
    source: gitea,
    container: 'sql',
    name: 'user',
    active: {
      ...{ id: '1', lower_name: 'a', email: 'a@b.c', passwd: '', passwd_hash_algo: '', rands: '', salt: '' },
      ...{ type: '0', is_active: 't', prohibit_login: 'f' },
    },
  },
  zulip: {
    source: zulip,
    container: 'csv',
    active: {
      ...{ id: '1', password: '!', delivery_email: 'a@b.c', realm_id: '2' },
      ...{ is_active: 't', is_bot: 'f', is_mirror_dummy: 'f' },
    },
  },
  metabase: {
    source: metabase,
    container: 'csv',
    active: {
      ...{ id: '1', email: 'a@b.c', password: 'x', password_salt: 'y', is_superuser: 'f', date_joined: '' },
      ...{ is_active: 't', type: 'personal' },
    },
  },
  nodebb: {
    source: nodebb,
    container: 'json',
    active: { uid: 1, username: 'a', userslug: 'a', joindate: 1_500_000_000_000 },
  },
  logto: {
    source: logto,
    container: 'csv',
    active: {
      ...{ tenant_id: 'default', id: '1', primary_email: 'a@b.c', password_encrypted: '' },
      ...{ password_encryption_method: '', identities: '{}', is_suspended: 'f' },
    },
  },
  zammad: {
    source: zammad,
    container: 'csv',
    active: {
      ...{ id: '3', login: 'a', firstname: '', lastname: '', email: 'a@b.c', password: '' },
      ...{ verified: 'f', active: 't' },
    },
  },
  frappe: {
    source: frappe,
    container: 'csv',
    active: { name: 'a@b.c', creation: '2020-01-01', enabled: '1', email: 'a@b.c', user_type: 'x' },
  },
  prestashop: {
    source: prestashop,
    container: 'csv',
    active: { id_customer: '1', email: 'a@b.c', passwd: '', active: '1', deleted: '0', is_guest: '0' },
  },
  web2py: {
    source: web2py,
    container: 'csv',
    active: { id: '1', email: 'a@b.c', password: '', first_name: '', last_name: '', registration_key: '' },
  },
  synapse: {
    source: synapse,
    container: 'csv',
    active: {
      ...{ name: '@a:b.c', password_hash: '', creation_ts: '1600000000', admin: '0', is_guest: '0' },
      ...{ appservice_id: '', deactivated: '0' },
    },
  },
} satisfies Record<string, System>;

function stateOf(
  system: keyof typeof SYSTEMS,
  changes: SourceRecord,
  joined: Record<string, SourceRecord[]> = {},
) {
  const { source, container, name, active }: System = SYSTEMS[system];
  const tables = Object.entries(joined).map(([table, rows]) => tableOf(container, rows, { name: table }));
  const record = { ...active, ...changes };
  const { users } = readUsers(source, [tableOf(container, [record], { name: name ?? '' }), ...tables]);
  return users[0]?.state;
}

it.each(Object.keys(SYSTEMS) as (keyof typeof SYSTEMS)[])(
  '%s: the person of these cases may sign in',
  (system) => {
    expect(stateOf(system, {})).toBeUndefined();
  },
);

describe.each<[keyof typeof SYSTEMS, [SourceRecord, unknown][]]>([
  [
    'clerk',
    [
      [{ banned: true }, 'DISABLED'],
      [{ deprovisioned: true }, 'DISABLED'],
      [{ locked: true, lockout_expires_in_seconds: null }, 'DISABLED'],
      [{ locked: true }, 'DISABLED'],
      [{ locked: true, lockout_expires_in_seconds: 60 }, undefined],
      [{ banned: 'for a while' }, UNKNOWN],
    ],
  ],
  [
    'auth0',
    [
      [{ blocked: true }, 'DISABLED'],
      [{ blocked: 'partly' }, UNKNOWN],
    ],
  ],
  [
    'auth0 in a CSV',
    [
      [{ Blocked: 'true' }, 'DISABLED'],
      [{ Blocked: 'partly' }, UNKNOWN],
    ],
  ],
  [
    'cognito',
    [
      [{ Enabled: false }, 'DISABLED'],
      [{ UserStatus: 'ARCHIVED' }, 'DISABLED'],
      [{ UserStatus: 'UNKNOWN' }, UNKNOWN],
    ],
  ],
  [
    'okta',
    [
      [{ status: 'SUSPENDED' }, 'DISABLED'],
      [{ status: 'DEPROVISIONED' }, 'DISABLED'],
      [{ status: 'VANISHED' }, UNKNOWN],
    ],
  ],
  [
    'fusionauth',
    [
      [{ active: false }, 'DISABLED'],
      [{ active: null }, 'DISABLED'],
      [{ expiry: PAST }, 'DISABLED'],
      [{ expiry: FUTURE }, undefined],
      [{ expiry: 'soon' }, UNKNOWN],
    ],
  ],
  ['firebase', [[{ disabled: true }, 'DISABLED']]],
  [
    'supertokens',
    [
      [{ disabled: true }, 'DISABLED'],
      [{ disabled: 'maybe' }, UNKNOWN],
    ],
  ],
  [
    'ldif',
    [
      [{ isdeleted: ['TRUE'] }, 'DELETED'],
      [{ objectclass: ['person', 'nsTombstone'] }, 'DELETED'],
      [{ dn: ['uid=a,cn=deleted users,cn=accounts,cn=provisioning,dc=x'] }, 'DELETED'],
      [{ dn: ['uid=a,cn=staged users,cn=accounts,cn=provisioning,dc=x'] }, 'DISABLED'],
      [{ dn: ['CN=a,CN=Deleted Objects,DC=x'] }, 'DELETED'],
      [{ nsaccountlock: ['FALSE', 'TRUE'] }, 'DISABLED'],
      [{ nsaccountlock: ['sometimes'] }, UNKNOWN],
      [{ nsroledn: ['cn=nsManagedDisabledRole,dc=x'] }, 'DISABLED'],
      [{ 'msds-useraccountdisabled': ['TRUE'] }, 'DISABLED'],
      [{ useraccountcontrol: ['4096'] }, 'SERVICE_ACCOUNT'],
      [{ useraccountcontrol: ['off'] }, UNKNOWN],
      [{ krbprincipalexpiration: ['20200101000000Z'] }, 'DISABLED'],
      [{ krbprincipalexpiration: ['19700101000000Z'] }, undefined],
      [{ krbticketflags: ['64'] }, 'DISABLED'],
      [{ sambakickofftime: ['1577836800'] }, 'DISABLED'],
      [{ sambakickofftime: ['2147483647'] }, undefined],
      [{ pwdstarttime: ['21200101000000Z'] }, 'DISABLED'],
      [{ accountunlocktime: ['19700101000000Z'] }, 'DISABLED'],
      [{ shadowexpire: ['tomorrow'] }, UNKNOWN],
      [{ shadowlastchange: ['x'], shadowmax: ['90'], shadowinactive: ['30'] }, UNKNOWN],
    ],
  ],
  [
    'gitea',
    [
      [{ is_active: 'f' }, 'DISABLED'],
      [{ prohibit_login: 't' }, 'DISABLED'],
      [{ type: '1' }, 'SERVICE_ACCOUNT'],
      [{ type: '4' }, 'SERVICE_ACCOUNT'],
      [{ type: '5' }, 'DISABLED'],
      [{ type: '9' }, UNKNOWN],
    ],
  ],
  [
    'zulip',
    [
      [{ is_active: 'f' }, 'DISABLED'],
      [{ is_bot: 't' }, 'SERVICE_ACCOUNT'],
      [{ is_mirror_dummy: 't' }, 'DISABLED'],
      [{ is_imported_stub: 't' }, 'DISABLED'],
      [{ is_active: 'perhaps' }, UNKNOWN],
    ],
  ],
  [
    'metabase',
    [
      [{ is_active: 'f' }, 'DISABLED'],
      [{ deactivated_at: '2024-01-01 00:00:00' }, 'DISABLED'],
      [{ type: 'api-key' }, 'SERVICE_ACCOUNT'],
      [{ type: 'robot' }, UNKNOWN],
    ],
  ],
  [
    'nodebb',
    [
      [{ banned: 1, 'banned:expire': 0 }, 'DISABLED'],
      [{ banned: 1 }, 'DISABLED'],
      [{ banned: 1, 'banned:expire': FUTURE }, 'DISABLED'],
      [{ banned: 1, 'banned:expire': PAST }, undefined],
      [{ banned: 0, 'banned:expire': 0 }, undefined],
      [{ 'banned:expire': FUTURE }, 'DISABLED'],
      [{ banned: 0, 'banned:expire': FUTURE }, 'DISABLED'],
      [{ 'banned:expire': PAST }, undefined],
      [{ 'banned:expire': 0 }, UNKNOWN],
      [{ banned: '', 'banned:expire': '0' }, UNKNOWN],
      [{ 'banned:expire': 'x' }, UNKNOWN],
      [{ banned: 'x' }, UNKNOWN],
    ],
  ],
  [
    'logto',
    [
      [{ is_suspended: 't' }, 'DISABLED'],
      [{ is_suspended: 'x' }, UNKNOWN],
    ],
  ],
  [
    'zammad',
    [
      [{ active: 'f' }, 'DISABLED'],
      [{ active: '' }, 'DISABLED'],
      [{ login: '-' }, 'SERVICE_ACCOUNT'],
    ],
  ],
  [
    'frappe',
    [
      [{ enabled: '0' }, 'DISABLED'],
      [{ name: 'Guest' }, 'SERVICE_ACCOUNT'],
    ],
  ],
  [
    'prestashop',
    [
      [{ active: '0' }, 'DISABLED'],
      [{ deleted: '1' }, 'DELETED'],
      [{ is_guest: '1' }, 'NO_LOGIN_METHOD'],
      [{ is_guest: 'x' }, UNKNOWN],
    ],
  ],
  [
    'web2py',
    [
      [{ registration_key: 'pending' }, 'DISABLED'],
      [{ registration_key: 'blocked' }, 'DISABLED'],
      [{ registration_key: '5f1f1f1f-token' }, 'DISABLED'],
      [{ is_active: 'F' }, 'DISABLED'],
      [{ action_token: 'account-blocked' }, 'DISABLED'],
      [{ action_token: 'pending-approval' }, 'DISABLED'],
      [{ action_token: 'reset-password-request:x' }, undefined],
      [{ action_token: 'no-more' }, UNKNOWN],
    ],
  ],
  [
    'synapse',
    [
      [{ deactivated: '1' }, 'DELETED'],
      [{ locked: 't' }, 'DISABLED'],
      [{ suspended: 't' }, 'DISABLED'],
      [{ approved: 'f' }, 'DISABLED'],
      [{ user_type: 'bot' }, 'SERVICE_ACCOUNT'],
      [{ user_type: 'hal' }, UNKNOWN],
      [{ is_guest: '1' }, 'ANONYMOUS'],
      [{ appservice_id: 'irc' }, 'SERVICE_ACCOUNT'],
    ],
  ],
])('%s', (system, cases) => {
  it.each(cases)('%j', (changes, state) => {
    const found = stateOf(system, changes);
    if (state === UNKNOWN) expect(found).toMatchObject(UNKNOWN);
    else expect(found).toBe(state);
  });
});

describe('joined tables', () => {
  it('a person whom the preferences of Nextcloud disable stays out', () => {
    const stateWith = (configvalue: string) =>
      readUsers(nextcloud, [
        tableOf('csv', [{ uid: 'a', displayname: 'A', password: '', uid_lower: 'a' }]),
        tableOf('csv', [{ userid: 'a', appid: 'core', configkey: 'enabled', configvalue }]),
      ]).users[0]?.state;
    expect(stateWith('true')).toBeUndefined();
    expect(stateWith('false')).toBe('DISABLED');
    expect(stateWith('later')).toMatchObject(UNKNOWN);
  });

  it('a person whom NodeBB lists as banned stays out', () => {
    const stateWith = (changes: SourceRecord, value: string) =>
      stateOf('nodebb', changes, { banned: [{ _id: 'x', _key: 'users:banned', value, score: 1 }] });
    expect(stateWith({ 'banned:expire': 0 }, '1')).toBe('DISABLED');
    expect(stateWith({ 'banned:expire': 0 }, '2')).toBeUndefined();
    expect(stateWith({ 'banned:expire': PAST }, '1')).toBeUndefined();
  });

  it('a person of Synapse whose account has expired stays out', () => {
    const stateWith = (end: unknown) =>
      stateOf('synapse', {}, { validity: [{ user_id: '@a:b.c', expiration_ts_ms: end }] });
    expect(stateWith(String(PAST))).toBe('DISABLED');
    expect(stateWith(String(FUTURE))).toBeUndefined();
    expect(stateWith('soon')).toBe('DISABLED');
  });

  const realm = (deactivated: string) => ({ zerver_realm: [{ id: '2', string_id: 'x', deactivated }] });

  it('a person of a deactivated organisation of Zulip stays out, and one of an unknown organisation is asked about', () => {
    expect(stateOf('zulip', {}, realm('f'))).toBeUndefined();
    expect(stateOf('zulip', {}, realm('t'))).toBe('DISABLED');
    expect(stateOf('zulip', { realm_id: '3' }, realm('f'))).toMatchObject(UNKNOWN);
  });

  it('a person whom the table users of FusionAuth says to be inactive or expired, or whom an action keeps out, stays out', () => {
    const identity = {
      ...{ users_id: 'u', email: 'a@b.c', verified: 't', status: '0' },
      ...{ encryption_scheme: 'bcrypt', factor: '10', salt: 'x', password: 'y' },
    };
    const user = { id: 'u', active: 't', insert_instant: '1512360248000', tenants_id: 't' };
    const stateWith = (changes: SourceRecord, own: SourceRecord = {}, actions: SourceRecord[][] = []) =>
      readUsers(fusionauth, [
        tableOf('sql', [{ ...identity, ...own }], { name: 'identities' }),
        tableOf('sql', [{ ...user, ...changes }], { name: 'users' }),
        ...actions.map((records) =>
          tableOf('sql', records, {
            name: 'temporal' in (records[0] ?? {}) ? 'user_actions' : 'user_action_logs',
          }),
        ),
      ]).users[0]?.state;
    expect(stateWith({})).toBeUndefined();
    expect(stateWith({ active: 'f' })).toBe('DISABLED');
    expect(stateWith({ expiry: String(PAST) })).toBe('DISABLED');
    expect(stateWith({}, { status: '1' })).toMatchObject(UNKNOWN);
    const log = (expiry: string | null) => [{ actionee_users_id: 'u', user_actions_id: 'a', expiry }];
    const action = (prevent_login: string) => [{ id: 'a', prevent_login, temporal: 't' }];
    expect(stateWith({}, {}, [log(String(FUTURE)), action('t')])).toBe('DISABLED');
    expect(stateWith({}, {}, [log(null), action('t')])).toBe('DISABLED');
    expect(stateWith({}, {}, [log('9223372036854775807'), action('t')])).toBe('DISABLED');
    expect(stateWith({}, {}, [log(String(FUTURE))])).toBe('DISABLED');
    expect(stateWith({}, {}, [log(String(PAST)), action('t')])).toBeUndefined();
    expect(stateWith({}, {}, [log(String(FUTURE)), action('f')])).toBeUndefined();
    expect(stateWith({}, {}, [log('soon'), action('t')])).toMatchObject(UNKNOWN);
  });

  it.each<[Source, string, 'states' | 'factors']>([
    [clerk, 'api', 'states'],
    [auth0, 'users', 'states'],
    [fusionauth, 'users', 'states'],
    [fusionauth, 'user_action_logs', 'states'],
    [synapse, 'validity', 'states'],
    [zulip, 'zerver_realm', 'states'],
    [gitea, 'two_factor', 'factors'],
    [zammad, 'user_two_factor_preferences', 'factors'],
    [nextcloud, 'oc_preferences', 'states'],
    [nextcloud, 'oc_twofactor_providers', 'factors'],
  ])('%# an export without the table that decides is asked about', ({ forms }, name, decides) => {
    expect(forms.flatMap(({ details }) => details?.[name]?.decides ?? [])).toContain(decides);
  });
});

describe('addresses that nobody has confirmed stay unverified', () => {
  const isVerified = (system: keyof typeof SYSTEMS, changes: SourceRecord) => {
    const { source, container, name, active }: System = SYSTEMS[system];
    const table = tableOf(container, [{ ...active, ...changes }], { name: name ?? '' });
    return readUsers(source, [table]).users[0]?.isVerified;
  };

  it.each<[keyof typeof SYSTEMS, SourceRecord, boolean | undefined]>([
    ['nodebb', { 'email:confirmed': 1 }, true],
    ['nodebb', { 'email:confirmed': 0 }, false],
    ['nodebb', {}, undefined],
    ['zammad', { verified: 't' }, true],
    ['zammad', {}, false],
    ['fusionauth', { verified: false }, false],
    ['auth0', { email_verified: false }, false],
    ['zulip', {}, undefined],
    ['metabase', {}, undefined],
    ['logto', {}, undefined],
    ['frappe', {}, undefined],
    ['prestashop', {}, undefined],
    ['web2py', {}, undefined],
    ['synapse', {}, false],
  ])('%s %j', (system, changes, verified) => {
    expect(isVerified(system, changes)).toBe(verified);
  });

  it('an address of Synapse counts once it was validated', () => {
    const addresses = (validated_at: string | null) =>
      readUsers(synapse, [
        tableOf('csv', [SYSTEMS.synapse.active]),
        tableOf('csv', [{ user_id: '@a:b.c', medium: 'email', address: 'a@b.c', validated_at }]),
      ]).users.map(({ email, isVerified: verified }) => [email, verified]);
    expect(addresses('1600000000000')).toEqual([['a@b.c', true]]);
    expect(addresses(null)).toEqual([[undefined, false]]);
  });
});

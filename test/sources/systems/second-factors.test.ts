import { expect, it } from 'vitest';
import { cognito } from '../../../src/sources/systems/cognito.ts';
import { django } from '../../../src/sources/systems/django.ts';
import { drupal } from '../../../src/sources/systems/drupal.ts';
import { ghost } from '../../../src/sources/systems/ghost.ts';
import { kratos } from '../../../src/sources/systems/kratos.ts';
import { ldif } from '../../../src/sources/systems/ldif.ts';
import { meteor } from '../../../src/sources/systems/meteor.ts';
import { supabase } from '../../../src/sources/systems/supabase.ts';
import { metabase } from '../../../src/sources/systems/team-tools.ts';
import { shadow } from '../../../src/sources/systems/unix.ts';
import { wordpress } from '../../../src/sources/systems/wordpress.ts';
import { readUsers, type TestTable, tableOf } from './read-users.ts';

const MFA = { mfa: 1 };
const CHANGE = { 'forced password changes': 1 };

const WORDPRESS = {
  ID: '1',
  user_login: 'a',
  user_email: 'a@x',
  user_pass: '$P$Bx',
  user_registered: '2024-01-01',
  display_name: 'A',
};
const meta = (key: string, value: string): TestTable[] => [
  tableOf('sql', [WORDPRESS], { name: 'wp_users' }),
  tableOf('sql', [{ user_id: '1', meta_key: key, meta_value: value }], { name: 'wp_usermeta' }),
];
const kratosTables = (config: object): TestTable[] => [
  tableOf('sql', [{ id: 'i', schema_id: 's', traits: '{"email":"a@x"}' }], { name: 'identities' }),
  tableOf('sql', [{ identity_id: 'i', config: JSON.stringify(config) }], { name: 'identity_credentials' }),
];
const meteorUser = (services: object) => [
  tableOf('json', [{ _id: '1', emails: [{ address: 'a@x' }], services: { resume: {}, ...services } }]),
];
const drupalTables = (name: string) => [
  tableOf('sql', [{ uid: '1', name: 'a', pass: '$S$x', mail: 'a@x', status: '1', default_langcode: '1' }], {
    name: 'users_field_data',
  }),
  tableOf('sql', [{ uid: '1', module: 'tfa', name, value: 'x', serialized: '1' }], { name: 'users_data' }),
];
const DJANGO = {
  username: 'a',
  email: 'a@x',
  password: 'pbkdf2_sha256$1$a$b',
  last_login: null,
  is_superuser: false,
};
const djangoFixture = [
  tableOf('json', [DJANGO], { name: 'auth.user' }),
  tableOf('json', [{ pk: 1, user: ['a'], type: 'totp', data: {} }], { name: 'mfa.authenticator' }),
];
const apiUser = (factors: unknown) => [
  tableOf('json', [{ id: '1', email: 'a@x', aud: '', app_metadata: {}, user_metadata: {}, factors }]),
];
const metabaseUser = (enabled: string) => [
  tableOf('csv', [
    {
      ...{ id: '1', email: 'a@x', password: 'x', password_salt: 'y', is_superuser: 'f', date_joined: '' },
      ...{ is_active: 't', totp_enabled: enabled, totp_secret: 'JBSWY3DPEHPK3PXP' },
    },
  ]),
];
const SHADOW = { name: 'a', hash: '$6$salt$x' };

it.each([
  [
    'WordPress, Two Factor',
    wordpress,
    meta('_two_factor_enabled_providers', 'a:1:{i:0;s:15:"Two_Factor_Totp";}'),
    MFA,
  ],
  ['WordPress, WP 2FA', wordpress, meta('wp_2fa_enabled_methods', 'totp'), MFA],
  ['WordPress, none enabled', wordpress, meta('_two_factor_enabled_providers', 'a:0:{}'), {}],
  ['WordPress, anything else', wordpress, meta('wp_2fa_nag_dismissed', '1'), {}],
  ['Kratos, TOTP', kratos, kratosTables({ totp_url: 'otpauth://totp/x' }), MFA],
  ['Kratos, passkeys', kratos, kratosTables({ credentials: [{ id: 'x' }], user_handle: 'x' }), MFA],
  ['Kratos, recovery codes', kratos, kratosTables({ recovery_codes: [{ code: 'x' }] }), MFA],
  ['Kratos, none left', kratos, kratosTables({ credentials: [] }), {}],
  ['Meteor', meteor, meteorUser({ twoFactorAuthentication: { type: 'otp' } }), MFA],
  ['Rocket.Chat', meteor, meteorUser({ totp: { enabled: true, secret: 's' } }), MFA],
  ['Rocket.Chat, switched off', meteor, meteorUser({ email2fa: { enabled: false, changedAt: 'x' } }), {}],
  ['Drupal, TFA', drupal, drupalTables('tfa_totp_seed'), MFA],
  ['Drupal, settings alone', drupal, drupalTables('tfa_user_settings'), {}],
  ['Django, with natural keys', django, djangoFixture, MFA],
  ['Supabase, of the API', supabase, apiUser([{ status: 'verified' }]), MFA],
  ['Supabase, not finished', supabase, apiUser([{ status: 'unverified' }]), {}],
  [
    'Cognito',
    cognito,
    [
      tableOf('json', [
        {
          Username: 'a',
          Attributes: [],
          UserStatus: 'CONFIRMED',
          UserMFASettingList: ['SOFTWARE_TOKEN_MFA'],
        },
      ]),
    ],
    MFA,
  ],
  [
    'Cognito, a first password',
    cognito,
    [tableOf('json', [{ Username: 'a', Attributes: [], UserStatus: 'FORCE_CHANGE_PASSWORD' }])],
    CHANGE,
  ],
  [
    'Ghost, locked',
    ghost,
    [
      tableOf(
        'json',
        [{ id: '1', slug: 'a', email: 'a@x', password: '$2a$x', status: 'locked', visibility: 'public' }],
        { name: 'users' },
      ),
    ],
    CHANGE,
  ],
  ['Metabase, TOTP', metabase, metabaseUser('t'), MFA],
  ['Metabase, switched off', metabase, metabaseUser('f'), {}],
  ['Active Directory', ldif, [tableOf('ldif', [{ dn: ['cn=a'], mail: ['a@x'], pwdlastset: ['0'] }])], CHANGE],
  ['shadow, expired by hand', shadow, [tableOf('shadow', [{ ...SHADOW, lastChanged: '0' }])], CHANGE],
  ['shadow', shadow, [tableOf('shadow', [{ ...SHADOW, lastChanged: '19000' }])], {}],
])('%s', (_, source, tables, dropped) => {
  expect(readUsers(source, tables).dropped).toEqual(dropped);
});

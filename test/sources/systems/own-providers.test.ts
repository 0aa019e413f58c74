import { describe, expect, it } from 'vitest';
import { thirdPartyLogins } from '../../../src/sources/pipeline/claims.ts';
import { Tally } from '../../../src/sources/pipeline/tally.ts';
import { adviceOnRows } from '../../../src/sources/pipeline/user-advice.ts';
import type { Source } from '../../../src/sources/source.ts';
import { auth0 } from '../../../src/sources/systems/auth0.ts';
import { logto } from '../../../src/sources/systems/identity-servers.ts';
import { kanboard } from '../../../src/sources/systems/kanboard.ts';
import { keycloak } from '../../../src/sources/systems/keycloak.ts';
import { frappe, gitea } from '../../../src/sources/systems/mail-and-code.ts';
import { django } from '../../../src/sources/systems/python.ts';
import { supabase } from '../../../src/sources/systems/supabase.ts';
import { odoo, zammad } from '../../../src/sources/systems/team-tools.ts';
import { zitadel } from '../../../src/sources/systems/zitadel.ts';
import { jsonTablesOf, readUsers, type TestTable, tableOf } from './read-users.ts';

/**
 * Accounts at servers of one's own, whose ids belong to other persons at the public provider of the same name.
 */

/** Third-party logins of all users, without the operator's mapping: `github:5`. */
function loginsIn(source: Source, tables: readonly TestTable[], providers = {}): string[] {
  const { users } = readUsers(source, [...tables], { settings: { realm: '*' } });
  expect(users.length).toBeGreaterThan(0);
  return users.flatMap((user) =>
    thirdPartyLogins(user, 'a@b.c', providers).logins.map(
      ({ thirdPartyId, thirdPartyUserId }) => `${thirdPartyId}:${thirdPartyUserId}`,
    ),
  );
}

const sql = (name: string, ...records: Record<string, unknown>[]) => tableOf('sql', records, { name });

describe('Keycloak', () => {
  const cases = [
    ['google', 'google', {}, ['google:5']],
    ['my', 'github', {}, ['github:5']],
    ['my', 'github', { baseUrl: 'https://github.com', apiUrl: 'https://API.github.com/' }, ['github:5']],
    ['google', 'oidc', { issuer: 'https://evil.example' }, []],
    ['google', 'not-known', {}, []],
    ['github', 'github', { baseUrl: 'https://ghe.example.com' }, []],
    ['github', 'github', { baseUrl: 'https://github.com@ghe.example.com' }, []],
    ['github', 'github', { apiUrl: 'https://ghe.example.com/api' }, []],
    ['linkedin', 'linkedin-openid-connect', {}, ['linkedin:5']],
  ] as const;
  const realmOf = async (alias: string, more: object) =>
    jsonTablesOf({
      realm: 'r',
      users: [
        {
          ...{ id: 'u', username: 'ada', email: 'a@b.c', emailVerified: true, enabled: true },
          ...{ createdTimestamp: 1, federatedIdentities: [{ identityProvider: alias, userId: '5' }] },
        },
      ],
      ...more,
    });
  const tablesOf = (alias: string, ...more: TestTable[]) => [
    sql('user_entity', {
      ...{ id: 'u', email: 'a@b.c', email_verified: 't', enabled: 't', realm_id: 'r1' },
      ...{ created_timestamp: '1', username: 'ada' },
    }),
    sql('federated_identity', { user_id: 'u', identity_provider: alias, federated_user_id: '5' }),
    ...more,
  ];

  it.each(cases)('alias %s of %s with %j', async (alias, providerId, config, logins) => {
    const realm = await realmOf(alias, { identityProviders: [{ alias, providerId, config }] });
    expect(loginsIn(keycloak, realm)).toEqual(logins);
    const tables = tablesOf(
      alias,
      sql(
        'identity_provider',
        { internal_id: 'i0', provider_alias: alias, provider_id: 'google', realm_id: 'other' },
        { internal_id: 'i1', provider_alias: alias, provider_id: providerId, realm_id: 'r1' },
      ),
      sql(
        'identity_provider_config',
        { identity_provider_id: 'i1', name: 'clientSecret', value: 'x' },
        ...Object.entries(config).map(([name, value]) => ({ identity_provider_id: 'i1', name, value })),
      ),
    );
    expect(loginsIn(keycloak, tables)).toEqual(logins);
  });

  it('says nothing by an alias alone, unless the operator maps it', async () => {
    expect(loginsIn(keycloak, await realmOf('google', {}))).toEqual([]);
    expect(loginsIn(keycloak, tablesOf('google'))).toEqual([]);
    expect(loginsIn(keycloak, tablesOf('google'), { google: 'google' })).toEqual(['google:5']);
  });
});

it.each([
  ['google-oauth2', 'google-oauth2', ['google:5']],
  ['oauth2', 'google', []],
  ['oauth2', 'google-oauth2', []],
  ['custom', 'github', []],
  ['oidc', 'google-oauth2', []],
])('Auth0: provider %s with the connection %s', async (provider, connection, logins) => {
  const identities = [{ provider, connection, user_id: '5', isSocial: true }];
  const user = { user_id: 'auth0|1', email: 'a@b.c', email_verified: true };
  expect(loginsIn(auth0, await jsonTablesOf([{ ...user, identities }]))).toEqual(logins);
  const byId = await jsonTablesOf([{ ...user, user_id: `${provider}|${connection}|5` }]);
  if (logins.length === 0) expect(loginsIn(auth0, byId)).toEqual([]);
});

it.each<[type: string | null, name: string, logins: string[]]>([
  ['10', 'Sign in', ['google:5']],
  ['6', 'Google', ['github:5']],
  ['8', 'GitLab', ['gitlab:5']],
  ...['1', '2', '3', '4', '7', '9', '12', '99', null].map((type): [string | null, string, string[]] => [
    type,
    'Google',
    [],
  ]),
])('Zitadel: type %s with the name %s', async (type, name, logins) => {
  const T = '2023-05-06 07:08:09+00';
  const user = {
    ...{ id: 'u1', creation_date: T, change_date: T, sequence: '1', state: '1', resource_owner: 'o1' },
    ...{ instance_id: 'i1', username: 'ada', type: '1' },
  };
  const flags = { is_creation_allowed: 'f', is_linking_allowed: 'f', owner_type: '1', instance_id: 'i1' };
  const tables = [
    sql('projections.users14', user),
    sql('projections.idp_user_links3', {
      ...{ idp_id: 'p', user_id: 'u1', external_user_id: '5', instance_id: 'i1' },
    }),
    sql('projections.idp_templates6', { id: 'p', name, type, ...flags }),
  ];
  expect(loginsIn(zitadel, tables)).toEqual(logins);
  const exported = await jsonTablesOf([
    {
      ...{ userId: 'u1', orgId: 'o1', user: { userName: 'ada', profile: {}, email: { email: 'a@b.c' } } },
      userLinks: [
        { idpName: name, idpType: type === null ? 'IDP_TYPE_OIDC' : Number(type), providedUserId: '5' },
      ],
    },
  ]);
  expect(loginsIn(zitadel, exported)).toEqual(logins);
});

it.each([
  ['gitlab', 'https://gitlab.com', ['gitlab:5']],
  ['gitlab', 'https://gitlab.example.com', []],
  ['github', 'https://api.github.com', ['github:5']],
  ['github', 'https://ghe.example.com/api/v3', []],
  ['azure', 'https://login.microsoftonline.com/t/v2.0', ['active-directory:5']],
  ['github', undefined, ['github:5']],
])('Supabase: %s with the issuer %s', (provider, iss, logins) => {
  const user = { id: 'u1', email: 'a@b.c', encrypted_password: null, raw_app_meta_data: '{}' };
  const identity_data = JSON.stringify({ sub: '5', iss });
  const tables = [
    sql('auth.users', user),
    sql('auth.identities', { id: 'i', user_id: 'u1', provider, provider_id: '5', identity_data }),
  ];
  expect(loginsIn(supabase, tables)).toEqual(logins);
});

it.each([
  ['gitlab', { web_url: 'https://gitlab.com/ada' }, ['gitlab:5']],
  ['gitlab', { web_url: 'https://gitlab.example.com/ada' }, []],
  ['github', { html_url: 'https://github.com/ada' }, ['github:5']],
  ['github', { html_url: 'https://ghe.example.com/ada' }, []],
  ['google', { iss: 'accounts.google.com' }, ['google:5']],
  ['google', { id_token: { iss: 'https://evil.example' } }, []],
])('django-allauth: %s with the profile %j', (provider, extra_data, logins) => {
  const user = {
    ...{ id: '7', password: '!', last_login: null, is_superuser: 'f', username: 'ada', email: 'a@b.c' },
    ...{ is_active: 't', date_joined: '2017-12-16 19:51:21+00' },
  };
  const account = { id: '1', user_id: '7', provider, uid: '5', date_joined: 'x' };
  const tables = [
    sql('auth_user', user),
    sql('socialaccount_socialaccount', { ...account, extra_data: JSON.stringify(extra_data) }),
  ];
  expect(loginsIn(django, tables)).toEqual(logins);
});

it.each([
  ['Corp', { Provider: 'github', CustomURLMapping: null }, ['github:5']],
  ['Corp', { Provider: 'gplus' }, ['google:5']],
  ['github', { Provider: 'openidConnect', OpenIDConnectAutoDiscoveryURL: 'https://x.example' }, []],
  ['gitlab', { Provider: 'gitlab', CustomURLMapping: { AuthURL: 'https://gitlab.example.com/o' } }, []],
  [
    'github',
    { Provider: 'github', CustomURLMapping: { ProfileURL: 'https://api.github.com/user' } },
    ['github:5'],
  ],
])('Gitea: the login source %s of %j', (provider, cfg, logins) => {
  const user = {
    ...{
      id: '1',
      lower_name: 'ada',
      name: 'ada',
      email: 'a@b.c',
      passwd: '',
      passwd_hash_algo: '',
      rands: '',
    },
    ...{ salt: '', prohibit_login: 'f', is_active: 't', type: '0', login_type: '6' },
  };
  const tables = [
    sql('user', user),
    sql('external_login_user', { external_id: '5', user_id: '1', login_source_id: '3', provider }),
    sql('login_source', { id: '3', type: '6', name: provider, cfg: JSON.stringify(cfg) }),
  ];
  expect(loginsIn(gitea, tables)).toEqual(logins);
});

it.each([
  ['f', 'DISABLED', []],
  ['t', undefined, ['github:5']],
])('Gitea: a source whose is_active is %s', (is_active, state, logins) => {
  const user = {
    ...{ id: '1', lower_name: 'ada', email: 'a@b.c', passwd: '', passwd_hash_algo: '', rands: '', salt: '' },
    ...{ prohibit_login: 'f', is_active: 't', type: '0', login_type: '6', login_source: '3' },
  };
  const cfg = JSON.stringify({ Provider: 'github' });
  const tables = [
    sql('user', user),
    sql('external_login_user', {
      ...{ external_id: '5', user_id: '1', login_source_id: '3', provider: 'github' },
    }),
    sql('login_source', { id: '3', type: '6', name: 'github', is_active, cfg }),
  ];
  expect(readUsers(gitea, tables).users[0]?.state).toBe(state);
  expect(loginsIn(gitea, tables)).toEqual(logins);
});

it.each([
  ['github', { social_login_provider: 'GitHub', base_url: 'https://api.github.com/' }, ['github:5']],
  ['github', { social_login_provider: 'GitHub', base_url: 'https://ghe.example.com/' }, []],
  ['google', { social_login_provider: 'Custom', base_url: 'https://evil.example' }, []],
])('Frappe: the key %s of %j', (provider, key, logins) => {
  const user = { name: 'a@b.c', creation: '2020-01-01', enabled: '1', email: 'a@b.c', user_type: 'x' };
  const tables = [
    sql('tabUser', user),
    sql('tabUser Social Login', { parent: 'a@b.c', parenttype: 'User', provider, userid: '5' }),
    sql('tabSocial Login Key', { name: provider, ...key }),
  ];
  expect(loginsIn(frappe, tables)).toEqual(logins);
});

it.each([
  ['Google OAuth2', 'https://accounts.google.com/o/oauth2/auth', ['google:5']],
  ['Our GitHub', 'https://github.com/login/oauth/authorize', ['github:5']],
  ['Google', 'https://evil.example/auth', []],
])('Odoo: the provider %s at %s', (name, auth_endpoint, logins) => {
  const user = { id: '2', login: 'a@b.c', password: '', active: 't', partner_id: '3', company_id: '1' };
  const tables = [
    sql('res_users', { ...user, oauth_provider_id: '4', oauth_uid: '5', totp_secret: null }),
    sql('auth_oauth_provider', { id: '4', name, auth_endpoint, validation_endpoint: '' }),
  ];
  expect(loginsIn(odoo, tables)).toEqual(logins);
});

it.each([
  ['google-universal', ['google:5']],
  ['oidc', []],
  ['oauth2', []],
])('Logto: a connector %s with the target google', (connector_id, logins) => {
  const user = {
    ...{ tenant_id: 'default', id: 'l1', primary_email: 'a@b.c', password_encrypted: null },
    ...{ password_encryption_method: null, identities: '{"google":{"userId":"5"}}', is_suspended: 'f' },
  };
  const metadata = '{"target":"google"}';
  const tables = [
    sql('users', user),
    sql('connectors', { tenant_id: 'default', id: 'c', connector_id, metadata, config: '{}' }),
  ];
  expect(loginsIn(logto, tables)).toEqual(logins);
});

it.each([
  ['gitlab', 'https://gitlab.com/api/v4', ['gitlab:5']],
  ['gitlab', 'https://gitlab.example.com/api/v4', []],
  ['github', 'https://gitlab.example.com/api/v4', ['github:5']],
])('Zammad: %s where the site of GitLab is %s', (provider, site, logins) => {
  const user = {
    ...{ id: '1', login: 'ada', firstname: 'A', lastname: 'B', email: 'a@b.c', password: '' },
    ...{ active: 't', verified: 't' },
  };
  const state_current = `---\nvalue:\n  app_id: x\n  site: ${site}\n`;
  const tables = [
    sql('users', user),
    sql('authorizations', { provider, uid: '5', user_id: '1' }),
    sql('settings', { name: 'auth_gitlab_credentials', state_current }),
  ];
  expect(loginsIn(zammad, tables)).toEqual(logins);
});

it.each([
  ['https://gitlab.com/api/v3/', ['google:1', 'gitlab:5']],
  ['https://gitlab.example.com/api/v3/', ['google:1']],
])('Kanboard: GitLab at %s', (value, logins) => {
  const user = {
    ...{ id: '1', username: 'ada', email: 'a@b.c', password: '', is_ldap_user: '0', disable_login_form: '0' },
    ...{ twofactor_activated: '0', twofactor_secret: null, is_active: '1', google_id: '1', gitlab_id: '5' },
  };
  const tables = [sql('users', user), sql('settings', { option: 'gitlab_api_url', value })];
  expect(loginsIn(kanboard, tables)).toEqual(logins);
});

it('warns of a mapped provider that nobody has, and of several under one id', () => {
  const tally = new Tally();
  const providers = { acme: 'corp', beta: 'corp', nosuch: 'x' };
  for (const provider of ['acme', 'beta', 'nosuhc']) {
    const identities = [{ provider, userId: '1' }];
    thirdPartyLogins({ email: 'a@b.c', identities }, 'a@b.c', providers, tally);
  }
  expect(
    adviceOnRows(tally, { mfa: undefined, providers }, { plan: { surveys: [] }, rows: 3 }).map(
      ({ text }) => text,
    ),
  ).toEqual([
    expect.stringMatching(/provider\.nosuch: nobody .* Did you mean provider\.nosuhc\?/),
    expect.stringContaining('are imported as corp: acme, beta.'),
  ]);
});

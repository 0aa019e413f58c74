import { describe, expect, it } from 'vitest';
import { thirdPartyLogins } from '../../../src/sources/pipeline/claims.ts';
import { Tally } from '../../../src/sources/pipeline/tally.ts';
import { adviceOnRows } from '../../../src/sources/pipeline/user-advice.ts';
import type { Source } from '../../../src/sources/source.ts';
import { auth0 } from '../../../src/sources/systems/auth0.ts';
import { keycloak } from '../../../src/sources/systems/keycloak.ts';
import { zitadel } from '../../../src/sources/systems/zitadel.ts';
import { jsonTablesOf, readUsers, type TestTable, tableOf } from './read-users.ts';

/**
 * Accounts at servers of one's own, whose ids belong to other persons at the public provider of the same name. Further
 * systems have rows in their cases.json.
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

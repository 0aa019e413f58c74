import type { JsonObject } from '../../lib/json/json-object.ts';
import type { SourceRecord, TableHead } from '../containers/table.ts';
import { chosenProvider, knownThirdPartyId } from '../fields/providers.ts';
import { NO_REALM } from '../fields/realms.ts';
import { shownCell } from '../fields/shown-name.ts';
import { gravestState, type ReadState, stateOf } from '../fields/states.ts';
import { flagOf, listOf, objectOf, objectsOf, textOf } from '../fields/values.ts';
import type { DetectionContext } from '../source.ts';
import { type Identity, type Row, refusedFile, rolesIn, system, type Users, words } from './declare.ts';
import { passwordOf, totpOf } from './keycloak-credential.ts';

const OF_REALMS = words('keycloakVersion sslRequired clients clientScopes identityProviders enabled');

/** Whether a table is a realm in JSON, such as `acme-realm.json` of `kc.sh export --dir`: as a record, or as `root`. */
function isRealm({ container, name, columns, root }: TableHead): boolean {
  if (container !== 'json' || (name !== '' && name !== 'organizations')) return false;
  const has = (member: string) => columns.has(member) || root[member] !== undefined;
  return has('realm') && !has('users') && OF_REALMS.some(has);
}

const realmOf = ({ root, first: [record] }: TableHead) =>
  root.realm === undefined ? (record ?? root) : root;

type Tables = Pick<Row, 'table' | 'tables'>;

/** Returns the data about the realm of a table of users: in its own file, and in the file of the realm. */
const realmsOf = ({ table, tables }: Tables): SourceRecord[] => {
  const name = textOf(table.root.realm);
  const files = tables.filter(isRealm).map(realmOf);
  return [table.root, ...files.filter(({ realm }) => name !== undefined && textOf(realm) === name)];
};

const ENTERPRISE = new Set(['saml', 'oidc', 'keycloak-oidc', 'oauth2', 'kubernetes', 'spiffe']);

/**
 * Returns the identity providers by the alias that an administrator chose, as far as the files of the realm have
 * them.
 */
const providersOf = onceForTable(
  (tables) =>
    new Map(
      realmsOf(tables)
        .flatMap(({ identityProviders }) => objectsOf(identityProviders))
        .map((one) => [textOf(one.alias), one]),
    ),
);

function onceForTable<T>(find: (tables: Tables) => T): (tables: Tables) => T {
  const known = new WeakMap<TableHead, T>();
  return (tables) => {
    const found = known.get(tables.table) ?? find(tables);
    known.set(tables.table, found);
    return found;
  };
}

/**
 * Reads an identity. Its provider is named after the public provider if it is one, otherwise by Keycloak's alias.
 * @param broker `providerId` and `config` of a realm export
 */
function identityOf(alias: unknown, userId: unknown, broker: JsonObject | undefined): Identity {
  const [name, provider] = [textOf(alias), textOf(broker?.providerId)];
  if (name === undefined) return { provider: 'unknown', userId: undefined };
  const { baseUrl, apiUrl, issuer } = objectOf(broker?.config) ?? {};
  if (provider !== undefined && knownThirdPartyId(provider) !== undefined)
    return { provider, userId, servers: [baseUrl, apiUrl, issuer] };
  const isSso = provider === undefined || ENTERPRISE.has(provider);
  return { userId, isSso, ...chosenProvider(name) };
}

/** Returns a role of a client in Keycloak's notation, `client.role` (KeycloakModelUtils.parseRole). */
const clientRole = (client: unknown, role: unknown): string | undefined =>
  textOf(role) && `${textOf(client)}.${textOf(role)}`;

const isPassword = ({ type }: JsonObject) => type === 'password';
const passwordsIn = ({ record }: Row) => objectsOf(record.credentials).filter(isPassword);

const asks = ({ record }: Row, action: RegExp) =>
  listOf(record.requiredActions).some((one) => action.test(textOf(one)?.toUpperCase() ?? ''));

const serviceState = ({ record }: Row) =>
  textOf(record.serviceAccountClientId) === undefined ? undefined : 'SERVICE_ACCOUNT';

/**
 * Rules for users in the form of a realm export. Rows of the database are brought into it by `as`. The required action
 * to verify an address does not count, because the address is imported as unverified.
 */
const users = {
  username: 'username',
  hash: (row) => {
    const [credential] = passwordsIn(row);
    return credential && passwordOf(credential);
  },
  metadata: 'username firstName lastName attributes{}',
  factors: (row) => {
    const others = objectsOf(row.record.credentials).filter((one) => !isPassword(one));
    const isAsked = asks(row, /TOTP|WEBAUTHN|RECOVERY_AUTHN|PASSKEY/);
    return (others.length > 0 || isAsked) && others.flatMap(totpOf);
  },
  drops: {
    'further hashes': (row) => passwordsIn(row).length > 1,
    'forced password changes': (row) => asks(row, /^UPDATE_PASSWORD$/),
    groups: ({ record }) => listOf(record.groups).length > 0,
  },
} as const satisfies Partial<Users>;

const EXPORT = 'kc.sh export --dir /tmp/export --realm <realm> --users realm_file';

/** Key under which the join stores all organizations. Each of them lists the names of its members. */
const ALL = 'all';

const isManaged = (membership: unknown) => (textOf(membership) ?? 'unmanaged').toUpperCase() !== 'UNMANAGED';

/** Returns states by managed memberships. Managed members cannot sign in if organizations, or theirs, are disabled. */
function managedIn(row: Row): ReadState[] {
  const name = textOf(row.record.username)?.toLowerCase();
  const found = row.joined('organizations', ALL).filter(({ names }) => listOf(names).includes(name));
  return found.flatMap(({ enabled }) => [
    stateOf('organizations.enabled', enabled, 'active', row),
    ...realmsOf(row).map(({ organizationsEnabled }) =>
      stateOf('organizationsEnabled', organizationsEnabled, 'active', row),
    ),
  ]);
}

function isUsers({ container, name, columns, root }: TableHead, around?: DetectionContext): boolean {
  if (container !== 'json') return false;
  if (columns.has('createdTimestamp') || around?.isNamed === true) return true;
  // `createdTimestamp` is not required, because files written by hand may lack it.
  return name === 'users' && textOf(root.realm) !== undefined;
}

/**
 * Output of Keycloak's `kc.sh export`: a realm with its users, or one of its files of users.
 * Schema: keycloak/keycloak: org.keycloak.representations.idm.UserRepresentation (1 to 26)
 */
const realmExport: Users = {
  ...users,
  forms: { json: 'keycloak-realm' },
  hasPages: true,
  has: 'username',
  only: (table, _settings, around) => isUsers(table, around),
  joins: {
    organizations: {
      table: 'organizations',
      has: 'enabled members',
      only: ({ root }) => root.realm !== undefined,
      on: () => ALL,
      keep({ enabled, members }) {
        const names = objectsOf(members)
          .filter(({ membershipType }) => isManaged(membershipType))
          .map(({ username }) => textOf(username)?.toLowerCase());
        return names.length === 0 ? undefined : { enabled, names };
      },
      unused: '*',
    },
    // Files of realms are joined only so that they are accepted: they say what aliases mean, and have no records of
    // users.
    realms: { has: '', only: isRealm, on: () => undefined, keep: () => undefined, unused: '*' },
  },
  realms: {
    title: 'realms',
    place: 'member realm of each file',
    of: ({ table }) => textOf(table.root.realm) ?? NO_REALM,
  },
  email: 'email',
  verified: ({ record }) => flagOf(record.emailVerified),
  joined: 'createdTimestamp',
  identities: (row) =>
    objectsOf(row.record.federatedIdentities).map(({ identityProvider: alias, userId }) =>
      identityOf(alias, userId, providersOf(row).get(textOf(alias))),
    ),
  state: (row) =>
    gravestState([
      serviceState(row),
      ...managedIn(row),
      // Keycloak imports a user without `enabled` as disabled: RepresentationToModel.createUser.
      stateOf('enabled', row.record.enabled ?? false, 'active', row),
      ...realmsOf(row).map(({ enabled }) => stateOf('realm.enabled', enabled, 'active', row)),
    ]),
  roles: ({ record }) => [
    ...listOf(record.realmRoles),
    ...Object.entries(objectOf(record.clientRoles) ?? {}).flatMap(([client, roles]) =>
      listOf(roles).map((role) => clientRole(client, role)),
    ),
  ],
  reads: `credentials requiredActions federatedIdentities serviceAccountClientId emailVerified
    enabled realmRoles clientRoles groups`,
  unused: `self origin totp federationLink disableableCredentialTypes clientConsents notBefore
    applicationRoles socialLinks access userProfileMetadata`,
  note: {
    text: 'Providers stand under aliases that somebody chose in Keycloak. One that is not known by its name is imported once you map it: --set provider.<alias>=<thirdPartyId>',
    when: ({ tables }) =>
      firstUsers(tables).some(({ federatedIdentities }) => objectsOf(federatedIdentities).length > 0),
  },
  warning: [
    {
      text: `The first users have no credentials. Neither the admin console nor the admin API gives any. Run on the server: ${EXPORT}. Users of an LDAP federation have none there either.`,
      when: ({ tables }) =>
        firstUsers(tables).length > 0 &&
        !firstUsers(tables).some(({ credentials }) => objectsOf(credentials).length > 0),
    },
    {
      text: ({ tables }) =>
        `The users of ${realmsWithoutUsers(tables).map(shownCell).join(', ')} are in none of these files: kc.sh export --dir writes them beside the realm, to REALM-users-0.json and so on.`,
      when: ({ tables }) => realmsWithoutUsers(tables).length > 0,
    },
    {
      text: ({ tables }) =>
        `The files of these realms are not here: ${usersWithoutRealm(tables)
          .map((name) => `${shownCell(name)}-realm.json`)
          .join(
            ', ',
          )}. They say whether the realm and its organizations are enabled, and at which servers the providers are: name them, too.`,
      when: ({ tables }) => usersWithoutRealm(tables).length > 0,
    },
  ],
};

const usersAmong = (tables: readonly TableHead[]) =>
  tables.filter((table) => table.columns.has('username') && isUsers(table));

const firstUsers = (tables: readonly TableHead[]) => usersAmong(tables).flatMap(({ first }) => first);

/** Returns the names of realms whose users are in the export, but not the file of the realm itself. */
function usersWithoutRealm(tables: readonly TableHead[]): string[] {
  const lacking = usersAmong(tables).filter((table) =>
    realmsOf({ table, tables }).every(({ enabled }) => enabled === undefined),
  );
  return [...new Set(lacking.flatMap(({ root }) => textOf(root.realm) ?? []))];
}

/** Returns the names of realms whose own file is in the export, but not their users. */
function realmsWithoutUsers(tables: readonly TableHead[]): string[] {
  const found = new Set(usersAmong(tables).map(({ root }) => textOf(root.realm)));
  return tables
    .filter(isRealm)
    .flatMap((table) => textOf(realmOf(table).realm) ?? [])
    .filter((name) => !found.has(name));
}

const realmWithoutUsers = refusedFile('keycloak-realm without users', {
  has: '',
  only: (table, _settings, around) =>
    isRealm(table) && (table.name === '' || around?.tables.some((one) => isUsers(one)) !== true),
  stop: `This realm has no users: the partial export of the admin console leaves them out, and kc.sh export --dir puts them into files of their own (REALM-users-0.json). Name those as well, or run on the server: ${EXPORT}`,
});

const listOfRealms = refusedFile('keycloak-realms in one list', {
  has: '',
  only: ({ name, columns, first }) =>
    name === '' &&
    OF_REALMS.some((member) => columns.has(member)) &&
    first.some(({ realm, users }) => textOf(realm) !== undefined && Array.isArray(users)),
  stop: `This file is a list of whole realms, as kc.sh export --file writes several. Export the realm that you want by itself: ${EXPORT}`,
});

const WHOLE = 'Export the whole database: pg_dump keycloak';

/** Returns the attributes of a user, each as a list of values, as in a realm export. */
function attributesOf(found: readonly JsonObject[]): Record<string, string[]> {
  const lists = new Map<string, string[]>();
  for (const { name, value } of found) {
    const [key, text] = [textOf(name), textOf(value)];
    if (key === undefined || text === undefined) continue;
    lists.set(key, [...(lists.get(key) ?? []), text]);
  }
  return Object.fromEntries(lists);
}

/** Returns the provider behind an alias in the user's realm, from the tables. */
function brokerInTables({ record, joined }: Row, alias: string | undefined): JsonObject | undefined {
  const found = joined('providers', alias ?? '').find(({ realm_id }) => realm_id === record.realm_id);
  const config = joined('provider_config', textOf(found?.id) ?? '').map(({ name, value }) => [
    textOf(name) ?? '',
    value,
  ]);
  return found && { ...found, config: Object.fromEntries(config) };
}

/** Returns states by managed memberships, from the tables. Without the table `org`, they are unknown states. */
function managedInTables(row: Row): ReadState[] {
  // Without the attribute, organizations are disabled in the realm.
  const [{ value: ofRealm } = { value: row.hasDetail('realm_attribute') ? 'false' : undefined }] =
    row.joined('realm_attribute');
  const memberships = row.joined('user_group_membership');
  return memberships
    .filter(({ membership_type: type }) => isManaged(type))
    .flatMap(({ group_id, membership_type }) => {
      const orgs = row.joined('org', textOf(group_id));
      return [
        stateOf(
          'user_group_membership.membership_type',
          membership_type,
          orgs.length > 0 ? MANAGED : {},
          row,
        ),
        ...orgs.map(({ enabled }) => stateOf('org.enabled', enabled, 'active', row)),
        stateOf('realm_attribute.organizationsEnabled', ofRealm, 'active', row),
      ];
    });
}

const MANAGED = { managed: 'ACTIVE' } as const;

/** Column that only tables about users of a directory or another storage have. These users are not in `user_entity`. */
const OF_FEDERATION = 'storage_provider_id';

const rolesInTables = (row: Row) =>
  rolesIn(row, { assigned: 'user_role_mapping', roles: 'roles' }, ({ name, client }) => {
    if (textOf(client) === undefined) return name;
    const [found] = row.joined('clients', textOf(client));
    return clientRole(found?.client_id ?? client, name);
  });

/** Returns the memberships of a user in groups, without the groups that Keycloak creates for organizations. */
const groupsInTables = ({ joined }: Row) =>
  joined('user_group_membership').filter(
    ({ group_id, membership_type: type }) => !isManaged(type) && joined('org', textOf(group_id)).length === 0,
  );

/** Schema: keycloak/keycloak: model/jpa/src/main/resources/META-INF/jpa-changelog-*.xml (8 to 26.7) */
const tables: Users = {
  ...users,
  forms: { sql: 'keycloak-tables', csv: 'keycloak-tables', json: 'keycloak-tables' },
  has: 'id email email_verified enabled realm_id created_timestamp username',
  joins: {
    credential: {
      has: 'user_id type secret_data credential_data',
      hasNot: OF_FEDERATION,
      keep: ({ type, secret_data: secretData, credential_data: credentialData, user_label: userLabel }) => {
        if (type === 'password') return { type, secretData, credentialData };
        return type === 'otp' ? { type, secretData, credentialData, userLabel } : { type };
      },
      reads: 'user_label',
      unused:
        'id salt created_date priority version value device hash_iterations counter digits period algorithm',
      decides: 'factors',
      missing: `Without it nobody has a password. ${WHOLE}`,
    },
    federated: {
      has: 'user_id identity_provider federated_user_id',
      keep: 'alias=identity_provider userId=federated_user_id',
      unused: 'realm_id federated_username token',
      missing: `The table federated_identity is missing: without it social logins are lost. ${WHOLE}`,
    },
    providers: {
      table: 'identity_provider',
      has: 'provider_alias internal_id provider_id realm_id',
      keep: 'realm_id providerId=provider_id id=internal_id',
      unused: '*',
      missing: `Without the tables identity_provider and identity_provider_config, an alias such as google may stand for any server, and its accounts are left out. ${WHOLE}`,
    },
    provider_config: {
      table: 'identity_provider_config',
      has: 'identity_provider_id name value',
      keep: ({ name, value }) =>
        ['baseUrl', 'apiUrl', 'issuer'].some((one) => one === name) ? { name, value } : undefined,
      unused: '*',
    },
    attributes: {
      table: 'user_attribute',
      has: 'user_id name value',
      hasNot: OF_FEDERATION,
      keep: 'name value=value|long_value',
      unused: 'id long_value_hash long_value_hash_lower_case',
    },
    actions: { has: 'user_id required_action', hasNot: OF_FEDERATION, keep: 'required_action' },
    user_group_membership: {
      table: 'user_group_membership',
      has: 'user_id group_id',
      hasNot: OF_FEDERATION,
      keep: 'group_id membership_type',
    },
    user_role_mapping: {
      table: 'user_role_mapping',
      has: 'user_id role_id',
      hasNot: OF_FEDERATION,
      keep: 'role_id',
    },
    roles: {
      table: 'keycloak_role',
      has: 'id name client_role realm_id',
      keep: 'name client',
      unused: 'client_realm_constraint client_role realm_id realm description',
    },
    clients: { table: 'client', has: 'id client_id realm_id', keep: 'client_id', unused: '*' },
    org: {
      table: 'org',
      has: 'group_id id enabled',
      keep: 'enabled',
      unused: 'realm_id name alias description redirect_url',
    },
    realm_attribute: {
      table: 'realm_attribute',
      has: 'realm_id name value',
      on: ({ name, realm_id }) => (name === 'organizationsEnabled' ? textOf(realm_id) : undefined),
      by: 'realm_id',
      keep: 'value',
      reads: 'name',
    },
    realms: {
      table: 'realm',
      has: 'id name ssl_required',
      by: 'realm_id',
      keep: 'name',
      states: { enabled: 'active' },
      unused: `access_code_lifespan access_token_life_implicit access_token_lifespan account_theme
        admin_events_details_enabled admin_events_enabled admin_permissions_enabled admin_permissions_client_id admin_theme
        allow_user_managed_access browser_flow
        client_auth_flow default_locale default_role direct_grant_flow display_name docker_auth_flow
        duplicate_emails_allowed edit_username_allowed email_theme events_enabled events_expiration
        internationalization_enabled login_lifespan login_theme login_with_email_allowed
        master_admin_client not_before offline_session_idle_timeout otp_policy_alg otp_policy_counter otp_policy_digits
        otp_policy_period otp_policy_type otp_policy_window password_policy
        refresh_token_max_reuse reg_email_as_username registration_allowed registration_flow
        remember_me reset_credentials_flow reset_password_allowed revoke_refresh_token social sso_idle_timeout
        sso_idle_timeout_remember_me sso_max_lifespan sso_max_lifespan_remember_me update_profile_on_soc_login
        user_action_lifespan verify_email`,
    },
  },
  unusedTables: `admin_event_entity auth_session broker_link component event_entity fed_* federated_user
      issued_ver_credential login_failure offline_user_session org_domain org_invitation user_consent
      user_session user_ver_credential username_login_failure user_verifiable_credential workflow_state`,
  realms: {
    title: 'realms',
    place: 'realm_id of user_entity, with its name in the table realm',
    // Without the table `realm`, the id of the realm is used as its name.
    of({ details }) {
      const names = new Map<string, string>();
      return ({ realm_id }) => {
        const id = textOf(realm_id) ?? NO_REALM;
        const name = names.get(id) ?? textOf(details('realms', id)[0]?.name) ?? id;
        names.set(id, name);
        return name;
      };
    },
  },
  as: (row) => ({
    ...row.record,
    firstName: row.record.first_name,
    lastName: row.record.last_name,
    attributes: attributesOf(row.joined('attributes')),
    credentials: row.joined('credential'),
    requiredActions: row.joined('actions').map(({ required_action }) => required_action),
    serviceAccountClientId: row.record.service_account_client_link,
    groups: groupsInTables(row),
  }),
  verified: 'email_verified',
  joined: 'created_timestamp',
  identities: (row) =>
    row
      .joined('federated')
      .map(({ alias, userId }) => identityOf(alias, userId, brokerInTables(row, textOf(alias)))),
  states: { enabled: 'active' },
  state: (row) => gravestState([serviceState(row), ...managedInTables(row)]),
  stateReads: 'enabled',
  roles: rolesInTables,
  reads: 'first_name last_name service_account_client_link',
  unused: 'email_constraint federation_link not_before last_modified_timestamp totp',
};

export const keycloak = system('keycloak', 'Keycloak', [
  realmExport,
  tables,
  realmWithoutUsers,
  listOfRealms,
]);

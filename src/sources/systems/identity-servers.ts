import { isJsonObject } from '../../lib/json/json-object.ts';
import type { SourceRecord, TableHead } from '../containers/table.ts';
import {
  fbscryptHash,
  hashObject,
  hashText,
  invalidHash,
  isDigest,
  SIGNER_KEY,
  saltedDigest,
  selfDescribingHash,
  TAKE_SIGNER_KEY,
  unsupportedAlgorithm,
} from '../fields/hashes.ts';
import { chosenProvider, lacksServers } from '../fields/providers.ts';
import { isOfDatabase, mayBe } from '../fields/tables.ts';
import { timeOf } from '../fields/time.ts';
import { totpOfBase32 } from '../fields/totp.ts';
import { bytesOf, flagOf, listOf, objectOf, objectsOf, textInBytes, textOf } from '../fields/values.ts';
import type { SourcePassword } from '../source-user.ts';
import {
  type Address,
  hasAll,
  type Identity,
  type Join,
  type Row,
  refusedFile,
  rolesIn,
  system,
  type Users,
  words,
} from './declare.ts';

// Authelia

const COMMAND =
  'yq -o json \'[.users | to_entries | .[] | .value + {"username": .key}]\' users_database.yml > users.json';

/**
 * Authelia's file of users (users_database.yml) as a JSON list, and tables of its storage. Users have no id but their
 * name, which only administrators set. Secrets of TOTP are encrypted.
 * Schema: authelia/authelia (4.39, storage 26): internal/authentication/file_user_provider_database.go, internal/storage/migrations
 */
export const authelia = system('authelia', 'Authelia', [
  {
    forms: { json: 'authelia-json' },
    has: 'username displayname password',
    proof: 'groups',
    hasNot: 'id _id uuid',
    id: 'username',
    email: 'email',
    hash: 'password',
    metadata:
      'username displayname given_name middle_name family_name nickname gender birthdate website profile picture zoneinfo locale phone_number phone_extension address extra',
    states: { disabled: 'disabled' },
    isSparse: true,
    roles: ({ record }) => listOf(record.groups).flatMap((group) => textOf(group) ?? []),
    joins: {
      banned_user: {
        table: 'banned_user',
        has: 'username expires expired revoked source',
        // Bans with the source `regulation` are those of Authelia itself, for a while after wrong passwords.
        keep: ({ source, revoked, expired, expires }) =>
          source === 'regulation' || flagOf(revoked) === true || timeOf(expired) !== undefined
            ? undefined
            : { expires },
        // A ban without an expiry never ends.
        states: { expires: 'banned until' },
        unused: 'id time reason',
        decides: 'states',
        missing:
          "Export it, too: sqlite3 db.sqlite3 '.dump banned_user' > bans.sql. Authelia has it from 4.39 on.",
      },
      // TOTP and WebAuthn keys are encrypted.
      factors: {
        are: 'factors',
        table: 'totp_configurations webauthn_credentials webauthn_devices u2f_devices duo_devices',
        has: 'username id secret|kid|key_handle|device',
        unused: `
          created_at last_used_at issuer algorithm digits period rpid description aaguid attestation attestation_type
          attestation_format attachment transport sign_count clone_warning legacy discoverable present verified
          backup_eligible backup_state public_key method`,
        missing:
          "Export them, too: sqlite3 db.sqlite3 '.dump totp_configurations' '.dump webauthn_credentials' '.dump duo_devices' > factors.sql.",
      },
    },
    unusedTables: `authentication_logs identity_verification oauth2_* one_time_code totp_history user_opaque_identifier
      user_preferences webauthn_users`,
    reads: 'groups',
  },
  // The file without conversion: an object whose members are the users, by name.
  refusedFile('authelia-json by name', {
    has: 'users',
    only: ({ first: [file] }) => {
      const users = Object.values(objectOf(file?.users) ?? {});
      return (
        users.length > 0 &&
        users.every((one) => isJsonObject(one) && 'displayname' in one && 'password' in one)
      );
    },
    stop: `The users must be a list: ${COMMAND}.`,
  }),
]);

// Dex

/** Dex's connector for users whose password Dex stores. */
const LOCAL = 'local';

/** Whether a column of Dex, with JSON in bytes, has an object or list that is not empty. */
const holdsAny = (value: unknown): boolean =>
  Object.keys(objectOf(textInBytes(value)) ?? {}).length > 0 || listOf(textInBytes(value)).length > 0;

const hasGroups = ({ record: { groups } }: Row) => listOf(textInBytes(groups) ?? groups).length > 0;

const STATIC_PASSWORDS =
  'Users of staticPasswords stand in the configuration of Dex alone, and users of connectors have no password here. Neither is imported.';

/** Columns of the table of passwords. Before Dex 2.45 it had only the first four. */
const COLUMNS_OF_DEX = 'email hash username user_id preferred_username groups name email_verified id';

const users: Pick<Users, 'email' | 'roles' | 'note'> = {
  roles: hasGroups,
  note: STATIC_PASSWORDS,
};

/**
 * Dex's table `password`, or `passwords` in storages with Ent, and objects of Kubernetes
 * (`kubectl get passwords.dex.coreos.com -o json`). Dex itself never sets `blocked_until`, which locks an account.
 * Schema: dexidp/dex (2026-08): storage/sql/migrate.go, storage/kubernetes/types.go; sign-in: server/authflow/finalize.go
 */
export const dex = system('dex', 'Dex', [
  {
    ...users,
    forms: { sql: 'dex-tables', csv: 'dex-tables', json: 'dex-tables' },
    table: 'password passwords',
    has: 'email hash username user_id',
    only: ({ container, columns }) =>
      container === 'sql' ||
      ((columns.has('groups') || columns.has('preferred_username')) &&
        [...columns].every((name) => COLUMNS_OF_DEX.split(' ').includes(name))),
    joins: {
      // Users who have signed in before. The connector `local` means a sign-in with a password of Dex.
      user_identity: {
        table: 'user_identity user_identities',
        has: 'user_id connector_id claims_user_id blocked_until',
        on: ({ connector_id, claims_user_id }) =>
          connector_id === LOCAL ? textOf(claims_user_id) : undefined,
        keep: ({ mfa_secrets, webauthn_credentials, blocked_until }) => ({
          hasMfa: holdsAny(mfa_secrets) || holdsAny(webauthn_credentials),
          blocked_until,
        }),
        states: { blocked_until: 'disabled until' },
        reads: 'mfa_secrets webauthn_credentials',
        unused:
          'id claims_username claims_preferred_username claims_email claims_email_verified claims_groups consents created_at last_login',
        decides: 'states',
        missing:
          'Dex has it from 2.46 on, and keeps second factors there, too: pg_dump -t password -t user_identity.',
      },
    },
    unusedTables:
      'auth_session auth_sessions offline_session offline_sessions auth_request auth_requests auth_code auth_codes refresh_token refresh_tokens',
    id: 'user_id',
    // Without a value, Dex reports the address as verified, although nobody confirmed it. Then `--verified` decides.
    verified: ({ record }) => flagOf(record.email_verified),
    hash: ({ record }) => selfDescribingHash(textInBytes(record.hash) ?? record.hash),
    metadata: 'username name preferred_username',
    factors: ({ joined }) => joined('user_identity').some(({ hasMfa }) => hasMfa === true),
    unused: COLUMNS_OF_DEX,
  },
  {
    ...users,
    forms: { json: 'dex-kubernetes' },
    has: 'kind apiVersion email hash userID',
    only: ({ first }) =>
      first.length > 0 &&
      first.every(
        ({ kind, apiVersion }) =>
          kind === 'Password' && textOf(apiVersion)?.startsWith('dex.coreos.com/') === true,
      ),
    id: 'userID',
    verified: ({ record }) => flagOf(record.emailVerified),
    hash: ({ record: { hash } }) =>
      hashText(hash) === undefined
        ? undefined
        : (selfDescribingHash(bytesOf(hash, 'base64')?.toString()) ?? invalidHash('the hash is not base64')),
    metadata: 'username name preferred_username=preferredUsername',
    reads: 'groups emailVerified',
    unused: 'metadata',
  },
]);

// Hanko

/** Columns of every table. */
const COMMON = 'id created_at updated_at tenant_id';
const WHOLE = 'Dump the whole database: pg_dump hanko';

const joins: Readonly<Record<string, Join>> = {
  passwords: {
    table: 'password_credentials',
    has: 'user_id password',
    keep: 'password',
    unused: COMMON,
    missing: `The table password_credentials is missing: it has all password hashes. ${WHOLE}`,
  },
  emails: {
    table: 'emails',
    has: 'user_id id address verified',
    keep: 'id address verified',
    unused: COMMON,
    missing: `The table emails is missing: it has all addresses. ${WHOLE}`,
  },
  // Before Hanko 2.2, an identity referred to an e-mail address instead of a user.
  identities: {
    table: 'identities',
    has: 'provider_id provider_user_id',
    on: 'user_id|email_id',
    keep: ({ id, provider_id, provider_user_id, data }) => {
      // The JSON of an identity may contain tokens of the provider, so only known members are read.
      const { email, email_verified } = objectOf(data) ?? {};
      return { id, provider: provider_id, userId: provider_user_id, email, isVerified: email_verified };
    },
    reads: 'data',
    unused: COMMON,
    missing: `The table identities is missing: without it social logins are lost. ${WHOLE}`,
  },
  primaryEmails: {
    table: 'primary_emails',
    has: 'user_id email_id',
    keep: 'id=email_id',
    unused: COMMON,
    missing: `The table primary_emails is missing: of users with several addresses, it is not known which one signs in. ${WHOLE}`,
  },
  samlIdentities: {
    table: 'saml_identities',
    has: 'identity_id',
    unused: `${COMMON} domain`,
  },
  usernames: {
    table: 'usernames',
    has: 'user_id username',
    metadata: 'username',
    unused: COMMON,
  },
  secondFactors: {
    are: 'factors',
    table: 'otp_secrets webauthn_credentials',
    has: 'user_id secret|public_key',
    unused: `${COMMON} last_validated_step attestation_type aaguid sign_count name backup_eligible backup_state last_used_at
      mfa_only user_handle_id`,
    missing: WHOLE,
  },
  metadata: {
    table: 'user_metadata',
    has: 'user_id public_metadata',
    metadata: 'public_metadata{} private_metadata{} unsafe_metadata{}',
    unused: COMMON,
  },
};

function passwordOfHanko(value: unknown): SourcePassword | undefined {
  const encoded = hashText(value);
  return isOfFirebase(encoded) ? fbscryptHash(encoded ?? '') : selfDescribingHash(encoded);
}

const isOfFirebase = (encoded: unknown) => textOf(encoded)?.startsWith('$fbscrypt$') === true;

function addressesOf({ joined }: Row): Address[] {
  const primary = joined('primaryEmails')[0]?.id;
  return joined('emails').map(({ id, address, verified }) => ({
    ...{ email: address, isVerified: verified, isPrimary: id === primary },
  }));
}

function identitiesOf({ record, joined }: Row): Identity[] {
  const keys = [record, ...joined('emails')].flatMap(({ id }) => textOf(id) ?? []);
  return keys
    .flatMap((key) => joined('identities', key))
    .map((one) => ({ ...one, isSso: joined('samlIdentities', textOf(one.id) ?? '').length > 0 }));
}

const COLUMNS_OF_HANKO = new Set(words(`${COMMON} name family_name given_name picture`));

const MEMBERS = new Set(
  words('user_id emails username webauthn_credentials password otp_secret created_at updated_at'),
);

/** Whether a table is a file of `hanko user export` or `hanko user import`. The export has addresses, but no hashes. */
const isExport = ({ columns, first }: TableHead) =>
  [...columns].every((name) => MEMBERS.has(name)) &&
  first.every(({ emails }) =>
    objectsOf(emails).every((one) => 'is_primary' in one && 'is_verified' in one),
  ) &&
  first.some(({ emails }) => listOf(emails).length > 0);

const exportedAddressesOf = ({ record }: Row): Address[] =>
  objectsOf(record.emails).map(({ address, is_primary, is_verified }) => ({
    ...{ email: address, isVerified: is_verified, isPrimary: is_primary === true },
  }));

/** Schema: teamhanko/hanko@f742d496: backend/persistence/migrations and models, backend/cmd/user/format.go */
export const hanko = system('hanko', 'Hanko', [
  {
    settings: SIGNER_KEY,
    forms: { sql: 'hanko-tables', csv: 'hanko-tables', json: 'hanko-tables' },
    table: 'users',
    has: 'id created_at updated_at',
    // Hanko's table of users has neither passwords nor addresses, which are in other tables.
    hasNot: 'email password',
    // The name `users` does not prove that the table is Hanko's, and other files than SQL do not name their table.
    only: (table, _settings, around) =>
      (table.container === 'sql' || [...table.columns].every((name) => COLUMNS_OF_HANKO.has(name))) &&
      (around?.isNamed === true ||
        hasAll(table, 'tenant_id family_name given_name picture') ||
        around?.tables.some(
          (one) =>
            mayBe(one, 'primary_emails') &&
            hasAll(one, 'email_id user_id') &&
            !one.columns.has('provider_id'),
        ) === true),
    joins,
    unusedTables:
      'audit_logs passcodes passlinks saml_providers sessions tokens trusted_devices webauthn_credential_user_handles webauthn_session_data',
    // Before version 3, Hanko had only one tenant and no column for it.
    realms: { title: 'tenants', column: 'tenant_id' },
    addresses: addressesOf,
    joined: 'created_at',
    hash: ({ joined }) => passwordOfHanko(joined('passwords')[0]?.password),
    identities: identitiesOf,
    metadata: 'name given_name family_name picture',
    note: {
      text: TAKE_SIGNER_KEY,
      when: ({ records }) => records.some(({ password }) => isOfFirebase(password)),
    },
  },
  {
    forms: { json: 'hanko-export' },
    hasPages: true,
    has: 'emails',
    only: isExport,
    id: 'user_id',
    addresses: exportedAddressesOf,
    joined: 'created_at',
    hash: ({ record }) => passwordOfHanko(hashObject(record.password)?.password),
    metadata: 'username',
    factors: ({ record }) =>
      listOf(record.webauthn_credentials).length > 0 || objectOf(record.otp_secret) !== undefined,
    reads: 'password webauthn_credentials otp_secret',
    unused: 'updated_at',
    warning: {
      text: 'The export of Hanko has neither hashes nor social logins. Dump its database instead: pg_dump hanko > dump.sql',
      when: ({ tables }) =>
        !tables.some(({ first }) => first.some(({ password }) => textOf(objectOf(password)?.password))),
    },
  },
]);

// Logto

/** Hash families by `password_encryption_method`, without `Legacy`, which has several. */
const FAMILIES = new Map([
  ...['Argon2i', 'Argon2id', 'Argon2d'].map((name) => [name, 'argon2'] as const),
  ...['MD5', 'SHA1', 'SHA256'].map((name) => [name, `hex-${name.toLowerCase()}`] as const),
  ['Bcrypt', 'bcrypt'],
]);

/** Schema: logto-io/logto: packages/schemas/tables and src/models/tenants.ts (2026-08), packages/core/src/utils/password.ts */
export const logto = system('logto', 'Logto', {
  table: 'users',
  has: 'tenant_id id primary_email password_encrypted password_encryption_method identities is_suspended',
  joins: {
    sso: {
      table: 'user_sso_identities',
      has: 'user_id issuer identity_id',
      keep: ({ issuer, identity_id }) => ({ provider: issuer, userId: identity_id, isSso: true }),
      are: 'accounts',
      unused: 'id detail created_at updated_at sso_connector_id',
      missing:
        'Without the table user_sso_identities, nobody has an account at an enterprise provider. Dump users and user_sso_identities.',
    },
    tenants: {
      table: 'tenants',
      has: 'id is_suspended',
      hasNot: 'primary_email',
      by: 'tenant_id',
      states: { is_suspended: 'disabled' },
      unused: 'db_user db_user_password name tag created_at',
    },
    users_roles: {
      table: 'users_roles',
      has: 'user_id role_id',
      only: isOfDatabase,
      keep: 'role_id',
      unused: 'id',
    },
    roles: { table: 'roles', has: 'id name', only: isOfDatabase, on: 'id', keep: 'name', unused: '*' },
    // Connectors for any OIDC, OAuth or SAML server. Their `target` is the provider's name, which an administrator
    // chose.
    generic: {
      table: 'connectors',
      has: 'id connector_id metadata config',
      on: ({ connector_id, metadata }) =>
        /^(?:oidc|oauth|saml)/.test(textOf(connector_id) ?? '')
          ? textOf(objectOf(metadata)?.target)
          : undefined,
      unused: '*',
      missing: lacksServers('connectors'),
    },
  },
  unusedTables: `
    aggregated_daily_active_users application_access_control_user_relations
    application_user_consent_organization_scopes application_user_consent_organizations
    application_user_consent_resource_scopes application_user_consent_user_scopes cimd_grant_organizations
    daily_active_users logs oidc_model_instances oidc_session_extensions one_time_tokens
    organization_invitations organization_jit_email_domains organization_role_user_relations
    organization_user_relations passcodes personal_access_tokens secrets saml_application_configs
    secret_enterprise_sso_connector_relations secret_social_connector_relations subject_tokens
    trusted_devices user_geo_locations user_sign_in_countries verification_records
    verification_statuses sign_in_experiences`,
  realms: { title: 'tenants', column: 'tenant_id' },
  partition: 'tenant_id',
  email: 'primary_email',
  phone: 'primary_phone',
  joined: 'created_at',
  hash: ({ record }) => passwordOfLogto(record),
  identities: ({ record, joined }) =>
    Object.entries(objectOf(record.identities) ?? {}).flatMap(([provider, one]) =>
      isJsonObject(one)
        ? {
            ...(joined('generic', provider).length > 0 ? chosenProvider(provider) : { provider }),
            userId: one.userId,
            email: objectOf(one.details)?.email,
          }
        : [],
    ),
  metadata: 'username name avatar profile{} custom_data{}',
  states: { is_suspended: 'disabled' },
  factors: ({ record: { mfa_verifications: list } }) =>
    objectsOf(list).length > 0 &&
    objectsOf(list).flatMap(({ type, key }) => (type === 'Totp' ? totpOfBase32(key) : [])),
  roles: (row) => rolesIn(row, { assigned: 'users_roles', roles: 'roles' }),
  drops: { 'forced password changes': 'is_password_expired' },
  reads: 'mfa_verifications',
  unused:
    'application_id cimd_client_id logto_config last_sign_in_at password_updated_at updated_at password_encryption_salt role_names',
});

function passwordOfLogto(record: SourceRecord): SourcePassword | undefined {
  const encoded = hashText(record.password_encrypted);
  const method = textOf(record.password_encryption_method);
  if (encoded === undefined) return undefined;
  if (method === 'Legacy') return legacyOf(listOf(encoded));
  const algorithm = FAMILIES.get(method ?? '');
  return algorithm === undefined
    ? unsupportedAlgorithm('password_encryption_method is none that is taken')
    : { encoded, algorithm };
}

/** Reads `["sha256", ["salt", "@"], "<hexadecimal digits>"]`: a digest of the texts, in which `@` is the password. */
function legacyOf([name, pieces, digits]: readonly unknown[]): SourcePassword {
  const digest = textOf(name)?.toLowerCase();
  const texts = listOf(pieces).map(textOf);
  if (!isDigest(digest)) return unsupportedAlgorithm('the algorithm of this Legacy password is not taken');
  const at = texts.indexOf('@');
  if (at === -1 || texts.length > 2 || texts.lastIndexOf('@') !== at)
    return unsupportedAlgorithm('a Legacy password with more than one salt is not taken');
  const salt = Buffer.from(texts.filter((_, index) => index !== at).join(''));
  return saltedDigest({ digest, order: at === 0 ? 'ps' : 'sp', salt, hash: bytesOf(digits, 'hex') });
}

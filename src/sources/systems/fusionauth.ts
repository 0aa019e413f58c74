import type { JsonObject } from '../../lib/json/json-object.ts';
import type { TableHead } from '../containers/table.ts';
import { bcryptHash, hashText, invalidHash, pbkdf2Hash, unknownAlgorithm } from '../fields/hashes.ts';
import { gravestState, type ReadState, stateOf } from '../fields/states.ts';
import { timeOf } from '../fields/time.ts';
import { totpOfBytes } from '../fields/totp.ts';
import { flagOf, listOf, mayBeYes, objectOf, objectsOf, textOf } from '../fields/values.ts';
import type { SourcePassword } from '../source-user.ts';
import { type Row, system, type Users } from './declare.ts';

/** Returns the e-mail identifier of a user. Only newer versions have this list of all identifiers for the sign-in. */
const addressOf = ({ record }: Row): JsonObject => {
  const addresses = objectsOf(record.identities).filter(({ type }) => type === 'email');
  return addresses.find(({ primary }) => primary === true) ?? addresses[0] ?? {};
};

/** Returns the authenticator apps of a user. Secrets are in base64. Before 1.26, a user had at most one app. */
function devicesOf(record: JsonObject): JsonObject[] {
  const methods = objectsOf(objectOf(record.twoFactor)?.methods).filter(
    ({ method }) => method === 'authenticator',
  );
  const newer = methods.flatMap(({ name, secret, authenticator }) => {
    const { algorithm, codeLength, timeStep } = objectOf(authenticator) ?? {};
    return totpOfBytes(bytesOf(secret), { name, algorithm, digits: codeLength, period: timeStep });
  });
  return [...newer, ...totpOfBytes(bytesOf(record.twoFactorSecret))];
}

const bytesOf = (secret: unknown): Buffer | undefined => {
  const text = textOf(secret);
  return text === undefined || !/^[A-Za-z0-9+/]+={0,2}$/.test(text) ? undefined : Buffer.from(text, 'base64');
};

const hasMethods = (twoFactor: unknown) => listOf(objectOf(twoFactor)?.methods).length > 0;

const LINKS =
  'Links to social logins are not in this export, so those users sign in with a password or are skipped.';
const NO_HASHES =
  'There are no hashes here: the APIs of FusionAuth leave them out. Use the file that was once imported there, or export its database: pg_dump fusionauth -t identities -t users -t user_action_logs -t user_actions';

/** Bodies of `POST /api/user/import`, or users from the search API, which have no hashes. */
const users: Users = {
  forms: { json: 'fusionauth-users' },
  has: 'email|username|identities',
  only: isOfApi,
  hasPages: true,
  realms: { title: 'tenants', column: 'tenantId' },
  email: (row) => textOf(row.record.email) ?? addressOf(row).value,
  verified: (row) => flagOf(row.record.verified ?? addressOf(row).verified),
  joined: 'insertInstant',
  hash: ({ record, table: { root } }) =>
    passwordOf({
      password: record.password,
      salt: record.salt,
      // The JSON may have, beside the list of users, defaults that apply to all users.
      scheme: record.encryptionScheme ?? root.encryptionScheme,
      factor: record.factor ?? root.factor,
    }),
  metadata: 'data{} username firstName lastName fullName imageUrl',
  states: { active: 'active', expiry: 'active until' },
  isSparse: true,
  phone: 'mobilePhone|phoneNumber',
  factors: ({ record }) =>
    (mayBeYes(record.twoFactorEnabled) || hasMethods(record.twoFactor)) && devicesOf(record),
  roles: ({ record }) => objectsOf(record.registrations).flatMap(({ roles }) => listOf(roles)),
  drops: {
    organisations: ({ record }) => listOf(record.memberships).length > 0,
    'forced password changes': 'passwordChangeRequired',
  },
  reads:
    'email verified identities password salt encryptionScheme factor ' +
    'twoFactor twoFactorEnabled twoFactorSecret registrations memberships',
  unused:
    'birthDate breachedPasswordLastCheckedInstant breachedPasswordStatus cleanSpeakId connectorId lastLoginInstant ' +
    'lastUpdateInstant legacyIdentifier middleName parentEmail parentalConsentType passwordChangeReason ' +
    'passwordLastUpdateInstant preferredLanguages timezone twoFactorDelivery uniqueUsername usernameStatus verifiedInstant',
  note: LINKS,
  warning: {
    text: NO_HASHES,
    when: ({ tables }) => {
      const records = tables.filter((table) => isOfApi(table)).flatMap(({ first }) => first);
      return records.length > 0 && !records.some(({ password }) => textOf(password) !== undefined);
    },
  },
};

function isOfApi({ columns }: TableHead, _settings: unknown = {}, around?: { isNamed: boolean }): boolean {
  if (columns.has('encryptionScheme') || (around?.isNamed === true && columns.has('password'))) return true;
  return columns.has('insertInstant') && columns.has('active');
}

/** Returns the column `data`: members of a user that have no column of their own, and data of the app. */
const dataOf = (row: Row): JsonObject => objectOf(row.joined('users')[0]?.data) ?? {};

const DUMP = 'pg_dump fusionauth -t identities -t users -t user_action_logs -t user_actions > dump.sql';

/** Java's greatest long. As an expiry, it means that an action never ends. */
const NO_END = '9223372036854775807';

/** Reads the state from an action. An action runs until its expiry; cancelling it sets the expiry to that time. */
function stateOfAction({ user_actions_id: id, expiry }: JsonObject, row: Row): ReadState {
  const end = textOf(expiry);
  const isForever = end === undefined || end === NO_END;
  const state = isForever ? 'DISABLED' : stateOf('user_action_logs.expiry', end, 'disabled until', row);
  const [action] = row.joined('user_actions', textOf(id) ?? '');
  return action !== undefined && flagOf(action.prevent_login) === false ? undefined : state;
}

/** Tables of the database: `identities` has the passwords and addresses, and `users` the other data of users. */
const tables: Users = {
  forms: { sql: 'fusionauth-tables', csv: 'fusionauth-tables-csv', json: 'fusionauth-tables-json' },
  has: 'users_id encryption_scheme salt password email',
  joins: {
    users: {
      has: 'id active insert_instant tenants_id',
      keep: 'data first_name last_name full_name insert_instant mobile_phone',
      states: { active: 'active', expiry: 'active until' },
      unused: 'birth_date clean_speak_id image_url last_update_instant middle_name parent_email timezone',
      of: 'every',
      decides: 'states',
      missing: `Dump all four tables: ${DUMP}.`,
    },
    user_action_logs: {
      table: 'user_action_logs',
      has: 'actionee_users_id user_actions_id expiry',
      keep: 'user_actions_id expiry',
      unused:
        'id actioner_users_id comment create_instant email_user_on_end end_event_sent history insert_instant localized_name ' +
        'localized_option localized_reason name notify_user_on_end option_name reason reason_code',
      decides: 'states',
      missing: `Actions against users may prevent them from signing in. Dump all four tables: ${DUMP}.`,
    },
    // Only actions with `prevent_login` refuse sign-ins. Without this table, all running actions count as such.
    user_actions: {
      table: 'user_actions',
      has: 'id prevent_login temporal',
      of: 'one',
      keep: 'prevent_login',
      unused:
        'active cancel_email_templates_id create_instant end_email_templates_id include_email_in_event_json insert_instant ' +
        'last_update_instant localized_names modify_email_templates_id name options send_end_event ' +
        'start_email_templates_id transaction_type user_emailing_enabled user_notifications_enabled',
    },
  },
  realms: { title: 'tenants', column: 'tenants_id' },
  id: 'users_id',
  verified: 'verified',
  joined: (row) => timeOf(row.joined('users')[0]?.insert_instant ?? row.record.insert_instant),
  hash: ({ record: { password, salt, encryption_scheme: scheme, factor } }) =>
    passwordOf({ password, salt, scheme, factor }),
  metadata: (row) => {
    const [user] = row.joined('users');
    const { data = dataOf(row) } = dataOf(row);
    const { first_name: firstName, last_name: lastName, full_name: fullName } = user ?? {};
    return { data: objectOf(data), username: row.record.username, firstName, lastName, fullName };
  },
  states: { status: { 0: 'ACTIVE', '': 'ACTIVE' } },
  state: (row) => gravestState(row.joined('user_action_logs').map((log) => stateOfAction(log, row))),
  factors: (row) => {
    const { twoFactor } = dataOf(row);
    const { two_factor_enabled: enabled, two_factor_secret: twoFactorSecret } = row.record;
    return (mayBeYes(enabled) || hasMethods(twoFactor)) && devicesOf({ twoFactor, twoFactorSecret });
  },
  drops: { 'forced password changes': 'password_change_required' },
  phone: ({ joined }) => [joined('users')[0]?.mobile_phone],
  reads: 'factor username insert_instant two_factor_enabled two_factor_secret',
  unused:
    'id breached_password_last_checked_instant breached_password_status connectors_id last_login_instant last_update_instant ' +
    'password_change_reason password_last_update_instant two_factor_delivery username_index username_status ' +
    'is_primary type display_value value verified_instant verified_reason',
  unusedTables: `
    audit_logs entity_user_grants external_identifiers failed_logins family_members
    federated_domains group_members identity_provider_links last_login_instants login_records
    raw_application_daily_active_users raw_application_monthly_active_users raw_global_daily_active_users
    raw_global_monthly_active_users raw_logins refresh_tokens user_comments user_consents
    user_consents_email_plus user_registrations user_registrations_application_roles webauthn_credentials
    previous_passwords breached_password_metrics scim_external_id_groups`,
  note: LINKS,
};

const PBKDF2 = new Map([
  ['salted-pbkdf2-hmac-sha256', { digest: 'sha256', bytes: 32 }],
  ['salted-pbkdf2-hmac-sha256-512', { digest: 'sha256', bytes: 64 }],
  ['salted-pbkdf2-hmac-sha512-512', { digest: 'sha512', bytes: 64 }],
] as const);

function passwordOf(fields: JsonObject): SourcePassword | undefined {
  const password = hashText(fields.password);
  if (password === undefined) return undefined;
  const [scheme, salt] = [textOf(fields.scheme), textOf(fields.salt)];
  // Without `encryptionScheme`, FusionAuth's value may be a plain-text password or a hash of the
  // default scheme. A hash must not be imported as a password, so the user is refused.
  if (scheme === undefined) return unknownAlgorithm('encryptionScheme is missing');
  if (scheme === 'bcrypt') return bcryptHash({ cost: fields.factor, salt, digest: password });
  const pbkdf2 = PBKDF2.get(scheme as 'salted-pbkdf2-hmac-sha256');
  if (pbkdf2 === undefined) return unknownAlgorithm('encryptionScheme is of a plugin, or none that is known');
  if (bytesOf(password)?.length !== pbkdf2.bytes)
    return invalidHash(`expected ${pbkdf2.bytes} bytes of password in base64`);
  return pbkdf2Hash({ digest: pbkdf2.digest, iterations: fields.factor, salt, hash: password });
}

/** Schema: FusionAuth/fusionauth-typescript-client: src/FusionAuthClient.ts (User, UserAction, UserActionLog), and dumps of versions 1.12 to 1.60 */
export const fusionauth = system('fusionauth', 'FusionAuth', [tables, users]);

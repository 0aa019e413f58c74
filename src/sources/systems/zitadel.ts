import type { JsonObject } from '../../lib/json/json-object.ts';
import { hashObject, isGiven, selfDescribingHash } from '../fields/hashes.ts';
import { chosenProvider } from '../fields/providers.ts';
import { byWord, gravestState, type Meaning, type ReadState, stateOf } from '../fields/states.ts';
import { timeOf } from '../fields/time.ts';
import { totpOfBase32 } from '../fields/totp.ts';
import { flagOf, isSet, objectOf, objectsOf, textOf } from '../fields/values.ts';
import type { SourcePassword } from '../source-user.ts';
import { type Row, refusedFile, system, type Users } from './declare.ts';

/** Returns all possible names of a table. Zitadel adds a version number to names of projections: `users14`. */
const versionsOf = (name: string) =>
  Array.from({ length: 25 }, (_, version) => name.replace('#', `${version || ''}`));

/**
 * Meanings of domain.UserState. Only an administrator can unlock a locked user. An initial user has no password yet.
 */
const STATES = byWord({ ACTIVE: '1', DISABLED: '2 4 5 6', DELETED: '3' });
const TYPES: Meaning = { 1: 'ACTIVE', 2: 'SERVICE_ACCOUNT' };

/** Public providers by domain.IDPType. Other types may be any server, with names and ids that its owner chooses. */
const PUBLIC_PROVIDERS = new Map([
  ['5', 'azure'],
  ['6', 'github'],
  ['8', 'gitlab'],
  ['10', 'google'],
  ['11', 'apple'],
]);

function providerOf(type: unknown, name: string | undefined): ReturnType<typeof chosenProvider> {
  const provider = PUBLIC_PROVIDERS.get(textOf(type) ?? '');
  return provider === undefined ? chosenProvider(name ?? 'unknown') : { provider };
}

/** Values of domain.UserAuthMethodType that are not second factors: passwords, identity providers and private keys. */
const NO_FACTORS = new Set(['4', '5', '9']);
/** Values of domain.MFAState for second factors that are not asked for: not ready, and removed. */
const NOT_READY = new Set(['1', '3']);

/** Types of events with a hash: events that add a user, and events about passwords. */
const OF_PASSWORD = /^user\.(?:human\.)?(?:added$|selfregistered$|password\.)/;

/** Returns the hash in an event. Up to Zitadel 2.30, it is the text of bcrypt in base64. */
function hashIn(payload: JsonObject | undefined): string | undefined {
  const { encodedHash, secret } = payload ?? {};
  const { Algorithm, Crypted } = objectOf(secret) ?? {};
  const crypted = Algorithm === 'bcrypt' ? textOf(Crypted) : undefined;
  return textOf(encodedHash) ?? (crypted && Buffer.from(crypted, 'base64').toString('latin1'));
}

/** Reads the password from the last event with a hash. */
function passwordOf({ joined }: Row): SourcePassword | undefined {
  const sorted = joined('events').toSorted(
    (one, other) => Number(textOf(one.sequence)) - Number(textOf(other.sequence)),
  );
  return selfDescribingHash(sorted.at(-1)?.hash);
}

const humanOf = ({ joined }: Row): JsonObject => joined('humans')[0] ?? {};

const DUMP = 'Dump them together: pg_dump -n projections -n eventstore zitadel > dump.sql.';

/** The database. Hashes are in the events of users. */
const tables: Users = {
  forms: { sql: 'zitadel-pg_dump', csv: 'zitadel-csv', json: 'zitadel-json' },
  has: 'id state resource_owner instance_id username type sequence creation_date change_date',
  partition: 'instance_id',
  email: (row) => humanOf(row).email,
  verified: (row) => flagOf(humanOf(row).is_email_verified) === true,
  joined: 'creation_date',
  hash: passwordOf,
  identities: ({ joined }) =>
    joined('idp_user_links').map(({ idp_id, external_user_id }) => {
      const [found] = joined('idp_templates', textOf(idp_id) ?? '');
      return { ...providerOf(found?.type, textOf(found?.name) ?? textOf(idp_id)), userId: external_user_id };
    }),
  metadata: 'username',
  states: { state: STATES, type: TYPES, owner_removed: 'deleted' },
  mayLack: { owner_removed: 'since 2.13' },
  // Users of an organisation that is inactive or was removed cannot sign in.
  state: (row) => (row.hasDetail('orgs') && row.joined('orgs').length === 0 ? 'DISABLED' : undefined),
  drops: { 'forced password changes': (row) => flagOf(humanOf(row).password_change_required) === true },
  realms: { title: 'organisations', column: 'resource_owner' },
  joins: {
    humans: {
      has: 'user_id first_name last_name email is_email_verified',
      keep: 'email is_email_verified password_change_required',
      metadata: 'first_name last_name nick_name display_name preferred_language',
      unused: 'gender avatar_key phone is_phone_verified password_changed mfa_init_skipped',
      missing: `Without projections.users…_humans, nobody has an address. ${DUMP}`,
    },
    orgs: {
      has: 'id org_state primary_domain',
      by: 'resource_owner',
      states: { org_state: byWord({ ACTIVE: '1', DISABLED: '2', DELETED: '3' }) },
      of: 'one',
      unused: 'creation_date change_date resource_owner sequence name',
      decides: 'states',
      missing: DUMP,
    },
    user_auth_methods: {
      has: 'user_id method_type token_id state',
      are: 'factors',
      on: ({ user_id, method_type, state }) =>
        NO_FACTORS.has(textOf(method_type) ?? '') || NOT_READY.has(textOf(state) ?? '')
          ? undefined
          : textOf(user_id),
      unused: 'creation_date change_date sequence resource_owner name owner_removed domain',
      missing: DUMP,
    },
    events: {
      has: 'aggregate_type aggregate_id event_type payload sequence',
      on: ({ aggregate_type, aggregate_id }) =>
        aggregate_type === 'user' ? textOf(aggregate_id) : undefined,
      keep: ({ event_type, payload, sequence }) => {
        if (!OF_PASSWORD.test(textOf(event_type) ?? '')) return undefined;
        const read = objectOf(payload);
        // An event that cannot be read is kept as an unreadable hash. Otherwise, the hash of an earlier event would
        // be used.
        const hash = read === undefined && isGiven(payload) ? {} : hashIn(read);
        return hash === undefined ? undefined : { sequence, hash };
      },
      unused: 'revision created_at creator owner position in_tx_order',
      missing: `Without eventstore.events2, nobody has a hash. ${DUMP}`,
    },
    idp_user_links: {
      has: 'user_id idp_id external_user_id',
      keep: 'idp_id external_user_id',
      unused: 'creation_date change_date sequence resource_owner display_name owner_removed',
      missing: `Without projections.idp_user_links…, nobody has a login at another provider. ${DUMP}`,
    },
    idp_templates: {
      has: 'id name is_creation_allowed is_linking_allowed owner_type',
      keep: 'name type',
      unused:
        'creation_date change_date sequence resource_owner state owner_removed is_auto_creation is_auto_update auto_linking',
    },
  },
  reads: 'username',
  unusedTables: [
    'users#_machines users#_notifications login_names#_users user_grants# user_metadata# personal_access_tokens#',
    'sessions# org_members# instance_members# project_members# project_grant_members# group_members# group_users#',
    'authn_keys# notifications# smtp_configs#_smtp',
  ]
    .flatMap((names) => names.split(' ').flatMap(versionsOf))
    .join(' ')
    .concat(
      ' auth_requests device_auth_requests2 unique_constraints fields locks current_states failed_events2' +
        // Tables of the schemas auth (for the login pages) and zitadel, which are made from the same events.
        ' users user_sessions tokens refresh_tokens user_external_idps administrators archived_sessions authorizations' +
        ' identity_provider_intents login_names machine_keys sessions user_identity_provider_links user_metadata' +
        ' user_passkeys user_personal_access_tokens verifications',
    ),
};

const STATE_WORDS = byWord({
  ACTIVE: 'user_state_active',
  DISABLED: 'user_state_inactive user_state_locked user_state_suspend user_state_initial',
  DELETED: 'user_state_deleted',
});

const userOf = ({ record }: Row): JsonObject => objectOf(record.user) ?? {};
const emailOf = (row: Row): JsonObject => objectOf(userOf(row).email) ?? {};

/** Reads the state of a user from the API's list of users. The export itself does not have it. */
function listedState(row: Row): ReadState {
  return gravestState(
    row.joined('users').map(({ state }) => stateOf('users.state', state, STATE_WORDS, row)),
  );
}

const COMMAND =
  "jq '[.orgs[] | . as $org | .humanUsers[]? | .userId as $id | . + {orgId: $org.orgId, userLinks: [$org.userLinks[]? | select(.userId == $id)]}]' export.json > users.json";

/** Users in an export of the API (`/admin/v1/export`). It does not say which users are locked or deactivated. */
const list: Users = {
  forms: { json: 'zitadel-export' },
  has: 'userId user orgId',
  only: ({ first: [one] }) => objectOf(objectOf(one?.user)?.profile) !== undefined,
  id: 'userId',
  email: (row) => emailOf(row).email,
  // The API leaves out what is false.
  verified: (row) => flagOf(emailOf(row).isEmailVerified) === true,
  joined: ({ joined }) => timeOf(joined('users')[0]?.creationDate),
  hash: (row) => selfDescribingHash(hashObject(userOf(row).hashedPassword)?.value),
  identities: ({ record }) =>
    objectsOf(record.userLinks).map(({ idpName, idpId, idpType, providedUserId }) => ({
      ...providerOf(idpType, textOf(idpName) ?? textOf(idpId)),
      userId: providedUserId,
    })),
  metadata: (row) => ({ username: userOf(row).userName, profile: userOf(row).profile }),
  state: listedState,
  factors: (row) => isSet(userOf(row).otpCode) && totpOfBase32(userOf(row).otpCode),
  drops: { 'forced password changes': (row) => flagOf(userOf(row).passwordChangeRequired) === true },
  realms: { title: 'organisations', column: 'orgId' },
  joins: {
    users: {
      has: 'userId|id state preferredLoginName details',
      keep: ({ state, details }) => ({ state, creationDate: objectOf(details)?.creationDate }),
      reads: 'details',
      unused: 'username userName loginNames human machine type',
      of: 'every',
      decides: 'states',
      missing: `Export the list of users, too: POST /v2/users of the API, each page as list.json by jq "{result}".`,
    },
  },
  reads: 'userLinks',
  note: 'The export has hashes with withPasswords, and secrets of TOTP with withOtp. It has no other second factors.',
};

/** The export of the API without conversion: users are members of organisations. It is refused. */
const byOrganisation = refusedFile('zitadel-export by organisation', {
  has: 'orgId humanUsers',
  stop: `The users must be a list: ${COMMAND}.`,
});

/**
 * Schema: zitadel/zitadel (2.30 to 4): internal/query/projection (user, user_auth_method, org, idp_user_link),
 * internal/repository/user, cmd/setup/01_sql/auth.sql, backend/v3/storage/database/dialect/postgres/migration,
 * proto/zitadel/v1.proto, internal/api/grpc/admin/export.go
 */
export const zitadel = system('zitadel', 'Zitadel', [tables, list, byOrganisation]);

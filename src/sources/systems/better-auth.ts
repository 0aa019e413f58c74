import type { JsonObject } from '../../lib/json/json-object.ts';
import type { TableHead } from '../containers/table.ts';
import { selfDescribingHash } from '../fields/hashes.ts';
import { type ReadState, stateOf } from '../fields/states.ts';
import { hasAnyColumn, holdsFlags } from '../fields/tables.ts';
import { timeOf } from '../fields/time.ts';
import { textOf } from '../fields/values.ts';
import type { DetectionContext, Settings } from '../source.ts';
import type { SourcePassword } from '../source-user.ts';
import { cellOf, hasAll, hashOf, type Row, system } from './declare.ts';

const ACCOUNTS = 'accountId|account_id providerId|provider_id userId|user_id';
/** Provider of accounts with a password. */
const CREDENTIAL = 'credential';
/** Role that Better Auth's plugin `admin` gives to every user, and that is therefore no loss. */
const NO_ROLE = 'user';

/** Auth.js has a time where Better Auth has a boolean. */
function isOwn(table: TableHead, _settings: Settings, around?: DetectionContext): boolean {
  const column = table.columns.has('emailVerified') ? 'emailVerified' : 'email_verified';
  const areFlags = holdsFlags(table, column);
  if (areFlags === false) return false;
  if (around?.isNamed === true) return true;
  if (!hasAll(table, 'createdAt|created_at') || hasAnyColumn(table, 'password', 'passwordHash', 'objectId'))
    return false;
  if (areFlags === undefined && table.first.length > 0) return false;
  return (
    hasAll(table, 'name image updatedAt|updated_at') ||
    around?.tables.some((one) => hasAll(one, ACCOUNTS)) === true
  );
}

function passwordOf(accounts: readonly JsonObject[]): SourcePassword | undefined {
  const account = accounts.find(
    ({ provider, password }) => provider === CREDENTIAL && textOf(password) !== undefined,
  );
  const encoded = textOf(account?.password) ?? '';
  // Custom hashers of Better Auth mostly use bcrypt or argon2. A colon in the hash shows the built-in hasher.
  return encoded.includes(':') && !encoded.startsWith('$')
    ? hashOf('better-auth', encoded)
    : selfDescribingHash(encoded);
}

/** The flag of a ban stays set after the ban has ended. */
function banOf({ record, nowMs, ruled }: Row): ReadState {
  const untilMs = timeOf(cellOf(record, 'banExpires|ban_expires'));
  const state = stateOf('banned', record.banned, 'disabled', { nowMs, ruled });
  return state === 'DISABLED' && untilMs !== undefined && untilMs <= nowMs ? undefined : state;
}

/**
 * Better Auth uses camel case; database adapters such as Drizzle often have snake case. MongoDB calls the id `_id`.
 * Schema: better-auth/better-auth: packages/better-auth/src/db/schema.ts and plugins/<name>/schema.ts, 1.0 to 1.7
 */
export const betterAuth = system('better-auth', 'Better Auth', {
  has: 'id|_id email emailVerified|email_verified',
  only: isOwn,
  joins: {
    accounts: {
      has: ACCOUNTS,
      on: 'userId|user_id',
      keep: 'provider=providerId|provider_id id=accountId|account_id password',
      unused:
        'id _id accessToken access_token refreshToken refresh_token idToken id_token accessTokenExpiresAt access_token_expires_at refreshTokenExpiresAt refresh_token_expires_at expiresAt expires_at scope createdAt created_at updatedAt updated_at',
      missing:
        'The table account is missing. All password hashes and social logins stand in it, so nobody can be imported without it. Export both: pg_dump --data-only -t user -t account DATABASE > dump.sql',
    },
  },
  unusedTables:
    'session:token sessions:token apikey:key api_key:key member:organizationId|organization_id members:organizationId|organization_id invitation:organizationId|organization_id invitations:organizationId|organization_id teamMember team_member:teamId|team_id oauthApplication oauth_application oauthClient oauth_client oauthAccessToken oauth_access_token oauthRefreshToken oauth_refresh_token oauthConsent oauth_consent ssoProvider sso_provider scimProvider scim_provider walletAddress wallet_address deviceCode device_code subscription:referenceId|reference_id verification:identifier verifications:identifier',
  id: 'id|_id',
  email: 'email',
  verified: 'emailVerified|email_verified',
  joined: 'createdAt|created_at',
  hash: ({ joined }) => passwordOf(joined('accounts')),
  identities: ({ joined }) =>
    joined('accounts')
      .filter(({ provider }) => provider !== CREDENTIAL)
      .filter(({ id }) => textOf(id) !== undefined)
      .map(({ provider, id }) => ({ provider, userId: id })),
  metadata: 'name image username',
  states: { 'isAnonymous|is_anonymous': 'anonymous' },
  mayLack: { 'isAnonymous|is_anonymous': 'the plugin anonymous adds it, as the plugin admin adds banned' },
  state: banOf,
  phone: 'phoneNumber|phone_number',
  factors: 'twoFactorEnabled|two_factor_enabled',
  roles: ({ record: { role } }) => textOf(role) !== undefined && role !== NO_ROLE && [role],
  reads: 'banned banExpires ban_expires role',
  unused:
    'updatedAt updated_at banReason ban_reason displayUsername display_username phoneNumberVerified phone_number_verified lastLoginMethod last_login_method stripeCustomerId stripe_customer_id',
});

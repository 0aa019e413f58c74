import type { TableHead } from '../containers/table.ts';
import { hasAnyColumn, holdsFlags } from '../fields/tables.ts';
import { textOf } from '../fields/values.ts';
import { hasAll, system } from './declare.ts';

/** Names of password columns that apps add. Auth.js itself has none. */
const PASSWORD = 'password|hashedPassword|passwordHash|hashed_password|password_hash';
const ACCOUNTS = 'provider providerAccountId|provider_account_id userId|user_id';
/** Types of Auth.js accounts that are no identities: their id is the user's own id or an address. */
const NO_IDENTITY = new Set(['credentials', 'email']);

/** Better Auth has a boolean where Auth.js has a time or null. */
const isFlag = (table: TableHead) =>
  ['emailVerified', 'email_verified'].some((name) => holdsFlags(table, name) === true);

/**
 * Auth.js, formerly NextAuth. Its tables of users say nothing about who may sign in.
 * Schema: nextauthjs/next-auth: packages/adapter-pg/schema.sql, packages/core/src/adapters.ts
 */
export const authjs = system('authjs', 'Auth.js', {
  has: 'id|_id email emailVerified|email_verified',
  only: (table, _settings, around) =>
    !isFlag(table) &&
    (around?.isNamed === true ||
      around?.tables.some((one) => hasAll(one, ACCOUNTS)) === true ||
      hasAll(table, 'emailVerified image')),
  joins: {
    accounts: {
      has: ACCOUNTS,
      on: 'userId|user_id',
      keep: 'type provider id=providerAccountId|provider_account_id',
      unused:
        'id _id providerType provider_type providerId provider_id compoundId compound_id refresh_token refreshToken access_token accessToken expires_at expiresAt accessTokenExpires access_token_expires token_type tokenType scope id_token idToken session_state sessionState refresh_token_expires_in oauth_token oauth_token_secret createdAt created_at updatedAt updated_at',
      missing:
        'The accounts are missing (Account, accounts). Without them social logins are lost: export that table, too.',
    },
  },
  unusedTables: `Authenticator authenticator authenticators Session:sessionToken session:sessionToken|session_token
      sessions:sessionToken|session_token|sessiontoken VerificationRequest
      verification_requests VerificationToken verificationToken verification_token verification_tokens`,
  id: 'id|_id',
  email: 'email',
  verified: 'emailVerified|email_verified',
  joined: 'createdAt|created_at',
  hash: PASSWORD,
  identities: ({ joined }) =>
    joined('accounts')
      .filter(
        ({ type, provider }) =>
          !NO_IDENTITY.has(textOf(provider) ?? '') && !NO_IDENTITY.has(textOf(type) ?? ''),
      )
      .map(({ provider, id }) => ({ provider, userId: id })),
  metadata: 'name image',
  unused: 'updatedAt updated_at',
  note: {
    text: 'No column with password hashes was found. Auth.js has none of its own; if the app added one, export it under the name password: select *, pw as password. Users of magic links need none: they can come in by a reset (--without-password keep).',
    when: ({ tables }) =>
      !tables
        .filter((table) => hasAll(table, 'email emailVerified|email_verified'))
        .some((table) => hasAnyColumn(table, ...PASSWORD.split('|'))),
  },
});

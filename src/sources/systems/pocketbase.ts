import { REALM } from '../fields/realms.ts';
import { baseName } from '../fields/tables.ts';
import { system, type Users } from './declare.ts';

/** Collections of staff, which have the same columns. */
const STAFF = ['_superusers', '_admins'];

const users: Pick<Users, 'joins' | 'id' | 'email' | 'verified' | 'joined' | 'metadata'> = {
  joins: {
    // Before PocketBase 0.23, the columns that refer to users had other names.
    identities: {
      has: 'provider providerId recordRef|recordId',
      on: 'recordRef|recordId',
      identity: { provider: 'provider', userId: 'providerId' },
      unused: 'id collectionRef collectionId collectionName created updated',
      missing:
        'The table _externalAuths is missing. Without it social logins are lost. If users have any, dump the whole database: sqlite3 pb_data/data.db .dump > dump.sql',
    },
  },
  id: 'id',
  email: 'email',
  verified: 'verified',
  joined: 'created',
  metadata: 'name username',
};

/**
 * Collections with sign-in. Fields that the app added are asked about, because a rule of the collection (authRule) may
 * depend on them. Schema: pocketbase/pocketbase: migrations/1640988000_init.go, core/record_model_auth.go, 0.8 to 0.40
 */
export const pocketbase = system(
  { name: 'pocketbase', title: 'PocketBase', settings: REALM },
  {
    ...users,
    forms: { sql: 'pocketbase-sqlite-dump', csv: 'pocketbase-csv', json: 'pocketbase-json' },
    has: 'id email verified tokenKey password|passwordHash',
    only: (table) => !STAFF.includes(baseName(table).toLowerCase()),
    hash: 'password|passwordHash',
    unused: 'emailVisibility avatar updated lastResetSentAt lastVerificationSentAt lastLoginAlertSentAt',
    note: 'Users who came by OAuth2 have a random password, which is imported without harm.',
  },
  {
    ...users,
    forms: { json: 'pocketbase-api' },
    has: 'id verified collectionName',
    proof: 'emailVisibility',
    hasPages: true,
    realms: { title: 'collections', column: 'collectionName' },
    unused: 'collectionId avatar updated expand',
    warning:
      'The API of PocketBase never shows hashes. Make a dump of its database instead: sqlite3 pb_data/data.db .dump > dump.sql',
  },
);

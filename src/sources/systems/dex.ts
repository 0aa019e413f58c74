import { selfDescribingHash } from '../fields/hashes.ts';
import { bytesOf, flagOf, listOf, objectOf, textInBytes, textOf } from '../fields/values.ts';
import { type Row, system, type Users } from './declare.ts';

/** Dex's connector for users whose password Dex stores. */
const LOCAL = 'local';

/** Column of Dex with JSON in bytes, as an object or list that is not empty. */
const holdsAny = (value: unknown): boolean =>
  Object.keys(objectOf(textInBytes(value)) ?? {}).length > 0 || listOf(textInBytes(value)).length > 0;

const hasGroups = ({ record: { groups } }: Row) => listOf(textInBytes(groups) ?? groups).length > 0;

const STATIC_PASSWORDS =
  'Users of staticPasswords stand in the configuration of Dex alone, and users of connectors have no password here. Neither is imported.';

/** Columns of the table of passwords. Before Dex 2.45 it had only the first four. */
const COLUMNS = 'email hash username user_id preferred_username groups name email_verified id';

const users: Pick<Users, 'email' | 'roles' | 'note'> = {
  email: 'email',
  roles: hasGroups,
  note: STATIC_PASSWORDS,
};

/**
 * Dex's table `password`, or `passwords` in storages with Ent, and objects of Kubernetes
 * (`kubectl get passwords.dex.coreos.com -o json`). Nothing in Dex locks an account by itself (`blocked_until`).
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
        [...columns].every((name) => COLUMNS.split(' ').includes(name))),
    joins: {
      // Users who have signed in. The connector `local` is that of users with a password.
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
    // Without a value, Dex reports the address as verified although nobody confirmed it, so the operator decides.
    verified: ({ record }) => flagOf(record.email_verified),
    hash: ({ record }) => selfDescribingHash(textInBytes(record.hash)),
    metadata: 'username name preferred_username',
    factors: ({ joined }) => joined('user_identity').some(({ hasMfa }) => hasMfa === true),
    unused: COLUMNS,
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
    hash: ({ record }) => selfDescribingHash(bytesOf(record.hash, 'base64')?.toString()),
    metadata: 'username name preferred_username=preferredUsername',
    reads: 'groups emailVerified',
    unused: 'metadata',
  },
]);

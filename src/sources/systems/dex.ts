import type { JsonObject } from '../../lib/json/json-object.ts';
import type { SourceRecord, TableHead } from '../containers/table.ts';
import { bytesOf, textInBytes } from '../fields/bytes.ts';
import { selfDescribingHash } from '../fields/self-describing.ts';
import { hasAnyColumn, hasColumns, mayBe } from '../fields/tables.ts';
import { timeOf } from '../fields/time.ts';
import { flagOf, listOf, metadataOf, objectOf, textOf } from '../fields/values.ts';
import type { Advice, Detail, Form, ReadContext, Source } from '../source.ts';
import type { SourceUser } from '../source-user.ts';

/** Dex's connector for users whose password Dex stores. */
const LOCAL = 'local';

function readUser(record: SourceRecord, { drop }: ReadContext, own: JsonObject): SourceUser {
  if (listOf(textInBytes(record.groups) ?? record.groups).length > 0) drop('roles');
  return {
    externalUserId: textOf(own.id),
    email: textOf(record.email),
    // Without a value, Dex reports the address as verified although nobody confirmed it, so the
    // operator decides.
    isVerified: flagOf(own.isVerified),
    password: selfDescribingHash(own.hash),
    metadata: metadataOf({
      username: record.username,
      name: record.name,
      preferred_username: own.preferredUsername,
    }),
  };
}

/** Sign-ins in Dex, one row per session. The connector `local` is that of users with a password. */
const sessions: Detail = {
  fits: (table) => hasColumns(table, 'user_id', 'connector_id', 'claims_user_id', 'mfa_secrets'),
  keyOf: ({ connector_id, claims_user_id }) => (connector_id === LOCAL ? textOf(claims_user_id) : undefined),
  keep: ({ mfa_secrets, webauthn_credentials, blocked_until }) => ({
    hasMfa: holdsAny(mfa_secrets) || holdsAny(webauthn_credentials),
    blockedUntil: blocked_until,
  }),
};

/** Column of Dex with JSON in bytes, as an object or list that is not empty. */
const holdsAny = (value: unknown): boolean =>
  Object.keys(objectOf(textInBytes(value)) ?? {}).length > 0 || listOf(textInBytes(value)).length > 0;

/**
 * Dex's table `password`, or `passwords` in storages with Ent. Before Dex 2.45 it had only the first four
 * columns.
 */
const isTable = (table: TableHead): boolean =>
  mayBe(table, 'password', 'passwords') &&
  hasColumns(table, 'email', 'hash', 'username', 'user_id') &&
  (table.container === 'sql' ||
    (hasAnyColumn(table, 'groups', 'preferred_username') &&
      [...table.columns].every((name) => COLUMNS.has(name))));

const COLUMNS = new Set([
  'id',
  'email',
  'hash',
  'username',
  'user_id',
  'preferred_username',
  'groups',
  'name',
  'email_verified',
]);

const tables: Form = {
  name: 'dex-tables',
  isUsers: isTable,
  details: { sessions },
  ownStates: [],
  keyOf: (record) => textOf(record.user_id),
  read(record, context) {
    const id = textOf(record.user_id);
    const found = id === undefined ? [] : context.details('sessions', id);
    if (found.some(({ hasMfa }) => hasMfa === true)) context.drop('mfa');
    if (found.some(({ blockedUntil }) => (timeOf(blockedUntil) ?? 0) > context.nowMs))
      context.drop('temporary locks');
    return readUser(record, context, {
      id: record.user_id,
      hash: textInBytes(record.hash),
      isVerified: record.email_verified,
      preferredUsername: record.preferred_username,
    });
  },
  advice: () => [STATIC_PASSWORDS],
};

/** Output of `kubectl get passwords.dex.coreos.com -o json`: one object for each user. */
const resources: Form = {
  name: 'dex-kubernetes',
  isUsers: ({ container, first }) =>
    container === 'json' && first.length > 0 && first.every(isPasswordResource),
  read: (record, context) =>
    readUser(record, context, {
      id: record.userID,
      hash: bytesOf(record.hash, 'base64')?.toString(),
      isVerified: record.emailVerified,
      preferredUsername: record.preferredUsername,
    }),
  advice: () => [STATIC_PASSWORDS],
};

const isPasswordResource = ({ kind, apiVersion }: SourceRecord) =>
  kind === 'Password' && textOf(apiVersion)?.startsWith('dex.coreos.com/') === true;

const STATIC_PASSWORDS: Advice = {
  level: 'note',
  text: 'Users of staticPasswords stand in the configuration of Dex alone, and users of connectors have no password here. Neither is imported.',
};

/** Source for Dex. Schema: dexidp/dex@ab64ed77:storage/sql/migrate.go, storage/kubernetes/types.go */
export const dex: Source = {
  name: 'dex',
  title: 'Dex',
  forms: [tables, resources],
};

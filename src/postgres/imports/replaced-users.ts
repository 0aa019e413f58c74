import type { LoginIds } from '../../imports/resolve/existing-logins.ts';
import type { ThirdPartyIdentity } from '../../users/user.ts';
import type { Queryable } from '../client/connection.ts';
import {
  lockPasswordLogins,
  lockThirdPartyLogins,
  passwordLoginsByKey,
  passwordLoginsToLock,
  thirdPartyLoginsByKey,
  thirdPartyLoginsToLock,
  usersToLock,
} from '../users/rows-to-lock.ts';

/*
 * Keeps what an import that matches by external id replaces or removes, for its rollback. Whole rows are kept as JSON,
 * so that columns of later versions are restored, too.
 */

/** Columns of a hash. A rollback has them in a table of their own, because `wrap_weak_hashes` also changes kept hashes. */
const HASH_COLUMNS = [
  'password_hash',
  'hash_algorithm',
  'hash_secret_id',
  'hash_class',
  'imported_fingerprint',
] as const;

export type UserTable = 'users' | 'password_logins' | 'third_party_logins' | 'user_aliases';

/** Row of a user that an import changes or removes, as it is kept for a rollback. */
export interface StoredRow {
  table: UserTable;
  user_id: string;
  key: string;
  /** JSON of the row, without the hash of a password login. */
  content: string;
}

const row = (table: UserTable, key: string, columns = '') =>
  `'${table}' as "table", user_id, ${key} as key, (to_jsonb(login)${table === 'password_logins' ? ` - '{${HASH_COLUMNS.join()}}'::text[]` : ''})::text as content${columns}`;

const PASSWORD_COLUMNS = row(
  'password_logins',
  'recipe_user_id::text',
  `, recipe_user_id, email, concat_ws(' ', hash_set_at, changed_at, state_set_at) as version, changed_at::text, last_sign_in_at::text,
   hash_set_by = 'user' or state_by_call or (changed_at is not null and changed_at is distinct from changed_by_import_at) as is_changed_here,
   ${HASH_COLUMNS.filter((name) => name !== 'imported_fingerprint').join(', ')}, encode(imported_fingerprint, 'hex') as fingerprint`,
);

const THIRD_PARTY_COLUMNS = row(
  'third_party_logins',
  'jsonb_build_array(login.third_party_id, login.third_party_user_id)::text',
  `, recipe_user_id, concat_ws(' ', last_sign_in_at, changed_at, state_set_at) as version, changed_at::text, last_sign_in_at::text,
   state_by_call as is_changed_here`,
);

const PASSWORD_LOGINS = passwordLoginsByKey(PASSWORD_COLUMNS);
const THIRD_PARTY_LOGINS = thirdPartyLoginsByKey(THIRD_PARTY_COLUMNS);
const USERS = usersToLock(row('users', 'user_id::text'));
const LOGINS_OF_USERS = [passwordLoginsToLock(PASSWORD_COLUMNS), thirdPartyLoginsToLock(THIRD_PARTY_COLUMNS)];

/** Times are text with microseconds. */
export interface StoredLogin extends StoredRow {
  recipe_user_id: string;
  version: string;
  changed_at: string | null;
  last_sign_in_at: string | null;
  /** Whether somebody other than an import has changed the password, the address or the state. */
  is_changed_here: boolean;
}

export interface StoredPassword extends StoredLogin {
  email: string;
  password_hash: string | null;
  hash_algorithm: string | null;
  hash_secret_id: string | null;
  hash_class: string | null;
  fingerprint: string | null;
}

export const lockUsers = (db: Queryable, userIds: readonly string[]): Promise<StoredRow[]> =>
  db.engine.lockRows<StoredRow & Record<string, unknown>>(db, USERS, [userIds]);

export async function lockLoginsOf(db: Queryable, userIds: readonly string[]): Promise<StoredLogin[]> {
  const found: StoredLogin[] = [];
  for (const rows of LOGINS_OF_USERS)
    found.push(...(await db.engine.lockRows<StoredLogin & Record<string, unknown>>(db, rows, [userIds])));
  return found;
}

export const lockPasswords = (db: Queryable, emails: readonly string[]): Promise<StoredPassword[]> =>
  lockPasswordLogins<StoredPassword & Record<string, unknown>>(db, PASSWORD_LOGINS, emails);

export const lockThirdParties = (
  db: Queryable,
  identities: readonly ThirdPartyIdentity[],
): Promise<StoredLogin[]> =>
  lockThirdPartyLogins<StoredLogin & Record<string, unknown>>(db, THIRD_PARTY_LOGINS, identities);

const USER_RECORDS = `select ${row('users', 'user_id::text')} from users login where user_id = any ($1::uuid[])`;
const ALIASES = `select ${row('user_aliases', 'alias')} from user_aliases login where user_id = any ($1::uuid[])`;

export const readUserRecords = (db: Queryable, userIds: readonly string[]): Promise<StoredRow[]> =>
  db.query<StoredRow & Record<string, unknown>>(USER_RECORDS, [userIds]);

export const readAliases = (db: Queryable, userIds: readonly string[]): Promise<StoredRow[]> =>
  db.query<StoredRow & Record<string, unknown>>(ALIASES, [userIds]);

export async function forgetReplaced(
  db: Queryable,
  importId: string,
  userIds: readonly string[],
): Promise<void> {
  for (const table of ['replaced_users', 'replaced_rows', 'replaced_passwords'])
    await db.query(`delete from ${table} where import_id = $1 and user_id = any ($2::uuid[])`, [
      importId,
      userIds,
    ]);
}

/** If the import has changed a user before, the rows from before the first change stay. */
export async function keepReplaced(
  db: Queryable,
  { importId, now, isRemoved }: { importId: string; now: string; isRemoved: boolean },
  userIds: readonly string[],
  rows: readonly StoredRow[],
): Promise<void> {
  await db.query(
    `insert into replaced_users (import_id, user_id, is_removed, written_at)
     select $1, user_id, $3, $4::timestamptz from unnest($2::uuid[]) user_id
     on conflict (import_id, user_id) do update set written_at = excluded.written_at, is_removed = excluded.is_removed`,
    [importId, userIds, isRemoved, now],
  );
  await db.query(
    `insert into replaced_rows (import_id, user_id, table_name, row_key, content, written_at)
     select $1, t.*, $6::timestamptz from unnest($2::uuid[], $3::text[], $4::text[], $5::jsonb[]) t
     on conflict (import_id, user_id, table_name, row_key) do update set written_at = excluded.written_at`,
    [
      importId,
      rows.map((one) => one.user_id),
      rows.map((one) => one.table),
      rows.map((one) => one.key),
      rows.map((one) => one.content),
      now,
    ],
  );
  const passwords = rows
    .filter((one): one is StoredPassword => one.table === 'password_logins')
    .filter((one) => typeof one.password_hash === 'string');
  if (passwords.length === 0) return;
  await db.query(
    `insert into replaced_passwords (import_id, user_id, recipe_user_id, password_hash, hash_algorithm,
       hash_secret_id, hash_class, imported_fingerprint, written_at)
     select $1, user_id, recipe_user_id, password_hash, hash_algorithm, hash_secret_id, hash_class,
       decode(fingerprint, 'hex'), $9::timestamptz
     from unnest($2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[])
       as t (user_id, recipe_user_id, password_hash, hash_algorithm, hash_secret_id, hash_class, fingerprint)
     on conflict (import_id, recipe_user_id) do update set written_at = excluded.written_at`,
    [
      importId,
      passwords.map((one) => one.user_id),
      passwords.map((one) => one.recipe_user_id),
      passwords.map((one) => one.password_hash),
      passwords.map((one) => one.hash_algorithm),
      passwords.map((one) => one.hash_secret_id),
      passwords.map((one) => one.hash_class),
      passwords.map((one) => one.fingerprint),
      now,
    ],
  );
}

/** Content that is kept for a login which the import has added. A rollback removes the login. */
const ADDED = '{"isAdded": true}';

const THIRD_PARTY_KEYS = `
  select user_id, jsonb_build_array(third_party_id, third_party_user_id)::text as key
  from unnest($1::uuid[], $2::text[], $3::text[]) as t (user_id, third_party_id, third_party_user_id)`;

/** Keeps, for a rollback, which logins of stored users the import has added. */
export async function keepAdded(
  db: Queryable,
  { importId, now }: { importId: string; now: string },
  passwords: readonly LoginIds[],
  thirdParties: readonly (LoginIds & { identity: ThirdPartyIdentity })[],
): Promise<void> {
  const keys = await db.query<{ user_id: string; key: string }>(THIRD_PARTY_KEYS, [
    thirdParties.map(({ userId }) => userId),
    thirdParties.map(({ identity }) => identity.id),
    thirdParties.map(({ identity }) => identity.userId),
  ]);
  const rows: StoredRow[] = [
    ...passwords.map(({ userId, recipeUserId }) => ({
      ...{ table: 'password_logins' as const, user_id: userId, key: recipeUserId, content: ADDED },
    })),
    ...keys.map((row) => ({ ...row, table: 'third_party_logins' as const, content: ADDED })),
  ];
  const userIds = [...new Set(rows.map((row) => row.user_id))];
  await keepReplaced(db, { importId, now, isRemoved: false }, userIds, rows);
}

/** Time of the database, with microseconds, for several tables (rule 3 of citus/citus.ts). */
export async function timeOf(db: Queryable): Promise<string> {
  const [row] = await db.query<{ now: string }>('select statement_timestamp()::text as now');
  if (row === undefined) throw new Error('the database does not tell the time');
  return row.now;
}

/** Each row is given as JSON. */
export const insertJson = (db: Queryable, table: UserTable, rows: readonly string[]): Promise<unknown> =>
  rows.length === 0
    ? Promise.resolve()
    : db.query(
        `insert into ${table} select filled.* from jsonb_populate_recordset(null::${table}, $1::jsonb) filled`,
        [`[${rows.join()}]`],
      );

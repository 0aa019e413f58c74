import { emailKey, keyOfIdentity, type Row } from '../../imports/resolve/person.ts';
import type { ThirdPartyIdentity } from '../../users/user.ts';
import type { Queryable } from '../client/connection.ts';
import { readingRows } from '../client/engine.ts';
import {
  identityValues,
  lockPasswordLogins,
  lockThirdPartyLogins,
  passwordLoginsByKey,
  passwordLoginsToLock,
  thirdPartyLoginsByKey,
  thirdPartyLoginsToLock,
  usersToLock,
} from '../users/rows-to-lock.ts';
import { LOGIN_TABLES } from '../users/user-row.ts';

/*
 * Rows of users as JSON, so that a rollback also restores columns of later versions, and changes of rows. Statements
 * of this file must run in a transaction that `BEGIN_BULK` begins: JSON has times in the time zone of the session.
 */

/**
 * Settings with which PostgreSQL notices within seconds that the client's host is lost. With TCP's defaults, the
 * transaction and its locks would stay for two hours. The settings end with the transaction, so that a pooler may be in
 * front of the database.
 */
const NOTICE_LOSS =
  'set local tcp_keepalives_idle = 10; set local tcp_keepalives_interval = 5; set local tcp_keepalives_count = 3';

/**
 * Maximum milliseconds between two statements of a transaction. Well above the time in which the lines of a chunk are
 * decided.
 */
const IDLE_TIMEOUT_MS = 10_000;

/** Setting with which the JSON of rows has the same text for the same time in all sessions. */
const TIMES_IN_UTC = "set local timezone = 'UTC'";

/**
 * Makes PostgreSQL join a chunk with tables of users by index. For some sizes, it would otherwise read a whole table
 * for each chunk.
 */
const BY_INDEX = 'set local enable_seqscan = off';

export const BEGIN_BULK = `begin; ${NOTICE_LOSS}; ${TIMES_IN_UTC}; ${BY_INDEX}; set local idle_in_transaction_session_timeout = ${IDLE_TIMEOUT_MS}`;

/**
 * Maximum milliseconds to wait for a lock. Then the transaction is repeated, because other bulk work may be waiting for
 * its locks.
 */
const LOCK_TIMEOUT_MS = 500;

export const BEGIN_BULK_SHORT_WAITS = `${BEGIN_BULK}; set local lock_timeout = ${LOCK_TIMEOUT_MS}`;

type LoginTable = (typeof LOGIN_TABLES)[keyof typeof LOGIN_TABLES];
export type UserTable = 'users' | 'user_aliases' | LoginTable;

/** A row of a table, with the ids that all rows of users have. */
export interface StoredRow {
  table: UserTable;
  userId: string;
  /** The recipe user id of a login, the text of an alias, or the id of the user. Unique in the table. */
  id: string;
  row: Row;
}

export const tableOf = (identity: ThirdPartyIdentity | undefined): LoginTable =>
  identity === undefined ? 'password_logins' : 'third_party_logins';

export const identityOf = ({ third_party_id, third_party_user_id }: Row): ThirdPartyIdentity | undefined =>
  third_party_id === undefined
    ? undefined
    : { id: String(third_party_id), userId: String(third_party_user_id) };

/** Returns the key of a login (`loginKey`). */
export function keyOfLogin(row: Row): string {
  const identity = identityOf(row);
  return identity === undefined ? emailKey(String(row.email)) : keyOfIdentity(identity);
}

const ID: Record<UserTable, string> = {
  users: 'user_id',
  password_logins: 'recipe_user_id',
  third_party_logins: 'recipe_user_id',
  user_aliases: 'alias',
};

interface JsonRow extends Record<string, unknown> {
  row: string;
}

const JSON_ROW = 'row_to_json(login)::text as row';

const toStored =
  (table: UserTable) =>
  ({ row: text }: JsonRow): StoredRow => {
    const row: Row = JSON.parse(text);
    return { table, userId: String(row.user_id), id: String(row[ID[table]]), row };
  };

const PASSWORDS_BY_KEY = passwordLoginsByKey(JSON_ROW);
const THIRD_PARTIES_BY_KEY = thirdPartyLoginsByKey(JSON_ROW);
const USERS = usersToLock(JSON_ROW);
const LOGINS_OF_USERS = {
  password_logins: passwordLoginsToLock(JSON_ROW),
  third_party_logins: thirdPartyLoginsToLock(JSON_ROW),
};

/**
 * @param lock whether to lock the rows until the transaction ends, in the order of the key. Missing rows cannot be
 * locked
 */
export async function readLoginsByKey(
  db: Queryable,
  { emails, identities }: { emails: readonly string[]; identities: readonly ThirdPartyIdentity[] },
  { lock }: { lock: boolean },
): Promise<StoredRow[]> {
  const passwords = lock
    ? await lockPasswordLogins<JsonRow>(db, PASSWORDS_BY_KEY, emails)
    : await read(db, readingRows(PASSWORDS_BY_KEY), [emails]);
  const thirdParties = lock
    ? await lockThirdPartyLogins<JsonRow>(db, THIRD_PARTIES_BY_KEY, identities)
    : await read(
        db,
        `${readingRows(THIRD_PARTIES_BY_KEY)} and login.third_party_user_id = any ($2)`,
        identityValues(identities),
      );
  return [...passwords.map(toStored('password_logins')), ...thirdParties.map(toStored('third_party_logins'))];
}

export async function readLoginsOf(
  db: Queryable,
  userIds: readonly string[],
  { lock }: { lock: boolean },
): Promise<StoredRow[]> {
  const found: StoredRow[] = [];
  for (const table of Object.values(LOGIN_TABLES)) {
    const rows = LOGINS_OF_USERS[table];
    const json = lock
      ? await db.engine.lockRows<JsonRow>(db, rows, [userIds])
      : await read(db, readingRows(rows), [userIds]);
    found.push(...json.map(toStored(table)));
  }
  return found;
}

export async function lockUsers(db: Queryable, userIds: readonly string[]): Promise<StoredRow[]> {
  if (userIds.length === 0) return [];
  return (await db.engine.lockRows<JsonRow>(db, USERS, [userIds])).map(toStored('users'));
}

/** Returns the rows of these users in `users` or `user_aliases`. */
export async function readRowsOf(
  db: Queryable,
  table: 'users' | 'user_aliases',
  userIds: readonly string[],
): Promise<StoredRow[]> {
  const statement = `select ${JSON_ROW} from ${table} login where user_id = any ($1::uuid[])`;
  return (await read(db, statement, [userIds])).map(toStored(table));
}

async function read(
  db: Queryable,
  statement: string,
  values: readonly (readonly unknown[])[],
): Promise<JsonRow[]> {
  return values[0]?.length === 0 ? [] : db.query<JsonRow>(statement, values);
}

/** Change of a row: `to` has the new values of some columns, or the whole new row. Undefined to remove it. */
export interface RowEdit {
  table: UserTable;
  /** The row before. Undefined for a new one. */
  from: Row | undefined;
  to: Row | undefined;
}

/** Columns by which a row is found. The first is the distribution column on Citus. */
const KEYS: Record<UserTable, readonly string[]> = {
  users: ['user_id'],
  user_aliases: ['alias'],
  password_logins: ['email'],
  third_party_logins: ['third_party_user_id', 'third_party_id'],
};

/**
 * Types of columns that are not text. Verified addresses are passed as JSON, because an array of arrays must be
 * rectangular.
 */
const TYPES: Readonly<Record<string, string>> = {
  ...{ hash_set_at: 'timestamptz', changed_at: 'timestamptz', changed_by_import_at: 'timestamptz' },
  ...{ state_set_at: 'timestamptz', factors_set_at: 'timestamptz', last_sign_in_at: 'timestamptz' },
  ...{ disabled: 'boolean', state_by_call: 'boolean', linked: 'boolean', time_joined_ms: 'bigint' },
  ...{ imported_fingerprint: 'bytea', factors: 'bytea', user_id: 'uuid', recipe_user_id: 'uuid' },
  verified_emails: 'jsonb',
};

const typeOf = (column: string) => TYPES[column] ?? 'text';

/**
 * Changes and removes rows. A row that gets another key is removed first, so that its old key is free for other rows.
 * The returned function inserts such rows again, and inserts the new rows.
 */
export async function beginEdits(db: Queryable, edits: readonly RowEdit[]): Promise<() => Promise<void>> {
  const shapes: Shape[] = [];
  const [removed, inserted] = [new Map<UserTable, Row[]>(), new Map<UserTable, Row[]>()];
  for (const edit of edits) {
    const { table, from, to } = edit;
    if (from !== undefined && to !== undefined && KEYS[table].every((name) => isKept(name, from, to)))
      addToShape(shapes, table, Object.keys(to), edit);
    else {
      if (from !== undefined) addTo(removed, table, from);
      if (to !== undefined) addTo(inserted, table, { ...from, ...to });
    }
  }
  for (const [table, rows] of removed) await removeRows(db, table, rows);
  for (const { edits: group } of shapes) await updateRows(db, group);
  return async () => {
    if (inserted.size > 0) await db.engine.prepareAllNodes(db);
    for (const [table, rows] of inserted) await insertRows(db, table, rows);
  };
}

/** Edits that change the same columns of a table. */
interface Shape {
  table: UserTable;
  columns: readonly string[];
  edits: RowEdit[];
}

/**
 * Adds an edit to the shape with its table and columns. Shapes are few, and most edits have the first one, so comparing
 * columns is faster than building a key.
 */
function addToShape(shapes: Shape[], table: UserTable, columns: readonly string[], edit: RowEdit): void {
  const isSame = (one: Shape) =>
    one.table === table &&
    one.columns.length === columns.length &&
    columns.every((name, index) => name === one.columns[index]);
  const shape = shapes.find(isSame);
  if (shape === undefined) shapes.push({ table, columns, edits: [edit] });
  else shape.edits.push(edit);
}

const isKept = (column: string, from: Row, to: Row) =>
  to[column] === undefined || to[column] === from[column];

export function addTo<Key, Item>(groups: Map<Key, Item[]>, key: Key, item: Item): void {
  const group = groups.get(key);
  if (group === undefined) groups.set(key, [item]);
  else group.push(item);
}

/** Updates the same columns in rows of one table. A value that all rows get is sent once. */
async function updateRows(db: Queryable, edits: readonly RowEdit[]): Promise<void> {
  const [first] = edits;
  if (first?.to === undefined) return;
  const { table, to } = first;
  const keys = KEYS[table];
  const columns = Object.keys(to).filter((name) => !keys.includes(name));
  if (columns.length === 0) return;
  const found = [...keys, ...(keys.includes('user_id') ? [] : ['user_id'])];
  const differing = columns.filter((name) => edits.some((edit) => edit.to?.[name] !== to[name]));
  const same = columns.filter((name) => !differing.includes(name));
  const names = [...found.map((name) => `key_${name}`), ...differing];
  // The parameters have the types of the columns, because Citus refuses to convert texts to times row by row.
  const parameters = [...found, ...differing].map((name, index) => `$${index + 1}::${typeOf(name)}[]`);
  const values = [
    ...differing.map((name) => `${name} = ${sqlOf(name, `incoming.${name}`)}`),
    ...same.map((name, index) => `${name} = ${sqlOf(name, `$${names.length + index + 1}::${typeOf(name)}`)}`),
  ];
  const statement = `
    with incoming as (select * from unnest(${parameters.join(', ')}) as t (${names.join(', ')}))
    update ${table} login set ${values.join(', ')} from incoming
    where ${found.map((name) => `login.${name} = incoming.key_${name}`).join(' and ')}
      ${db.engine.shardCondition(`login.${keys[0]} = any (${parameters[0]})`)}`;
  const key = (edit: RowEdit) => String(edit.from?.[keys[0] ?? '']);
  const inOrder = edits.toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
  for (const group of await db.engine.groupByShard(db, table, inOrder, key))
    await db.query(statement, [
      ...found.map((name) => group.map(({ from }) => textOf(from?.[name]))),
      ...differing.map((name) => group.map((edit) => textOf(edit.to?.[name]))),
      ...same.map((name) => textOf(to[name])),
    ]);
}

/** Returns the value of a column as an expression: addresses are an array in JSON. */
const sqlOf = (column: string, value: string) =>
  column === 'verified_emails'
    ? `case when ${value} is not null then array(select jsonb_array_elements_text(${value})) end`
    : value;

/** Returns a value of a JSON row as a text that PostgreSQL can parse. */
function textOf(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

async function removeRows(db: Queryable, table: UserTable, rows: readonly Row[]): Promise<void> {
  const columns = KEYS[table];
  const [first = '', second] = columns;
  const values = columns.map((name) => rows.map((row) => row[name]));
  const pairs =
    second === undefined
      ? ''
      : ` and (${columns.join(', ')}) in (select * from unnest($1::text[], $2::text[]))`;
  await db.query(`delete from ${table} where ${first} = any ($1::${typeOf(first)}[])${pairs}`, values);
}

async function insertRows(db: Queryable, table: UserTable, rows: readonly Row[]): Promise<void> {
  const [first = ''] = KEYS[table];
  const inOrder = rows.toSorted((a, b) => (String(a[first]) < String(b[first]) ? -1 : 1));
  await db.query(
    `insert into ${table} select filled.* from jsonb_populate_recordset(null::${table}, $1::jsonb) filled`,
    [JSON.stringify(inOrder)],
  );
}

/**
 * Returns the rows of logins with these addresses and identities, and of aliases with these ids. Their keys are in use.
 */
export async function readTaken(
  db: Queryable,
  { emails, identities, aliases }: { emails: string[]; identities: ThirdPartyIdentity[]; aliases: string[] },
): Promise<StoredRow[]> {
  const logins = await readLoginsByKey(db, { emails, identities }, { lock: false });
  const ids = await read(db, `select ${JSON_ROW} from user_aliases login where alias = any ($1)`, [aliases]);
  return [...logins, ...ids.map(toStored('user_aliases'))];
}

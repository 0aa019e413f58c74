import type { Row } from '../../imports/resolve/person.ts';
import type { Copy } from '../client/connection.ts';
import { COPY_NULL, copyText } from './copy-people.ts';
import type { UserTable } from './stored-rows.ts';

/*
 * The journal of imports: what an import has changed of stored users, so that a rollback can put it back. Each row of
 * `import_changes` is a changed row of a table of users, or a value of the user as a whole.
 */

/**
 * Part of a user that an import can change. `states`: whether the user is disabled, which all logins store. `factors`:
 * a column of the row in `users`.
 */
export type Part = UserTable | 'states' | 'factors';

export interface Change {
  part: Part;
  userId: string;
  /** The recipe user id of a login, the text of an alias, or the id of the user. */
  id: string;
  /** Values before the change: of the changed columns, or of all if the row is removed. Undefined for a new row. */
  before: Row | undefined;
  /** Values by which a rollback recognises that the row has not changed since. Undefined if the row is removed. */
  after: Row | undefined;
}

export interface KeptChange extends Change {
  /** Time of the change, as text. */
  writtenAt: string;
}

export function pick(row: Row, columns: readonly string[]): Row {
  const picked: Row = {};
  for (const name of columns) picked[name] = row[name] ?? null;
  return picked;
}

export const KEY_COLUMNS: Record<UserTable, readonly string[]> = {
  users: [],
  user_aliases: ['alias', 'recipe_user_id'],
  password_logins: ['email'],
  third_party_logins: ['third_party_id', 'third_party_user_id'],
};

/** Columns with the time of the latest change. */
const TIMES: Record<UserTable, readonly string[]> = {
  users: [],
  user_aliases: [],
  password_logins: ['hash_set_at', 'changed_at'],
  third_party_logins: ['changed_at'],
};

/**
 * Returns the values that stay the same unless somebody changes the row.
 * @param to new values of the changed columns
 * @param isWhole whether later changes of other columns count, too
 */
export function marksOf(table: UserTable, row: Row, to: Row, isWhole: boolean): Row {
  const marks: Row = {};
  for (const name of KEY_COLUMNS[table]) marks[name] = (name in to ? to[name] : row[name]) ?? null;
  for (const name of TIMES[table])
    if (name in to) marks[name] = to[name] ?? null;
    else if (isWhole) marks[name] = row[name] ?? null;
  // The address is compared, too: a sign-in that waited for the import may write another address, but has an earlier
  // time.
  if (table === 'third_party_logins' && 'email' in to) marks.email = to.email ?? null;
  return marks;
}

/** Returns whether a row is as the import left it, and nobody has signed in with it since. */
export function isAsLeft(row: Row | undefined, { part, after, writtenAt }: KeptChange): boolean {
  if (row === undefined || after === undefined) return row === after;
  const { last_sign_in_at: signedInAt } = row;
  const isUsed = typeof signedInAt === 'string' && signedInAt > writtenAt;
  if (isUsed && (part === 'password_logins' || part === 'third_party_logins')) return false;
  return Object.entries(after).every(([name, value]) => (row[name] ?? null) === value);
}

/** Returns rows of the journal, in the format of COPY. All rows of a transaction have the same time. */
export function copyOfChanges(importId: string, now: string, changes: readonly Change[]): Copy {
  let rows = '';
  for (const { userId, part, id, before, after } of changes)
    rows += `${importId}\t${userId}\t${part}\t${copyText(id)}\t${jsonOf(before)}\t${jsonOf(after)}\t${now}\n`;
  return {
    statement: 'copy import_changes (import_id, user_id, part, row_id, before, after, written_at) from stdin',
    ...{ rows: Buffer.from(rows), count: changes.length },
  };
}

const jsonOf = (row: Row | undefined) => copyText(row === undefined ? undefined : JSON.stringify(row));

/** Returns records of changes of hashes, without any hash, in the format of COPY. */
export function copyOfHashChanges(
  by: 'import' | 'rollback',
  importId: string | undefined,
  changes: readonly { recipeUserId: string; algorithm: string | undefined }[],
): Copy {
  let rows = '';
  for (const { recipeUserId, algorithm = COPY_NULL } of changes)
    rows += `${recipeUserId}\t${by}\t${copyText(importId)}\t${algorithm}\n`;
  return {
    statement: 'copy hash_changes (recipe_user_id, changed_by, import_id, hash_algorithm) from stdin',
    ...{ rows: Buffer.from(rows), count: changes.length },
  };
}

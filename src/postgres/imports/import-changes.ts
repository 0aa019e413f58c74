import type { Row } from '../../imports/resolve/person.ts';
import { type Copy, copyInteger, copyOf, copyText, copyTime, copyUuid } from '../client/copy-in.ts';
import type { UserTable } from './stored-rows.ts';

/*
 * The journal of imports: what an import has changed of stored users, so that a rollback can put it back. Each change is
 * of a row of a table of users (also of the profile, in `users`), or of the state or the factors of a user. A row of
 * `import_changes` has many changes.
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
  /**
   * Values by which a rollback recognises that the row has not changed since. `BY_THEN` for a time that is no later than
   * the change. Undefined if the row is removed.
   */
  after: Row | undefined;
}

export interface KeptChange extends Change {
  /** Time of the change, as text. */
  writtenAt: string;
}

/** Kind of a change. `values` (whether a user is disabled, and factors) are undone before `rows` (all others). */
export type ChangeKind = 'values' | 'rows';

export const isValue = (part: Part): part is Exclude<Part, UserTable> =>
  part === 'states' || part === 'factors';

/** A change as stored in a row of the journal. */
export type PackedChange = [part: Part, userId: string, id: string, before: Row | null, after: Row | null];

/** Maximum number of changes in a row of the journal. Deleting one person rewrites the whole row. */
const MAX_CHANGES_IN_ROW = 100;
/** The same if the changes have hashes to wrap. Wrapping each of them rewrites the whole row. */
const MAX_BROKEN_IN_ROW = 10;

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

/** Only in changes that version 0.2.0 has recorded (migrations/0017_import_changes.sql). */
const BY_THEN = '<=';

/** Returns whether a row is as the import left it, and nobody has signed in with it since. */
export function isAsLeft(row: Row | undefined, { part, after, writtenAt }: KeptChange): boolean {
  if (row === undefined || after === undefined) return row === after;
  const { last_sign_in_at: signedInAt } = row;
  const isUsed = typeof signedInAt === 'string' && signedInAt > writtenAt;
  if (isUsed && (part === 'password_logins' || part === 'third_party_logins')) return false;
  return Object.keys(after).every((name) => {
    const value = row[name] ?? null;
    return after[name] === BY_THEN ? typeof value === 'string' && value <= writtenAt : value === after[name];
  });
}

/**
 * Returns rows of the journal, in the format of COPY. All changes of a transaction have the same time.
 * @param tries number of failed attempts to undo the changes
 */
export function copyOfChanges(
  importId: string,
  writtenAt: string,
  changes: readonly Change[],
  tries = 0,
): Copy {
  const rows: string[] = [];
  const addRows = (kind: ChangeKind, some: readonly Change[], areBroken = false) => {
    const size = areBroken ? MAX_BROKEN_IN_ROW : MAX_CHANGES_IN_ROW;
    const place = copyText(importId) + copyTime(writtenAt) + copyText(kind) + copyInteger(tries);
    for (let start = 0; start < some.length; start += size) {
      const group = some.slice(start, start + size);
      const json = copyText(JSON.stringify(group.map(toPacked)));
      rows.push(place + json + copyInteger(areBroken ? group.length : 0));
    }
  };
  addRows(
    'values',
    changes.filter(({ part }) => isValue(part)),
  );
  addRows(
    'rows',
    changes.filter((change) => !isValue(change.part) && !hasBrokenHash(change)),
  );
  addRows('rows', changes.filter(hasBrokenHash), true);
  const columns = ['import_id', 'written_at', 'kind', 'tries', 'changes', 'broken_hashes'];
  return copyOf('import_changes', columns, rows);
}

const toPacked = ({ part, userId, id, before, after }: Change): PackedChange => [
  part,
  userId,
  id,
  before ?? null,
  after ?? null,
];

/** A hash without a class is of an early version, and may be broken. */
const hasBrokenHash = ({ before }: Change): boolean =>
  typeof before?.password_hash === 'string' && (before.hash_class ?? 'broken') === 'broken';

/** Returns records of changes of hashes, without any hash, in the format of COPY. */
export function copyOfHashChanges(
  by: 'import' | 'rollback',
  importId: string | undefined,
  changes: readonly { recipeUserId: string; algorithm: string | undefined }[],
): Copy {
  const cause = copyText(by) + copyText(importId);
  return copyOf(
    'hash_changes',
    ['recipe_user_id', 'changed_by', 'import_id', 'hash_algorithm'],
    changes.map(({ recipeUserId, algorithm }) => copyUuid(recipeUserId) + cause + copyText(algorithm)),
  );
}

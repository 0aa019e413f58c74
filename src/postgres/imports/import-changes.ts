import type { Row } from '../../imports/resolve/person.ts';
import type { Queryable } from '../client/connection.ts';
import type { UserTable } from './stored-rows.ts';

/*
 * The journal of imports: what an import has changed of stored users, so that a rollback can put it back. Each row of
 * `import_changes` is a changed row of a table of users, or a value of the user as a whole.
 */

/** `states`: whether the user is disabled, which all logins have. `factors`: a part of the row in `users`. */
export type Part = UserTable | 'states' | 'factors';

export interface Change {
  part: Part;
  userId: string;
  /** The recipe user id of a login, the text of an alias, or the id of the user. */
  id: string;
  /** Values before the change: of the changed columns, or of all if the row is removed. Undefined for a new row. */
  before: Row | undefined;
  /** Values by which a rollback sees that nothing has changed since. Undefined if the row is removed. */
  after: Row | undefined;
}

/** Change that an import makes now, with the row as it was. Undefined for a new row. */
export type NewChange = Change & { present: Row | undefined };

export interface KeptChange extends Change {
  /** Time of the change, as text. */
  writtenAt: string;
}

export const pick = (row: Row, columns: readonly string[]): Row =>
  Object.fromEntries(columns.map((name) => [name, row[name] ?? null]));

const KEYS: Record<UserTable, readonly string[]> = {
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
 * @param columns changed columns: changes of others do not count. Undefined for all
 */
export const marksOf = (table: UserTable, row: Row, columns: readonly string[] | undefined): Row =>
  pick(row, [
    ...KEYS[table],
    ...TIMES[table].filter((name) => columns === undefined || columns.includes(name)),
  ]);

/** Returns whether a row is as the import left it, and nobody has signed in by it since. */
export function isAsLeft(row: Row | undefined, { part, after, writtenAt }: KeptChange): boolean {
  if (row === undefined || after === undefined) return row === after;
  const { last_sign_in_at: signedInAt } = row;
  const isUsed = typeof signedInAt === 'string' && signedInAt > writtenAt;
  if (isUsed && (part === 'password_logins' || part === 'third_party_logins')) return false;
  return Object.entries(after).every(([name, value]) => (row[name] ?? null) === value);
}

interface ChangeRow extends Record<string, unknown> {
  user_id: string;
  part: Part;
  row_id: string;
  before: Row | null;
  after: Row | null;
  written_at: string;
}

const CHANGES_OF_USERS = `
  select user_id, part, row_id, before, after, to_json(written_at) #>> '{}' as written_at
  from import_changes where import_id = $1 and user_id = any ($2::uuid[])`;

/** Times are texts, as in rows (stored-rows.ts). */
export async function readChanges(
  db: Queryable,
  importId: string,
  userIds: readonly string[],
): Promise<KeptChange[]> {
  const rows = await db.query<ChangeRow>(CHANGES_OF_USERS, [importId, userIds]);
  return rows.map(({ user_id: userId, part, row_id: id, before, after, written_at: writtenAt }) => ({
    ...{ part, userId, id, writtenAt },
    ...{ before: before ?? undefined, after: after ?? undefined },
  }));
}

const KEEP = `
  insert into import_changes (import_id, user_id, part, row_id, before, after, written_at)
  select $1, t.*, $7::timestamptz from unnest($2::uuid[], $3::text[], $4::text[], $5::jsonb[], $6::jsonb[]) t
  on conflict (import_id, user_id, part, row_id) do update set
    before = excluded.before, after = excluded.after, written_at = excluded.written_at`;

/**
 * If the import has changed a row before, the values from before the first change stay, unless somebody else has
 * changed or used the row since.
 */
export async function keepChanges(
  db: Queryable,
  { importId, now }: { importId: string; now: string },
  changes: readonly NewChange[],
): Promise<void> {
  if (changes.length === 0) return;
  const userIds = [...new Set(changes.map(({ userId }) => userId))];
  const earlier = await readChanges(db, importId, userIds);
  const kept = new Map(earlier.map((one) => [placeOf(one), one]));
  const merged = changes.map((change) => {
    const first = kept.get(placeOf(change));
    if (first === undefined || !isAsLeft(change.present, first)) return change;
    const before = first.before === undefined ? undefined : { ...change.before, ...first.before };
    return { ...change, before };
  });
  await db.query(KEEP, [
    importId,
    merged.map(({ userId }) => userId),
    merged.map(({ part }) => part),
    merged.map(({ id }) => id),
    merged.map(({ before }) => jsonOf(before)),
    merged.map(({ after }) => jsonOf(after)),
    now,
  ]);
}

const placeOf = ({ userId, part, id }: Change) => `${userId} ${part} ${id}`;

const jsonOf = (row: Row | undefined) => (row === undefined ? null : JSON.stringify(row));

export async function forgetChanges(
  db: Queryable,
  importId: string,
  changes: readonly Change[],
): Promise<void> {
  if (changes.length === 0) return;
  await db.query(
    `delete from import_changes where import_id = $1 and user_id = any ($2::uuid[])
     and (user_id, part, row_id) in (select * from unnest($2::uuid[], $3::text[], $4::text[]))`,
    [
      importId,
      changes.map(({ userId }) => userId),
      changes.map(({ part }) => part),
      changes.map(({ id }) => id),
    ],
  );
}

/** Records changes of hashes, without any hash. */
export async function recordHashChanges(
  db: Queryable,
  by: 'import' | 'rollback',
  importId: string,
  changes: readonly { recipeUserId: string; algorithm: string | undefined }[],
): Promise<void> {
  if (changes.length === 0) return;
  await db.query(
    `insert into hash_changes (recipe_user_id, changed_by, import_id, hash_algorithm)
     select recipe_user_id, $1, $2, hash_algorithm from unnest($3::uuid[], $4::text[]) as t (recipe_user_id, hash_algorithm)`,
    [
      ...[by, importId],
      changes.map(({ recipeUserId }) => recipeUserId),
      changes.map(({ algorithm }) => algorithm ?? null),
    ],
  );
}

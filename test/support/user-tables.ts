import type { Database } from '../../src/postgres/client/database.ts';

/** Rows by table and key. */
export type Rows = Map<string, { userId: string; row: Record<string, unknown> }>;

const TABLES = {
  users: 'user_id',
  password_logins: 'email',
  third_party_logins: "third_party_id || ' ' || third_party_user_id",
  user_aliases: 'alias',
};

/** Returns all rows of users, with times to the microsecond. */
export async function userRows(db: Database): Promise<Rows> {
  const rows: Rows = new Map();
  for (const [table, key] of Object.entries(TABLES)) {
    const found = await db.query<{ key: string; user_id: string; row: Record<string, unknown> }>(
      `select (${key})::text as key, user_id, to_jsonb(t) as row from ${table} t order by 1`,
    );
    for (const { key, user_id, row } of found) rows.set(`${table} ${key}`, { userId: user_id, row });
  }
  return rows;
}

/** Subquery with a row for each change that is kept for rollbacks. */
export const KEPT_CHANGES = `(
  select import_id, written_at, tries, change ->> 0 as part, (change ->> 1)::uuid as user_id, change ->> 2 as row_id,
    (change ->> 3)::jsonb as before, (change ->> 4)::jsonb as after
  from import_changes cross join json_array_elements(changes) as t (change))`;

/** Returns the number of chunks, and of changes, that are kept for rollbacks. */
export async function undoRows(db: Database): Promise<Record<string, number>> {
  const [row] = await db.query<{ counts: Record<string, number> }>(
    `select json_build_object(
       'import_chunks', (select count(*) from import_chunks),
       'import_changes', (select count(*) from ${KEPT_CHANGES} changes)) as counts`,
  );
  return row?.counts ?? {};
}

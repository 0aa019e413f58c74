import type { Queryable } from '../client/connection.ts';

/**
 * The tables that are kept for rollbacks and for questions, how many rows of each a statement removes, and which column of the
 * import says since when some are missing. A chunk holds some ten kilobytes.
 */
const KEPT: readonly [table: string, batch: number, mark: string][] = [
  ['replaced_hashes', 5000, 'expired_at'],
  ['replaced_emails', 5000, 'expired_at'],
  ['import_chunks', 500, 'expired_at'],
  // A dry run can be repeated, however old its failures are.
  ['import_failures', 500, 'failures_expired_at'],
];

/**
 * Removes the oldest rows of each table, those written more than `days` ago, and marks their imports as expired in the same
 * statement. Rows that were written at one time go together. Where another instance removes the same rows just then, it waits for that
 * one, and may find nothing. Returns how many it removed.
 */
export async function expireImports(db: Queryable, days: number): Promise<number> {
  let removed = 0;
  for (const [table, batch, mark] of KEPT) {
    const [row] = await db.query<{ count: string }>(
      `with expired as (
         delete from ${table} where written_at <= (
           select max(written_at) from (
             select written_at from ${table} where written_at < now() - $1 * interval '1 day'
             order by written_at limit ${batch}) oldest)
         returning import_id
       ), marked as (
         update imports set ${mark} = now()
         where import_id in (select import_id from expired) and ${mark} is null
       )
       select count(*) from expired`,
      [days],
    );
    removed += Number(row?.count);
  }
  return removed;
}

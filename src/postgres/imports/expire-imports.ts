import type { Queryable } from '../client/connection.ts';

/**
 * The tables that are kept for rollbacks, and how many rows of each a statement removes. A chunk holds some ten kilobytes.
 */
const KEPT: readonly [table: string, batch: number][] = [
  ['replaced_hashes', 5000],
  ['replaced_emails', 5000],
  ['import_chunks', 500],
];

/**
 * Removes the oldest rows of each table, those written more than `days` ago, and marks their imports as expired in the same
 * statement. Skips rows that another instance is removing. Returns how many it removed.
 */
export async function expireImports(db: Queryable, days: number): Promise<number> {
  let removed = 0;
  for (const [table, batch] of KEPT) {
    const [row] = await db.query<{ count: string }>(
      `with expired as (
         delete from ${table} where ctid = any (array(
           select ctid from ${table} where written_at < now() - $1 * interval '1 day'
           order by written_at limit ${batch} for update skip locked))
         returning import_id
       ), marked as (
         update imports set expired_at = now()
         where import_id in (select import_id from expired) and expired_at is null
       )
       select count(*) from expired`,
      [days],
    );
    removed += Number(row?.count);
  }
  return removed;
}

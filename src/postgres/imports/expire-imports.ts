import type { Database } from '../client/database.ts';
import { adoptFormerJournal } from './rollback.ts';

/**
 * Tables with rows that expire. For each: the number of rows that a statement removes, and the column of
 * `imports` that records since when rows are missing. A row of `import_chunks` has some ten kilobytes.
 */
const KEPT: readonly [table: string, batch: number, mark: string][] = [
  ['import_changes', 5000, 'expired_at'],
  ['import_chunks', 500, 'expired_at'],
  // Failures of dry runs expire, too. A dry run can be repeated at any time.
  ['import_failures', 500, 'failures_expired_at'],
];

/** Instances of the previous version still write digests, which have no key and no reader. */
const CLEAR_DIGESTS = 'update import_chunks set digests = null where digests is not null';

/** The range of user ids of an expired chunk still shows the source of a user. */
const KEEP_RANGES = `
  ranges as (
    insert into import_user_ranges (first_user_id, last_user_id, import_id)
    select first_user_id, last_user_id, import_id from expired on conflict do nothing
  ),`;

/** Checked again for each row to remove, because the row may have been written again meanwhile. */
const IS_OLD = "written_at < now() - $1 * interval '1 day'";

/**
 * Marks imports as expired in the statement that removes their rows. Another instance may remove the same
 * rows. Returns the number of removed rows.
 */
export async function expireImports(db: Database, days: number): Promise<number> {
  await db.query(CLEAR_DIGESTS);
  await adoptFormerJournal(db);
  let removed = 0;
  for (const [table, batch, mark] of KEPT) {
    const [row] = await db.query<{ count: string }>(
      `with expired as (
         delete from ${table} where ${IS_OLD}
           and ctid = any (array(select ctid from ${table} where ${IS_OLD} order by written_at limit ${batch}))
         returning import_id${table === 'import_chunks' ? ', first_user_id, last_user_id' : ''}
       ), ${table === 'import_chunks' ? KEEP_RANGES : ''} marked as (
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

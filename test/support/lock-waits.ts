import type { Queryable } from '../../src/postgres/client/connection.ts';

const WAITS = `select count(*)::int as count from pg_stat_activity
  where datname = current_database() and wait_event_type = 'Lock'`;

/** Returns how many statements wait for a lock in this database, on all of its nodes. */
export async function lockWaits(db: Queryable): Promise<number> {
  const rows = await db.query<{ count: number }>(
    db.engine.name === 'citus'
      ? `select result::int as count from run_command_on_all_nodes($$${WAITS}$$) where success`
      : WAITS,
  );
  return rows.reduce((sum, { count }) => sum + count, 0);
}

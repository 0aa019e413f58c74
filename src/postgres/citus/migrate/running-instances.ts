import { until } from '../../../lib/async/until.ts';
import type { Queryable } from '../../client/connection.ts';
import { APPLICATION_NAME } from '../../client/database.ts';

/** Milliseconds for which PostgreSQL may still list closed connections as open. */
const GRACE_MS = 5000;

/**
 * Waits up to GRACE_MS until no instance of the service is connected. An instance always has a connection,
 * because it polls for staged users. Idle connections of a pooler look the same.
 */
export async function runningInstances(db: Queryable): Promise<string[]> {
  let rows: { place: string }[] = [];
  await until(async () => {
    rows = await db.query<{ place: string }>(
      `select distinct coalesce(host(client_addr), 'this machine') as place from pg_stat_activity
       where datname = current_database() and application_name = $1 and pid <> pg_backend_pid() order by place`,
      [APPLICATION_NAME],
    );
    return rows.length === 0;
  }, GRACE_MS);
  return rows.map(({ place }) => place);
}

import { setTimeout as sleep } from 'node:timers/promises';
import type { Queryable } from '../../client/connection.ts';
import { APPLICATION_NAME } from '../../client/database.ts';

/** Connections that were just closed are there for a moment more, in ms. */
const GRACE_MS = 5000;

const PAUSE_MS = 100;

/**
 * Returns the addresses from which instances of the service are connected to this database. An instance always has a connection, because
 * it polls for staged users. Idle connections of a pooler look the same. The function waits up to five seconds until there are none.
 */
export async function runningInstances(db: Queryable): Promise<string[]> {
  for (const deadline = performance.now() + GRACE_MS; ; ) {
    const rows = await db.query<{ place: string }>(
      `select distinct coalesce(host(client_addr), 'this machine') as place from pg_stat_activity
       where datname = current_database() and application_name = $1 and pid <> pg_backend_pid() order by place`,
      [APPLICATION_NAME],
    );
    if (rows.length === 0 || performance.now() > deadline) return rows.map(({ place }) => place);
    await sleep(PAUSE_MS);
  }
}

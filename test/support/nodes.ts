import pg from 'pg';
import { rowsOf } from './rows-of.ts';

const MAX_TRIES = 10;

export function withDatabase(uri: string, database: string): string {
  const url = new URL(uri);
  url.pathname = `/${database}`;
  return url.href;
}

/**
 * Open sessions by node. They are kept, because the first database that a session creates takes twice as long
 * as later ones.
 */
const sessions = new Map<string, Promise<Session>>();

/** pg.Client with `ref` and `unref`. After `unref`, the process can exit while the session is open. */
type Session = pg.Client & { ref(): void; unref(): void };

async function openSession(uri: string): Promise<Session> {
  const client = new pg.Client(uri) as Session;
  client.on('error', () => sessions.delete(uri));
  await client.connect();
  return client;
}

/** Runs a statement on each node, one after the other. */
export async function onNodes(nodes: readonly string[], statement: string): Promise<void> {
  for (const uri of nodes) {
    const session = sessions.get(uri) ?? openSession(uri);
    sessions.set(uri, session);
    const client = await session;
    client.ref();
    await client.query(statement).finally(() => client.unref());
  }
}

/**
 * Drops a database on each node. New connections are refused first: Citus' maintenance daemon reconnects
 * after its session is ended, perhaps before the drop. Transactions that a kill left prepared are rolled
 * back.
 */
export async function dropDatabase(nodes: readonly string[], database: string): Promise<void> {
  for (const uri of nodes) {
    for (let tries = 1; ; tries += 1) {
      try {
        await rowsOf(uri, `drop database if exists ${database} with (force)`);
        break;
      } catch (error) {
        if (tries === MAX_TRIES) throw error;
        await rollBackPrepared(uri, database);
        await allowConnections(uri, database, false);
      }
    }
  }
}

async function rollBackPrepared(uri: string, database: string): Promise<void> {
  const prepared = await rowsOf<{ statement: string }>(
    uri,
    `select format('rollback prepared %L', gid) as statement from pg_prepared_xacts where database = '${database}'`,
  );
  if (prepared.length > 0) await allowConnections(uri, database, true);
  for (const { statement } of prepared) await rowsOf(withDatabase(uri, database), statement);
}

/** Allows or refuses new connections, also for superusers and daemons. Open sessions stay. */
export async function allowConnections(uri: string, database: string, mayConnect: boolean): Promise<void> {
  await rowsOf(uri, `alter database ${database} allow_connections ${mayConnect}`);
}

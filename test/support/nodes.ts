import pg from 'pg';

const MAX_TRIES = 10;

export function withDatabase(uri: string, database: string): string {
  const url = new URL(uri);
  url.pathname = `/${database}`;
  return url.href;
}

export async function rowsOf<Row extends pg.QueryResultRow>(uri: string, statement: string): Promise<Row[]> {
  const client = new pg.Client(uri);
  await client.connect();
  try {
    return (await client.query<Row>(statement)).rows;
  } finally {
    await client.end();
  }
}

/** Runs a statement on each node, one after the other. */
export async function onNodes(nodes: readonly string[], statement: string): Promise<void> {
  for (const uri of nodes) await rowsOf(uri, statement);
}

/** Drops a database on each node. Citus' own daemon comes back to one whose sessions were ended, and may be quicker. */
export async function dropDatabase(nodes: readonly string[], database: string): Promise<void> {
  for (const uri of nodes) {
    for (let tries = 1; ; tries += 1) {
      try {
        await rowsOf(uri, `drop database if exists ${database} with (force)`);
        break;
      } catch (error) {
        if (tries === MAX_TRIES) throw error;
      }
    }
  }
}

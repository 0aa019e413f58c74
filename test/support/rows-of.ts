import pg from 'pg';

/** What one statement returns, on a connection of its own. */
export async function rowsOf<Row extends pg.QueryResultRow>(uri: string, statement: string): Promise<Row[]> {
  const client = new pg.Client(uri);
  await client.connect();
  try {
    return (await client.query<Row>(statement)).rows;
  } finally {
    await client.end();
  }
}

import pg from 'pg';

/** Runs one statement on its own connection and returns its rows. */
export async function rowsOf<Row extends pg.QueryResultRow>(uri: string, statement: string): Promise<Row[]> {
  const client = new pg.Client(uri);
  await client.connect();
  try {
    return (await client.query<Row>(statement)).rows;
  } finally {
    await client.end();
  }
}

import { BadRecord, type SourceRecord } from '../../sources/containers/table.ts';
import { connectPostgres, type PostgresSession } from './connect-postgres.ts';
import {
  BATCH_CHARACTERS,
  type DatabaseAsk,
  FIRST_RECORDS,
  type OpenDatabase,
  type ReadRows,
  ROWS_A_BATCH,
} from './database.ts';
import { postgresHeads, postgresTables } from './postgres-tables.ts';
import { type SurveyedTable, surveyOf, surveyQuery } from './survey-of.ts';

/**
 * Session settings, mostly those of pg_dump. Row-level security that hides rows is an error. No timeout may
 * end the snapshot while this tool pauses. `client_connection_check_interval` stops a statement if this tool
 * has gone.
 */
const SETTINGS: Readonly<Record<string, string>> = {
  timezone: 'UTC',
  datestyle: 'ISO',
  intervalstyle: 'postgres',
  bytea_output: 'hex',
  row_security: 'off',
  synchronize_seqscans: 'off',
  cursor_tuple_fraction: '1',
  statement_timeout: '0',
  lock_timeout: '0',
  idle_in_transaction_session_timeout: '0',
  transaction_timeout: '0',
  client_connection_check_interval: '10s',
};

/**
 * Opens one read-only snapshot, which lasts until `close`.
 * @throws {CliError} if the database cannot be read; the message holds no secrets
 */
export async function openPostgres(uri: string, ask: DatabaseAsk): Promise<OpenDatabase> {
  const session = await connectPostgres(uri, ask);
  const { name } = session;
  try {
    await session.ask('begin isolation level repeatable read, read only');
    const settings = Object.entries(SETTINGS).map(([setting, value]) => `('${setting}', '${value}')`);
    // Older servers lack some settings.
    await session.ask(
      `select set_config(s.name, v.value, true) from pg_settings s join (values ${settings.join(', ')}) as v (name, value) on v.name = lower(s.name)`,
    );
    const {
      rows: [snapshot],
    } = await session.ask(
      'select txid_current_snapshot()::text as moment, current_database()::text as database, pg_encoding_to_char(encoding) as encoding from pg_database where datname = current_database()',
    );
    const isBytes = snapshot?.encoding === 'SQL_ASCII';
    // With another client encoding, one text that is not UTF-8 makes the server refuse the whole statement.
    if (isBytes) await session.ask("set local client_encoding = 'SQL_ASCII'");
    const { query } = ask;
    const tables = query === undefined ? await tablesOf(session) : [await surveyQuery(session, query)];
    const identity = [name, query ?? '', String(snapshot?.database), String(snapshot?.moment)];
    return {
      survey: surveyOf(name, identity, tables, rowsOf(session, isBytes)),
      close: () => session.close(),
    };
  } catch (error) {
    await session.close();
    throw error;
  }
}

async function tablesOf(session: PostgresSession): Promise<SurveyedTable[]> {
  const tables = await postgresTables(session);
  const heads = await postgresHeads(session, tables);
  return heads.map((head, index) => ({ head, statement: tables[index]?.statement ?? '' }));
}

/** Reads through a cursor, and fetches each batch while the consumer works on the batch before. */
function rowsOf({ ask }: PostgresSession, isBytes: boolean): ReadRows {
  let cursors = 0;
  return async function* readRows(statement) {
    cursors += 1;
    const cursor = `rows_${cursors}`;
    await ask(`declare ${cursor} no scroll cursor for ${statement}`);
    const fetch = (count: number) => {
      const rows = ask(`fetch ${count} from ${cursor}`);
      // Awaited in the next iteration. If the consumer stops earlier, a rejection must not crash the process.
      rows.catch(() => {});
      return { count, rows };
    };
    let next = fetch(FIRST_RECORDS);
    try {
      for (;;) {
        const { rows } = await next.rows;
        const isLast = rows.length < next.count;
        if (!isLast) next = fetch(countFor(rows));
        if (rows.length > 0) yield isBytes ? rows.map(readable) : rows;
        if (isLast) return;
      }
    } finally {
      await next.rows.catch(() => {});
      // If the connection is lost, the next statement reports it.
      await ask(`close ${cursor}`).catch(() => {});
    }
  };
}

/** Even if all rows are as large as the largest row so far, the next batch stays below BATCH_CHARACTERS. */
function countFor(rows: readonly SourceRecord[]): number {
  let largest = 1;
  for (const row of rows) {
    let size = 0;
    for (const name in row) size += (row[name] as string | null)?.length ?? 0;
    if (size > largest) largest = size;
  }
  return Math.max(1, Math.min(ROWS_A_BATCH, Math.floor(BATCH_CHARACTERS / largest)));
}

const NOT_UTF8 = new BadRecord('SQL_INVALID', 'a text is not UTF-8; the database is SQL_ASCII');

/** SQL_ASCII may hold bytes of any encoding. A wrongly decoded text may be another person's address. */
const readable = (record: SourceRecord): SourceRecord | BadRecord =>
  Object.values(record).some((value) => typeof value === 'string' && value.includes('\ufffd'))
    ? NOT_UTF8
    : record;

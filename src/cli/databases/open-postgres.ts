import { BadRecord, type SourceRecord } from '../../sources/containers/table.ts';
import { connectPostgres, type PostgresSession } from './connect-postgres.ts';
import {
  BATCH_CHARACTERS,
  type DatabaseAsk,
  FIRST_RECORDS,
  type OpenDatabase,
  queryTable,
  type ReadRows,
  ROWS_A_BATCH,
} from './database.ts';
import { databaseProblem } from './database-problem.ts';
import { postgresHeads, postgresTables } from './postgres-tables.ts';
import { headOf, type SurveyedTable, surveyOf } from './survey-of.ts';

/**
 * As pg_dump does it: times in UTC, rows in the same order each time, and a problem rather than some rows where row-level security
 * hides others. Nothing may end the snapshot while nobody reads; the last one ends a statement that nobody waits for any more.
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
 * Opens a PostgreSQL database in one read-only snapshot, which is held until it is closed.
 * @throws {CliError} where it cannot be read, saying why and nothing secret
 */
export async function openPostgres(uri: string, ask: DatabaseAsk): Promise<OpenDatabase> {
  const session = await connectPostgres(uri, ask);
  const { name } = session;
  try {
    await session.ask('begin isolation level repeatable read, read only');
    const settings = Object.entries(SETTINGS).map(([setting, value]) => `('${setting}', '${value}')`);
    // Older servers know not all of them.
    await session.ask(
      `select set_config(s.name, v.value, true) from pg_settings s join (values ${settings.join(', ')}) as v (name, value) on v.name = lower(s.name)`,
    );
    const {
      rows: [snapshot],
    } = await session.ask(
      'select txid_current_snapshot()::text as moment, current_database()::text as database, pg_encoding_to_char(encoding) as encoding from pg_database where datname = current_database()',
    );
    const isBytes = snapshot?.encoding === 'SQL_ASCII';
    // Else the server refuses the whole statement at the first text that is not UTF-8.
    if (isBytes) await session.ask("set local client_encoding = 'SQL_ASCII'");
    const { query } = ask;
    const tables = query === undefined ? await tablesOf(session) : [await queried(session, query)];
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

/** A statement that writes, or several of them, cannot stand in the parentheses; a comment ends before them. */
async function queried({ name, ask }: PostgresSession, query: string): Promise<SurveyedTable> {
  const table = queryTable(query);
  const { rows, columns } = await ask(`select * from (${table.statement}\n) as t limit ${FIRST_RECORDS}`);
  if (new Set(columns).size < columns.length) throw databaseProblem(name, 'SAME_NAME');
  return { head: headOf(table.name, columns, rows), statement: table.statement };
}

/** Reads by a cursor, one batch ahead. */
function rowsOf({ ask }: PostgresSession, isBytes: boolean): ReadRows {
  let cursors = 0;
  return async function* readRows(statement) {
    cursors += 1;
    const cursor = `rows_${cursors}`;
    await ask(`declare ${cursor} no scroll cursor for ${statement}`);
    const fetch = (count: number) => {
      const rows = ask(`fetch ${count} from ${cursor}`);
      // Whoever takes it gets its problem; perhaps nobody does.
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
      // Where the connection is lost, the next statement says so.
      await ask(`close ${cursor}`).catch(() => {});
    }
  };
}

/** As many rows as are not too large together, by the size of the largest before. */
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

/** Such a database holds bytes of whatever encoding. A row with a text that is not UTF-8 is an error, as it may be an address. */
const readable = (record: SourceRecord): SourceRecord | BadRecord =>
  Object.values(record).some((value) => typeof value === 'string' && value.includes('\ufffd'))
    ? NOT_UTF8
    : record;

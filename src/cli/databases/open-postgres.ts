import { createHash, randomUUID } from 'node:crypto';
import type { RecordBatch, SourceRecord, TableHead } from '../../sources/containers/table.ts';
import { QUERY_TABLE } from '../../sources/fields/tables.ts';
import type { Survey } from '../../sources/pipeline/plan.ts';
import { CliError } from '../cli-error.ts';
import { connectPostgres, type PostgresSession } from './connect-postgres.ts';
import type { DatabaseAsk } from './database-uri.ts';

/** A database that the tool reads instead of a file, in one snapshot. */
export interface OpenDatabase {
  survey: Survey;
  /** All tables of the database if a query is read in place of them; otherwise empty. */
  tables: readonly TableHead[];
  /** Ends the snapshot and the connection, even during a read. Always resolves. */
  close(): Promise<void>;
}

interface SurveyedTable {
  head: TableHead;
  statement: string;
}

/** Number of records of a table that are read to recognise its content. */
const FIRST_RECORDS = 20;
const ROWS_A_BATCH = 1000;
/** Maximum size of a batch. Batches of large rows have fewer rows than ROWS_A_BATCH. */
const BATCH_CHARACTERS = 8 * 1024 * 1024;
/** Values above this size are left out of the rows that are read to recognise a table. */
const HEAD_VALUE_BYTES = 65_536;

/**
 * Maximum number of tables that are all sampled. If there are more, only those with column names that suggest users
 * are.
 */
const SAMPLED_TABLES_MAX = 50;
const OF_USERS = /pass|pwd|hash|mail_?verified|credential|identity_provider/i;

/**
 * Session settings, mostly those of pg_dump. With `row_security` off, hidden rows are an error. No timeout may end the
 * snapshot while this tool pauses. `client_connection_check_interval` stops a statement if this tool has gone.
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
    // Only settings that the server knows are set, because older servers lack some.
    await session.ask(
      `select set_config(s.name, v.value, true) from pg_settings s join (values ${settings.join(', ')}) as v (name, value) on v.name = lower(s.name)`,
    );
    const {
      rows: [snapshot],
    } = await session.ask(
      'select txid_current_snapshot()::text as moment, current_database()::text as database, pg_encoding_to_char(encoding) as encoding from pg_database where datname = current_database()',
    );
    // With SQL_ASCII, the encoding is unknown. A wrongly decoded text may be another person's address.
    if (snapshot?.encoding === 'SQL_ASCII')
      throw new CliError(
        `${name}: its encoding is SQL_ASCII, so it may have texts of any encoding. Read its dump (pg_dump), with --encoding if it is not UTF-8.`,
      );
    const { query } = ask;
    const all = await tablesOf(session);
    const tables = query === undefined ? all : [await surveyQuery(session, query)];
    const identity = [name, query ?? '', String(snapshot?.database)];
    return {
      survey: {
        ...{ name, container: 'sql', ...(query !== undefined && { isQuery: true as const }) },
        tables: tables.map(({ head }) => head),
        digest: createHash('sha256').update(identity.join('\0')).digest('hex'),
        moment: String(snapshot?.moment),
        async *read(wanted) {
          for (const { head, statement } of tables) {
            let firstRow = 1;
            if (!wanted(head)) continue;
            for await (const records of readRows(session, statement)) {
              yield { table: head, firstRow, records };
              firstRow += records.length;
            }
          }
        },
      },
      tables: query === undefined ? [] : all.map(({ head }) => head),
      close: session.close,
    };
  } catch (error) {
    await session.close();
    throw error;
  }
}

const headOf = (name: string, columns: readonly string[], first: TableHead['first'] = []): TableHead => ({
  ...{ container: 'sql', name, columns: new Set(columns), first, root: {} },
});

/**
 * Reads the first records of a query. In parentheses, only a SELECT is valid. The line break before `)` ends a trailing
 * `--` comment.
 */
async function surveyQuery({ name, ask }: PostgresSession, query: string): Promise<SurveyedTable> {
  const statement = query.trim().replace(/;$/, '');
  const { rows, columns } = await ask(`select * from (${statement}\n) as t limit ${FIRST_RECORDS}`);
  // A record is an object, so of two columns with the same name it would have only the later one.
  if (new Set(columns).size < columns.length)
    throw new CliError(
      `${name}: two columns of the query have the same name. Give one another name: select a.id, b.id as b_id.`,
    );
  return { head: headOf(QUERY_TABLE, columns, rows), statement };
}

/**
 * Yields the rows of a statement through a cursor, and fetches each batch while the consumer works on the batch before.
 */
async function* readRows(
  { ask }: PostgresSession,
  statement: string,
): AsyncGenerator<RecordBatch['records']> {
  const cursor = `rows_${randomUUID().replaceAll('-', '')}`;
  await ask(`declare ${cursor} no scroll cursor for ${statement}`);
  const fetch = (count: number) => {
    const rows = ask(`fetch ${count} from ${cursor}`);
    // Awaited in the next iteration. If the consumer stops earlier, a rejection must not crash the process.
    rows.catch(() => {});
    return { count, rows };
  };
  let next = fetch(FIRST_RECORDS);
  try {
    for (let isLast = false; !isLast; ) {
      const { rows } = await next.rows;
      isLast = rows.length < next.count;
      if (!isLast) next = fetch(countFor(rows));
      if (rows.length > 0) yield rows;
    }
  } finally {
    await next.rows.catch(() => {});
    // If the connection is lost, the next statement reports it.
    await ask(`close ${cursor}`).catch(() => {});
  }
}

/**
 * Returns the size of the next batch, in rows. If all of them are as large as the largest of these rows, the batch
 * stays below BATCH_CHARACTERS.
 */
function countFor(rows: readonly SourceRecord[]): number {
  let largest = 1;
  for (const row of rows) {
    let size = 0;
    for (const name in row) size += (row[name] as string | null)?.length ?? 0;
    if (size > largest) largest = size;
  }
  return Math.max(1, Math.min(ROWS_A_BATCH, Math.floor(BATCH_CHARACTERS / largest)));
}

/**
 * Selects readable tables, each with two statements: one reads all rows in the order of the primary key, the other the
 * first rows without large values. As in a dump, generated columns are left out and partitions count as part of their
 * table. `only` leaves out rows of child tables (inheritance), because those tables are read on their own. A view is
 * read only if the user may not read a table from which it selects; otherwise it would show the same users twice. Views
 * are not sampled, because reading them may be slow.
 */
const TABLES = `
  select concat(n.nspname, '.', c.relname) as name, names::text as columns, coalesce(links, '[]')::text as foreign_keys,
    format('select %s', source) as statement,
    case when c.relkind in ('r', 'p')
      then format('select %s from (select %s limit ${FIRST_RECORDS}) as t', small, source) end as sample
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  cross join lateral (
    select json_agg(attname order by attnum) as names,
      string_agg(quote_ident(attname), ', ' order by attnum) as list,
      string_agg(format(case when attlen = -1 then
          'case when pg_column_size(%1$I) <= ${HEAD_VALUE_BYTES} and length(%1$I::text) <= ${HEAD_VALUE_BYTES} then %1$I end as %1$I'
        else '%1$I' end, attname), ', ' order by attnum) as small
    from pg_attribute a
    where attrelid = c.oid and attnum > 0 and not attisdropped
      and coalesce(to_jsonb(a) ->> 'attgenerated', '') = '' and has_column_privilege(c.oid, attnum, 'select')
  ) columns
  cross join lateral (
    select string_agg(quote_ident(attname), ', ' order by place) as key
    from pg_index i, unnest(i.indkey) with ordinality as k (attnum, place)
    join pg_attribute a on a.attnum = k.attnum
    where indrelid = c.oid and indisprimary and attrelid = c.oid and has_column_privilege(c.oid, a.attnum, 'select')
  ) keys
  cross join lateral (
    select json_agg(json_build_object('column', a.attname, 'table', o.relname)) as links
    from pg_constraint k, unnest(k.conkey) as n (attnum), pg_attribute a, pg_class o
    where k.conrelid = c.oid and k.contype = 'f' and a.attrelid = c.oid and a.attnum = n.attnum and o.oid = k.confrelid
  ) foreign_keys
  cross join lateral (
    select concat(list, ' from ', case c.relkind when 'r' then 'only ' end,
      format('%I.%I', n.nspname, c.relname), ' order by ' || key) as source
  ) sources
  where c.relkind in ('r', 'p', 'v', 'm') and not c.relispartition
    and n.nspname not in ('pg_catalog', 'information_schema') and n.nspname !~ '^pg_(toast|temp)'
    and has_schema_privilege(n.oid, 'usage') and has_any_column_privilege(c.oid, 'select')
    and (c.relkind in ('r', 'p') or c.relispopulated and exists (
      select from pg_rewrite r
      join pg_depend d on d.classid = 'pg_rewrite'::regclass and d.objid = r.oid
        and d.refclassid = 'pg_class'::regclass and d.refobjid <> c.oid
      where r.ev_class = c.oid and not has_table_privilege(d.refobjid, 'select')
    ))
  order by n.nspname, c.relname`;

/**
 * Returns all tables with their first records. A table that cannot be read has no records here; the error comes if the
 * import needs the table.
 */
async function tablesOf({ ask }: PostgresSession): Promise<SurveyedTable[]> {
  const surveyed: SurveyedTable[] = [];
  const { rows } = await ask(TABLES);
  for (const { name, columns, foreign_keys: references, statement, sample } of rows) {
    const names: string[] = JSON.parse(String(columns));
    const isSampled = rows.length <= SAMPLED_TABLES_MAX || names.some((one) => OF_USERS.test(one));
    let first: SourceRecord[] = [];
    if (sample !== null && isSampled) {
      await ask('savepoint sample');
      try {
        first = (await ask(String(sample))).rows;
      } catch {
        // Undoes the failed statement, so that the transaction can continue.
        await ask('rollback to savepoint sample');
      }
    }
    const head = { ...headOf(String(name), names, first), references: JSON.parse(String(references)) };
    surveyed.push({ head, statement: String(statement) });
  }
  return surveyed;
}

import { withoutCapitals } from '../../lib/text/characters.ts';
import type { SourceRecord } from '../../sources/containers/table.ts';
import { CliError } from '../cli-error.ts';
import { connectMysql, type MysqlSession } from './connect-mysql.ts';
import {
  type DatabaseAsk,
  type DatabaseTable,
  FIRST_RECORDS,
  HEAD_VALUE_BYTES,
  headOf,
  isWorthSampling,
  type OpenDatabase,
  type SurveyedTable,
  surveyOf,
  surveyQuery,
} from './database.ts';

const YEAR_S = 31_536_000;

/** Timeouts of the MySQL session. No timeout may end the snapshot while the import pauses. */
const SETTINGS: Readonly<Record<string, string>> = {
  net_write_timeout: String(YEAR_S),
  wait_timeout: String(YEAR_S),
  idle_transaction_timeout: '0',
  idle_readonly_transaction_timeout: '0',
  max_statement_time: '0',
  max_execution_time: '0',
};

/**
 * Opens one read-only snapshot, which lasts until `close`. Only InnoDB tables take part in it.
 * @throws {CliError} if the database cannot be read; the message holds no secrets
 */
export async function openMysql(uri: string, ask: DatabaseAsk): Promise<OpenDatabase> {
  const session = await connectMysql(uri, ask);
  const { name } = session;
  const { query } = ask;
  try {
    await begin(session, query === undefined);
    const tables = query === undefined ? await tablesOf(session) : [await surveyQuery(session, query)];
    const { rows } = await session.ask('select now(6) as moment, connection_id() as connection');
    // MySQL has no id for a snapshot. Time and connection id prevent resuming an import with other rows.
    const identity = [name, query ?? '', JSON.stringify(rows)];
    return {
      survey: surveyOf(name, identity, tables, session.readRows),
      close: async () => session.close(),
    };
  } catch (error) {
    session.close();
    throw error;
  }
}

async function begin({ ask }: MysqlSession, isOwn: boolean): Promise<void> {
  // `sql_select_limit` also limits the rows of SHOW. The value `default` would restore the server's limit.
  await ask('set session sql_select_limit = 18446744073709551615');
  await ask("set session time_zone = '+00:00'");
  // The operator's query may rely on the SQL mode. PAD_CHAR_TO_FULL_LENGTH would add spaces to values.
  if (isOwn) await ask("set session sql_mode = ''");
  const names = Object.keys(SETTINGS).map((setting) => `'${setting}'`);
  const { rows } = await ask(`show session variables where variable_name in (${names.join(', ')})`);
  for (const { Variable_name } of rows) {
    const setting = String(Variable_name);
    await ask(`set session ${setting} = ${SETTINGS[setting]}`);
  }
  await ask('set session transaction isolation level repeatable read');
  await ask('start transaction with consistent snapshot, read only');
}

async function tablesOf(session: MysqlSession): Promise<SurveyedTable[]> {
  if (session.database === undefined)
    throw new CliError(
      `${session.name}: name the database, too: ${session.name.replace(/\/$/, '')}/database`,
    );
  const surveyed: SurveyedTable[] = [];
  for (const { name, columns, statement, head } of await mysqlTables(session)) {
    // The error of a table that cannot be read is reported later, if the import needs the table.
    const sample = head === undefined ? undefined : await session.ask(head).catch(() => undefined);
    surveyed.push({ head: headOf(name, columns, sample?.rows), statement });
  }
  return surveyed;
}

/**
 * Query for readable columns. Generated columns are left out, as in a dump. There are no joins: for a join of
 * these system tables, MySQL would open every table.
 */
const COLUMNS = `
  select table_name as name, column_name as col, data_type as type, column_key as part_of_key
  from information_schema.columns
  where table_schema = database() and find_in_set('select', privileges) > 0
    and coalesce(generation_expression, '') = ''
  order by table_name, ordinal_position`;

const LARGE = /text|blob|json/i;

async function mysqlTables({ ask }: MysqlSession): Promise<DatabaseTable[]> {
  const kinds = new Map(
    (await ask('show full tables')).rows.map((row) => Object.values(row) as [string, string]),
  );
  const all = [...byTable((await ask(COLUMNS)).rows)];
  const tables = all.filter(([name]) => kinds.get(name) !== 'VIEW');
  // Views are read only if the user may read no table. Otherwise they would show the same users twice.
  const read = tables.length > 0 ? tables : all;
  return read.map(([name, ofTable]) => {
    const names = withoutCapitals(ofTable.map(columnOf));
    const key = ofTable.filter(({ part_of_key }) => part_of_key === 'PRI').map(columnOf);
    const order = key.length === 0 ? '' : ` order by ${key.map(quoted).join(', ')}`;
    const from = ` from ${quoted(name)}`;
    const small = ofTable.map(({ type }, index) => {
      const one = quoted(names[index] ?? '');
      return LARGE.test(String(type))
        ? `if(length(${one}) <= ${HEAD_VALUE_BYTES}, ${one}, null) as ${one}`
        : one;
    });
    return {
      name,
      columns: names,
      statement: `select ${names.map(quoted).join(', ')}${from}${order}`,
      head:
        read === tables && isWorthSampling(names, tables.length)
          ? `select ${small.join(', ')}${from}${order} limit ${FIRST_RECORDS}`
          : undefined,
    };
  });
}

function byTable(rows: readonly SourceRecord[]): Map<string, SourceRecord[]> {
  const tables = new Map<string, SourceRecord[]>();
  for (const row of rows) {
    const name = String(row.name);
    const known = tables.get(name);
    if (known === undefined) tables.set(name, [row]);
    else known.push(row);
  }
  return tables;
}

const columnOf = ({ col }: SourceRecord) => String(col);
const quoted = (name: string) => `\`${name.replaceAll('`', '``')}\``;

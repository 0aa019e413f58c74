import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ExactNumber, parseExact, toJson } from '../../lib/json/exact-json.ts';
import { blobText, json, WorkDatabase, WorkDatabaseProblem } from '../../lib/work-database.ts';
import { invalidFile, isBadRecord, type SourceRecord, type TableHead } from '../containers/table.ts';
import { shownName } from '../fields/shown-name.ts';
import { baseName, QUERY_TABLE } from '../fields/tables.ts';
import { fileTable } from './choose-plan.ts';
import type { Survey } from './plan.ts';
import { type ColumnKind, checkComparisons, parseQuery, type Query } from './query-text.ts';
import { mayHoldBytea, readBytea } from './read-tables.ts';

const ROWS_A_BATCH = 500;
const FIRST_RECORDS = 20;
/** Temporary SQL table, with the cells of one table of the export as text. */
const AS_READ = '" as read"';
const RESULT = '" result"';

/** A table of the export, with the name that it has in the query. */
interface QueryTable {
  name: string;
  /** Name with schema or path, as in the export. */
  fullName: string;
  survey: Survey;
  head: TableHead;
}

/** Result of a query over export files, which is read like a file. */
export interface QueriedFiles {
  survey: Survey;
  /** Tables that the query names. */
  read: readonly TableHead[];
  /** The other tables of the files. */
  unread: readonly TableHead[];
  close(): void;
}

/**
 * Loads the tables that the query names into a work database, and returns the result of the query as one table.
 * @throws {FileProblem} if the query is not one SELECT, names unknown tables or columns, or if a row cannot be read
 */
export async function queryFiles(
  surveys: readonly Survey[],
  text: string,
  options: {
    tempDirectory: string;
    maxBytes?: number;
    signal?: AbortSignal | undefined;
    /** Runs work that blocks the process, perhaps for long. */
    blocking?: (work: () => void) => void | Promise<void>;
  },
): Promise<QueriedFiles> {
  const tables = tablesOf(surveys);
  const query = parseQuery(
    text,
    tables.map(({ name, fullName }) => ({ name, fullName })),
  );
  const database = new WorkDatabase({ directory: options.tempDirectory, maxBytes: options.maxBytes });
  try {
    const loaded: LoadedTable[] = [];
    for (const table of tables) {
      if (!query.names.has(table.name.toLowerCase())) continue;
      const one = new LoadedTable(database, table);
      loaded.push(one);
      await one.load(options.signal);
    }
    checkComparisons(query.tokens, loaded);
    const { blocking = (work) => work() } = options;
    await blocking(() => runQuery(database, query, { tables, loaded }));
    const columns = columnsOfResult(database);
    const read = () => resultOf(database, columns);
    const first: SourceRecord[] = [];
    for (const record of read()) if (first.push(record) === FIRST_RECORDS) break;
    const head: TableHead = {
      ...{ container: 'sql', name: QUERY_TABLE, columns: new Set(columns), first, root: {} },
    };
    const digest = createHash('sha256').update([text, ...surveys.map((one) => one.digest)].join('\0'));
    const survey: Survey = {
      name: surveys.map(({ name }) => name).join(', '),
      container: 'sql',
      isQuery: true,
      tables: [head],
      digest: digest.digest('hex'),
      async *read() {
        let firstRow = 1;
        for (const records of batched(read())) {
          yield { table: head, firstRow, records };
          firstRow += records.length;
          await nextTurn();
        }
      },
    };
    const headsOf = (isRead: boolean) =>
      tables.filter(({ name }) => query.names.has(name.toLowerCase()) === isRead).map(headOf);
    return {
      survey,
      read: headsOf(true),
      unread: headsOf(false),
      close: () => database.close(),
    };
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Names tables without schema or path where that is unambiguous, and tables of files without names by the file. */
function tablesOf(surveys: readonly Survey[]): QueryTable[] {
  const all = surveys.flatMap((survey) =>
    survey.tables.map((head) => {
      const file = fileTable(survey.name);
      const [fullName, base] = head.name === '' ? [file, file] : [head.name, baseName(head)];
      return { survey, head, fullName, base };
    }),
  );
  const count = (name: string) => all.filter(({ base }) => base.toLowerCase() === name.toLowerCase()).length;
  const tables = all.map(({ base, ...table }) => ({
    ...table,
    name: count(base) === 1 ? base : table.fullName,
  }));
  const names = new Set<string>();
  for (const { name } of tables) {
    const key = name.toLowerCase();
    if (names.has(key))
      throw invalidFile(`Two tables have the name ${shownName(name)}: give one of the files another name.`);
    names.add(key);
  }
  return tables;
}

/** Returns the head as that of one of several tables, because all tables of a query have names of their own. */
const headOf = ({ head, fullName }: QueryTable): TableHead => ({
  ...head,
  name: fullName,
  isOneOfSeveral: true,
});

class LoadedTable {
  readonly name: string;
  /** Names, in lower case, of the columns of true and false, which are 1 and 0 in the database. */
  readonly booleans = new Set<string>();
  /** Kind of each column that has values, by its name in lower case. */
  readonly kinds = new Map<string, ColumnKind>();
  readonly #database: WorkDatabase;
  readonly #table: QueryTable;
  /** Names of the columns by the name in lower case, because SQLite ignores case. */
  readonly #columns = new Map<string, string>();

  constructor(database: WorkDatabase, table: QueryTable) {
    this.name = table.name;
    this.#database = database;
    this.#table = table;
    database.exec(`create table ${AS_READ} (" row" integer primary key)`);
    for (const column of table.head.columns) this.#addColumn(column);
  }

  get columns(): readonly string[] {
    return [...this.#columns.values()];
  }

  async load(signal: AbortSignal | undefined): Promise<void> {
    const { survey, head } = this.#table;
    for await (const { table, firstRow, records } of survey.read(({ name }) => name === head.name)) {
      signal?.throwIfAborted();
      if (table.name !== head.name) continue;
      const read = mayHoldBytea(table) ? records.map(readBytea) : records;
      for (let at = 0; at < read.length; at += ROWS_A_BATCH)
        this.#insert(
          read.slice(at, at + ROWS_A_BATCH).map((record, index) => {
            if (!isBadRecord(record)) return record;
            throw invalidFile(
              `Row ${firstRow + at + index} of ${shownName(this.name)} cannot be read (${record.message}), so a query over the table would be incomplete. Correct it in ${survey.name}.`,
            );
          }),
        );
    }
    this.#giveTypes();
  }

  #addColumn(column: string): void {
    const other = this.#columns.get(column.toLowerCase());
    if (other === column) return;
    if (other !== undefined)
      throw invalidFile(
        `Columns of ${shownName(this.name)} differ in case only, which queries do not see: ${shownName(other)}, ${shownName(column)}.`,
      );
    this.#columns.set(column.toLowerCase(), column);
    this.#database.exec(`alter table ${AS_READ} add column ${quoted(column)} text`);
  }

  #insert(records: readonly SourceRecord[]): void {
    const names = new Set<string>();
    for (const record of records) for (const name of Object.keys(record)) names.add(name);
    if (names.size === 0) return;
    for (const name of names) this.#addColumn(name);
    const columns = [...names];
    const isCsv = this.#table.head.container === 'csv';
    const rows = records.map((record) =>
      columns.map((name) => {
        const value = record[name];
        if (typeof value === 'boolean') this.booleans.add(name.toLowerCase());
        return isCsv && value === '' ? null : cellOf(value);
      }),
    );
    this.#database.run(
      `insert into ${AS_READ} (${columns.map(quoted)}) select ${columns.map((_, at) => `value ->> ${at}`)} from json_each(?)`,
      json(rows),
    );
  }

  /**
   * Copies the cells into the table that the query reads. Columns of only integers or only booleans become numbers,
   * because in SQLite the text '1' differs from 1, and 't' is false. Other columns stay text as written.
   */
  #giveTypes(): void {
    const columns = this.columns;
    const tests = columns.map((column, at) => {
      const cell = quoted(column);
      const isInteger = `${cell} = '0' or length(ltrim(${cell}, '-')) between 1 and 15 and ${cell} = cast(cast(${cell} as integer) as text)`;
      const isAll = (test: string) => `min(ifnull(${test}, 1))`;
      const isWord = (words: string) => isAll(`lower(${cell}) in (${words})`);
      return `case when count(${cell}) = 0 then 'empty' when ${isAll(isInteger)} then 'integer'
        when ${isWord("'t', 'f'")} or ${isWord("'true', 'false'")} then 'boolean' else 'text' end as c${at}`;
    });
    const found = tests.length === 0 ? {} : this.#database.get(`select ${tests} from ${AS_READ}`);
    const typed = columns.map((column, at) => {
      const cell = quoted(column);
      const kind = found?.[`c${at}`];
      const isNumber = kind === 'integer' || kind === 'boolean';
      if (kind === 'boolean') this.booleans.add(column.toLowerCase());
      if (kind !== 'empty') this.kinds.set(column.toLowerCase(), isNumber ? 'number' : 'text');
      return {
        definition: `${cell} ${isNumber ? 'integer' : 'text'}`,
        value: kind === 'boolean' ? `lower(${cell}) in ('t', 'true')` : cell,
      };
    });
    const [definitions, values] =
      typed.length === 0
        ? ['" row" integer primary key', '" row"']
        : [typed.map(({ definition }) => definition), typed.map(({ value }) => value)];
    this.#database.exec(`create table ${quoted(this.name)} (${definitions})`);
    this.#database.exec(
      `insert into ${quoted(this.name)} select ${values} from ${AS_READ} order by " row"; drop table ${AS_READ}`,
    );
  }
}

function cellOf(value: unknown): string | number | null {
  if (value === undefined || value === null) return null;
  if (typeof value === 'boolean') return Number(value);
  if (value instanceof ExactNumber) return value.text;
  return typeof value === 'object' ? toJson(value) : String(value);
}

/** Stores the result of the query as a table. `create table … as` accepts nothing but a SELECT. */
function runQuery(
  database: WorkDatabase,
  { sql }: Query,
  { tables, loaded }: { tables: readonly QueryTable[]; loaded: readonly LoadedTable[] },
): void {
  try {
    database.exec(`create table ${RESULT} as\n${sql}`);
    database.exec('pragma query_only = on');
  } catch (error) {
    if (error instanceof WorkDatabaseProblem || !(error instanceof Error)) throw error;
    const known = loaded.map(({ name, columns }) => `  ${named(name)}: ${columns.map(named).join(', ')}`);
    const others = tables.filter(({ name }) => !loaded.some((one) => one.name === name));
    throw invalidFile(
      [
        `--query: ${error.message}.`,
        ...(known.length > 0 ? ['Tables and columns of the query:', ...known] : []),
        ...(others.length > 0 ? [`Other tables: ${others.map(({ name }) => named(name)).join(', ')}`] : []),
      ].join('\n'),
    );
  }
}

function columnsOfResult(database: WorkDatabase): string[] {
  const columns = database
    .all("select cast(name as blob) as name from pragma_table_info(' result')")
    .map(({ name }) => blobText(name));
  // SQLite adds a number to the name of a column that has the name of an earlier one: `id:1`.
  const again = columns.find((name) => /:\d+$/.test(name) && columns.includes(name.replace(/:\d+$/, '')));
  if (again !== undefined)
    throw invalidFile(
      `--query: two columns of the result are called ${shownName(again.replace(/:\d+$/, ''))}: name one of them with "as".`,
    );
  return columns;
}

function* resultOf(database: WorkDatabase, columns: readonly string[]): Generator<SourceRecord> {
  const sql = `select cast(json_array(${columns.map(quoted)}) as blob) as cells from ${RESULT}`;
  for (const { cells } of database.each(sql)) {
    const values = parseExact(blobText(cells)) as unknown[];
    yield Object.fromEntries(columns.map((name, at) => [name, textOf(values[at])]));
  }
}

/** Returns a value as records of SQL dumps have it: text or null. */
const textOf = (value: unknown): string | null =>
  value === null || value === undefined ? null : value instanceof ExactNumber ? value.text : String(value);

function* batched(records: Iterable<SourceRecord>): Generator<SourceRecord[]> {
  let batch: SourceRecord[] = [];
  for (const record of records) {
    if (batch.push(record) < ROWS_A_BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;

/** Returns a name as it must be written in a query: in double quotes unless it is a plain word. */
const named = (name: string) => (/^[a-z_]\w*$/i.test(name) ? shownName(name) : `"${shownName(name)}"`);

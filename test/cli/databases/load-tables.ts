import pg from 'pg';

export interface TextTable {
  /** Name with or without schema. The default schema is `public`. */
  name: string;
  columns: readonly string[];
  rows: readonly (readonly (string | null)[])[];
}

/** Creates the tables in an empty database, with column types that fit their values. */
export async function loadTables(uri: string, tables: readonly TextTable[]): Promise<void> {
  const client = new pg.Client(uri);
  await client.connect();
  try {
    for (const { name, columns, rows } of tables) {
      const [table = '', schema = 'public'] = name.split('.').reverse();
      const qualified = `"${schema}"."${table}"`;
      const types = columns.map((_, at) => typeOf(rows.map((row) => row[at] ?? null)));
      const key = columns.includes('id') ? ', primary key ("id")' : '';
      const list = columns.map((column, at) => `"${column}" ${types[at]}`).join(', ');
      await client.query(`create schema if not exists "${schema}"`);
      await client.query(`create table ${qualified} (${list}${key})`);
      const values = columns.map((_, at) => `$${at + 1}`).join(', ');
      for (const row of rows) await client.query(`insert into ${qualified} values (${values})`, [...row]);
    }
  } finally {
    await client.end();
  }
}

const TYPES: readonly (readonly [type: string, isOne: (value: string) => boolean])[] = [
  ['boolean', (value) => value === 't' || value === 'f'],
  ['uuid', (value) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value)],
  ['timestamptz', (value) => /^\d{4}-\d\d-\d\d[T ][\d:.]+(\+\d\d|Z)$/.test(value)],
  ['timestamp', (value) => /^\d{4}-\d\d-\d\d[T ][\d:.]+$/.test(value)],
  ['bigint', (value) => /^\d{1,9}$|^\d{13}$/.test(value)],
  ['jsonb', (value) => /^\{.*\}$/.test(value) && !value.includes('"key_id"')],
];

function typeOf(values: readonly (string | null)[]): string {
  const texts = values.filter((value) => value !== null);
  if (texts.length === 0) return 'text';
  return TYPES.find(([, isOne]) => texts.every(isOne))?.[0] ?? 'text';
}

/** Returns the tables of a dump that pg_dump made with COPY. */
export const tablesOfDump = (dump: string): TextTable[] =>
  [...dump.matchAll(/^COPY (\S+) \(([^)]*)\) FROM stdin;\n(?:(.*?)\n)?\\\.$/gms)].map(
    ([, name = '', columns = '', rows]) => ({
      name: name.replaceAll('"', ''),
      columns: columns.replaceAll('"', '').split(', '),
      rows: rows === undefined ? [] : rows.split('\n').map((row) => row.split('\t').map(cellOf)),
    }),
  );

const SIGNS: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', v: '\v' };

const cellOf = (cell: string): string | null =>
  cell === '\\N' ? null : cell.replace(/\\(.)/g, (_, sign: string) => SIGNS[sign] ?? sign);

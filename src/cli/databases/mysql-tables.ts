import type { SourceRecord } from '../../sources/containers/table.ts';
import type { MysqlSession } from './connect-mysql.ts';
import { type DatabaseTable, FIRST_RECORDS, HEAD_VALUE_BYTES, isWorthSampling } from './database.ts';

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

export async function mysqlTables({ ask }: MysqlSession): Promise<DatabaseTable[]> {
  const kinds = new Map(
    (await ask('show full tables')).rows.map((row) => Object.values(row) as [string, string]),
  );
  const all = [...byTable((await ask(COLUMNS)).rows)];
  const tables = all.filter(([name]) => kinds.get(name) !== 'VIEW');
  // Views are read only if the user may read no table. Otherwise they would show the same users twice.
  const read = tables.length > 0 ? tables : all;
  return read.map(([name, ofTable]) => {
    const names = ofTable.map(columnOf);
    const key = ofTable.filter(({ part_of_key }) => part_of_key === 'PRI').map(columnOf);
    const order = key.length === 0 ? '' : ` order by ${key.map(quoted).join(', ')}`;
    const from = ` from ${quoted(name)}`;
    const small = ofTable.map((column) => {
      const one = quoted(columnOf(column));
      return LARGE.test(String(column.type))
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

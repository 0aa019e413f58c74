import type { TableHead } from '../../sources/containers/table.ts';
import type { PostgresSession, Rows } from './connect-postgres.ts';
import { type DatabaseTable, FIRST_RECORDS, HEAD_VALUE_BYTES, isWorthSampling } from './database.ts';
import { headOf } from './survey-of.ts';

/**
 * Selects readable tables and columns. As in a dump, generated columns are left out and partitions count as
 * part of their table. A view is read only if the user may not read a table from which it selects; otherwise
 * it would show the same users twice.
 */
const TABLES = `
  select n.nspname as schema, c.relname as name, c.relkind::text as kind,
    array_to_json(array(
      select array[a.attname::text, (a.attlen = -1)::text] from pg_attribute a
      where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
        and coalesce(to_jsonb(a) ->> 'attgenerated', '') = ''
        and has_column_privilege(c.oid, a.attnum, 'select')
      order by a.attnum
    ))::text as columns,
    array_to_json(array(
      select a.attname::text from pg_index i, unnest(i.indkey) with ordinality as k (attnum, place)
      join pg_attribute a on a.attnum = k.attnum
      where i.indrelid = c.oid and i.indisprimary and a.attrelid = c.oid
        and has_column_privilege(c.oid, a.attnum, 'select')
      order by k.place
    ))::text as key
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
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

export async function postgresTables({ ask }: PostgresSession): Promise<DatabaseTable[]> {
  const { rows } = await ask(TABLES);
  return rows.map(({ schema, name, kind, columns, key }) => {
    const read: [string, string][] = JSON.parse(String(columns));
    const keyed: string[] = JSON.parse(String(key));
    const names = read.map(([column]) => column);
    // `only` leaves out rows of child tables (inheritance), because those tables are read on their own.
    const only = kind === 'r' ? 'only ' : '';
    const order = keyed.length === 0 ? '' : ` order by ${keyed.map(quoted).join(', ')}`;
    const list = names.map(quoted).join(', ');
    const from = ` from ${only}${quoted(String(schema))}.${quoted(String(name))}`;
    const small = read.map(([column, varies]) => {
      const one = quoted(column);
      return varies === 'true'
        ? `case when pg_column_size(${one}) <= ${HEAD_VALUE_BYTES} and length(${one}::text) <= ${HEAD_VALUE_BYTES} then ${one} end as ${one}`
        : one;
    });
    return {
      name: `${schema}.${name}`,
      columns: names,
      statement: `select ${list}${from}${order}`,
      // Views are not sampled, because reading them may be slow.
      head:
        (kind === 'r' || kind === 'p') && isWorthSampling(names, rows.length)
          ? `select ${small.join(', ')} from (select ${list}${from}${order} limit ${FIRST_RECORDS}) as t`
          : undefined,
    };
  });
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;

const TABLES_AT_ONCE = 50;

/** A table that cannot be read gets no records. The error is reported if the import needs the table. */
export async function postgresHeads(
  session: PostgresSession,
  tables: readonly DatabaseTable[],
): Promise<TableHead[]> {
  const found = new Map<DatabaseTable, Rows>();
  const sampled = tables.filter(({ head }) => head !== undefined);
  for (let from = 0; from < sampled.length; from += TABLES_AT_ONCE) {
    const some = sampled.slice(from, from + TABLES_AT_ONCE);
    if (await sample(session, some, found)) continue;
    for (const table of some) await sample(session, [table], found);
  }
  return tables.map((table) => headOf(table.name, table.columns, found.get(table)?.rows));
}

/** Returns whether all tables could be read. */
async function sample(
  { ask, askAll }: PostgresSession,
  tables: readonly DatabaseTable[],
  found: Map<DatabaseTable, Rows>,
): Promise<boolean> {
  await ask('savepoint heads');
  try {
    const heads = await askAll(tables.flatMap(({ head }) => head ?? []));
    for (const [index, table] of tables.entries()) {
      const rows = heads[index];
      if (rows !== undefined) found.set(table, rows);
    }
    return true;
  } catch {
    // Undoes the failed statement, so that the transaction can continue.
    await ask('rollback to savepoint heads');
    return false;
  } finally {
    await ask('release savepoint heads').catch(() => {});
  }
}

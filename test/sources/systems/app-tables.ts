import { readFileSync } from 'node:fs';
import { isJsonObject } from '../../../src/imports/input/json-object.ts';
import type { ContainerName, SourceRecord, TableHead } from '../../../src/sources/containers/table.ts';

/** A table with all its records. */
export interface SampleTable {
  head: TableHead;
  records: readonly SourceRecord[];
}

export const SAMPLES = new URL('../samples/', import.meta.url);

/** A table as a container would give it. */
export function tableOf(
  container: ContainerName,
  records: readonly SourceRecord[],
  { name = '', root = {}, columns }: { name?: string; root?: SourceRecord; columns?: readonly string[] } = {},
): SampleTable {
  const names = new Set(columns ?? records.slice(0, 20).flatMap((record) => Object.keys(record)));
  return { head: { container, name, columns: names, first: records.slice(0, 20), root }, records };
}

/** The tables of a sample, read as simply as its own text allows. Files of no table (keys, LDIF): none. */
export function tablesOf(path: string): SampleTable[] {
  const text = readFileSync(new URL(path, SAMPLES), 'utf8').replace(/^\u{feff}/u, '');
  if (path.endsWith('.json')) return jsonTables(text);
  if (path.endsWith('.sql')) return [...copyTables(text), ...insertTables(text)];
  return path.endsWith('.csv') ? [csvTable(text)] : [];
}

function jsonTables(text: string): SampleTable[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  }
  const path = isJsonObject(value)
    ? ['users', 'Users', 'identities', 'results', 'data'].find((name) => Array.isArray(value[name]))
    : undefined;
  const list = path === undefined ? value : (value as SourceRecord)[path];
  return [tableOf('json', [list].flat().filter(isJsonObject), { name: path ?? '' })];
}

function csvTable(text: string): SampleTable {
  const [header = [], ...rows] = csvRows(text);
  const records = rows.map((row) => Object.fromEntries(header.map((name, index) => [name, row[index]])));
  return tableOf('csv', records, { columns: header.map(String) });
}

/** Null for an unquoted NULL. */
function csvRows(text: string): (string | null)[][] {
  const rows: (string | null)[][] = [[]];
  for (const [, quoted, bare, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g)) {
    rows.at(-1)?.push(quoted === undefined ? nullOf(bare ?? '') : quoted.replaceAll('""', '"'));
    if (end !== ',') rows.push([]);
  }
  return rows.filter((row) => row.length > 1);
}

const nullOf = (cell: string) => (cell === 'NULL' ? null : cell);

function copyTables(text: string): SampleTable[] {
  const copies = text.matchAll(/^COPY (\S+) \((.*)\) FROM stdin;\n([\s\S]*?)^\\\.$/gm);
  return [...copies].map(([, name = '', columns = '', rows = '']) => {
    const names = columns.split(', ').map(unquoted);
    const records = rows
      .split('\n')
      .filter((row) => row !== '')
      .map((row) => {
        const cells = row.split('\t').map((cell) => (cell === '\\N' ? null : cell.replaceAll('\\\\', '\\')));
        return Object.fromEntries(names.map((column, index) => [column, cells[index]]));
      });
    return tableOf('sql', records, { name: unquoted(name), columns: names });
  });
}

const unquoted = (name: string) => name.replace(/["`[\]]/g, '');

function insertTables(text: string): SampleTable[] {
  const isMysql = text.includes('ENGINE=');
  const created = new Map(
    [...text.matchAll(/^CREATE TABLE (\S+) \((.*?)\)(?: ENGINE[^;]*)?;$/gms)].map(
      ([, name = '', body = '']) => [
        unquoted(name),
        [...body.matchAll(/(?:^|,)\s*`(\w+)` /g)].map(([, column = '']) => column),
      ],
    ),
  );
  const rows = new Map<string, (string | null)[][]>();
  for (const [, name = '', values = ''] of text.matchAll(/^INSERT INTO (\S+) VALUES ?(\(.*\));$/gm)) {
    rows.set(unquoted(name), [...(rows.get(unquoted(name)) ?? []), ...valueRows(values, isMysql)]);
  }
  return [...rows].map(([name, records]) => {
    const columns = created.get(name) ?? [];
    const named = records.map((row) =>
      Object.fromEntries(columns.map((column, index) => [column, row[index]])),
    );
    return tableOf('sql', named, { name, columns });
  });
}

function valueRows(text: string, isMysql: boolean): (string | null)[][] {
  const rows: (string | null)[][] = [];
  for (const [token, quoted] of text.matchAll(/'((?:[^'\\]|''|\\.)*)'|[(]|[^(),]+/g)) {
    if (token === '(') rows.push([]);
    else rows.at(-1)?.push(quoted === undefined ? nullOf(token) : textOf(quoted, isMysql));
  }
  return rows;
}

const textOf = (quoted: string, isMysql: boolean) => {
  const text = quoted.replaceAll("''", "'");
  return isMysql ? text.replace(/\\(.)/g, '$1') : text;
};

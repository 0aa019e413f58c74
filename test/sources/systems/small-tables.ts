import { readFileSync } from 'node:fs';
import type { ContainerName, SourceRecord, TableHead } from '../../../src/sources/containers/table.ts';

/** A table with all its records, read as simply as the samples allow. */
export interface SmallTable {
  head: TableHead;
  records: readonly SourceRecord[];
}

export const SAMPLES = new URL('../samples/', import.meta.url);

export function smallTable(
  container: ContainerName,
  records: readonly SourceRecord[],
  {
    name = '',
    columns,
    ...more
  }: Partial<Pick<TableHead, 'name' | 'cells' | 'isLines'>> & { columns?: readonly string[] } = {},
): SmallTable {
  const first = records.slice(0, 20);
  const names = new Set(columns ?? first.flatMap((record) => Object.keys(record)));
  return { head: { container, name, columns: names, first, root: {}, ...more }, records };
}

/** The tables of a sample. Lines that cannot be read are left out. */
export function smallTablesOf(path: string): SmallTable[] {
  const text = readFileSync(new URL(path, SAMPLES), 'utf8').replace(/^\u{feff}/u, '');
  if (/json$/.test(path)) return jsonTables(text);
  if (path.endsWith('.csv')) return [csvTable(text)];
  if (path.endsWith('.sql')) return [...copyTables(text), ...insertTables(text)];
  if (path.endsWith('.ldif')) return [ldifTable(text)];
  return path.endsWith('shadow') ? [shadowTable(text)] : [];
}

function jsonTables(text: string): SmallTable[] {
  const whole = parsed(text);
  if (whole !== undefined) return arraysIn(whole, []);
  const records = text.split('\n').flatMap((line) => parsed(line) ?? []) as SourceRecord[];
  return [smallTable('json', records, { isLines: true })];
}

function parsed(text: string): unknown {
  try {
    // Extended JSON of MongoDB.
    return JSON.parse(
      text,
      (_key, value) => value?.$oid ?? value?.$date?.$numberLong ?? value?.$date ?? value,
    );
  } catch {
    return undefined;
  }
}

/** Arrays of objects, but for those inside of them. */
function arraysIn(value: unknown, path: readonly string[]): SmallTable[] {
  if (typeof value !== 'object' || value === null) return [];
  if (!Array.isArray(value))
    return Object.entries(value).flatMap(([name, member]) => arraysIn(member, [...path, name]));
  if (value.some((one) => one?.meta !== undefined && one.data !== undefined))
    return value.flatMap((one, index) => arraysIn(one, [...path, String(index)]));
  const objects = value.filter((one) => typeof one === 'object' && one !== null);
  return objects.length === 0 ? [] : [smallTable('json', objects, { name: path.join('.') })];
}

const CELL = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g;

function csvTable(text: string): SmallTable {
  const rows: (string | null)[][] = [[]];
  for (const [, quoted, bare, end] of text.matchAll(CELL)) {
    const cell = quoted === undefined ? nullOf(bare ?? '') : quoted.replaceAll('""', '"');
    rows.at(-1)?.push(cell);
    if (end !== ',') rows.push([]);
  }
  const [header = [], ...cells] = rows.filter((row) => row.length > 1);
  const whole = cells.filter(({ length }) => length === header.length);
  return smallTable(
    'csv',
    whole.map((row) => Object.fromEntries(header.map((name, index) => [name, row[index]]))),
    { columns: header.map(String) },
  );
}

const nullOf = (cell: string) => (cell === 'NULL' || cell === '\\N' ? null : cell);
const unquoted = (name: string) => name.replace(/["`]/g, '');

function copyTables(text: string): SmallTable[] {
  const copies = text.matchAll(/^COPY (\S+) \((.*)\) FROM stdin;\n([\s\S]*?)^\\\.$/gm);
  return [...copies].map(([, name = '', columns = '', rows = '']) => {
    const names = columns.split(', ').map(unquoted);
    const records = rows.split('\n').flatMap((row) => {
      const cells = row.split('\t').map((cell) => nullOf(cell)?.replaceAll('\\\\', '\\') ?? null);
      return row === '' ? [] : [Object.fromEntries(names.map((column, index) => [column, cells[index]]))];
    });
    return smallTable('sql', records, { name: unquoted(name), columns: names });
  });
}

const CREATED = /^CREATE TABLE `(\w+)` \(\n([\s\S]*?)\n\) ENGINE/gm;
const VALUE = /'((?:[^'\\]|\\.)*)'|NULL|-?[\d.]+|[()]/g;

function insertTables(text: string): SmallTable[] {
  const columns = new Map(
    [...text.matchAll(CREATED)].map(([, name = '', body = '']) => [
      name,
      [...body.matchAll(/^ {2}`(\w+)`/gm)].map(([, column = '']) => column),
    ]),
  );
  const tables = new Map<string, SourceRecord[]>();
  for (const [, name = '', values = ''] of text.matchAll(/^INSERT INTO `(\w+)` VALUES (.*);$/gm)) {
    const rows: (string | null)[][] = [];
    for (const [token, quoted] of values.matchAll(VALUE)) {
      if (token === '(') rows.push([]);
      else if (token !== ')') rows.at(-1)?.push(quoted?.replace(/\\(.)/g, '$1') ?? nullOf(token));
    }
    const names = columns.get(name) ?? [];
    const records = rows.map((row) => Object.fromEntries(names.map((column, at) => [column, row[at]])));
    tables.set(name, [...(tables.get(name) ?? []), ...records]);
  }
  return [...tables].map(([name, records]) =>
    smallTable('sql', records, { name, columns: columns.get(name) ?? [] }),
  );
}

function ldifTable(text: string): SmallTable {
  const entries = text
    .replace(/\n /g, '')
    .trim()
    .split(/\n{2,}/);
  const records = entries.map((entry) => {
    const record: Record<string, string[]> = {};
    for (const [, name = '', encoded, value = ''] of entry.matchAll(/^(\w+):(:)? (.*)$/gm)) {
      const text = encoded === undefined ? value : Buffer.from(value, 'base64').toString();
      record[name.toLowerCase()] = [...(record[name.toLowerCase()] ?? []), text];
    }
    return record;
  });
  const people = records.filter(({ userpassword, mail }) => userpassword !== undefined || mail !== undefined);
  return smallTable('ldif', people);
}

function shadowTable(text: string): SmallTable {
  const names = ['name', 'hash', 'lastChanged', 'min', 'max', 'warn', 'inactive', 'expires', 'reserved'];
  const records = text
    .trim()
    .split('\n')
    .map((line) => {
      const cells = line.split(':');
      return Object.fromEntries(names.map((name, index) => [name, cells[index] ?? '']));
    });
  return smallTable('shadow', records, { columns: names });
}

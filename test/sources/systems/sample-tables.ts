import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { isJsonObject, type JsonObject } from '../../../src/imports/input/json-object.ts';
import type { ContainerName, SourceRecord, TableHead } from '../../../src/sources/containers/table.ts';

const SAMPLES = new URL('../samples/', import.meta.url);

/** A table with all its records. */
export interface SampleTable {
  head: TableHead;
  records: readonly SourceRecord[];
}

export const systemsWithSamples = () => readdirSync(SAMPLES).filter((name) => !name.includes('.'));
export const filesOfSample = (system: string) =>
  readdirSync(new URL(`${system}/`, SAMPLES)).filter((name) => name !== 'expected.json');
export const sampleText = (path: string) => readFileSync(new URL(path, SAMPLES), 'utf8');
export const hasSample = (path: string) => existsSync(new URL(path, SAMPLES));

export function headOf(records: readonly SourceRecord[], about: Partial<TableHead> = {}): TableHead {
  const first = records.slice(0, 20);
  const columns = new Set(first.flatMap((record) => Object.keys(record)));
  return { container: 'json', name: '', root: {}, ...about, first, columns: about.columns ?? columns };
}

const tableOf = (records: readonly SourceRecord[], about: Partial<TableHead>): SampleTable => ({
  head: headOf(records, about),
  records,
});

/** Reads the well-formed samples of this folder, as the containers do with any file. */
export function tablesOfSample(path: string): SampleTable[] {
  const text = sampleText(path);
  if (text.startsWith('hash_config')) return [hashConfig(text)];
  if (/\.(?:json|ndjson)$/.test(path)) return jsonTables(text);
  if (path.endsWith('.csv')) return [csvTable(text)];
  return path.endsWith('.sql') ? sqlTables(text) : [];
}

function hashConfig(text: string): SampleTable {
  const value = (name: string) => new RegExp(`${name}: ([^,]*),`).exec(text)?.[1] ?? '';
  const record = {
    algorithm: value('algorithm'),
    signerKey: value('base64_signer_key'),
    saltSeparator: value('base64_salt_separator'),
    rounds: value('rounds'),
    memCost: value('mem_cost'),
  };
  return tableOf([record], { container: 'hash-config' });
}

function jsonTables(text: string): SampleTable[] {
  try {
    return jsonTablesOf(JSON.parse(text));
  } catch {
    return jsonTablesOf(
      text.split('\n').flatMap((line) => (line.endsWith('}') ? [JSON.parse(line)] : [])),
      true,
    );
  }
}

export function jsonTablesOf(value: unknown, isLines = false): SampleTable[] {
  const plain = resolved(value);
  if (Array.isArray(plain)) return listTables(plain.filter(isJsonObject), { isLines });
  if (!isJsonObject(plain)) return [];
  const lists = Object.entries(plain).filter(
    ([, member]) => Array.isArray(member) && member.some(isJsonObject),
  );
  const root = Object.fromEntries(Object.entries(plain).filter(([, member]) => !isLong(member)));
  if (lists.length === 0) return [tableOf([plain], {})];
  return lists.flatMap(([name, list]) =>
    listTables((list as unknown[]).filter(isJsonObject), { name, root }),
  );
}

const isLong = (member: unknown) => JSON.stringify(member).length > 2000;

function listTables(records: readonly JsonObject[], about: Partial<TableHead>): SampleTable[] {
  const isFixture = records.every(({ model, fields }) => typeof model === 'string' && isJsonObject(fields));
  if (!isFixture) return [tableOf(records, about)];
  const models = new Map<string, JsonObject[]>();
  for (const { model, pk, fields } of records) {
    const record = { ...(pk !== undefined && { pk }), ...(fields as JsonObject) };
    models.set(String(model), [...(models.get(String(model)) ?? []), record]);
  }
  return [...models].map(([name, rows]) => tableOf(rows, { ...about, name }));
}

/** Extended JSON. */
function resolved(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(resolved);
  if (!isJsonObject(value)) return value;
  if (typeof value.$oid === 'string') return value.$oid;
  if (typeof value.$date === 'string') return value.$date;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, resolved(member)]));
}

function csvTable(text: string): SampleTable {
  const rows = csvRows(text);
  const [titles = []] = rows;
  const isHeadless = titles[2] === 'true' || titles[2] === 'false';
  const names = isHeadless ? titles.map((_title, cell) => `${cell}`) : titles;
  const records = (isHeadless ? rows : rows.slice(1)).map((row) =>
    Object.fromEntries(row.map((cell, at) => [names[at] ?? `${at}`, cell])),
  );
  const about: Partial<TableHead> = isHeadless
    ? { cells: titles.length, columns: new Set() }
    : { columns: new Set(titles) };
  return tableOf(records, { container: 'csv', ...about });
}

function csvRows(text: string): string[][] {
  const rows: string[][] = [[]];
  for (const [, quoted, bare = '', end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\n]*))(,|\r?\n|$)/g)) {
    const row = rows.at(-1) ?? [];
    row.push(quoted === undefined ? bare.replace(/\r$/, '') : quoted.replaceAll('""', '"'));
    if (end?.endsWith('\n') === true) rows.push([]);
    if (end === '') break;
  }
  return rows.filter((row) => row.length > 1);
}

function sqlTables(text: string): SampleTable[] {
  return [...copyTables(text), ...insertTables(text)];
}

const as = (container: ContainerName, name: string) => ({ container, name });

function copyTables(text: string): SampleTable[] {
  return [...text.matchAll(/^COPY (\S+) \((.*)\) FROM stdin;\n([\s\S]*?)^\\\.$/gm)].map(
    ([, name = '', columns = '', data = '']) => {
      const names = columns.split(', ').map((column) => column.replaceAll('"', ''));
      const records = data
        .split('\n')
        .filter((line) => line !== '')
        .map((line) =>
          Object.fromEntries(line.split('\t').map((cell, at) => [names[at] ?? '', copyCell(cell)])),
        );
      return tableOf(records, as('sql', name.replaceAll('"', '')));
    },
  );
}

const COPY_ESCAPES: Record<string, string> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', v: '\v' };
const copyCell = (cell: string) =>
  cell === '\\N' ? null : cell.replace(/\\(.)/g, (_all, one: string) => COPY_ESCAPES[one] ?? one);

function insertTables(text: string): SampleTable[] {
  return [...text.matchAll(/CREATE TABLE `(\w+)` \(([\s\S]*?)\n\)/g)].map(([, name = '', body = '']) => {
    const names = [...body.matchAll(/^\s*`(\w+)`/gm)].map(([, column = '']) => column);
    const start = text.indexOf(`INSERT INTO \`${name}\` VALUES `);
    const values = text.slice(start, text.indexOf('\n', start));
    const cells = [...values.matchAll(/'((?:[^'\\]|\\[\s\S])*)'|\b(NULL|-?\d+(?:\.\d+)?)\b/g)].map(
      ([, quoted, bare = '']) =>
        quoted === undefined
          ? bare === 'NULL'
            ? null
            : bare
          : quoted.replace(/\\([\s\S])/g, (_all, one: string) => COPY_ESCAPES[one] ?? one),
    );
    const records = Array.from({ length: cells.length / names.length }, (_row, row) =>
      Object.fromEntries(names.map((column, at) => [column, cells[row * names.length + at]])),
    );
    return tableOf(records, as('sql', name));
  });
}

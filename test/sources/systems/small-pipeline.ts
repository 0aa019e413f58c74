import type { JsonObject } from '../../../src/imports/input/json-object.ts';
import type { TableHead } from '../../../src/sources/containers/table.ts';
import type { Dropped, Form, ReadContext, Settings, Source } from '../../../src/sources/source.ts';
import type { SourceUser } from '../../../src/sources/source-user.ts';
import type { SmallTable } from './small-tables.ts';

export const NOW_MS = Date.UTC(2026, 3, 1);

/** The first form of a source that has users among these tables, and their table. */
export function formFor(
  source: Source,
  tables: readonly SmallTable[],
  settings: Settings = {},
): { form: Form; table: SmallTable } | undefined {
  for (const form of source.forms) {
    const table = tables.find(({ head }) => form.isUsers(head, settings));
    if (table !== undefined) return { form, table };
  }
  return undefined;
}

/** What a form is given, with the details of these tables in memory. */
export function contextFor(
  form: Form,
  table: TableHead,
  {
    tables = [],
    settings = {},
    dropped = [],
  }: { tables?: readonly SmallTable[]; settings?: Settings; dropped?: Dropped[] } = {},
): ReadContext {
  const kept = new Map<string, JsonObject[]>();
  for (const [name, detail] of Object.entries(form.details ?? {}))
    for (const record of tables.filter(({ head }) => detail.fits(head)).flatMap(({ records }) => records)) {
      const key = `${name} ${detail.keyOf(record)}`;
      const value = detail.keep(record);
      // As it would come from a disk.
      if (value !== undefined) kept.set(key, [...(kept.get(key) ?? []), JSON.parse(JSON.stringify(value))]);
    }
  return {
    table,
    settings,
    nowMs: NOW_MS,
    details: (name, key) => kept.get(`${name} ${key}`) ?? [],
    hasDetail: (name) => tables.some(({ head }) => form.details?.[name]?.fits(head) === true),
    drop: (what) => dropped.push(what),
  };
}

export interface Outcome {
  form: Form;
  users: readonly SourceUser[];
  dropped: readonly Dropped[];
  advice: readonly string[];
}

/** Reads all users of these tables, as the pipeline does. */
export function readAll(source: Source, tables: readonly SmallTable[], settings: Settings = {}): Outcome {
  const found = formFor(source, tables, settings);
  if (found === undefined) throw new Error(`${source.name} does not know these tables`);
  const { form, table } = found;
  const dropped: Dropped[] = [];
  const context = contextFor(form, table.head, { tables, settings, dropped });
  const users = table.records.flatMap((record) => form.read(record, context) ?? []);
  const advice = form.advice?.({ tables: tables.map(({ head }) => head), settings }) ?? [];
  return { form, users, dropped, advice: advice.map(({ level, text }) => `${level}: ${text}`) };
}

/** Reads one record by itself, of a table that has the columns of this record. */
export function readOne(source: Source, table: SmallTable, settings: Settings = {}): SourceUser {
  const [user] = readAll(source, [table], settings).users;
  if (user === undefined) throw new Error('nobody was read');
  return user;
}

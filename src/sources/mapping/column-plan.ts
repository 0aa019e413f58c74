import type { SourceRecord, TableHead } from '../containers/table.ts';
import { QUERY_TABLE } from '../fields/tables.ts';
import { textOf } from '../fields/values.ts';
import type { SourcePassword } from '../source-user.ts';
import { type Column, columnOf } from './column.ts';
import { type Field, guessColumns, isField, providerOf } from './fields.ts';
import type { Mapping } from './mapping.ts';
import { templateRenderer } from './render-template.ts';

/** The use of each column of a table of an unknown system: e-mail, hash, metadata, …. */
export interface ColumnPlan {
  fields: ReadonlyMap<Field, PlannedColumn>;
  identities: readonly { provider: string; column: Column }[];
  template: readonly Column[];
  passwordOf: (record: SourceRecord) => SourcePassword | undefined;
  /** Columns that decide who may sign in. */
  active: readonly Column[];
  /** Columns that the operator excluded by an empty name (`id=` in `--map`). */
  leftOut: readonly string[];
  /** Columns with a use, and those that are excluded. */
  used: ReadonlySet<string>;
}

/** `isMapped` says whether the operator named the column for its field. */
export type PlannedColumn = Column & { isMapped: boolean };

export function planColumns(table: TableHead, mapping: Mapping): ColumnPlan {
  const column = (name: string) => columnOf(table, name);
  const named: ReadonlyMap<string, string> = guessColumns(table.columns);
  const cellOf = (name: string) =>
    column(mapping.columns.get(name) ?? (table.columns.has(name) ? name : (named.get(name) ?? name)));
  const template = (mapping.template?.parts ?? []).filter((part) => typeof part !== 'string');
  const inTemplate = template.map(({ name }) => cellOf(name));
  const mapped = [...mapping.columns.values()].filter((name) => name !== null);
  const taken = new Set([...mapped, ...inTemplate.map((one) => one.column)]);
  const fields = new Map<Field, PlannedColumn>();
  const isWanted = (field: Field) => field !== 'hash' || mapping.template === undefined;
  for (const [field, name] of guessColumns(table.columns, taken)) {
    if (isWanted(field) && !mapping.columns.has(field))
      fields.set(field, { ...column(name), isMapped: false });
  }
  // The result of a query has the column for this. Such a column of another table may mean anything.
  if (table.name === QUERY_TABLE && table.columns.has('algorithm') && !mapping.columns.has('algorithm'))
    fields.set('algorithm', { ...column('algorithm'), isMapped: false });
  const identities: { provider: string; column: Column }[] = [];
  const active = (mapping.active ?? []).map((rule) => column(rule.column));
  for (const [key, name] of mapping.columns) {
    const provider = providerOf(key);
    if (name === null) continue;
    if (provider !== undefined) identities.push({ provider, column: column(name) });
    else if (isField(key) && isWanted(key)) fields.set(key, { ...column(name), isMapped: true });
  }
  const leftOut = [...guessColumns(table.columns, taken)].flatMap(([field, name]) =>
    mapping.columns.get(field) === null ? [name] : [],
  );
  const all = [...fields.values(), ...active, ...mapped.map(column), ...inTemplate];
  return {
    fields,
    identities,
    active,
    template: inTemplate,
    passwordOf: passwordReader(mapping, fields, cellOf),
    leftOut,
    used: new Set([...all.map(({ member }) => member), ...leftOut]),
  };
}

function passwordReader(
  { template, algorithm, algorithmOf }: Mapping,
  fields: ReadonlyMap<Field, Column>,
  cellOf: (name: string) => Column,
): ColumnPlan['passwordOf'] {
  const scheme = fields.get('algorithm');
  const familyOf = (record: SourceRecord) => {
    const word = scheme && textOf(scheme.valueOf(record));
    return word === undefined ? undefined : (algorithmOf?.get(word) ?? word);
  };
  if (template !== undefined) return templateRenderer(template, { cellOf, algorithm, familyOf });
  const hash = fields.get('hash');
  if (hash === undefined) return () => undefined;
  return (record) => {
    const encoded = textOf(hash.valueOf(record));
    if (encoded === undefined) return undefined;
    const family = familyOf(record);
    return family === undefined ? { encoded, algorithmIfUntold: algorithm } : { encoded, algorithm: family };
  };
}

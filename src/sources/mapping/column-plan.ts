import type { SourceRecord, TableHead } from '../containers/table.ts';
import { textOf } from '../fields/values.ts';
import type { SourcePassword } from '../source-user.ts';
import { type Column, columnOf } from './column.ts';
import { type Field, guessColumns, isField, providerOf } from './fields.ts';
import type { Mapping } from './mapping.ts';
import { templateRenderer } from './render-template.ts';

/** Which columns of a table are taken for what. */
export interface ColumnPlan {
  fields: ReadonlyMap<Field, PlannedColumn>;
  /** Columns with the ids of accounts at a provider. */
  identities: readonly { provider: string; column: Column }[];
  /** All that the template takes. */
  template: readonly Column[];
  passwordOf: (record: SourceRecord) => SourcePassword | undefined;
  /** The columns that become metadata; undefined: all that are not used and hold no secret by their name. */
  metadata: readonly Column[] | undefined;
  /** Members of records that are used, so that they are no metadata. */
  used: ReadonlySet<string>;
}

/** `isMapped`: the operator said so. */
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
  // What the template takes is all that there is of a hash.
  const isWanted = (field: Field) => field !== 'hash' || mapping.template === undefined;
  for (const [field, name] of guessColumns(table.columns, taken)) {
    if (isWanted(field) && !mapping.columns.has(field))
      fields.set(field, { ...column(name), isMapped: false });
  }
  const identities: { provider: string; column: Column }[] = [];
  for (const [key, name] of mapping.columns) {
    const provider = providerOf(key);
    if (name === null) continue;
    if (provider !== undefined) identities.push({ provider, column: column(name) });
    else if (isField(key) && isWanted(key)) fields.set(key, { ...column(name), isMapped: true });
  }
  const all = [...fields.values(), ...mapped.map(column), ...inTemplate];
  return {
    fields,
    identities,
    template: inTemplate,
    passwordOf: passwordReader(mapping, fields.get('hash'), cellOf),
    metadata: mapping.metadata?.map(column),
    used: new Set(all.map(({ member }) => member)),
  };
}

function passwordReader(
  { template, algorithm }: Mapping,
  hash: Column | undefined,
  cellOf: (name: string) => Column,
): ColumnPlan['passwordOf'] {
  if (template !== undefined) return templateRenderer(template, { cellOf, algorithm });
  if (hash === undefined) return () => undefined;
  return (record) => {
    const encoded = textOf(hash.valueOf(record));
    return encoded === undefined ? undefined : { encoded, algorithm };
  };
}

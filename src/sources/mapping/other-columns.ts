import { isJsonObject, type JsonObject } from '../../lib/json/json-object.ts';
import type { SourceRecord } from '../containers/table.ts';
import { isWorthKeeping } from '../fields/values.ts';
import type { ColumnPlan } from './column-plan.ts';

/** Maximum depth of JSON in metadata. Values that are nested more deeply are dropped. */
const MAX_DEPTH = 16;

/** Metadata: the columns of the mapping, or else all without another use. Secrets are removed later. */
export function otherColumns(
  record: SourceRecord,
  { metadata, renamed, used }: ColumnPlan,
): JsonObject | undefined {
  const others: Record<string, unknown> = {};
  for (const { name, column } of metadata ?? []) setMember(others, name, column.valueOf(record));
  for (const { name, column } of renamed) setMember(others, name, column.valueOf(record));
  if (metadata === undefined)
    for (const name of Object.keys(record))
      if (!used.has(name)) setMember(others, name, cutBelow(record[name], MAX_DEPTH));
  for (const _ in others) return others;
  return undefined;
}

function setMember(others: Record<string, unknown>, name: string, value: unknown): void {
  if (!isWorthKeeping(value)) return;
  // A column may be named `__proto__`. Assigning it would call its setter.
  if (name === '__proto__') Object.defineProperty(others, name, { value, enumerable: true });
  else others[name] = value;
}

function cutBelow(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth === 0) return undefined;
  if (Array.isArray(value)) return value.map((one) => cutBelow(one, depth - 1));
  // Objects of a class, such as ExactNumber for long numbers, are kept unchanged.
  if (!isJsonObject(value) || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, cutBelow(member, depth - 1)]),
  );
}

import { isJsonObject, type JsonObject } from '../../imports/input/json-object.ts';
import type { SourceRecord } from '../containers/table.ts';
import { metadataOf } from '../fields/values.ts';
import type { ColumnPlan } from './column-plan.ts';

/** Metadata is never so deep: what is deeper is left out. */
const MAX_DEPTH = 16;

/** The metadata of a record: the columns that are listed, else all that are not used. Secrets among these are left out later. */
export function otherColumns(
  record: SourceRecord,
  { metadata, renamed, used }: ColumnPlan,
): JsonObject | undefined {
  const others: [string, unknown][] = [...(metadata ?? []), ...renamed].map(({ name, column }) => [
    name,
    column.valueOf(record),
  ]);
  if (metadata !== undefined) return metadataOf(Object.fromEntries(others));
  for (const name of Object.keys(record))
    if (!used.has(name)) others.push([name, cutBelow(record[name], MAX_DEPTH)]);
  return metadataOf(Object.fromEntries(others));
}

function cutBelow(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth === 0) return undefined;
  if (Array.isArray(value)) return value.map((one) => cutBelow(one, depth - 1));
  // Numbers that a float would change are objects of a class, and stay as they are.
  if (!isJsonObject(value) || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, cutBelow(member, depth - 1)]),
  );
}

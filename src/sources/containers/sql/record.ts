import type { SourceRecord } from '../table.ts';

/** The values of a row; undefined where it says nothing of a column. */
export type Values = (string | null | undefined)[];

/** A record of as many values as there are columns. */
export function recordOf(columns: readonly string[], values: Values): SourceRecord {
  const record: Record<string, string | null> = {};
  for (let index = 0; index < columns.length; index++) {
    const name = columns[index] ?? '';
    const value = values[index];
    if (value === undefined) continue;
    // An assignment to this name would set something else.
    if (name === '__proto__') Object.defineProperty(record, name, { value, enumerable: true });
    else record[name] = value;
  }
  return record;
}

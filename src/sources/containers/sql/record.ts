import type { SourceRecord } from '../table.ts';

/** The values of a row of an SQL dump. Undefined for a column without a known value. */
export type Values = (string | null | undefined)[];

export function recordOf(columns: readonly string[], values: Values): SourceRecord {
  const record: Record<string, string | null> = {};
  for (let index = 0; index < columns.length; index++) {
    const name = columns[index] ?? '';
    const value = values[index];
    if (value === undefined) continue;
    // Assigning a column named `__proto__` would change the prototype of the record.
    if (name === '__proto__') Object.defineProperty(record, name, { value, enumerable: true });
    else record[name] = value;
  }
  return record;
}

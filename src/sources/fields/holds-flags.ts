import type { TableHead } from '../containers/table.ts';
import { flagOf, textOf } from './values.ts';

/** Whether a column holds flags and not times. Undefined if it is empty in the first records. */
export function holdsFlags({ first }: TableHead, column: string): boolean | undefined {
  const values = first.map((record) => record[column]).filter(isFlagOrText);
  return values.length === 0 ? undefined : values.every((value) => flagOf(value) !== undefined);
}

const isFlagOrText = (value: unknown) => typeof value === 'boolean' || textOf(value) !== undefined;

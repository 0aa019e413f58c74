import type { TableHead } from '../containers/table.ts';
import { flagOf, textOf } from './values.ts';

export const hasAll = ({ columns }: TableHead, ...names: string[]): boolean =>
  names.every((name) => columns.has(name));

export const hasAny = ({ columns }: TableHead, ...names: string[]): boolean =>
  names.some((name) => columns.has(name));

/** The name of a table without its schema, lower case; empty where the container knows none. */
export const bareName = ({ name }: TableHead): string => name.slice(name.lastIndexOf('.') + 1).toLowerCase();

/** Does the column hold yes and no, and not times? Undefined where the first records have nothing in it. */
export function holdsFlags({ first }: TableHead, column: string): boolean | undefined {
  const values = first.map((record) => record[column]).filter((value) => isFlagOrText(value));
  return values.length === 0 ? undefined : values.every((value) => flagOf(value) !== undefined);
}

const isFlagOrText = (value: unknown) => typeof value === 'boolean' || textOf(value) !== undefined;

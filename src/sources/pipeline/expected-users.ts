import type { JsonObject } from '../../lib/json/json-object.ts';
import type { TableHead } from '../containers/table.ts';
import { objectOf, textOf } from '../fields/values.ts';
import type { Advice } from '../source.ts';
import { countIn, type Tally } from './judge.ts';
import type { Plan, Survey } from './plan.ts';

/** JSON members that state the total number of users, and names of objects with such members. */
const TOTALS = [
  'total',
  'totalCount',
  'total_count',
  'totalItems',
  'totalUsers',
  'total_users',
  'totalResults',
];
const HOLDERS = ['pagination', 'meta', 'metadata', 'page', 'results_metadata'];

function statedTotal({ root }: Pick<TableHead, 'root'>): number | undefined {
  for (const holder of [root, ...HOLDERS.map((name) => objectOf(root[name]))]) {
    const total = holder && totalIn(holder);
    if (total !== undefined) return total;
  }
  return undefined;
}

function totalIn(holder: JsonObject): number | undefined {
  for (const name of TOTALS) {
    const text = textOf(holder[name]);
    if (text !== undefined && /^\d{1,15}$/.test(text)) return Number(text);
  }
  return undefined;
}

const keyOf = ({ name }: Pick<Survey, 'name'>, table: TableHead) => `${name}\0${table.name}`;

export const countRecords = (tally: Tally, survey: Survey, table: TableHead, records: number): void =>
  countIn(tally.records, keyOf(survey, table), records);

/**
 * Stops if the number of users differs from the number that the files state or that the operator expects.
 * Otherwise, an incomplete export would not be noticed.
 * @param rows number of users in the files
 */
export function adviceOnCount(
  plan: Plan,
  { tally, rows, expected }: { tally: Tally; rows: number; expected: number | undefined },
): Advice | undefined {
  if (expected !== undefined) {
    if (rows === expected) return undefined;
    const text = `The files have ${rows} users, and --expect-users says ${expected}. Nothing is imported, because the export may be incomplete. Export again, or correct the number.`;
    return { level: 'stop', text };
  }
  const stated = statedTotals(plan).map(({ key, total }) => ({ total, found: tally.records.get(key) ?? 0 }));
  // Each file may be complete, or each may be a page that states the total of all pages.
  if (stated.every(({ total, found }) => total === found)) return undefined;
  const total = Math.max(...stated.map((one) => one.total));
  const found = stated.reduce((sum, one) => sum + one.found, 0);
  if (total === found) return undefined;
  const text = `The files state a number of ${total} users, but have ${found}. Nothing is imported, because the export may be incomplete. Export again, name all pages, or say how many users you expect: --expect-users ${rows}.`;
  return { level: 'stop', text };
}

function statedTotals({ surveys, uses }: Plan): { key: string; total: number }[] {
  return surveys.flatMap((survey, index) =>
    survey.tables.flatMap((table) => {
      const total = uses[index]?.get(table.name)?.as === 'users' ? statedTotal(table) : undefined;
      return total === undefined ? [] : [{ key: keyOf(survey, table), total }];
    }),
  );
}

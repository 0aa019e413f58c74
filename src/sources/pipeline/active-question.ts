import { isJsonObject } from '../../lib/json/json-object.ts';
import type { SourceRecord } from '../containers/table.ts';
import { namesSecret } from '../fields/secret-names.ts';
import { shownCell, shownName } from '../fields/shown-name.ts';
import { flagOf, textOf } from '../fields/values.ts';
import { guessColumns } from '../mapping/fields.ts';
import { readMapping } from '../mapping/read-mapping.ts';
import type { Advice } from '../source.ts';
import type { Plan } from './plan.ts';

/** Values of columns with few different ones, by column: one of them may say who must not sign in. */
export type ColumnValues = Map<string, Map<string, number>>;

const MAX_COLUMNS = 200;
const MAX_VALUES = 12;
const MAX_DEPTH = 6;
/** Number of columns that a message shows. */
const MAX_SHOWN = 30;

/** Whether the operator must say who may sign in before the import. */
export const asksWhoMaySignIn = ({ forms, settings }: Plan): boolean =>
  settings.active === undefined && forms.some((form) => form.asksWhoMaySignIn);

/** Counts the values of a record, also within objects, as `account.disabled`. */
export function countValues(record: SourceRecord, counts: ColumnValues, path = '', depth = 0): void {
  for (const [name, value] of Object.entries(record)) {
    const column = path === '' ? name : `${path}.${name}`;
    if (isJsonObject(value) && Object.getPrototypeOf(value) === Object.prototype && depth < MAX_DEPTH) {
      countValues(value, counts, column, depth + 1);
      continue;
    }
    if (value !== undefined && value !== null && value !== '') countValue(counts, column, value);
  }
}

export function countValue(counts: ColumnValues, column: string, value: unknown): void {
  const values = counts.get(column) ?? new Map<string, number>();
  if (!counts.has(column)) {
    if (counts.size >= MAX_COLUMNS) return;
    counts.set(column, values);
  }
  const text = (typeof value === 'boolean' ? String(value) : (textOf(value) ?? 'a list')).slice(0, 100);
  // One more than the maximum shows that the column has many values.
  if (values.size <= MAX_VALUES || values.has(text)) values.set(text, (values.get(text) ?? 0) + 1);
}

/** Stops at values of named columns that cannot be read: they would be lost, or count as no. */
export function adviceOnUnreadable(counts: ColumnValues): Advice | undefined {
  if (counts.size === 0) return undefined;
  const lines = [...counts].map(([column, values]) => `  ${shownName(column)}: ${shownValues(values)}`);
  return {
    level: 'stop',
    text: [
      'Values of these columns cannot be read, so nobody is imported:',
      ...lines,
      "Name the words for yes, such as --true ja,oui, or the form of times: --date-format 'DD.MM.YYYY HH:mm', ms, s or excel.",
      'Or do without the column: --map verified=,createdAt=',
    ].join('\n'),
  };
}

/** Columns that hold something else, by their names or by `--map`. */
function usedColumns({ settings }: Plan, counts: ColumnValues): ReadonlySet<string | null> {
  const mapping = readMapping(settings);
  const mapped = 'columns' in mapping ? [...mapping.columns.values()] : [];
  return new Set([...guessColumns(counts.keys()).values(), ...mapped]);
}

/** Values that hardly repeat may be names, addresses or secrets, so only their number is shown. */
function shownWords(column: string, values: ReadonlyMap<string, number>): string {
  const users = [...values.values()].reduce((sum, count) => sum + count, 0);
  const areWords = users >= 2 * values.size || [...values.keys()].every((text) => flagOf(text) !== undefined);
  return areWords && !namesSecret(column) ? shownValues(values) : `${values.size} different values`;
}

function shownValues(values: ReadonlyMap<string, number>): string {
  const shown = [...values].sort(([, a], [, b]) => b - a).slice(0, MAX_VALUES);
  const more = values.size > MAX_VALUES ? ', …' : '';
  return shown.map(([text, count]) => `${shownCell(text)} ${count}`).join(', ') + more;
}

/** Stops until the operator says who may sign in, and shows the columns that may say it. */
export function adviceOnActive(plan: Plan, counts: ColumnValues): Advice | undefined {
  if (!asksWhoMaySignIn(plan)) return undefined;
  const used = usedColumns(plan, counts);
  const few = [...counts].filter(([column, values]) => values.size <= MAX_VALUES && !used.has(column));
  const lines = few
    .slice(0, MAX_SHOWN)
    .map(([column, values]) => `  ${shownName(column)}: ${shownWords(column, values)}`);
  const more = few.length > MAX_SHOWN ? [`  and ${few.length - MAX_SHOWN} more`] : [];
  return {
    level: 'stop',
    text: [
      'Nothing shows who may sign in with this table, so nobody is imported. Say it:',
      "  --active 'status=active,trial' (the column has one of these words)",
      "  --active 'deleted_at is null', --active 'banned_until < now' (of several rules, all must hold)",
      '  --active everybody (if all of these users may sign in)',
      ...(lines.length === 0 ? [] : ['Columns with few values:', ...lines, ...more]),
    ].join('\n'),
  };
}

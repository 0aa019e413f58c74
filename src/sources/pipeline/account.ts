import type { JsonObject } from '../../lib/json/json-object.ts';
import { withoutCapitals } from '../../lib/text/characters.ts';
import type { SourceRecord, TableHead } from '../containers/table.ts';
import { flagOf, wordOf } from '../fields/values.ts';
import { onlyValue, spellingsOf } from '../mapping/active.ts';
import { columnOf, keptColumns, listedNames } from '../mapping/column.ts';
import { activeRules, readMapping } from '../mapping/mapping.ts';
import type { Detail, Form, KnownColumns, Settings } from '../source.ts';
import type { ColumnValues } from './column-values.ts';
import { detailOf, type Plan, type TableUse } from './plan.ts';
import type { Absences } from './tally.ts';

/**
 * Counts the values of columns without a known use. A column has a known use if the system's declaration reads it or
 * lists it as unused, or if the operator names it. Any other column may say who must not sign in.
 * @param counts receives the values of the columns without a known use
 * @returns a function that makes a counter for a table. A counter looks at each record; columns of joined tables have the
 * name of the join
 */
export function columnCounter({ source, settings }: Pick<Plan, 'source' | 'settings'>, counts: ColumnValues) {
  const named = namedColumns(settings);
  const counter = (table: TableHead, known: KnownColumns, path: string): ((record: SourceRecord) => void) => {
    if (known === 'all') return () => {};
    const prefix = path === '' ? '' : `${path}.`;
    const isTaken = (column: string) => named.has(column) || known.has(column.slice(prefix.length));
    // In SQL, JSON and LDIF, later records may have columns that the first ones lack.
    const areFixed = !['json', 'ldif', 'sql'].includes(table.container) && table.columns.size > 0;
    if (areFixed && [...table.columns].every((column) => isTaken(prefix + column))) return () => {};
    return (record) => counts.countAll(record, isTaken, path);
  };
  return (table: TableHead, use: TableUse): ((record: SourceRecord) => void) => {
    if (source.isOwnFormat) return () => {};
    if (use.as === 'users') return counter(table, knownColumns(use.form, table, settings), '');
    const { detail: name } = use;
    const { known, keys } = detailOf(use);
    const count = counter(table, known, name);
    if (keys === undefined) return count;
    return (record) => {
      count(record);
      const key = keys.keyOf(record);
      if (key === undefined || keys.isKnown(key)) return;
      const column = `${name}.${key}`;
      const value = keys.valueOf(record);
      if (!named.has(column) && value !== undefined && value !== null && value !== '')
        counts.count(column, value);
    };
  };
}

/** Returns the columns of a table of users that the system's declaration reads or lists as unused. */
export const knownColumns = ({ known }: Form, table: TableHead, settings: Settings): KnownColumns =>
  typeof known === 'function' ? known(table, settings) : known;

/** Returns the columns for which `--active` has a rule. */
export const ruledColumns = (settings: Settings): ReadonlySet<string> =>
  new Set(activeRules(settings).map(({ column }) => column));

/** Returns the columns of `--active` and `--keep`. The import uses their values. */
const readColumns = (settings: Settings): readonly string[] => [
  ...new Set([...ruledColumns(settings), ...keptColumns(settings).values()]),
];

/** Returns the columns of `--ignore`, `--keep`, `--active` and `--map`. */
function namedColumns(settings: Settings): ReadonlySet<string> {
  const mapping = readMapping(settings);
  const mapped = 'problem' in mapping ? [] : [...mapping.columns.values()].filter((name) => name !== null);
  const names = [...mapped, ...readColumns(settings), ...listedNames(settings.ignore)];
  return new Set(names.flatMap((name) => [name, ...withoutCapitals([name])]));
}

/**
 * Finds columns of `--active` and `--keep`, and words of `--active`, that no user has, and state columns of the system
 * that a table lacks. A rule about a missing column would hold for everybody or nobody, and a rule with a mistyped word
 * would leave out the users whom it should import. All records are checked, because those of JSON differ in members.
 * @param found receives the columns and words that no record has had so far
 * @returns a function that looks at a record, with the columns of joined tables that the operator has named
 */
export function absenceFinder(settings: Settings, { columns, words, values, states }: Absences) {
  // Rules with words, none of which is a flag. A flag may rightly have the other value for all users.
  const rules = activeRules(settings).filter(({ words: told }) =>
    told?.every((word) => flagOf(word) === undefined),
  );
  const ignored = listedNames(settings.ignore);
  let hasRecords = false;
  const stateColumns = (table: TableHead, form: Form): Set<string> => {
    const all = form.stateColumns?.(table) ?? [];
    return new Set(all.filter((one) => !one.split('|').some((name) => ignored.has(name))));
  };
  const noteWord = (column: string, value: unknown): void => {
    const left = words.get(column);
    if (left === undefined || left.size === 0 || value === undefined || value === null || value === '')
      return;
    values.count(column, value);
    const text = (wordOf(value) ?? '').trim().toLowerCase();
    // One word of a rule is enough: an export need not have users in every state.
    if ([...left].some((word) => spellingsOf(word).includes(text))) left.clear();
  };
  return (table: TableHead, form: Form, record: SourceRecord): void => {
    if (!hasRecords) {
      for (const name of readColumns(settings)) columns.add(name);
      for (const rule of rules) words.set(rule.column, new Set(rule.words?.filter((word) => word !== '')));
    }
    hasRecords = true;
    for (const name of columns) if (columnOf(table, name).valueOf(record) !== undefined) columns.delete(name);
    for (const { column } of rules) noteWord(column, onlyValue(columnOf(table, column).valueOf(record)));
    const left = states.get(table) ?? stateColumns(table, form);
    states.set(table, left);
    for (const column of left)
      if (column.split('|').some((name) => Object.hasOwn(record, name))) left.delete(column);
  };
}

/**
 * Columns of joined tables, and keys of key/value tables, that `--active` and `--keep` name:
 * `usermeta.account_status`. Each becomes a column of the users.
 */
export function namedJoinedColumns(settings: Settings) {
  const names = readColumns(settings);
  const ofDetail = (name: string) => names.filter((column) => column.startsWith(`${name}.`));

  return {
    /** Returns the values of named columns in a joined record, by the name of the column. */
    in: (record: SourceRecord, name: string, { keys }: Detail): readonly (readonly [string, JsonObject])[] =>
      ofDetail(name).flatMap((column) => {
        const own = column.slice(name.length + 1);
        const value = keys?.keyOf(record) === own ? keys.valueOf(record) : record[own];
        return value === undefined || value === null ? [] : [[column, { value }] as const];
      }),

    /** Returns a function that adds the named columns to records of users. */
    adder(
      { details = {}, keyOf }: Form,
      find: (column: string, key: string) => readonly JsonObject[],
    ): (record: SourceRecord) => SourceRecord {
      const columns = Object.entries(details).flatMap(([name, { keyOfUser = keyOf }]) =>
        ofDetail(name).map((column) => [column, keyOfUser] as const),
      );
      if (columns.length === 0) return (record) => record;
      return (record) => {
        const found = columns.flatMap(([column, keyOfUser]) => {
          const key = keyOfUser?.(record);
          const values = key === undefined ? [] : find(column, key).map(({ value }) => value);
          // Several values become a list, which every rule of `--active` reports as unreadable.
          return values.length === 0 ? [] : [[column, values.length === 1 ? values[0] : values] as const];
        });
        return { ...record, ...Object.fromEntries(found) };
      };
    },
  };
}

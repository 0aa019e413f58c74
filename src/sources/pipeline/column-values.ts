import { ExactNumber } from '../../lib/json/exact-json.ts';
import { isJsonObject, type JsonObject } from '../../lib/json/json-object.ts';
import { shownCell } from '../fields/shown-name.ts';
import { flagOf, wordOf } from '../fields/values.ts';

/** Maximum number of columns that are counted one by one, because names come from the file. */
const MAX_COLUMNS = 2_000;
/** Maximum number of member names of an object. If it has more, they are data such as ids: it counts as one column. */
const MAX_NAMES = 200;
/** Maximum number of different values that messages show of a column. A column with more has no words for states. */
export const MAX_VALUES = 12;
const MAX_DEPTH = 6;
const MAX_TEXT = 100;
/** Name under which all columns beyond `MAX_COLUMNS` are counted. */
const OTHERS = 'all others';

/** The values of one column. */
export interface ValuesOf {
  /** Number of records with a value. */
  records: number;
  /** Number of records by value, for at most `MAX_VALUES` + 1 values. Values are cut to `MAX_TEXT` characters. */
  values: Map<string, number>;
}

/** Counts the values of columns. A member of an object counts as a column: `account.disabled`. */
export class ColumnValues {
  readonly #columns = new Map<string, ValuesOf>();
  /** Member names seen so far in the objects of each column. */
  readonly #names = new Map<string, Set<string>>();
  /** Columns whose objects have too many member names, so that each object is counted as one value. */
  readonly #whole = new Set<string>();

  get size(): number {
    return this.#columns.size;
  }

  clear(): void {
    this.#columns.clear();
    this.#names.clear();
    this.#whole.clear();
  }

  /** Returns the columns in the order in which they were found. */
  entries(): readonly (readonly [column: string, ValuesOf])[] {
    return [...this.#columns];
  }

  /**
   * Counts the values of a record, or of an object in a column.
   * @param isTaken returns whether a column has a use. Neither it nor its members are then counted
   */
  countAll(object: JsonObject, isTaken: (column: string) => boolean, path = '', depth = 0): void {
    for (const name of Object.keys(object)) {
      const value: unknown = object[name];
      const column = path === '' ? name : `${path}.${name}`;
      if (value === undefined || value === null || value === '' || isTaken(column)) continue;
      const isObject = isJsonObject(value) && !(value instanceof ExactNumber) && depth < MAX_DEPTH;
      if (!isObject || this.#whole.has(column) || this.#isWide(column, value)) this.count(column, value);
      else this.countAll(value, isTaken, column, depth + 1);
    }
  }

  count(name: string, value: unknown): void {
    const column = this.#columns.has(name) || this.#columns.size < MAX_COLUMNS ? name : OTHERS;
    const found = this.#columns.get(column) ?? { records: 0, values: new Map<string, number>() };
    this.#columns.set(column, found);
    found.records += 1;
    const text = (wordOf(value) ?? shapeOf(value)).slice(0, MAX_TEXT);
    if (found.values.size <= MAX_VALUES || found.values.has(text))
      found.values.set(text, (found.values.get(text) ?? 0) + 1);
  }

  /** Adds the member names of an object. If there are too many, merges the counts of its members into one column. */
  #isWide(column: string, object: object): boolean {
    const names = this.#names.get(column) ?? new Set();
    this.#names.set(column, names);
    for (const name of Object.keys(object)) names.add(name);
    if (names.size <= MAX_NAMES) return false;
    this.#whole.add(column);
    this.#names.delete(column);
    let records = 0;
    for (const [inner, counted] of this.#columns) {
      if (!inner.startsWith(`${column}.`)) continue;
      records = Math.max(records, counted.records);
      this.#columns.delete(inner);
    }
    if (records > 0) this.#columns.set(column, { records, values: new Map([[shapeOf(object), records]]) });
    return true;
  }
}

const shapeOf = (value: unknown) => (Array.isArray(value) ? 'a list' : 'an object');

/** Names of columns with secrets. Their values are never shown, even if several users have the same value. */
const OF_SECRETS = /pass(?!ive|port)|pwd|secret|token|hash|salt|api_?key|(?:^|_)pin$/i;

/** Returns the values of a column for a message, or only their number if they hardly repeat, so may be secrets. */
export function shownWords(column: string, { records, values }: ValuesOf): string {
  if (values.size > MAX_VALUES) return `more than ${MAX_VALUES} values`;
  const areWords =
    records >= 2 * values.size || [...values.keys()].every((text) => flagOf(text) !== undefined);
  return areWords && !OF_SECRETS.test(column) ? shownValues(values) : `${values.size} different values`;
}

export function shownValues(values: ReadonlyMap<string, number>): string {
  const shown = [...values].sort(([, a], [, b]) => b - a).slice(0, MAX_VALUES);
  const more = values.size > MAX_VALUES ? ', …' : '';
  return shown.map(([text, count]) => `${shownCell(text)} ${count}`).join(', ') + more;
}

import { ExactNumber } from '../../lib/json/exact-json.ts';
import { isJsonObject, type JsonObject } from '../../lib/json/json-object.ts';
import { shownCell } from '../fields/shown-name.ts';
import { flagOf, textOf } from '../fields/values.ts';

/** Maximum number of columns that are counted one by one, because names come from the file. */
const MAX_COLUMNS = 2_000;
/** An object with more names has people's data as names, and counts as one column. */
const MAX_NAMES = 200;
/** A column with more values does not say who may sign in by its words. */
export const MAX_VALUES = 12;
const MAX_DEPTH = 6;
const MAX_TEXT = 100;
/** Stands for the columns beyond `MAX_COLUMNS`. */
const OTHERS = 'all others';

/** The values of one column. */
export interface ValuesOf {
  /** Number of records with a value. */
  records: number;
  /** Records by value, of at most one value more than `MAX_VALUES`. Values are cut. */
  values: Map<string, number>;
}

/** Values of columns by name. A member of an object is a column: `account.disabled`. */
export class ColumnValues {
  readonly #columns = new Map<string, ValuesOf>();
  /** Names within each object. */
  readonly #names = new Map<string, Set<string>>();
  /** Objects with too many names. */
  readonly #whole = new Set<string>();

  get size(): number {
    return this.#columns.size;
  }

  clear(): void {
    this.#columns.clear();
    this.#names.clear();
    this.#whole.clear();
  }

  /** The columns in the order in which they were found. */
  entries(): readonly (readonly [column: string, ValuesOf])[] {
    return [...this.#columns];
  }

  /**
   * Counts the values of an object.
   * @param isTaken returns whether a column has a use. What it contains is then not counted
   */
  countAll(object: JsonObject, isTaken: (column: string) => boolean, path = '', depth = 0): void {
    for (const name of Object.keys(object)) {
      const value: unknown = object[name];
      const column = path === '' ? name : `${path}.${name}`;
      if (value === undefined || value === null || value === '' || isTaken(column)) continue;
      if (
        !isJsonObject(value) ||
        value instanceof ExactNumber ||
        depth >= MAX_DEPTH ||
        this.#whole.has(column)
      )
        this.count(column, value);
      else if (this.#isWide(column, value)) this.count(column, value);
      else this.countAll(value, isTaken, column, depth + 1);
    }
  }

  count(name: string, value: unknown): void {
    const column = this.#columns.has(name) || this.#columns.size < MAX_COLUMNS ? name : OTHERS;
    const found = this.#columns.get(column) ?? { records: 0, values: new Map<string, number>() };
    this.#columns.set(column, found);
    found.records += 1;
    const text = (typeof value === 'boolean' ? String(value) : (textOf(value) ?? shapeOf(value))).slice(
      0,
      MAX_TEXT,
    );
    if (found.values.size <= MAX_VALUES || found.values.has(text))
      found.values.set(text, (found.values.get(text) ?? 0) + 1);
  }

  /** Notes the names in an object. If they become too many, what was counted in it counts for the object. */
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

/** Columns whose values are not shown, even if several users have the same. */
const OF_SECRETS = /pass(?!ive|port)|pwd|secret|token|hash|salt|api_?key|(?:^|_)pin$/i;

/** Values that hardly repeat may be names, addresses or secrets, so only their number is shown. */
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

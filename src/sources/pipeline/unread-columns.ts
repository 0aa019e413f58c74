import type { SourceRecord, TableHead } from '../containers/table.ts';
import { oncePerName } from '../fields/column-names.ts';
import { demandOf } from '../fields/second-factors.ts';
import { namesSecret } from '../fields/secret-names.ts';
import { shownName } from '../fields/shown-name.ts';
import { isWorthKeeping } from '../fields/values.ts';
import type { SourceUser } from '../source-user.ts';
import { countIn } from './judge.ts';

/** Maximum number of columns to count. Names come from the file, and are kept in memory. */
const MAX_NAMES = 200;
const OTHERS = 'others';
/**
 * Number of records with a value in which the reader may show that it uses the column. If it never did, the
 * column counts as ignored, and further records are read without the proxy.
 */
const MAX_TRIALS = 100;

/** Secrets are never kept, and second factors are counted separately. */
const isIgnored = oncePerName((name) => namesSecret(name) || demandOf(name) !== undefined);

/**
 * Counts values in columns that the reader of a system ignores, such as columns that the app added. Some
 * readers use a column only in some records. Therefore a record with a value in a column that was not used
 * yet is read through a proxy, which notices the used columns.
 */
export class UnreadColumns {
  /** Columns that are used by the reader, made metadata by a setting, or counted as secrets or factors. */
  readonly #read = new Set<string>();
  /** Number of records with a value, for each column that the reader has not used yet. */
  readonly #unread = new Map<string, number>();
  /** Undefined for JSON and LDIF, whose records may have any members. */
  readonly #columns: readonly string[] | undefined;
  readonly #counts: Map<string, number>;
  readonly #isKept: (name: string) => boolean;

  /** @param isKept returns whether a setting makes the column metadata */
  constructor(
    { container, columns }: TableHead,
    { counts, isKept }: { counts: Map<string, number>; isKept(name: string): boolean },
  ) {
    const isFixed = container !== 'json' && container !== 'ldif' && columns.size > 0;
    this.#columns = isFixed ? [...columns] : undefined;
    this.#counts = counts;
    this.#isKept = isKept;
  }

  read(record: SourceRecord, read: (record: SourceRecord) => SourceUser | undefined): SourceUser | undefined {
    const names = this.#unreadIn(record);
    if (names.length === 0) return read(record);
    const isOnTrial = names.some((name) => (this.#unread.get(name) ?? 0) < MAX_TRIALS);
    const user = read(isOnTrial ? this.#watched(record) : record);
    if (user === undefined) return user;
    for (const name of names) if (!this.#read.has(name)) this.#count(name);
    return user;
  }

  #unreadIn(record: SourceRecord): string[] {
    const names: string[] = [];
    for (const name of this.#columns ?? Object.keys(record)) {
      if (this.#read.has(name) || !isWorthKeeping(record[name])) continue;
      if (isIgnored(name) || this.#isKept(name)) this.#read.add(name);
      else names.push(name);
    }
    return names;
  }

  #watched(record: SourceRecord): SourceRecord {
    return new Proxy(record, {
      get: (target, name) => {
        if (typeof name === 'string') this.#markRead(name);
        return Reflect.get(target, name);
      },
    });
  }

  #markRead(name: string): void {
    this.#read.add(name);
    const counted = this.#unread.get(name);
    if (counted === undefined) return;
    this.#unread.delete(name);
    // The count under the shown name may include other columns with the same shown name, and columns of other
    // tables. Only the values of this column are subtracted.
    const rest = (this.#counts.get(shownName(name)) ?? 0) - counted;
    if (rest > 0) this.#counts.set(shownName(name), rest);
    else this.#counts.delete(shownName(name));
  }

  #count(name: string): void {
    const isKnown = this.#unread.has(name) || this.#unread.size < MAX_NAMES;
    if (isKnown) countIn(this.#unread, name);
    const shown = shownName(name);
    countIn(
      this.#counts,
      isKnown && (this.#counts.has(shown) || this.#counts.size < MAX_NAMES) ? shown : OTHERS,
    );
  }
}

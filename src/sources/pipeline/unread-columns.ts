import type { SourceRecord, TableHead } from '../containers/table.ts';
import { oncePerName } from '../fields/column-names.ts';
import { demandOf } from '../fields/second-factors.ts';
import { namesSecret } from '../fields/secret-names.ts';
import { shownName } from '../fields/shown-name.ts';
import { isWorthKeeping } from '../fields/values.ts';
import type { SourceUser } from '../source-user.ts';
import { countIn } from './judge.ts';

/** Maximum number of column names in the counts. They come from the file, and are kept until the end. */
const MAX_NAMES = 200;
const OTHERS = 'others';
/** Records with a value in a column until which its reader may still look at the column. */
const MAX_TRIALS = 100;

/** Secrets are never kept, and users with a second factor are counted as such. */
const isIgnored = oncePerName((name) => namesSecret(name) || demandOf(name) !== undefined);

/**
 * Counts values in columns of a table of users that the reader of its system does not look at, such as columns that the
 * app added. Readers look at some columns in some records only. A record with a value in a column that no record has
 * needed yet is therefore read through a proxy, which notes the columns.
 */
export class UnreadColumns {
  /** Columns that the reader has looked at, or that do not count. */
  readonly #read = new Set<string>();
  /** Number of records with a value, by column that has not been read. */
  readonly #unread = new Map<string, number>();
  /** Names of the columns, or undefined if records may have any members. */
  readonly #columns: readonly string[] | undefined;
  readonly #counts: Map<string, number>;
  readonly #isKept: (name: string) => boolean;

  /** @param isKept whether a column becomes metadata by a setting */
  constructor(
    { container, columns }: TableHead,
    { counts, isKept }: { counts: Map<string, number>; isKept(name: string): boolean },
  ) {
    const isFixed = container !== 'json' && container !== 'ldif' && columns.size > 0;
    this.#columns = isFixed ? [...columns] : undefined;
    this.#counts = counts;
    this.#isKept = isKept;
  }

  /** Reads a record, and counts its values that were not looked at. */
  read(record: SourceRecord, read: (record: SourceRecord) => SourceUser | undefined): SourceUser | undefined {
    const names = this.#unreadIn(record);
    if (names.length === 0) return read(record);
    const isOnTrial = names.some((name) => (this.#unread.get(name) ?? 0) < MAX_TRIALS);
    const user = read(isOnTrial ? this.#watched(record) : record);
    if (user === undefined || user.isMetadataChosen) return user;
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
    // The name may stand for others, too, or be counted for another table.
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

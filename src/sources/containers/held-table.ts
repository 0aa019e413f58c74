import {
  type BadRecord,
  type ContainerName,
  isBadRecord,
  type RecordBatch,
  type SourceRecord,
  type TableHead,
} from './table.ts';

/** Number of records held for each table until it is known whether the import needs the table. */
const MAX_HELD_RECORDS = 20;
/** The same, if few of the records are readable. */
const MAX_HELD_ENTRIES = 1000;
const MAX_HELD_BYTES = 1024 * 1024;
/** Size of the records held for all tables of a file together. */
const MAX_HEADS_BYTES = 16 * 1024 * 1024;
/** The head of a table has one record of at most this size, even if those of other tables have all the memory. */
const MAX_SMALL_BYTES = 64 * 1024;

/** What a reader knows of a table once its first records are read. */
export type TableDescription = Partial<TableHead> & Pick<TableHead, 'columns'>;

/** Holds the first records of a table until the caller knows whether the import needs it, and then passes them on. */
export class HeldTable {
  isUnwanted = false;
  #head: TableHead | undefined;
  #held: readonly (SourceRecord | BadRecord)[] = [];
  #good: SourceRecord[] = [];
  #heldBytes = 0;
  #rows = 0;
  readonly #container: ContainerName;
  readonly #describe: (first: readonly SourceRecord[]) => TableDescription | undefined;
  readonly #wanted: (table: TableHead) => boolean;
  /** Size of what is held of all tables. */
  readonly #all: { heldBytes: number };

  /** @param describe returns undefined if there is no table */
  constructor(
    container: ContainerName,
    describe: (first: readonly SourceRecord[]) => TableDescription | undefined,
    wanted: (table: TableHead) => boolean,
    all = { heldBytes: 0 },
  ) {
    this.#container = container;
    this.#describe = describe;
    this.#wanted = wanted;
    this.#all = all;
  }

  /**
   * Returns the batches that are ready to be passed on.
   * @param sizeBytes size of all these records in the file
   */
  add(records: readonly (SourceRecord | BadRecord)[], sizeBytes: number): readonly RecordBatch[] {
    if (records.length === 0 || this.isUnwanted) return [];
    if (this.#head !== undefined) return [this.#batch(this.#head, records)];
    this.#held = this.#held.concat(records);
    for (const record of records) if (!isBadRecord(record)) this.#good.push(record);
    this.#heldBytes += sizeBytes;
    this.#all.heldBytes += sizeBytes;
    const isFull =
      this.#good.length >= MAX_HELD_RECORDS ||
      this.#held.length >= MAX_HELD_ENTRIES ||
      this.#heldBytes >= MAX_HELD_BYTES ||
      this.#all.heldBytes >= MAX_HEADS_BYTES;
    return isFull ? this.finish() : [];
  }

  /** Decides whether the table is wanted, if that is not known yet, and returns the batches held so far. */
  finish(): readonly RecordBatch[] {
    if (this.#head !== undefined) return [];
    const each = this.#heldBytes / this.#held.length;
    this.#all.heldBytes -= this.#heldBytes;
    const fitting = Math.floor((MAX_HEADS_BYTES - this.#all.heldBytes) / each);
    const count = Math.max(fitting, each <= MAX_SMALL_BYTES ? 1 : 0);
    const first = this.#good.slice(0, Math.min(count, MAX_HELD_RECORDS));
    this.#all.heldBytes += first.length * (each || 0);
    const described = this.#describe(first);
    if (described === undefined) return [];
    const head = { container: this.#container, name: '', root: {}, first, ...described };
    this.#head = head;
    this.isUnwanted = !this.#wanted(head);
    const held = this.#held;
    this.#held = [];
    this.#good = [];
    return this.isUnwanted || held.length === 0 ? [] : [this.#batch(head, held)];
  }

  #batch(table: TableHead, records: readonly (SourceRecord | BadRecord)[]): RecordBatch {
    const firstRow = this.#rows + 1;
    this.#rows += records.length;
    return { table, firstRow, records };
  }
}

export const membersOf = (records: readonly SourceRecord[]): ReadonlySet<string> =>
  new Set(records.flatMap((record) => Object.keys(record)));

import { parseExact, toJson } from '../../lib/json/exact-json.ts';
import type { JsonObject } from '../../lib/json/json-object.ts';
import { blobText, json, type WorkDatabase } from '../../lib/work-database.ts';
import {
  BadRecord,
  FileProblem,
  isBadRecord,
  type RecordProblem,
  type SourceRecord,
} from '../containers/table.ts';
import type { UsedBatch } from './read-tables.ts';

const MAX_BUFFERED = 500;
/** Maximum number of records that are read into memory for one user and detail. */
const MAX_RECORDS = 100_000;

/** Stores the records of joined tables (details) by their keys, reduced to the values that readers need. */
export class JoinedRecords {
  readonly #database: WorkDatabase;
  #buffered: [detail: string, key: string, n: number, kept: string][] = [];
  #added = 0;

  constructor(database: WorkDatabase) {
    this.#database = database;
    // Rows are stored in the order of their keys. Dumps mostly have users in this order, too, so successive look-ups
    // read the same pages.
    database.exec(
      'create table joined (detail text, key text, n integer, kept text, primary key (detail, key, n)) without rowid',
    );
  }

  add(detail: string, key: string, kept: JsonObject): void {
    this.#added += 1;
    this.#buffered.push([detail, key, this.#added, toJson(kept)]);
    if (this.#buffered.length >= MAX_BUFFERED) this.#flush();
  }

  find(detail: string, key: string): JsonObject[] {
    this.#flush();
    if (this.#added === 0) return [];
    const rows = this.#database.all(
      `select cast(kept as blob) as kept from joined where detail = ?1 and key = ?2 ->> 0 order by n limit ${MAX_RECORDS + 1}`,
      detail,
      json([key]),
    );
    // The list must not be cut: any of the records may say that the user must not sign in.
    if (rows.length > MAX_RECORDS)
      throw new FileProblem(
        'FILE_INVALID',
        `A user has more than ${MAX_RECORDS} records in ${detail}. Leave the user out of the export, or those records that say nothing.`,
      );
    return rows.map(({ kept }) => parseExact(blobText(kept)) as JsonObject);
  }

  #flush(): void {
    if (this.#buffered.length === 0) return;
    this.#database.run(
      'insert into joined select value ->> 0, value ->> 1, value ->> 2, value ->> 3 from json_each(?)',
      json(this.#buffered),
    );
    this.#buffered = [];
  }
}

/** Stores records that can only be converted after all joined tables were read, in the order of the files. */
export class HeldRecords {
  readonly #database: WorkDatabase;
  readonly #batches: Omit<UsedBatch, 'firstRow' | 'records'>[] = [];

  constructor(database: WorkDatabase) {
    this.#database = database;
    database.exec(
      'create table held (id integer primary key, source integer, first_row integer, records blob)',
    );
  }

  add({ survey, use, table, firstRow, records }: UsedBatch): void {
    let source = this.#batches.findIndex((one) => one.table === table && one.use === use);
    if (source === -1) source = this.#batches.push({ survey, use, table }) - 1;
    this.#database.run(
      'insert into held (source, first_row, records) values (?, ?, ?)',
      ...[source, firstRow, Buffer.from(toJson(records.map(packed)))],
    );
  }

  /** Yields the batches of tables of users, or those of joined tables. */
  *each(as: UsedBatch['use']['as']): Generator<UsedBatch> {
    if (!this.#batches.some(({ use }) => use.as === as)) return;
    for (const { source, first_row: firstRow, records } of this.#database.each(
      'select source, first_row, records from held order by id',
    )) {
      const batch = this.#batches[Number(source)];
      if (batch?.use.as !== as) continue;
      const items = parseExact(blobText(records)) as Packed[];
      yield { ...batch, firstRow: Number(firstRow), records: items.map(unpacked) };
    }
  }
}

/** A stored record. A bad record is stored as a list, to distinguish it from records, which are objects. */
type Packed = SourceRecord | readonly [RecordProblem, string, SourceRecord | null];

const packed = (record: SourceRecord | BadRecord): Packed =>
  isBadRecord(record) ? [record.problem, record.message, record.partial ?? null] : record;

const isPackedBad = (item: Packed): item is Exclude<Packed, SourceRecord> => Array.isArray(item);

function unpacked(item: Packed): SourceRecord | BadRecord {
  if (!isPackedBad(item)) return item;
  const [problem, message, partial] = item;
  return new BadRecord(problem, message, partial ?? undefined);
}

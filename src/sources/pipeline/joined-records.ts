import { parseExact, toJson } from '../../lib/json/exact-json.ts';
import type { JsonObject } from '../../lib/json/json-object.ts';
import { blobText, json, type WorkDatabase } from '../../lib/work-database.ts';
import {
  BadRecord,
  invalidFile,
  isBadRecord,
  type RecordProblem,
  type SourceRecord,
} from '../containers/table.ts';
import type { UsedBatch } from './read-tables.ts';

const MAX_BUFFERED = 500;
/** Maximum number of records that are read into memory for one user and detail. */
const MAX_RECORDS = 100_000;

/** Stores the records of joined tables (details) by their keys, reduced to the values that readers need. */
export function joinedRecords(database: WorkDatabase) {
  let buffered: [detail: string, key: string, n: number, kept: string][] = [];
  let added = 0;
  // Rows are stored in the order of their keys. Dumps mostly have users in this order, too, so successive look-ups
  // read the same pages.
  database.exec(
    'create table joined (detail text, key text, n integer, kept text, primary key (detail, key, n)) without rowid',
  );

  function flush(): void {
    if (buffered.length === 0) return;
    database.run(
      'insert into joined select value ->> 0, value ->> 1, value ->> 2, value ->> 3 from json_each(?)',
      json(buffered),
    );
    buffered = [];
  }

  function add(detail: string, key: string, kept: JsonObject): void {
    added += 1;
    buffered.push([detail, key, added, toJson(kept)]);
    if (buffered.length >= MAX_BUFFERED) flush();
  }

  function find(detail: string, key: string): JsonObject[] {
    flush();
    if (added === 0) return [];
    const rows = database.all(
      `select cast(kept as blob) as kept from joined where detail = ?1 and key = ?2 ->> 0 order by n limit ${MAX_RECORDS + 1}`,
      detail,
      json([key]),
    );
    // The list must not be cut: any of the records may say that the user must not sign in.
    if (rows.length > MAX_RECORDS)
      throw invalidFile(
        `A user has more than ${MAX_RECORDS} records in ${detail}. Leave the user out of the export, or those records that say nothing.`,
      );
    return rows.map(({ kept }) => parseExact(blobText(kept)) as JsonObject);
  }

  return { add, find };
}

export type HeldRecords = ReturnType<typeof heldRecords>;

/**
 * Stores, in the order of the files, records that can only be converted after all joined tables were read.
 */
export function heldRecords(database: WorkDatabase) {
  const batches: Omit<UsedBatch, 'firstRow' | 'records'>[] = [];
  database.exec(
    'create table held (id integer primary key, source integer, first_row integer, records blob)',
  );

  function add({ survey, use, table, firstRow, records }: UsedBatch): void {
    let source = batches.findIndex((one) => one.table === table && one.use === use);
    if (source === -1) source = batches.push({ survey, use, table }) - 1;
    database.run(
      'insert into held (source, first_row, records) values (?, ?, ?)',
      ...[source, firstRow, Buffer.from(toJson(records.map(packed)))],
    );
  }

  /** Yields the batches of tables of users, or those of joined tables. */
  function* each(as: UsedBatch['use']['as']): Generator<UsedBatch> {
    if (!batches.some(({ use }) => use.as === as)) return;
    for (const { source, first_row: firstRow, records } of database.each(
      'select source, first_row, records from held order by id',
    )) {
      const batch = batches[Number(source)];
      if (batch?.use.as !== as) continue;
      const items = parseExact(blobText(records)) as Packed[];
      yield { ...batch, firstRow: Number(firstRow), records: items.map(unpacked) };
    }
  }

  return { add, each };
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

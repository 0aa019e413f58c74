import { MAX_HEADS_BYTES, MAX_HELD_BYTES, MAX_HELD_RECORDS } from '../held-records.ts';
import {
  type BadRecord,
  FileProblem,
  isBadRecord,
  type RecordBatch,
  type SourceRecord,
  type TableHead,
} from '../table.ts';
import { MAX_MEMBER_BYTES, type RootMembers } from './root-members.ts';

export type Records = readonly (SourceRecord | BadRecord)[];

/** Collects the records of a list in a JSON file, and passes them on in batches. */
export interface JsonTable {
  /**
   * Returns the batches that are ready to be passed on. `sizeBytes`: size of all records in the JSON file.
   */
  add(records: Records, sizeBytes: number): readonly RecordBatch[];
  isUnwanted(): boolean;
  /**
   * Ends a list of the JSON file. Decides whether the table is wanted, and returns the batches held so far.
   */
  finish(): readonly RecordBatch[];
}

export type TableFacts = Pick<TableHead, 'isLines' | 'file' | 'isFound'>;

export interface JsonTables {
  /** Returns the same table if the name occurs again in the JSON file. */
  table(name: string, facts?: TableFacts): JsonTable;
  isEmpty(): boolean;
  finish(): readonly RecordBatch[];
}

/** No application has as many kinds of objects in a JSON file. */
const MAX_TABLES = 1000;

export function createTables(root: RootMembers, wanted: (table: TableHead) => boolean): JsonTables {
  const tables = new Map<string, JsonTable>();
  let heldInAll = 0;

  function createTable(name: string, facts: TableFacts): JsonTable {
    const columns = new Set<string>();
    const first: SourceRecord[] = [];
    const head: TableHead = {
      container: 'json',
      name,
      columns,
      first,
      root: root.members,
      isLines: false,
      ...facts,
    };
    let rows = 0;
    let held: RecordBatch[] = [];
    let heldBytes = 0;
    let isWanted: boolean | undefined;

    const isHeadFull = () =>
      first.length >= MAX_HELD_RECORDS || heldBytes >= MAX_HELD_BYTES || heldInAll >= MAX_HEADS_BYTES;

    function keepFirst(records: Records, sizeBytes: number): void {
      const each = sizeBytes / Math.max(1, records.length);
      for (const record of records) {
        // Without any record, the columns of a table would be unknown.
        if (isHeadFull() && (first.length > 0 || each > MAX_MEMBER_BYTES)) return;
        heldBytes += each;
        heldInAll += each;
        if (isBadRecord(record)) continue;
        first.push(record);
        for (const column of Object.keys(record)) columns.add(column);
      }
    }

    function decide(): readonly RecordBatch[] {
      if (isWanted !== undefined) return [];
      isWanted = wanted(head);
      const batches = isWanted ? held : [];
      held = [];
      return batches;
    }

    return {
      add(records, sizeBytes) {
        if (records.length === 0) return [];
        const batch = { table: head, firstRow: rows + 1, records };
        rows += records.length;
        if (isWanted !== undefined) return isWanted ? [batch] : [];
        keepFirst(records, sizeBytes);
        held.push(batch);
        return isHeadFull() ? decide() : [];
      },
      isUnwanted: () => isWanted === false,
      finish: decide,
    };
  }

  return {
    isEmpty: () => tables.size === 0,
    finish: () => [...tables.values()].flatMap((table) => table.finish()),
    table(name, facts = {}) {
      const known = tables.get(name);
      if (known !== undefined) return known;
      if (tables.size >= MAX_TABLES) {
        throw new FileProblem(
          'FILE_INVALID',
          `The file holds more than ${MAX_TABLES} tables. Export only the tables with users.`,
        );
      }
      const table = createTable(name, facts);
      tables.set(name, table);
      return table;
    },
  };
}

/** Records that were read from a part of a JSON file. */
export interface TakenRecords {
  records: (SourceRecord | BadRecord)[];
  /** Reason why the JSON file cannot be read beyond `records`. */
  problem?: FileProblem;
}

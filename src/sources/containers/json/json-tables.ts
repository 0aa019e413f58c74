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

/** A table of a JSON file. It collects the records of a list and passes them on in batches. */
export interface JsonTable {
  /**
   * Adds records of the JSON file to the table.
   * @param sizeBytes total size of the records in the file
   * @returns batches that are ready to be passed on
   */
  add(records: Records, sizeBytes: number): readonly RecordBatch[];
  /** Returns whether the import does not need the table, so that the reader may skip its records. */
  isUnwanted(): boolean;
  /**
   * Ends the current list of the JSON file. Asks the caller whether the table is wanted, if that is not
   * decided yet. Returns the batches that were held until then.
   */
  finish(): readonly RecordBatch[];
}

/** Facts about a table of a JSON file, as in `TableHead`. */
export type TableFacts = Pick<TableHead, 'isLines' | 'file' | 'isFound'>;

export interface JsonTables {
  /** Returns the JSON table of this name. The same table is returned if the name occurs again in the file. */
  table(name: string, facts?: TableFacts): JsonTable;
  /** Returns whether the JSON file has had no table so far. */
  isEmpty(): boolean;
  /** Returns the batches that are still held for any table. Called at the end of the JSON file. */
  finish(): readonly RecordBatch[];
}

/** Maximum number of tables in a JSON file. No application has as many kinds of objects. */
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

import {
  type BadRecord,
  FileProblem,
  isBadRecord,
  type RecordBatch,
  type SourceRecord,
  type TableHead,
} from '../table.ts';
import type { RootMembers } from './root-members.ts';

export type Records = readonly (SourceRecord | BadRecord)[];

/** A table of the file, and where its records go. */
export interface JsonTable {
  /** @param sizeBytes of the records, in the file @returns what may be handed out now */
  add(records: Records, sizeBytes: number): readonly RecordBatch[];
  /** It may be passed over. */
  isUnwanted(): boolean;
  /** No more records will come, or for now: the table is asked about if it has not been. */
  finish(): readonly RecordBatch[];
}

export interface JsonTables {
  /** The table of this name: the same one where it comes again. */
  table(name: string, isLines?: boolean): JsonTable;
  /** Is there none yet? */
  isEmpty(): boolean;
  /** No more records will come for any of them. */
  finish(): readonly RecordBatch[];
}

/** Enough to see what a table holds. */
const HEAD_RECORDS = 20;
/** Of one table; and of all of them, since their first records are kept. */
const HEAD_BYTES = 1024 * 1024;
const HEADS_BYTES = 16 * 1024 * 1024;
/** More kinds of things than any application has: what would need more is no export. */
const MAX_TABLES = 1000;

export function createTables(root: RootMembers, wanted: (table: TableHead) => boolean): JsonTables {
  const tables = new Map<string, JsonTable>();
  let heldInAll = 0;

  function createTable(name: string, isLines: boolean): JsonTable {
    const columns = new Set<string>();
    const first: SourceRecord[] = [];
    const head: TableHead = { container: 'json', name, columns, first, root: root.members, isLines };
    let rows = 0;
    let held: RecordBatch[] = [];
    let heldBytes = 0;
    let isWanted: boolean | undefined;

    const isHeadFull = () =>
      first.length >= HEAD_RECORDS || heldBytes >= HEAD_BYTES || heldInAll >= HEADS_BYTES;

    function keepFirst(records: Records, sizeBytes: number): void {
      const each = sizeBytes / Math.max(1, records.length);
      for (const record of records) {
        if (isHeadFull()) return;
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
    table(name, isLines = false) {
      const known = tables.get(name);
      if (known !== undefined) return known;
      if (tables.size >= MAX_TABLES) {
        throw new FileProblem('FILE_INVALID', `The file holds more than ${MAX_TABLES} tables.`);
      }
      const table = createTable(name, isLines);
      tables.set(name, table);
      return table;
    },
  };
}

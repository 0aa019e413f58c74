import {
  type BadRecord,
  type ContainerName,
  isBadRecord,
  type RecordBatch,
  type SourceRecord,
  type TableHead,
} from './table.ts';
import { textBlocks } from './text-blocks.ts';

/** Reads the records of an export file that contains a single table, block by block. */
export interface RowReader {
  /** Returns the records that end in this block of the file, or all remaining ones if `isLast`. */
  push(block: string, isLast: boolean): (SourceRecord | BadRecord)[];
  /** Returns undefined if the file contains no table. */
  describe(first: readonly SourceRecord[]): Pick<TableHead, 'columns' | 'cells'> | undefined;
  /** @throws FileProblem if a block of a table that is not needed makes the whole file invalid */
  check?(block: string, isLast: boolean): void;
  /** Returns notes about the blocks pushed since the last call. See `RecordBatch.notes`. */
  takeNotes?(): Readonly<Record<string, number>> | undefined;
}

/** Number of records that are read before a table is described (`TableHead.first`). */
const FIRST_RECORDS = 20;
/** Maximum number of records read before a table is described, if few of them are readable. */
const MAX_WAITING = 1_000;
/** Limits the text that is read before a table is described. Records may be long. */
const MAX_WAITING_CHARS = 1_048_576;

/** A table that the import does not need is still read to its end, to detect a truncated file. */
export async function* readOneTable(
  container: ContainerName,
  bytes: AsyncIterable<Buffer>,
  reader: RowReader,
  wanted: (table: TableHead) => boolean,
): AsyncGenerator<RecordBatch> {
  let waiting: readonly (SourceRecord | BadRecord)[] = [];
  let table: TableHead | undefined;
  let isWanted = true;
  let firstRow = 1;
  let chars = 0;

  const take = (block: string, isLast: boolean): RecordBatch | undefined => {
    if (!isWanted) {
      reader.check?.(block, isLast);
      return undefined;
    }
    const records = reader.push(block, isLast);
    waiting = waiting.length === 0 ? records : waiting.concat(records);
    if (table === undefined) {
      chars += block.length;
      const isLong = waiting.length > 0 && chars > MAX_WAITING_CHARS;
      const first = waiting.filter((record): record is SourceRecord => !isBadRecord(record));
      if (first.length < FIRST_RECORDS && waiting.length < MAX_WAITING && !isLong && !isLast)
        return undefined;
      first.length = Math.min(first.length, FIRST_RECORDS);
      const described = reader.describe(first);
      if (described === undefined) return undefined;
      table = { container, name: '', ...described, first, root: {} };
      isWanted = wanted(table);
    }
    if (!isWanted || waiting.length === 0) return undefined;
    const notes = reader.takeNotes?.();
    const batch = { table, firstRow, records: waiting, ...(notes && { notes }) };
    firstRow += waiting.length;
    waiting = [];
    return batch;
  };

  for await (const block of textBlocks(bytes)) {
    const batch = take(block, false);
    if (batch !== undefined) yield batch;
  }
  const last = take('', true);
  if (last !== undefined) yield last;
}

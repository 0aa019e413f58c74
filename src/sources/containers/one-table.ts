import {
  type BadRecord,
  type ContainerName,
  isBadRecord,
  type RecordBatch,
  type SourceRecord,
  type TableHead,
} from './table.ts';
import { textBlocks } from './text-blocks.ts';

/** Reads the records of a file that is one table, block by block. */
export interface RowReader {
  /** The records that end in this block or before; in the last one, all. */
  push(block: string, isLast: boolean): (SourceRecord | BadRecord)[];
  /** @returns undefined where there is no table */
  describe(first: readonly SourceRecord[]): Pick<TableHead, 'columns' | 'cells'> | undefined;
  /**
   * Looks at a block of a table that is not wanted, for what makes the file as a whole wrong.
   * @throws FileProblem
   */
  check?(block: string, isLast: boolean): void;
  /** What is to be noted of what was pushed since it was asked last. */
  takeNotes?(): Readonly<Record<string, number>> | undefined;
}

/** Of the head. */
const FIRST_RECORDS = 20;
/** So many are waited for at most, where few of them can be read. */
const MAX_WAITING = 1_000;
/** So much text is waited for where there are some: records may be long. */
const MAX_WAITING_CHARS = 1_048_576;

/** Reads a file that is one table. It is read to its end also where the table is not wanted: a file that is cut should be known. */
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

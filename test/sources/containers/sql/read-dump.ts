import { readSql } from '../../../../src/sources/containers/sql/read-sql.ts';
import {
  FileProblem,
  isBadRecord,
  type ReadOptions,
  type SourceRecord,
  type TableHead,
} from '../../../../src/sources/containers/table.ts';

export interface DumpRead {
  /** Tables in the order in which they were offered. */
  asked: TableHead[];
  /** Rows by table name. A bad row is represented by its problem. */
  rows: Record<string, (SourceRecord | string)[]>;
  problem: FileProblem | undefined;
}

interface Options {
  chunkBytes?: number;
  wanted?: (table: TableHead) => boolean;
  options?: ReadOptions;
}

async function* chunksOf(bytes: Buffer, chunkBytes = 65_536): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes);
}

/** Reads a dump to its end. Throws on any error but a FileProblem, and on gaps in the row numbers. */
export async function readDump(
  dump: Buffer | string,
  { chunkBytes, wanted = () => true, options = {} }: Options = {},
): Promise<DumpRead> {
  const bytes = typeof dump === 'string' ? Buffer.from(dump) : dump;
  const read: DumpRead = { asked: [], rows: {}, problem: undefined };
  const ask = (table: TableHead) => {
    read.asked.push(table);
    return wanted(table);
  };
  try {
    const chunks = { [Symbol.asyncIterator]: () => chunksOf(bytes, chunkBytes) };
    for await (const batch of readSql(chunks, options, ask)) {
      if (!read.asked.includes(batch.table)) throw new Error('rows of a table that was not asked for');
      read.rows[batch.table.name] ??= [];
      const rows = read.rows[batch.table.name] ?? [];
      if (batch.firstRow !== rows.length + 1)
        throw new Error(`row ${batch.firstRow} after ${rows.length} rows`);
      for (const record of batch.records) rows.push(isBadRecord(record) ? record.problem : record);
    }
  } catch (error) {
    if (!(error instanceof FileProblem)) throw error;
    read.problem = error;
  }
  return read;
}

export async function rowsOf(dump: Buffer | string, table: string): Promise<(SourceRecord | string)[]> {
  const { rows, problem } = await readDump(dump);
  if (problem !== undefined) throw problem;
  return rows[table] ?? [];
}

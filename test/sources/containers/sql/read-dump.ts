import { readSql } from '../../../../src/sources/containers/sql/read-sql.ts';
import type {
  FileProblem,
  ReadOptions,
  SourceRecord,
  TableHead,
} from '../../../../src/sources/containers/table.ts';
import { chunksOf, readTables, withCodes } from '../read-whole.ts';

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

export async function readDump(
  dump: Buffer | string,
  { chunkBytes = 65_536, wanted, options = {} }: Options = {},
): Promise<DumpRead> {
  const { tables, asked, problem } = await readTables(readSql, chunksOf(dump, chunkBytes), options, wanted);
  const rows = Object.fromEntries(
    Object.entries(tables).map(([name, table]) => [name, withCodes(table.rows)]),
  );
  return { asked, rows, problem };
}

export async function rowsOf(dump: Buffer | string, table: string): Promise<(SourceRecord | string)[]> {
  const { rows, problem } = await readDump(dump);
  if (problem !== undefined) throw problem;
  return rows[table] ?? [];
}

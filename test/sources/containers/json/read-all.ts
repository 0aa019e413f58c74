import { readFileSync } from 'node:fs';
import { readJson } from '../../../../src/sources/containers/json/read-json.ts';
import {
  type BadRecord,
  FileProblem,
  isBadRecord,
  type ReadOptions,
  type SourceRecord,
  type TableHead,
} from '../../../../src/sources/containers/table.ts';

export interface ReadTable {
  head: TableHead;
  rows: (SourceRecord | BadRecord)[];
}

export interface Read {
  tables: Record<string, ReadTable>;
  /** Heads that were offered, in order. */
  asked: TableHead[];
  problem?: FileProblem;
}

export async function* chunksOf(bytes: Buffer, size = 64 * 1024): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** Reads a file to its end. Throws if a row number is wrong, or if anything but a `FileProblem` is thrown. */
export async function readAll(
  input: string | Buffer | AsyncIterable<Buffer>,
  options: ReadOptions = {},
  wanted: (head: TableHead) => boolean = () => true,
): Promise<Read> {
  const chunks = typeof input === 'string' || Buffer.isBuffer(input) ? chunksOf(Buffer.from(input)) : input;
  const read: Read = { tables: Object.create(null), asked: [] };
  const ask = (head: TableHead) => {
    if (read.asked.includes(head)) throw new Error(`asked twice about ${head.name}`);
    read.asked.push(head);
    return wanted(head);
  };
  try {
    for await (const { table, firstRow, records } of readJson(chunks, options, ask)) {
      if (!read.asked.includes(table)) throw new Error('records of a table that nobody was asked about');
      if (records.length === 0) throw new Error('an empty batch');
      read.tables[table.name] ??= { head: table, rows: [] };
      const { rows } = read.tables[table.name] as ReadTable;
      if (firstRow !== rows.length + 1) throw new Error(`row ${firstRow} after ${rows.length}`);
      rows.push(...records);
    }
  } catch (error) {
    if (!(error instanceof FileProblem)) throw error;
    read.problem = error;
  }
  return read;
}

/** Returns the records of the only table, with a code in place of each bad record. */
export async function rowsOf(input: string | Buffer, options?: ReadOptions): Promise<unknown[]> {
  const { tables, problem } = await readAll(input, options);
  if (problem !== undefined) throw problem;
  return withCodes(Object.values(tables)[0]?.rows ?? []);
}

export const withCodes = (rows: readonly (SourceRecord | BadRecord)[]): unknown[] =>
  rows.map((row) => (isBadRecord(row) ? row.problem : row));

export const sample = (name: string): Buffer =>
  readFileSync(new URL(`../../samples/${name}`, import.meta.url));

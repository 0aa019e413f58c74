import { readJson } from '../../../../src/sources/containers/json/read-json.ts';
import type { ReadOptions, TableHead } from '../../../../src/sources/containers/table.ts';
import { chunksOf, type ReadTables, readTables, withCodes } from '../read-whole.ts';

export const readAll = (
  input: string | Buffer | AsyncIterable<Buffer>,
  options: ReadOptions = {},
  wanted?: (head: TableHead) => boolean,
): Promise<ReadTables> => {
  const chunks = typeof input === 'string' || Buffer.isBuffer(input) ? chunksOf(input, 64 * 1024) : input;
  return readTables(readJson, chunks, options, wanted);
};

/** Returns the records of the only table, with a code in place of each bad record. */
export async function rowsOf(input: string | Buffer, options?: ReadOptions): Promise<unknown[]> {
  const { tables, problem } = await readAll(input, options);
  if (problem !== undefined) throw problem;
  return withCodes(Object.values(tables)[0]?.rows ?? []);
}

import { readFileSync } from 'node:fs';
import { openContainer } from '../../../src/sources/containers/open-container.ts';
import {
  type BadRecord,
  type Container,
  FileProblem,
  isBadRecord,
  type ReadOptions,
  type RecordBatch,
  type SourceFile,
  type SourceRecord,
  type TableHead,
} from '../../../src/sources/containers/table.ts';

import { surveyFile } from '../../../src/sources/pipeline/survey-file.ts';

/** Everything a container reads from a file. */
export interface WholeFile {
  heads: TableHead[];
  records: (SourceRecord | BadRecord)[];
}

/** Yields bytes in chunks of a size, or cut at these places. */
export async function* chunksOf(
  bytes: Buffer | string,
  sizeOrCuts: number | readonly number[],
): AsyncGenerator<Buffer> {
  const all = Buffer.from(bytes);
  const cuts =
    typeof sizeOrCuts === 'number'
      ? Array.from({ length: Math.ceil(all.length / sizeOrCuts) }, (_, index) => index * sizeOrCuts)
      : [0, ...[...sizeOrCuts].sort((a, b) => a - b)];
  for (const [index, cut] of cuts.entries()) yield all.subarray(cut, cuts[index + 1] ?? all.length);
}

/** Reads a file to its end, and checks that rows are numbered without gaps. */
export async function collect(
  batches: AsyncIterable<RecordBatch>,
  heads: TableHead[] = [],
): Promise<WholeFile> {
  const whole: WholeFile = { heads, records: [] };
  for await (const batch of batches) {
    if (batch.firstRow !== whole.records.length + 1) throw new Error(`row ${batch.firstRow} is not the next`);
    for (const record of batch.records) whole.records.push(record);
  }
  return whole;
}

export function readWhole(
  container: Container,
  bytes: Buffer | string,
  options: ReadOptions = {},
  cuts: number | readonly number[] = 65_536,
): Promise<WholeFile> {
  const heads: TableHead[] = [];
  const wanted = (head: TableHead) => heads.push(head) > 0;
  const chunks = { [Symbol.asyncIterator]: () => chunksOf(bytes, cuts) };
  return collect(container(chunks, options, wanted), heads);
}

/** Returns the records, with a code in place of each unreadable one. */
export const outcomes = ({ records }: WholeFile) => withCodes(records);

/** Reads a file as the command line does, which detects its kind. */
export async function readSurveyed(text: string, options: ReadOptions = {}) {
  const survey = await surveyFile(fileOf(text), options);
  return { container: survey.container, records: (await collect(survey.read(() => true))).records };
}

export const fileOf = (bytes: Buffer | string, chunkBytes = 65_536): SourceFile => ({
  name: 'a file',
  open: () => chunksOf(bytes, chunkBytes),
});

/** Files with these texts, by name. */
export const filesOf = (texts: Readonly<Record<string, string>>): SourceFile[] =>
  Object.entries(texts).map(([name, text]) => ({ ...fileOf(text), name }));

/** Returns the code of the FileProblem that `work` throws. Passes on other errors. */
export async function problemOf(work: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (error instanceof FileProblem) return `${error.code}: ${error.message}`;
    throw error;
  }
}

export const sampleBytes = (name: string): Buffer =>
  readFileSync(new URL(`../samples/${name}`, import.meta.url));

/** The tables of a file, up to the problem that stops it. */
export interface ReadTables {
  tables: Record<string, { head: TableHead; rows: (SourceRecord | BadRecord)[] }>;
  /** Heads that were offered, in order. */
  asked: TableHead[];
  problem?: FileProblem;
}

/** Reads a file to its end. Throws if a row number is wrong, or if anything but a `FileProblem` is thrown. */
export async function readTables(
  container: Container,
  chunks: AsyncIterable<Buffer>,
  options: ReadOptions = {},
  wanted: (head: TableHead) => boolean = () => true,
): Promise<ReadTables> {
  const read: ReadTables = { tables: Object.create(null), asked: [] };
  const ask = (head: TableHead) => {
    if (read.asked.includes(head)) throw new Error(`asked twice about ${head.name}`);
    read.asked.push(head);
    return wanted(head);
  };
  try {
    for await (const { table, firstRow, records } of container(chunks, options, ask)) {
      if (!read.asked.includes(table)) throw new Error('records of a table that nobody was asked about');
      read.tables[table.name] ??= { head: table, rows: [] };
      const { rows } = read.tables[table.name] as ReadTables['tables'][string];
      if (firstRow !== rows.length + 1) throw new Error(`row ${firstRow} after ${rows.length}`);
      rows.push(...records);
    }
  } catch (error) {
    if (!(error instanceof FileProblem)) throw error;
    read.problem = error;
  }
  return read;
}

/** Returns rows with a code in place of each unreadable one. */
export const withCodes = (rows: readonly (SourceRecord | BadRecord)[]) =>
  rows.map((row) => (isBadRecord(row) ? row.problem : row));

export const kindOf = async (bytes: Buffer | string, options: ReadOptions = {}, chunkBytes?: number) =>
  (await openContainer(fileOf(bytes, chunkBytes), options)).name;

/** Returns the problem with which the command line refuses a file, if it does. */
export const surveyProblemOf = (text: string, options: ReadOptions = {}) =>
  problemOf(() => readSurveyed(text, options));

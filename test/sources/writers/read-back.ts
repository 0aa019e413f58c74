import { isDeepStrictEqual } from 'node:util';
import { isBadRecord, type ReadOptions, type SourceRecord } from '../../../src/sources/containers/table.ts';
import { surveyFile } from '../../../src/sources/pipeline/survey-file.ts';
import { fileOf } from '../containers/read-whole.ts';

/** Result of reading a file: refused as a whole with the operator's message, or the records of one table. */
export type ReadBack =
  | { refused: string }
  | { container: string; records: (Record<string, unknown> | 'refused row')[] };

/**
 * Reads a file as `user-import` does: a survey of the whole file, then its rows.
 * @param table selects the table of the users if the file has several
 */
export async function readBack(
  bytes: Buffer | string,
  options: ReadOptions = {},
  table: (name: string) => boolean = () => true,
): Promise<ReadBack> {
  try {
    const survey = await surveyFile(fileOf(bytes), options);
    const records: (Record<string, unknown> | 'refused row')[] = [];
    for await (const batch of survey.read(({ name }) => table(name))) {
      for (const record of batch.records) records.push(isBadRecord(record) ? 'refused row' : plain(record));
    }
    return { container: survey.container, records };
  } catch (error) {
    if (error instanceof Error && error.name === 'FileProblem') return { refused: error.message };
    throw error;
  }
}

const plain = (record: SourceRecord): Record<string, unknown> => ({ ...record });

/**
 * Compares what was read with what was written.
 * @param mayRefuseRows rows that the reader may refuse one by one, by index: those longer than the record limit
 * @returns undefined if every row came back cell for cell, or the file was refused as a whole; else what is wrong
 */
export function differenceOf(
  written: readonly Record<string, unknown>[],
  back: ReadBack,
  container: string,
  mayRefuseRows: (index: number) => boolean = () => false,
): string | undefined {
  if ('refused' in back) return undefined;
  if (back.container !== container) return `read as ${back.container}, not as ${container}`;
  if (back.records.length !== written.length)
    return `${written.length} rows were written, ${back.records.length} were read`;
  for (const [index, row] of written.entries()) {
    const read = back.records[index];
    if (read === 'refused row') {
      if (!mayRefuseRows(index)) return `row ${index + 1} was refused`;
      continue;
    }
    for (const [name, value] of Object.entries(row)) {
      if (!isDeepStrictEqual(read?.[name], value))
        return `row ${index + 1}, ${name}: wrote ${JSON.stringify(value).slice(0, 300)}, read ${JSON.stringify(read?.[name])?.slice(0, 300)}`;
    }
  }
  return undefined;
}

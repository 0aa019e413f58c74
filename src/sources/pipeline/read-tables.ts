import type { BadRecord, SourceRecord, TableHead } from '../containers/table.ts';
import { mayHoldBytea, readBytea } from './bytea-text.ts';
import type { Plan, Survey, TableUse } from './plan.ts';

/** Records of a table that the plan uses, in the order of the file. */
export interface UsedBatch {
  survey: Survey;
  use: TableUse;
  /** As the first pass over the file found it, with its complete `root`. One object for all batches. */
  table: TableHead;
  /** Number of the first record within its table, from 1. */
  firstRow: number;
  records: readonly (SourceRecord | BadRecord)[];
}

/** Reads the tables of the plan, file by file. */
export async function* readTables(
  { surveys, uses }: Plan,
  signal: AbortSignal | undefined,
): AsyncGenerator<UsedBatch> {
  for (const [index, survey] of surveys.entries()) {
    const used = uses[index] ?? new Map<string, TableUse>();
    if (used.size === 0) continue;
    const surveyed = new Map(survey.tables.map((table) => [table.name, table]));
    for await (const { table: head, firstRow, records } of survey.read(({ name }) => used.has(name))) {
      signal?.throwIfAborted();
      const use = used.get(head.name);
      if (use === undefined) continue;
      const table = surveyed.get(head.name) ?? head;
      // The first records of each table were decoded when the plan was made.
      yield {
        ...{ survey, use, table, firstRow },
        records: mayHoldBytea(head) ? records.map(readBytea) : records,
      };
    }
  }
}

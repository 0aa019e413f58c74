import type { RecordBatch, TableHead } from '../containers/table.ts';
import { mayHoldBytea, readBytea } from './bytea-text.ts';
import type { Plan, Survey, TableUse } from './plan.ts';

export type UserTable = Extract<TableUse, { as: 'users' }>;
export type DetailTable = Extract<TableUse, { as: 'detail' }>;

export interface UsedBatch<Use> {
  survey: Survey;
  use: Use;
  /** As the first pass over the file found it, with its complete `root`. One object for all batches. */
  table: TableHead;
  batch: RecordBatch;
}

/** Reads the tables that the plan uses and `isWanted` selects, file by file. */
export async function* readTables<Use extends TableUse>(
  { surveys, uses }: Plan,
  isWanted: (use: TableUse) => boolean,
  signal: AbortSignal | undefined,
): AsyncGenerator<UsedBatch<Use>> {
  for (const [index, survey] of surveys.entries()) {
    const wanted = new Map([...(uses[index] ?? [])].filter(([, use]) => isWanted(use)));
    if (wanted.size === 0) continue;
    const surveyed = new Map(survey.tables.map((table) => [table.name, table]));
    for await (const batch of survey.read(({ name }) => wanted.has(name))) {
      signal?.throwIfAborted();
      const { name } = batch.table;
      const use = wanted.get(name) as Use | undefined;
      if (use === undefined) continue;
      const table = surveyed.get(name) ?? batch.table;
      yield {
        survey,
        use,
        table,
        // The first records of each table were decoded when the plan was made.
        batch: mayHoldBytea(batch.table) ? { ...batch, records: batch.records.map(readBytea) } : batch,
      };
    }
  }
}

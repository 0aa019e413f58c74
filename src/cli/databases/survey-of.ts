import { createHash } from 'node:crypto';
import type { TableHead } from '../../sources/containers/table.ts';
import type { Survey } from '../../sources/pipeline/plan.ts';
import type { ReadRows } from './database.ts';

/** A head, and how all its rows are had. */
export interface SurveyedTable {
  head: TableHead;
  statement: string;
}

/**
 * A database in place of a file.
 * @param identity what its rows depend on: the same again where they are the same, so that an import can go on
 */
export function surveyOf(
  name: string,
  identity: readonly string[],
  tables: readonly SurveyedTable[],
  readRows: ReadRows,
): Survey {
  return {
    name,
    container: 'sql',
    tables: tables.map(({ head }) => head),
    digest: createHash('sha256').update(identity.join('\0')).digest('hex'),
    async *read(wanted) {
      for (const { head, statement } of tables) {
        if (!wanted(head)) continue;
        let firstRow = 1;
        for await (const records of readRows(statement)) {
          yield { table: head, firstRow, records };
          firstRow += records.length;
        }
      }
    },
  };
}

export const headOf = (
  name: string,
  columns: readonly string[],
  first: TableHead['first'] = [],
): TableHead => ({ container: 'sql', name, columns: new Set(columns), first, root: {} });

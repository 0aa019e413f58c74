import { createHash } from 'node:crypto';
import type { SourceRecord, TableHead } from '../../sources/containers/table.ts';
import { QUERY_TABLE } from '../../sources/fields/tables.ts';
import type { Survey } from '../../sources/pipeline/plan.ts';
import { FIRST_RECORDS, type ReadRows } from './database.ts';
import { databaseProblem } from './database-problem.ts';

export interface SurveyedTable {
  head: TableHead;
  statement: string;
}

/**
 * Returns a database in the form in which files are surveyed.
 * @param identity equal only for the same rows, so that an import of the same snapshot can be resumed
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

/** In parentheses, only a SELECT is valid. The line break before `)` ends a trailing `--` comment. */
export async function surveyQuery(
  {
    name,
    ask,
  }: { name: string; ask(statement: string): Promise<{ rows: SourceRecord[]; columns: readonly string[] }> },
  query: string,
): Promise<SurveyedTable> {
  const statement = query.trim().replace(/;$/, '');
  const { rows, columns } = await ask(`select * from (${statement}\n) as t limit ${FIRST_RECORDS}`);
  if (new Set(columns).size < columns.length) throw databaseProblem(name, 'SAME_NAME');
  return { head: headOf(QUERY_TABLE, columns, rows), statement };
}

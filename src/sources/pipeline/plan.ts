import type { ContainerName, RecordBatch, TableHead } from '../containers/table.ts';
import { SECOND_FACTORS, secondFactors } from '../fields/second-factors.ts';
import type { Advice, Detail, Form, Settings, Source } from '../source.ts';

/** An export file or database, and the facts that a first pass over it has found. */
export interface Survey {
  /** Name of the file as the operator gave it. Messages show it. */
  name: string;
  container: ContainerName;
  tables: readonly TableHead[];
  /** SHA-256 of the export file in hex. For a database, a value that identifies it and the query. */
  digest: string;
  /** Id of the database snapshot that was read. Rows that changed have another one, unchanged rows may have, too. */
  moment?: string;
  /** Set if the rows are the result of `--query`, and not the content of a file. */
  isQuery?: true;
  /** Size of the file. Undefined for a database. */
  sizeBytes?: number;
  /** Reads the tables for which `wanted` returns true, from the start of the file or database. */
  read(wanted: (table: TableHead) => boolean): AsyncIterable<RecordBatch>;
}

/** A table holds users, or records that are joined to users (a detail). Other tables are not read. */
export type TableUse =
  /** `detail` is set if rows refer to each other. The table is then also joined to itself, as this detail. */
  { form: Form; as: 'users'; detail?: string | undefined } | { form: Form; as: 'detail'; detail: string };

export interface Plan {
  source: Source;
  forms: readonly Form[];
  surveys: readonly Survey[];
  uses: ReadonlyMap<TableHead, TableUse>;
  settings: Settings;
  advice: readonly Advice[];
}

/** A table of one of the files, and its use. */
export interface SurveyedTable {
  survey: Survey;
  table: TableHead;
  use: TableUse | undefined;
}

export const tablesOf = ({ surveys, uses }: Pick<Plan, 'surveys' | 'uses'>): SurveyedTable[] =>
  surveys.flatMap((survey) => survey.tables.map((table) => ({ survey, table, use: uses.get(table) })));

/** Returns the tables of users. */
export const usersOf = (plan: Pick<Plan, 'surveys' | 'uses'>): SurveyedTable[] =>
  tablesOf(plan).filter(({ use }) => use?.as === 'users');

/** Reason why the import cannot be planned, shown to the operator. */
export interface NoPlan {
  noPlan: string;
}

export interface PlanAsk {
  from?: string | undefined;
  settings: Settings;
  /** The operator gave `--hashing-secret-id`, the id of a pepper or signer key. */
  hasSecret?: boolean | undefined;
}

/**
 * Returns the details of a form, then the second factors that every form has. The first that fits a table is
 * used.
 */
export const detailsOf = ({ details }: Form): Readonly<Record<string, Detail>> => ({
  ...details,
  [SECOND_FACTORS]: secondFactors,
});

/** Returns the form's declaration for a table of details. */
export function detailOf({ form, detail = '' }: TableUse): Detail {
  const found = detailsOf(form)[detail];
  if (found === undefined) throw new Error(`${form.name} has no detail ${detail}`);
  return found;
}

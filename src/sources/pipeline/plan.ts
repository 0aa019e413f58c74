import type { ContainerName, RecordBatch, TableHead } from '../containers/table.ts';
import type { Advice, Form, Settings, Source } from '../source.ts';

/** An export file or database, and what a first pass over it has found. */
export interface Survey {
  /** Name of the file as the operator gave it. */
  name: string;
  container: ContainerName;
  tables: readonly TableHead[];
  /** SHA-256 of the file in hex. For a database, a value that identifies it. */
  digest: string;
  /** Undefined for a database. */
  sizeBytes?: number;
  /** Reads the tables that `wanted` accepts, from the start. */
  read(wanted: (table: TableHead) => boolean): AsyncIterable<RecordBatch>;
}

/** Use of a table: it holds users, or details (records that are joined to users). Others are not read. */
export type TableUse =
  /** A table of users. If its rows refer to each other, it is also joined to itself as a detail. */
  { form: Form; as: 'users'; detail?: string | undefined } | { form: Form; as: 'detail'; detail: string };

export interface Plan {
  source: Source;
  forms: readonly Form[];
  surveys: readonly Survey[];
  /** Uses of tables by table name, one map for each survey. */
  uses: readonly ReadonlyMap<string, TableUse>[];
  settings: Settings;
  advice: readonly Advice[];
}

/** Reason why an import cannot be planned, as text for the operator. */
export interface NoPlan {
  noPlan: string;
}

export interface PlanAsk {
  /** Value of `--from`. */
  from?: string | undefined;
  /** Values of `--set`. */
  settings: Settings;
  /** Whether `--hashing-secret-id` was given. */
  hasSecret?: boolean | undefined;
}

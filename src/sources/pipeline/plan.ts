import type { ContainerName, RecordBatch, TableHead } from '../containers/table.ts';
import type { Advice, Form, Settings, Source } from '../source.ts';

/** An export file or database of the operator, and the facts that a first pass over it has found. */
export interface Survey {
  /** Name of the export file, as the operator gave it. Messages show it. */
  name: string;
  container: ContainerName;
  tables: readonly TableHead[];
  /** SHA-256 of the export file in hex. For a database, a value that identifies it. */
  digest: string;
  /** Size of the export file. Undefined for a database. */
  sizeBytes?: number;
  /** Reads the tables for which `wanted` returns true, from the start of the file or database. */
  read(wanted: (table: TableHead) => boolean): AsyncIterable<RecordBatch>;
}

/**
 * Use of a table of the export: it holds users, or records that are joined to users (a detail). Other tables
 * are not read.
 */
export type TableUse =
  /** A table of users. If its rows refer to each other, it is also joined to itself as a detail. */
  { form: Form; as: 'users'; detail?: string | undefined } | { form: Form; as: 'detail'; detail: string };

/** The export files to import, and how to read them. */
export interface Plan {
  source: Source;
  /** The kinds of export of the system that the files are. */
  forms: readonly Form[];
  surveys: readonly Survey[];
  /** Uses of tables (users or details), by table name. One map for each survey. */
  uses: readonly ReadonlyMap<string, TableUse>[];
  settings: Settings;
  /** Advice for the operator about this plan, for example about missing files. */
  advice: readonly Advice[];
}

/**
 * Reason why the import cannot be planned, for example because the export fits no system, or more than one.
 * The text is shown to the operator.
 */
export interface NoPlan {
  noPlan: string;
}

/** Options of the operator that determine how an export is read. */
export interface PlanAsk {
  /** Name of the exporting system that the operator chose with `--from`. */
  from?: string | undefined;
  /** Options that the operator gave with `--set`. */
  settings: Settings;
  /** Whether the operator gave `--hashing-secret-id`, the id of a pepper or signer key. */
  hasSecret?: boolean | undefined;
}

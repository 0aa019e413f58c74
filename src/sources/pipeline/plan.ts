import type { ContainerName, RecordBatch, TableHead } from '../containers/table.ts';
import type { Advice, Form, Settings, Source } from '../source.ts';

/** A file or database of the operator, and what a first pass over it has found. */
export interface Survey {
  /** Name of the file, as the operator gave it. Messages show it. */
  name: string;
  container: ContainerName;
  tables: readonly TableHead[];
  /** SHA-256 of the file in hex. For a database, a value that identifies it. */
  digest: string;
  /** Size of a file. Undefined for a database. */
  sizeBytes?: number;
  /** Reads the wanted tables from the start. */
  read(wanted: (table: TableHead) => boolean): AsyncIterable<RecordBatch>;
}

/** How a table is read: as users, or as details that are joined to users. Other tables are not read. */
export type TableUse =
  /** A table of users. If its rows refer to each other, it is joined to itself as a detail, too. */
  { form: Form; as: 'users'; detail?: string | undefined } | { form: Form; as: 'detail'; detail: string };

/** The files to import, and how to read them. */
export interface Plan {
  source: Source;
  /** The kinds of export that the files are. */
  forms: readonly Form[];
  surveys: readonly Survey[];
  /** How tables are read, by table name. One map for each survey. */
  uses: readonly ReadonlyMap<string, TableUse>[];
  settings: Settings;
  /** Advice about this plan, for example about missing files. */
  advice: readonly Advice[];
}

/** Reason for having no plan: no system fits, or more than one. Public text with advice. */
export interface NoPlan {
  noPlan: string;
}

/** Options of the operator that determine the plan. */
export interface PlanAsk {
  /** Name of the source that the operator chose with `--from`. */
  from?: string | undefined;
  /** Settings that the operator gave with `--set`. */
  settings: Settings;
  /** Whether the operator gave `--hashing-secret-id`. */
  hasSecret?: boolean | undefined;
}

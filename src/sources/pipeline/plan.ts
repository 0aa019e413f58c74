import type { ContainerName, RecordBatch, TableHead } from '../containers/table.ts';
import type { Advice, Form, Settings, Source } from '../source.ts';

/** A file or a database, and what a first look at all of it told. */
export interface Survey {
  /** As the operator named it. Shown. */
  name: string;
  container: ContainerName;
  tables: readonly TableHead[];
  /** SHA-256 of its bytes, hex; of a database, what tells it from others. */
  digest: string;
  /** Of a file. */
  sizeBytes?: number;
  /** Reads the tables that are wanted, from the start. */
  read(wanted: (table: TableHead) => boolean): AsyncIterable<RecordBatch>;
}

/** What a table is for. Tables that are for nothing are not read. */
export type TableUse =
  /** Of users that lead to each other, their table is a detail as well. */
  { form: Form; as: 'users'; detail?: string | undefined } | { form: Form; as: 'detail'; detail: string };

/** What is to be imported, and how. */
export interface Plan {
  source: Source;
  /** The forms that files have. */
  forms: readonly Form[];
  surveys: readonly Survey[];
  /** What the tables of a survey are for, by name: in the order of the surveys. */
  uses: readonly ReadonlyMap<string, TableUse>[];
  settings: Settings;
  /** Of this plan: what is missing, what to know. */
  advice: readonly Advice[];
}

/** Why there is no plan: no file is known, or more than one system fits. Public text, with what to do. */
export interface NoPlan {
  noPlan: string;
}

/** What the operator says of the files. */
export interface PlanAsk {
  /** `--from`: the name of a source. */
  from?: string | undefined;
  /** `--set`. */
  settings: Settings;
}

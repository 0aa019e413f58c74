import type { ContainerName, ReadOptions, SourceFile, TableHead } from '../containers/table.ts';
import type { Advice, Form, Settings, Source } from '../source.ts';

/** A file, and what a first look at all of it told. */
export interface Survey {
  file: SourceFile;
  container: ContainerName;
  tables: readonly TableHead[];
  /** SHA-256 of its bytes, hex. */
  digest: string;
  sizeBytes: number;
}

/** What is to be imported, and how. */
export interface Plan {
  source: Source;
  /** The forms that files have. */
  forms: readonly Form[];
  surveys: readonly Survey[];
  settings: Settings;
  options: ReadOptions;
  /** Of this plan: what is missing, what to know. */
  advice: readonly Advice[];
}

/** Why there is no plan: no file is known, or more than one system fits. Public text, with what to do. */
export interface NoPlan {
  noPlan: string;
}

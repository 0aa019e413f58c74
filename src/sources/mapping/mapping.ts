import type { Template } from './parse-template.ts';

/** What the operator said of the columns of a file: `--map`, `--hash`, or a mapping file. */
export interface Mapping {
  /** Columns by the field that they are taken for, and by the names that the template uses. Null: of none, whatever is called so. */
  columns: ReadonlyMap<string, string | null>;
  /** How the hash is put together. */
  template?: Template | undefined;
  /** The `hashingAlgorithm` of all hashes. */
  algorithm?: string | undefined;
  /** Words for yes and no besides the usual ones, lower case. */
  booleans: ReadonlyMap<string, boolean>;
  /** Columns that say nothing of who may sign in, whatever they are called. */
  noState: ReadonlySet<string>;
  /** The columns that become metadata; left out: all that are not used. */
  metadata?: readonly string[] | undefined;
}

/** Why there is no mapping: public text, with the position where there is one. */
export interface MappingProblem {
  problem: string;
}

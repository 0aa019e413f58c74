import type { Template } from './parse-template.ts';

/** The operator's description of the columns of an export: `--map`, `--hash`, or a mapping file. */
export interface Mapping {
  /**
   * Columns by the field that they contain, or by the name that the hash template uses. Null: no column
   * contains the field, even if one has a matching name.
   */
  columns: ReadonlyMap<string, string | null>;
  template?: Template | undefined;
  /** Algorithm of all hashes in the files: the `hashingAlgorithm` of the import. */
  algorithm?: string | undefined;
  /** Further words for yes and no in the export, in lower case. */
  booleans: ReadonlyMap<string, boolean>;
  /** Columns that do not decide who may sign in, although their names suggest it. */
  noState: ReadonlySet<string>;
  /** Columns that become metadata. If omitted, all columns without another use do. */
  metadata?: readonly string[] | undefined;
}

/** The text is shown to the operator, with the position if it is known. */
export interface MappingProblem {
  problem: string;
}

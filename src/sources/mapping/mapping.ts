import type { Template } from './parse-template.ts';

/** The operator's description of the columns: `--map`, `--hash`, or a mapping file. */
export interface Mapping {
  /**
   * Columns by the field that they contain, or by the name that the template uses. Null if no column contains the
   * field, even if a column has a matching name.
   */
  columns: ReadonlyMap<string, string | null>;
  /** Template that builds the hash from columns. */
  template?: Template | undefined;
  /** Algorithm of all hashes in the files (`hashingAlgorithm`). */
  algorithm?: string | undefined;
  /** Further words for yes and no, in lower case. */
  booleans: ReadonlyMap<string, boolean>;
  /** Columns that do not decide who may sign in, although their names suggest it. */
  noState: ReadonlySet<string>;
  /** Columns that become metadata. If omitted, all columns without another use do. */
  metadata?: readonly string[] | undefined;
}

/** Error in a mapping. The text is public, and contains the position if it is known. */
export interface MappingProblem {
  problem: string;
}

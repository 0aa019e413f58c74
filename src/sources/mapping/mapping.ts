import type { Template } from './parse-template.ts';

/** The operator's description of the columns of an export: `--map`, `--hash`, or a mapping file. */
export interface Mapping {
  /**
   * Columns by the field that they contain, or by the name that the hash template uses. Null if no column
   * contains the field, even if a column has a matching name.
   */
  columns: ReadonlyMap<string, string | null>;
  /** Template that builds the hash of a user from columns. */
  template?: Template | undefined;
  /** Algorithm of all hashes in the files: the `hashingAlgorithm` of the import. */
  algorithm?: string | undefined;
  /** Words for yes and no in the export besides the usual ones, in lower case. */
  booleans: ReadonlyMap<string, boolean>;
  /** Columns of the export that do not decide who may sign in, although their names suggest it. */
  noState: ReadonlySet<string>;
  /** Columns that become metadata. If omitted, all columns without another use become metadata. */
  metadata?: readonly string[] | undefined;
}

/**
 * Error in a mapping of columns. The text is shown to the operator, and contains the position if it is known.
 */
export interface MappingProblem {
  problem: string;
}

import type { Template } from './parse-template.ts';

/** The operator's description of the columns: `--map`, `--hash`, or a mapping file. */
export interface Mapping {
  /**
   * Columns by field, or by a name that the template uses. Null: the field has no column, even if one has a matching
   * name.
   */
  columns: ReadonlyMap<string, string | null>;
  /** Template that builds the hash from columns. */
  template?: Template | undefined;
  /** `hashingAlgorithm` of all hashes. */
  algorithm?: string | undefined;
  /** Additional words for yes and no, in lower case. */
  booleans: ReadonlyMap<string, boolean>;
  /** Columns that do not decide who may sign in, whatever their names. */
  noState: ReadonlySet<string>;
  /** Columns that become metadata. Omitted: all columns without another use. */
  metadata?: readonly string[] | undefined;
}

/** Error in a mapping. Public text, with the position if known. */
export interface MappingProblem {
  problem: string;
}

import type { Template } from './parse-template.ts';

/** Rule of the operator by which users of a table may sign in. */
export interface ActiveRule {
  column: string;
  /** Words with which a user may sign in, as they were given. The empty one stands for empty cells. */
  words?: readonly string[];
  /** Returns undefined if the value cannot be read. */
  holds(value: unknown, nowMs: number): boolean | undefined;
}

/** The operator's description of the columns of an export: `--map`, `--hash` and others. */
export interface Mapping {
  /**
   * Columns by the field that they contain, or by the name that the hash template uses. Null: no column
   * contains the field, even if one has a matching name.
   */
  columns: ReadonlyMap<string, string | null>;
  template?: Template | undefined;
  /** Algorithm of all hashes in the files: the `hashingAlgorithm` of the import. */
  algorithm?: string | undefined;
  /** Families by the words of the column `algorithm`, as they are written there. */
  algorithmOf?: ReadonlyMap<string, string> | undefined;
  /** Further words for yes, in lower case. All other words then mean no. */
  yes: ReadonlySet<string> | undefined;
  /** Reads the times of joining. */
  timeOf(value: unknown): number | undefined;
  /** Rules by which users may sign in. Empty: everybody. Undefined: the operator has not said it. */
  active: readonly ActiveRule[] | undefined;
}

/** The text is shown to the operator, with the position if it is known. */
export interface MappingProblem {
  problem: string;
}

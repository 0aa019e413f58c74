/** Instead of a place: the window ends first. */
export const MORE = -1;
/** Instead of a place: nothing that is known stands there. */
export const INVALID = -2;

/** Where a value is put that was read. */
export interface Cell {
  /** Undefined: `DEFAULT`, which says nothing. */
  value: string | null | undefined;
  /** What it was, where it was written as bytes. */
  bytes: Buffer | undefined;
}

/**
 * What the type of a column says about bytes in it. `unknown`: it may hold some, where the dump says that its text is UTF-8;
 * undefined: its type is not known, and the dump's encoding is not, either.
 */
export type ColumnKind = 'text' | 'bits' | 'bytes' | 'uuid' | 'unknown' | undefined;

export const newCell = (): Cell => ({ value: undefined, bytes: undefined });

/** Returned instead of an index if the part of the SQL dump in memory ends before the value does. */
export const MORE = -1;
/** Returned instead of an index if the SQL dump has no value that the reader understands at this position. */
export const INVALID = -2;

/** Receives one value of a row of an SQL dump. It is used again for each value. */
export interface Cell {
  /** Undefined if the value is `DEFAULT`, which the SQL dump does not show. */
  value: string | null | undefined;
  /** Set only if the SQL dump has a binary value and not a text. */
  bytes: Buffer | undefined;
}

/**
 * Whether the type of an SQL column allows bytes that are not text. `unknown`: the type is not known, but the
 * dump declares UTF-8, so other values are bytes. Undefined: neither type nor encoding is known.
 */
export type ColumnKind = 'text' | 'bits' | 'bytes' | 'uuid' | 'unknown' | undefined;

export const newCell = (): Cell => ({ value: undefined, bytes: undefined });

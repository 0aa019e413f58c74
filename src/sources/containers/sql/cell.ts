/** Returned instead of an index if the part of the SQL dump in memory ends before the value does. */
export const MORE = -1;
/** Returned instead of an index if the SQL dump has no value that the reader understands at this position. */
export const INVALID = -2;

/** Receives one value of a row of an SQL dump. It is used again for each value. */
export interface Cell {
  /** Value of the SQL cell as text, or null. Undefined if the value is `DEFAULT`, which is unknown. */
  value: string | null | undefined;
  /** Bytes of the SQL cell, if the dump has a binary value and not a text. */
  bytes: Buffer | undefined;
}

/**
 * Kind of an SQL column: whether its type allows bytes that are not text. `unknown`: the type is not known,
 * but the dump declares its text as UTF-8, so other values are bytes. Undefined: neither the type nor the
 * encoding is known.
 */
export type ColumnKind = 'text' | 'bits' | 'bytes' | 'uuid' | 'unknown' | undefined;

export const newCell = (): Cell => ({ value: undefined, bytes: undefined });

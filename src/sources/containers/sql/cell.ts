/** Returned instead of an index if the window ends before the value does. */
export const MORE = -1;
/** Returned instead of an index if the input at this place is not understood. */
export const INVALID = -2;

/** Receives a value of a row that was read. */
export interface Cell {
  /** Value as text, or null. Undefined if the value is `DEFAULT`, which is unknown. */
  value: string | null | undefined;
  /** The bytes of the value, if the dump has a binary value and not a text. */
  bytes: Buffer | undefined;
}

/**
 * Whether the type of a column allows bytes that are not text. `unknown`: the type is not known, but the dump declares
 * its text as UTF-8, so other values are bytes. Undefined: neither the type nor the encoding is known.
 */
export type ColumnKind = 'text' | 'bits' | 'bytes' | 'uuid' | 'unknown' | undefined;

export const newCell = (): Cell => ({ value: undefined, bytes: undefined });

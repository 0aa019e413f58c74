/** Maximum size of a record or row. It must fit into memory several times over; larger ones are not users. */
export const MAX_RECORD_BYTES = 16 * 1024 * 1024;

/*
 * A reader of several tables holds the first records of each table until it knows whether the table is wanted. The
 * counts and sizes below bound what it holds.
 */

/** Maximum number of records that are held for a table. */
export const MAX_HELD_RECORDS = 20;
/** Maximum size in bytes of the records that are held for a table. */
export const MAX_HELD_BYTES = 1024 * 1024;
/** Maximum size in bytes of the records that are held for all tables of a file. */
export const MAX_HEADS_BYTES = 16 * 1024 * 1024;

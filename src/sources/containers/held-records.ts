/** A record must fit into memory several times over. Larger records of an export are not users. */
export const MAX_RECORD_BYTES = 16 * 1024 * 1024;

/** Number of records held for each table until it is known whether the import needs the table. */
export const MAX_HELD_RECORDS = 20;
export const MAX_HELD_BYTES = 1024 * 1024;
/** Size of the records held for all tables of a file together. */
export const MAX_HEADS_BYTES = 16 * 1024 * 1024;

/**
 * Maximum size of a record or row of an export. It must fit into memory several times over; larger records
 * are not users.
 */
export const MAX_RECORD_BYTES = 16 * 1024 * 1024;

/*
 * A reader of several tables holds the first records of each table until it knows whether the import needs
 * the table. The counts and sizes below limit the held records.
 */

/**
 * Maximum number of records that a reader holds for each table, until it knows whether the import needs the
 * table.
 */
export const MAX_HELD_RECORDS = 20;
/**
 * Maximum size in bytes of the records that a reader holds for each table, until it knows whether the import
 * needs the table.
 */
export const MAX_HELD_BYTES = 1024 * 1024;
/**
 * Maximum size in bytes of the records that a reader holds for all tables of a file, until it knows which of
 * them the import needs.
 */
export const MAX_HEADS_BYTES = 16 * 1024 * 1024;

/** Needs no encoding in a URL. */
export const IMPORT_ID_PATTERN = '[A-Za-z0-9._-]{1,64}';

export const IMPORT_ID = new RegExp(`^${IMPORT_ID_PATTERN}$`);

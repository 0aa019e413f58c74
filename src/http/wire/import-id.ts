import { Type } from '@sinclair/typebox';

/** Needs no encoding in a URL, and is no `.` or `..`, which clients take out of paths. */
export const IMPORT_ID_PATTERN = '(?!\\.{1,2}(?:/|$))[A-Za-z0-9._-]{1,64}';

export const IMPORT_ID = new RegExp(`^${IMPORT_ID_PATTERN}$`);

export const ImportIdField = Type.String({ pattern: IMPORT_ID.source, minLength: 1, maxLength: 64 });

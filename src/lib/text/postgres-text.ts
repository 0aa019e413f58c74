/** PostgreSQL cannot store NUL or half a surrogate pair. */
export const isPostgresText = (text: string): boolean => isWellFormed(text) && !text.includes('\0');

/** End of the error message for text that PostgreSQL cannot store. */
export const POSTGRES_TEXT_RULE = 'must be text without NUL characters or half surrogate pairs';

/** UTF-8 would replace half a surrogate pair by another character. */
export const isWellFormed = (text: string): boolean => text.isWellFormed();

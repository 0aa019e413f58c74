/** Returns whether PostgreSQL can store this text unchanged: it has no NUL and no half surrogate pairs. */
export const isPostgresText = (text: string): boolean => isWellFormed(text) && !text.includes('\0');

/** End of the error message for text that PostgreSQL cannot store. */
export const POSTGRES_TEXT_RULE = 'must be text without NUL characters or half surrogate pairs';

/**
 * Returns whether UTF-8 can represent this text. Half a surrogate pair would be replaced by another
 * character.
 */
export const isWellFormed = (text: string): boolean => text.isWellFormed();

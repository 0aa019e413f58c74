/** Can Postgres hold this text as it is? It has no NUL, and half a surrogate pair would be sent as another character. */
export const isPostgresText = (text: string): boolean => isWellFormed(text) && !text.includes('\0');

/** End of the message for text that Postgres cannot store. */
export const POSTGRES_TEXT_RULE = 'must be text without NUL characters or half surrogate pairs';

/** Can UTF-8 carry this text? Half a surrogate pair would be sent as another character. */
export const isWellFormed = (text: string): boolean => text.isWellFormed();

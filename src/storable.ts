/** Can Postgres hold this text as it is? It has no NUL, and half a surrogate pair would be sent as another character. */
export const isStorable = (text: string): boolean => !/[\0\p{Surrogate}]/u.test(text);

/** Can UTF-8 carry this text? Half a surrogate pair would be sent as another character. */
export const isWellFormed = (text: string): boolean => !/\p{Surrogate}/u.test(text);

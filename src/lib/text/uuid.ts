/** UUID as PostgreSQL prints it, in lower case with hyphens; without anchors. */
export const UUID_PATTERN = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';

const UUID = new RegExp(`^${UUID_PATTERN}$`);

/** Other text cannot be an id, and PostgreSQL may refuse to cast it to a uuid. */
export const isUuid = (text: string): boolean => UUID.test(text);

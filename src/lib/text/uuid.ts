/** The source of a regular expression, without anchors: a UUID as Postgres prints it, in lower case with hyphens. */
export const UUID_PATTERN = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';

const UUID = new RegExp(`^${UUID_PATTERN}$`);

/** Only this form is stored. Any other text is no id of ours, and Postgres may refuse to cast it to a uuid. */
export const isUuid = (text: string): boolean => UUID.test(text);

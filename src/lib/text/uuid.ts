/** A UUID in the only form that is stored, lower case with dashes, for use within other patterns. */
export const UUID_PATTERN = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';

const UUID = new RegExp(`^${UUID_PATTERN}$`);

export const isUuid = (text: string): boolean => UUID.test(text);

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Only this form is stored: another cannot be an id of ours, and may be one that Postgres refuses to cast. */
export const isUuid = (text: string): boolean => UUID.test(text);

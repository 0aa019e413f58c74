/**
 * Longest password, in bytes, that is prepared and digested on the event loop: some families need milliseconds for one of 65,536
 * characters, in JavaScript. Longer ones are computed on a thread of the hashing process, with the same outcome.
 */
export const MAX_EVENT_LOOP_PASSWORD_BYTES = 1024;

export const isLongPassword = (password: Uint8Array) => password.length > MAX_EVENT_LOOP_PASSWORD_BYTES;

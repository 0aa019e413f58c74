import type { HashCost } from '../form.ts';

/**
 * Maximum length of a password, in bytes, that is processed on the event loop: some families need
 * milliseconds of JavaScript for 65,536 characters. Longer passwords are processed on a thread of the hashing
 * process.
 */
export const MAX_EVENT_LOOP_PASSWORD_BYTES = 1024;

export const isLongPassword = (password: Uint8Array) => password.length > MAX_EVENT_LOOP_PASSWORD_BYTES;

/** Returns whether a hash takes too much JavaScript for the event loop, and so a thread of the hashing process. */
export const needsThread = ({ runsOn }: HashCost, password: Uint8Array) =>
  runsOn === 'worker' || (runsOn !== 'sandbox' && isLongPassword(password));

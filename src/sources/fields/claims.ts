import type { Form } from '../source.ts';

/**
 * Returns a function for `claimReader`, by which the import decides which of several users with the same
 * e-mail address gets it. The function reads the whole user, to find out whether the address is confirmed.
 */
export const claimsOf =
  (read: Form['read']): NonNullable<Form['claimReader']> =>
  (context) =>
  (record) =>
    read(record, context);

import type { Form } from '../source.ts';

/**
 * Makes a `claimReader`, by which the import decides which of several users with the same e-mail address gets
 * it. It reads the whole user, to find out whether the address is confirmed.
 */
export const claimsOf =
  (read: Form['read']): NonNullable<Form['claimReader']> =>
  (context) =>
  (record) =>
    read(record, context);

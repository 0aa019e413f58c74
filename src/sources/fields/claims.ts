import type { Form } from '../source.ts';

/**
 * Returns a function for `claimReader` that reads the whole user, to find out whether the address is
 * confirmed.
 */
export const claimsOf =
  (read: Form['read']): NonNullable<Form['claimReader']> =>
  (context) =>
  (record) =>
    read(record, context);

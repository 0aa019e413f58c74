import type { Form } from '../source.ts';

/**
 * Returns the `claimReader` of a system in which several users can have the same e-mail address. It reads the
 * whole user, to find out whose address is confirmed.
 */
export const claimsOf =
  (read: Form['read']): NonNullable<Form['claimReader']> =>
  (context) =>
  (record) =>
    read(record, context);

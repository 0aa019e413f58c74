import type { Form } from '../source.ts';

/** Returns the `claimReader` of a system that lets several users have one address. It reads the whole user. */
export const claimsOf =
  (read: Form['read']): NonNullable<Form['claimReader']> =>
  (context) =>
  (record) =>
    read(record, context);

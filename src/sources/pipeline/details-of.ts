import { SECOND_FACTORS, secondFactors } from '../fields/second-factors.ts';
import type { Detail, Form } from '../source.ts';

/**
 * Returns the tables that are joined to the users of a kind of export (the details of its form), including
 * those that every form has. The form's own details have precedence.
 */
export const detailsOf = ({ details }: Form): Readonly<Record<string, Detail>> => ({
  ...details,
  [SECOND_FACTORS]: secondFactors,
});

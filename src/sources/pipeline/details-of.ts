import { SECOND_FACTORS, secondFactors } from '../fields/second-factors.ts';
import type { Detail, Form } from '../source.ts';

/** Returns the details of a form, and those that every form has. The form's own ones have precedence. */
export const detailsOf = ({ details }: Form): Readonly<Record<string, Detail>> => ({
  ...details,
  [SECOND_FACTORS]: secondFactors,
});

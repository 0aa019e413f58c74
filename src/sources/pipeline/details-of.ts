import { SECOND_FACTORS, secondFactors } from '../fields/second-factors.ts';
import type { Detail, Form } from '../source.ts';

/** Returns the details of a form, including those of every form. The form's own details have precedence. */
export const detailsOf = ({ details }: Form): Readonly<Record<string, Detail>> => ({
  ...details,
  [SECOND_FACTORS]: secondFactors,
});

import { SECOND_FACTORS, secondFactors } from '../fields/second-factors.ts';
import type { Detail, Form } from '../source.ts';

/** The details of a form, including those that every form has. The form's own have precedence. */
export const detailsOf = ({ details }: Form): Readonly<Record<string, Detail>> => ({
  ...details,
  [SECOND_FACTORS]: secondFactors,
});

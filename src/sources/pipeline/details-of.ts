import { SECOND_FACTORS, secondFactors } from '../fields/second-factors.ts';
import type { Detail, Form } from '../source.ts';

/** The details of a form, and those that every form has. A table that both fit is one of the form. */
export const detailsOf = ({ details }: Form): Readonly<Record<string, Detail>> => ({
  ...details,
  [SECOND_FACTORS]: secondFactors,
});

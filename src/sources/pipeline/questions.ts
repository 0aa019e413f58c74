import type { Advice } from '../source.ts';
import { adviceOnAbsent } from './absent-columns.ts';
import { adviceOnColumns, adviceOnUnreadable } from './account.ts';
import type { Tally } from './judge.ts';
import type { Plan } from './plan.ts';
import { adviceOnRealms } from './realms.ts';
import { adviceOnStates } from './unknown-states.ts';

/**
 * Advice about realms, account states and columns that stops an import until the operator decides.
 * @param tally counts over all users, of an index or of a conversion
 */
export const questionsOf = (plan: Plan, tally: Tally): Advice[] =>
  [
    adviceOnRealms(plan, tally.realms),
    adviceOnColumns(plan, tally.columnValues),
    adviceOnStates(plan, tally.unknownStates),
    ...adviceOnUnreadable(plan, tally),
    ...adviceOnAbsent(plan, tally.absent),
  ].filter((one) => one !== undefined);

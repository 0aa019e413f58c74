import type { Candidate, CandidateMethod } from '../candidate.ts';
import { methodId } from '../chunk-ids.ts';
import type { Members } from '../members.ts';
import type { UserForm } from './user-form.ts';

/** The ids under which a user will be found once it is imported: external ones where it has them. */
export interface ToldIds {
  userId: string;
  /** In the order in which they were sent. */
  loginMethods: { userId: string; method: CandidateMethod }[];
}

/** @param form that the candidate was read from */
export function toldIds(id: string, form: UserForm, { externalId, methods }: Candidate): ToldIds {
  const [primary, ...others] = methods.map((method, index) => ({
    userId: (index === 0 ? externalId : method.externalId) ?? methodId(id, index),
    method,
  }));
  const loginMethods = others;
  // It was sent among the others, which are in order.
  if (primary !== undefined) {
    const place = form.loginMethods.findIndex((sent) => isSame(sent, primary.method));
    loginMethods.splice(place, 0, primary);
  }
  return { userId: externalId ?? id, loginMethods };
}

/** No two login methods of a form have the same address and password, or the same identity. */
function isSame(sent: Members, method: CandidateMethod): boolean {
  if (sent.recipeId !== method.recipeId) return false;
  if (method.recipeId === 'emailpassword') return sent.email === method.email;
  return sent.thirdPartyId === method.identity.id && sent.thirdPartyUserId === method.identity.userId;
}

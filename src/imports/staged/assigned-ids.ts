import type { JsonObject } from '../../lib/json/json-object.ts';
import type { ParsedLoginMethod, ParsedUser } from '../input/parsed-user.ts';
import { methodId } from '../resolve/chunk-ids.ts';
import type { StagedPayload } from './staged-payload.ts';

/** The ids under which a user will be found once it is imported: external ids where it has them. */
export interface AssignedIds {
  userId: string;
  /** In the order in which they were sent. */
  loginMethods: { userId: string; method: ParsedLoginMethod }[];
}

/** @param payload the one that the user was read from */
export function assignedIds(
  id: string,
  payload: StagedPayload,
  { externalId, methods }: ParsedUser,
): AssignedIds {
  const [primary, ...others] = methods.map((method, index) => ({
    userId: (index === 0 ? externalId : method.externalId) ?? methodId(id, index),
    method,
  }));
  const loginMethods = others;
  // The other methods are in the order in which they were sent; the primary one was sent somewhere among them.
  if (primary !== undefined) {
    const index = payload.loginMethods.findIndex((sent) => isSame(sent, primary.method));
    loginMethods.splice(index, 0, primary);
  }
  return { userId: externalId ?? id, loginMethods };
}

/** No two login methods of a payload have the same address and a password, or the same identity. */
function isSame(sent: JsonObject, method: ParsedLoginMethod): boolean {
  if (sent.recipeId !== method.recipeId) return false;
  if (method.recipeId === 'emailpassword') return sent.email === method.email;
  return sent.thirdPartyId === method.identity.id && sent.thirdPartyUserId === method.identity.userId;
}

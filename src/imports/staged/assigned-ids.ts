import type { JsonObject } from '../../lib/json/json-object.ts';
import type { ParsedLoginMethod, ParsedUser } from '../input/parsed-user.ts';
import { methodId } from '../resolve/person.ts';
import type { StagedPayload } from './staged-payload.ts';

/**
 * Ids under which a user and its login methods will be found. As in SuperTokens core, only the user's id is the
 * external id, if there is one.
 */
export interface AssignedIds {
  userId: string;
  loginMethods: { userId: string; method: ParsedLoginMethod }[];
}

export function assignedIds(
  id: string,
  payload: StagedPayload,
  { externalId, methods }: ParsedUser,
): AssignedIds {
  const [primary, ...others] = methods.map((method, index) => ({
    userId: methodId(id, index),
    method,
  }));
  const loginMethods = others;
  // The primary method is inserted where it was in the user's JSON.
  if (primary !== undefined) {
    const index = payload.loginMethods.findIndex((sent) => isSame(sent, primary.method));
    loginMethods.splice(index, 0, primary);
  }
  return { userId: externalId ?? id, loginMethods };
}

/** Unambiguous: no two login methods of a user share an e-mail with a password, or an identity. */
function isSame(sent: JsonObject, method: ParsedLoginMethod): boolean {
  if (sent.recipeId !== method.recipeId) return false;
  if (method.recipeId === 'emailpassword') return sent.email === method.email;
  return sent.thirdPartyId === method.identity.id && sent.thirdPartyUserId === method.identity.userId;
}

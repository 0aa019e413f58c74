import { v7 as uuidv7 } from 'uuid';
import { AppError } from '../../lib/errors.ts';
import { identityKey, type ThirdPartyIdentity, type User } from '../../users/user.ts';
import type { Database } from '../client/database.ts';
import { queriesOf } from './queries-of.ts';
import { thirdPartyUser } from './sole-login.ts';
import { toUser } from './user-row.ts';
import { readUsersIfPossible } from './user-rows.ts';
import {
  type ExistingIdentity,
  identityOf,
  type NewSignIn,
  type ThirdPartySignIn,
} from './write-sign-ins.ts';

export interface ThirdPartySignedIn {
  user: User;
  recipeUserId: string;
  created: boolean;
}

/** `gone`: the login, one of several of its user, was removed before the user could be read. */
export type ThirdPartyOutcome = ThirdPartySignedIn | { gone: ThirdPartySignedIn };

/** Identities must be distinct. Results are in the order of `signIns`. */
export async function signInUpThirdParties(
  db: Database,
  signIns: readonly ThirdPartySignIn[],
): Promise<ThirdPartyOutcome[]> {
  const now = Date.now();
  const ids = signIns.map(() => uuidv7());
  const incoming = signIns.map((signIn, index): NewSignIn => ({ signIn, id: ids[index] as string }));
  const rows = await queriesOf(db).writeSignIns(db, incoming, now);
  const existing = new Map(rows.map((row) => [identityOf(row), row]));
  const outcomes = signIns.map((signIn, index) => {
    const { identity, email } = signIn;
    const row = existing.get(identityKey(identity));
    const id = row?.user_id ?? (ids[index] as string);
    const recipeUserId = row?.recipe_user_id ?? id;
    const verified = row?.verified ?? signIn.verified;
    const timeJoinedMs = Number(row?.time_joined_ms ?? now);
    const disabled = row?.disabled ?? false;
    const user = thirdPartyUser({ id, recipeUserId, email, verified, timeJoinedMs, disabled }, identity);
    const alone = { user, recipeUserId, created: row === undefined };
    return { signIn, alone, whole: row?.linked ? wholeOutcome(row, signIn) : alone };
  });
  const changed = outcomes.filter(({ whole }) => whole === undefined);
  const users = await readUsersIfPossible(
    db,
    changed.map(({ alone }) => alone.user.id),
  );
  return outcomes.map(({ signIn, alone, whole }) => {
    if (whole !== undefined) return whole;
    // If the user cannot be read again, the answer has the login that the committed sign-in has returned.
    if (users === undefined) return alone;
    const user = users.get(alone.user.id);
    const method = user && methodOf(user, signIn.identity);
    return method ? { user, recipeUserId: method.recipeUserId, created: false } : { gone: alone };
  });
}

/**
 * Returns a user with several logins as the statement read the user, with the changed login. The statement
 * saw users as they were when it began, but may have waited for the row of the login. Returns undefined if
 * the user did not exist at that time, or if the login had another id because the user's other logins were
 * removed meanwhile.
 */
function wholeOutcome(
  row: ExistingIdentity,
  { identity, email }: ThirdPartySignIn,
): ThirdPartySignedIn | undefined {
  if (row.linked_user === null) return undefined;
  const before = toUser(row.linked_user);
  const method = methodOf(before, identity);
  if (method === undefined || method.recipeUserId !== row.recipe_user_id) return undefined;
  const signedIn = { ...method, email, verified: row.verified ?? false };
  const loginMethods = before.loginMethods.map((one) => (one === method ? signedIn : one));
  return { user: { ...before, loginMethods }, recipeUserId: row.recipe_user_id, created: false };
}

const methodOf = (user: User, identity: ThirdPartyIdentity) =>
  user.loginMethods.find(
    (method) => method.recipeId === 'thirdparty' && identityKey(method.thirdParty) === identityKey(identity),
  );

const MAX_ATTEMPTS = 3;

/** Repeats while the login is removed before its user is read: a result, not an error, so no `retry`. */
export async function signInUpUntilThere(
  attempt: () => Promise<ThirdPartyOutcome>,
): Promise<ThirdPartySignedIn> {
  let committed: ThirdPartySignedIn | undefined;
  for (let attempts = 1; attempts <= MAX_ATTEMPTS; attempts += 1) {
    try {
      const outcome = await attempt();
      if (!('gone' in outcome)) return outcome;
      committed = outcome.gone;
    } catch (error) {
      // An earlier attempt has already signed the user in, so the error of the repeated attempt is ignored.
      if (committed !== undefined && error instanceof AppError) return committed;
      throw error;
    }
  }
  throw new AppError('OVERLOADED', 'Service is overloaded: this login is changed again and again');
}

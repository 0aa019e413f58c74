import { v7 as uuidv7 } from 'uuid';
import { identityKey, type User } from '../../users/user.ts';
import type { Database } from '../client/database.ts';
import { thirdPartyUser, toUser } from './user-row.ts';
import { queriesOf, readUsersIfPossible } from './user-rows.ts';
import {
  type ExistingIdentity,
  identityOf,
  type NewSignIn,
  type ThirdPartySignIn,
} from './write-sign-ins.ts';

/** Signs in users, or creates them. Identities must be distinct. Results are in the order of `signIns`. */
export async function signInUpThirdParties(
  db: Database,
  signIns: readonly ThirdPartySignIn[],
): Promise<{ user: User; recipeUserId: string; created: boolean }[]> {
  const now = Date.now();
  const incoming = signIns.map((signIn): NewSignIn => ({ signIn, id: uuidv7() }));
  const rows = await queriesOf(db).writeSignIns(db, incoming, now);
  const existing = new Map(rows.map((row) => [identityOf(row), row]));
  const linked = await linkedUsers(
    db,
    rows.filter((row) => row.linked),
  );
  return incoming.map(({ signIn, id: newId }) => {
    const { identity, email } = signIn;
    const key = identityKey(identity);
    const row = existing.get(key);
    const verified = row?.verified ?? signIn.verified;
    const user = linked.get(key);
    const method = user && methodOf(user, key);
    if (user !== undefined && method !== undefined) {
      const signedIn = { ...method, email, verified };
      const loginMethods = user.loginMethods.map((one) => (one === method ? signedIn : one));
      return { user: { ...user, loginMethods }, recipeUserId: method.recipeUserId, created: false };
    }
    const id = row?.user_id ?? newId;
    const recipeUserId = row?.recipe_user_id ?? id;
    const timeJoinedMs = Number(row?.time_joined_ms ?? now);
    const disabled = row?.disabled ?? false;
    const alone = thirdPartyUser({ id, recipeUserId, email, verified, timeJoinedMs, disabled }, identity);
    return { user: alone, recipeUserId, created: row === undefined };
  });
}

/**
 * Returns the users of logins that are one of several, by identity. The statement that wrote the logins saw users as
 * they were when it began, but may have waited for the row of a login. Users who were created or changed meanwhile are
 * therefore read again. A user who has lost this login since is left out, because only the written login is known.
 */
async function linkedUsers(db: Database, rows: readonly ExistingIdentity[]): Promise<Map<string, User>> {
  const users = new Map<string, User>();
  for (const row of rows) {
    const user = row.linked_user === null ? undefined : toUser(row.linked_user);
    const method = user && methodOf(user, identityOf(row));
    if (user !== undefined && method?.recipeUserId === row.recipe_user_id) users.set(identityOf(row), user);
  }
  const changed = rows.filter((row) => !users.has(identityOf(row)));
  const now = await readUsersIfPossible(
    db,
    changed.map((row) => row.user_id),
  );
  for (const row of changed) {
    const user = now?.get(row.user_id);
    if (user !== undefined) users.set(identityOf(row), user);
  }
  return users;
}

const methodOf = (user: User, identity: string) =>
  user.loginMethods.find(
    (method) => method.recipeId === 'thirdparty' && identityKey(method.thirdParty) === identity,
  );

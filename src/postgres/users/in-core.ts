import type { InCore } from '../../imports/resolve/person.ts';
import type { Queryable } from '../client/connection.ts';

/** What other systems have of users. `users`: users whom the SuperTokens core has, or may have. */
export interface Standing {
  users: ReadonlySet<string>;
  /** Recipe user ids of logins that the core has with the placeholder password. */
  waiting: ReadonlySet<string>;
  /** Recipe user ids of logins whose passwords an identity provider has, or had (src/hooks). */
  moved: ReadonlySet<string>;
  /** Users who are in the core or have moved, so that no import and no rollback removes or restores them. */
  elsewhere: ReadonlySet<string>;
  /** Time of the database when it was read, as in JSON rows. Undefined if nothing was read. */
  now: string | undefined;
}

/**
 * Reads which of these users the SuperTokens core or an identity provider has. If the core has a user, all logins of
 * the user count as in the core, even one that the core refused, because metadata and state belong to the whole user.
 * If a transaction has locked the logins, or the rows of their users, the result stays true until it ends: a hand-over
 * waits for both locks, and a hook for that of the login.
 */
export async function readStanding(db: Queryable, userIds: readonly string[]): Promise<Standing> {
  if (userIds.length === 0) return NOBODY;
  const all = await db.query<{ user_id: string | null; recipe_user_id: string; state: string | null }>(
    `select user_id, recipe_user_id, state from handed_over_logins
     where user_id = any ($1::uuid[]) and state <> 'refused'
     union all select user_id, recipe_user_id, null from moved_logins where user_id = any ($1::uuid[])
     union all select null, null, ${STATEMENT_TIME}`,
    [userIds],
  );
  const now = all.find(({ user_id }) => user_id === null)?.state ?? undefined;
  if (all.length === 1) return { ...NOBODY, now };
  const rows = all.flatMap((row) => (row.user_id === null ? [] : [{ ...row, user_id: row.user_id }]));
  const inCore = rows.filter(({ state }) => state !== null);
  const idsOf = (state: string | null) =>
    new Set(rows.filter((row) => row.state === state).map((row) => row.recipe_user_id));
  return {
    users: new Set(inCore.map((row) => row.user_id)),
    waiting: idsOf('waiting'),
    moved: idsOf(null),
    elsewhere: new Set(rows.map((row) => row.user_id)),
    now,
  };
}

const NOBODY: Standing = {
  ...{ users: new Set(), waiting: new Set(), moved: new Set(), elsewhere: new Set() },
  now: undefined,
};

/**
 * Time of a statement, as JSON has it, so that it can be written to several tables (rule 3 of citus/citus.ts). The
 * transaction began earlier and may have waited for rows, and users who signed in during this wait must count as having
 * signed in before.
 */
const STATEMENT_TIME = "to_json(statement_timestamp()) #>> '{}'";

export function inCoreOf(
  { users, waiting }: Standing,
  userId: string,
  recipeUserId: string,
): InCore | undefined {
  if (!users.has(userId)) return undefined;
  return waiting.has(recipeUserId) ? 'waiting' : 'settled';
}

/**
 * Records the algorithms of waiting logins, because reports of hand-overs count logins by algorithm.
 * @param logins `algorithm` is the reason of a login without a hash
 */
export async function recordWaitingHashes(
  db: Queryable,
  logins: readonly { recipeUserId: string; algorithm: string }[],
): Promise<void> {
  if (logins.length === 0) return;
  await db.query(
    `update handed_over_logins login set hash_algorithm = t.hash_algorithm
     from unnest($1::uuid[], $2::text[]) as t (recipe_user_id, hash_algorithm)
     where login.recipe_user_id = t.recipe_user_id and login.state = 'waiting'`,
    [logins.map((login) => login.recipeUserId), logins.map((login) => login.algorithm)],
  );
}

import type { Database } from '../../src/postgres/client/database.ts';
import { BCRYPT } from './example-hashes.ts';

export interface LinkedMethod {
  recipeUserId: string;
  externalId?: string;
  email: string;
  timeJoinedMs: number;
  /** Identity of a third-party login. If undefined, the method is a password login with BCRYPT's hash. */
  thirdParty?: { id: string; userId: string };
}

/** Inserts a user with several login methods, as a bulk import stores it. */
export async function insertLinkedUser(
  db: Database,
  user: { id: string; externalId?: string; timeJoinedMs: number; methods: readonly LinkedMethod[] },
): Promise<void> {
  await db.query('insert into users (user_id, time_joined_ms) values ($1, $2)', [user.id, user.timeJoinedMs]);
  const alias = (text: string, kind: string, recipeUserId: string) =>
    db.query('insert into user_aliases (alias, kind, user_id, recipe_user_id) values ($1, $2, $3, $4)', [
      text,
      kind,
      user.id,
      recipeUserId,
    ]);
  const isLinked =
    user.methods.length > 1 || [user, ...user.methods].some(({ externalId }) => externalId !== undefined);
  if (user.externalId !== undefined) await alias(user.externalId, 'external', user.id);
  for (const { recipeUserId, externalId, email, timeJoinedMs, thirdParty } of user.methods) {
    if (recipeUserId !== user.id) await alias(recipeUserId, 'recipe_user', recipeUserId);
    if (externalId !== undefined) await alias(externalId, 'external', recipeUserId);
    const common = [email, user.id, recipeUserId, timeJoinedMs, isLinked];
    await (thirdParty === undefined
      ? db.query(
          `insert into password_logins
             (email, user_id, recipe_user_id, time_joined_ms, linked, password_hash, hash_algorithm, hash_set_by)
           values ($1, $2, $3, $4, $5, $6, 'bcrypt', 'import')`,
          [...common, BCRYPT.hash],
        )
      : db.query(
          `insert into third_party_logins
             (email, user_id, recipe_user_id, time_joined_ms, linked, third_party_id, third_party_user_id)
           values ($1, $2, $3, $4, $5, $6, $7)`,
          [...common, thirdParty.id, thirdParty.userId],
        ));
  }
}

import type { Rehash, VerifiedLogin } from '../../passwords/hash-store.ts';
import type { Queryable } from '../client/connection.ts';

/**
 * SQL condition, always true, with which the commit does not wait for the disk. Sign-ins then do not wait for
 * the flushes of background changes. A change that a crash of the database loses is made again.
 */
export const COMMIT_LATER = "set_config('synchronous_commit', 'off', true) is not null";

/**
 * Returns a statement that changes hashes, and records each change.
 * @param update changes rows of `password_logins`
 * @param condition of recording them
 */
export const withHashChange = (changedBy: string, update: string, condition = 'true') => `
  with changed as (${update} returning recipe_user_id, hash_algorithm)
  insert into hash_changes (recipe_user_id, changed_by, hash_algorithm)
  select recipe_user_id, '${changedBy}', hash_algorithm from changed where ${condition} returning id`;

/**
 * Changes one row only, so it never waits while it has locked a row. If an import or a rollback has locked
 * the row, the statement waits, reads the row again, and leaves the login as it is, because its hash has
 * changed.
 * A password that its user has set in this service stays marked as such, and no import may overwrite it. A
 * login that was wrapped or upgraded before keeps the fingerprint of its imported hash.
 */
const REPLACE = withHashChange(
  'rehash',
  `update password_logins set
    password_hash = $5, hash_algorithm = $6, hash_secret_id = $7, hash_class = $8, hash_set_at = now(),
    hash_set_by = case when hash_set_by = 'user' then 'user' else 'rehash' end,
    imported_fingerprint = case when hash_set_by = 'user' then null else coalesce(imported_fingerprint, decode($9, 'hex')) end
  where email = $1 and recipe_user_id = $2 and password_hash = $3 and hash_algorithm = $4
    and hash_secret_id is not distinct from $10`,
  COMMIT_LATER,
);

/** Returns whether the login still had the given hash, which is then replaced. */
export async function replaceHash(
  db: Queryable,
  { email, recipeUserId, hash: old }: VerifiedLogin & { email: string },
  { hash, fingerprint }: Rehash,
): Promise<boolean> {
  const rows = await db.query(REPLACE, [
    email,
    recipeUserId,
    old.encoded,
    old.algorithm,
    hash.encoded,
    hash.algorithm,
    hash.secretId ?? null,
    hash.strength,
    fingerprint,
    old.secretId ?? null,
  ]);
  return rows.length > 0;
}

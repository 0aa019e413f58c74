import type { KeptHash } from '../../hashing/verifier.ts';
import type { PasswordLogin } from '../../users/user-store.ts';
import type { Queryable } from '../client/connection.ts';

/**
 * Stores the hash only if the login is still as it was when the legacy system was asked. An import, a reset or another
 * sign-in may have changed it meanwhile.
 */
const MOVE_IN = `
  with changed as (
    update password_logins set password_hash = $4, hash_algorithm = $5, hash_secret_id = $6, hash_class = $7, no_hash = null,
      hash_set_at = now(), hash_set_by = 'moved-in', imported_fingerprint = null
    where email = $1 and recipe_user_id = $2 and password_hash is not distinct from $3 and hash_set_by <> 'user'
      and no_hash is distinct from 'unset' and not disabled
    returning recipe_user_id, hash_algorithm
  )
  insert into hash_changes (recipe_user_id, changed_by, hash_algorithm)
  select recipe_user_id, 'moved-in', hash_algorithm from changed returning id`;

/**
 * Stores the hash of a password that the legacy system has verified. Returns false if the login has changed meanwhile.
 */
export async function moveIn(
  db: Queryable,
  email: string,
  login: PasswordLogin,
  { encoded, algorithm, secretId, strength }: KeptHash,
): Promise<boolean> {
  const rows = await db.query(MOVE_IN, [
    email,
    login.recipeUserId,
    'noHash' in login ? null : login.hash.encoded,
    encoded,
    algorithm,
    secretId ?? null,
    strength,
  ]);
  return rows.length > 0;
}

import { v7 as uuidv7 } from 'uuid';
import type { PasswordHash, StoredHash } from '../hashing/verifier.ts';
import type { PasswordLogin } from '../users/store.ts';
import type { User } from '../users/user.ts';
import type { Queryable } from './connection.ts';
import type { Database } from './database.ts';
import { isUniqueViolation } from './pg-error.ts';
import { resolveAndLock } from './resolve-id.ts';
import { passwordUser } from './sole-login.ts';
import { readUsers } from './user-rows.ts';

export async function createPasswordUser(
  db: Queryable,
  { email, hash }: { email: string; hash: PasswordHash },
): Promise<User | 'email-taken'> {
  const id = uuidv7();
  const now = Date.now();
  const rows = await db.query(
    `with login as (
       insert into password_logins
         (email, user_id, recipe_user_id, time_joined_ms, password_hash, hash_algorithm, hash_set_by)
       values ($1, $2, $2, $3, $4, $5, 'user') on conflict (email) do nothing
       returning user_id, time_joined_ms
     )
     insert into users (user_id, time_joined_ms) select user_id, time_joined_ms from login returning user_id`,
    [email, id, now, hash.encoded, hash.algorithm],
  );
  return rows.length === 0 ? 'email-taken' : passwordUser({ id, email, verified: false, timeJoinedMs: now });
}

interface LoginRow {
  user_id: string;
  recipe_user_id: string;
  time_joined_ms: string;
  linked: boolean;
  verified: boolean | null;
  password_hash: StoredHash;
  hash_algorithm: string;
  last_sign_in_at: Date | null;
}

/** One look-up by key for a user with no other login: sign-in has little time to spend beside the hash. */
export async function findPasswordLogin(db: Queryable, email: string): Promise<PasswordLogin | undefined> {
  const [row] = await db.query<LoginRow>(
    `select user_id, recipe_user_id, time_joined_ms, linked, email = any (verified_emails) as verified,
       password_hash, hash_algorithm,
       case when last_sign_in_at > hash_set_at then last_sign_in_at end as last_sign_in_at
     from password_logins where email = $1`,
    [email],
  );
  if (row === undefined) return undefined;
  const id = row.user_id;
  const login = { id, email, verified: row.verified ?? false, timeJoinedMs: Number(row.time_joined_ms) };
  const linked = row.linked ? (await readUsers(db, [id])).get(id) : undefined;
  return {
    user: linked ?? passwordUser(login),
    recipeUserId: row.recipe_user_id,
    hash: { encoded: row.password_hash, algorithm: row.hash_algorithm },
    lastSignInMs: row.last_sign_in_at?.getTime(),
  };
}

/** An import or a rollback may replace the hash, or remove the user, while it is verified. */
export async function recordSignIn(db: Queryable, email: string, hash: PasswordHash): Promise<boolean> {
  const rows = await db.query(
    'update password_logins set last_sign_in_at = now() where email = $1 and password_hash = $2 returning email',
    [email, hash.encoded],
  );
  return rows.length > 0;
}

/**
 * The e-mail is the key, and in a distributed Postgres the column that says where a row lives, which no update may
 * change: a login moves to another address as a delete and an insert.
 */
const MOVE = `
  with old as (delete from password_logins where email = $1 returning *)
  insert into password_logins
    (email, user_id, recipe_user_id, time_joined_ms, linked, verified_emails, password_hash, hash_algorithm,
     hash_set_at, hash_set_by, last_sign_in_at, changed_at)
  select $2, user_id, recipe_user_id, time_joined_ms, linked, verified_emails, password_hash, hash_algorithm,
     hash_set_at, hash_set_by, last_sign_in_at, now() from old`;

const CHANGE_HASH = `
  with changed as (
    update password_logins set password_hash = $2, hash_algorithm = $3, hash_set_at = now(), hash_set_by = 'user'
    where email = $1 returning recipe_user_id, hash_algorithm
  )
  insert into hash_changes (recipe_user_id, changed_by, hash_algorithm)
  select recipe_user_id, 'user', hash_algorithm from changed`;

export async function updatePasswordLogin(
  db: Database,
  recipeUserId: string,
  change: { email?: string; hash?: PasswordHash },
): Promise<'updated' | 'unknown-user' | 'email-taken'> {
  try {
    return await db.transaction(async (client) => {
      const id = await resolveAndLock(client, recipeUserId);
      if (id === undefined) return 'unknown-user';
      const [login] = await client.query<{ email: string }>(
        'select email from password_logins where user_id = $1 and recipe_user_id = $2',
        [id.userId, id.recipeUserId],
      );
      if (login === undefined) return 'unknown-user';
      if (change.hash !== undefined) {
        await client.query(CHANGE_HASH, [login.email, change.hash.encoded, change.hash.algorithm]);
      }
      if (change.email !== undefined && change.email !== login.email) {
        await client.query(MOVE, [login.email, change.email]);
      }
      return 'updated';
    });
  } catch (error) {
    if (isUniqueViolation(error, 'password_logins_pkey')) return 'email-taken';
    throw error;
  }
}

export async function sampleHashes(db: Queryable, limit: number): Promise<PasswordHash[]> {
  const rows = await db.query<{ password_hash: StoredHash; hash_algorithm: string }>(
    'select password_hash, hash_algorithm from password_logins order by email limit $1',
    [limit],
  );
  return rows.map((row) => ({ encoded: row.password_hash, algorithm: row.hash_algorithm }));
}

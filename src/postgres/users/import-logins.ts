import { v7 as uuidv7 } from 'uuid';
import type { KeptHash } from '../../hashing/verifier.ts';
import type { User } from '../../users/user.ts';
import type { Queryable } from '../client/connection.ts';
import { passwordUser } from './sole-login.ts';
import { readUsersIfPossible, toUser, type UserRow, wholeUser } from './user-rows.ts';

export interface ImportLogin {
  email: string;
  hash: KeptHash;
}

export interface ImportedLogin {
  user: User;
  existed: boolean;
}

/**
 * Creates or overwrites logins, and returns those that were there already: their user_id is not the one that was offered.
 * Rows go in by order of their key, so that two of these statements that share keys cannot deadlock.
 */
const IMPORT = `
  with incoming as (
    select * from unnest($1::text[], $2::uuid[], $3::text[], $4::text[], $6::text[], $7::text[])
      as t (email, user_id, password_hash, hash_algorithm, hash_secret_id, hash_class)
  ), kept as (
    insert into password_logins
      (email, user_id, recipe_user_id, time_joined_ms, password_hash, hash_algorithm, hash_secret_id, hash_class,
       hash_set_by)
    select email, user_id, user_id, $5, password_hash, hash_algorithm, hash_secret_id, hash_class, 'import'
    from incoming order by email
    on conflict (email) do update set
      password_hash = excluded.password_hash, hash_algorithm = excluded.hash_algorithm,
      hash_secret_id = excluded.hash_secret_id, hash_class = excluded.hash_class,
      hash_set_at = now(), hash_set_by = 'import'
    returning email, user_id, recipe_user_id, linked, time_joined_ms, hash_algorithm,
      email = any (verified_emails) as verified, user_id <> all ($2::uuid[]) as existed
  ), created as (
    insert into users (user_id, time_joined_ms)
    select user_id, $5 from kept where not existed
  ), changed as (
    insert into hash_changes (recipe_user_id, changed_by, hash_algorithm)
    select recipe_user_id, 'import', hash_algorithm from kept where existed
  )
  select email, user_id, recipe_user_id, linked, time_joined_ms, coalesce(verified, false) as verified,
    case when linked then ${wholeUser('kept.user_id')} end as linked_user
  from kept where existed`;

interface ExistingRow {
  email: string;
  user_id: string;
  recipe_user_id: string;
  linked: boolean;
  time_joined_ms: string;
  verified: boolean;
  linked_user: UserRow | null;
}

/** Creates or overwrites password logins in one statement. E-mails must be distinct. Returns in the order of `logins`. */
export async function importLogins(db: Queryable, logins: readonly ImportLogin[]): Promise<ImportedLogin[]> {
  const now = Date.now();
  const ids = logins.map(() => uuidv7());
  const rows = await db.query<ExistingRow>(IMPORT, [
    logins.map((login) => login.email),
    ids,
    logins.map((login) => login.hash.encoded),
    logins.map((login) => login.hash.algorithm),
    now,
    logins.map((login) => login.hash.secretId ?? null),
    logins.map((login) => login.hash.strength),
  ]);
  const existing = new Map(rows.map((row) => [row.email, row]));
  const linked = await linkedUsers(
    db,
    rows.filter((row) => row.linked),
  );
  return logins.map(({ email }, index) => {
    const row = existing.get(email);
    const id = row?.user_id ?? (ids[index] as string);
    const login = {
      id,
      recipeUserId: row?.recipe_user_id ?? id,
      email,
      verified: row?.verified ?? false,
      timeJoinedMs: Number(row?.time_joined_ms ?? now),
    };
    return { user: linked.get(email) ?? passwordUser(login), existed: row !== undefined };
  });
}

/**
 * The users of these logins, by e-mail. The statement saw them as they were when it began, but may have waited for a login
 * row: a user who came or was changed meanwhile is read again. One who is gone by then is left out: nothing of it is
 * known but the login that was written.
 */
async function linkedUsers(db: Queryable, rows: readonly ExistingRow[]): Promise<Map<string, User>> {
  const users = new Map<string, User>();
  const changed: ExistingRow[] = [];
  for (const row of rows) {
    const user = row.linked_user === null ? undefined : toUser(row.linked_user);
    const method = user && methodOf(user, row.email);
    if (user !== undefined && method?.recipeUserId === row.recipe_user_id) users.set(row.email, user);
    else changed.push(row);
  }
  const now = await readUsersIfPossible(
    db,
    changed.map((row) => row.user_id),
  );
  for (const { email, user_id } of changed) {
    const user = now?.get(user_id);
    if (user !== undefined && methodOf(user, email) !== undefined) users.set(email, user);
  }
  return users;
}

const methodOf = (user: User, email: string) =>
  user.loginMethods.find((method) => method.recipeId === 'emailpassword' && method.email === email);

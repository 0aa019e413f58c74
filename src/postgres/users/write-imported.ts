import type { IncomingLogin } from '../../users/user-store.ts';
import type { Queryable } from '../client/connection.ts';
import type { UserRow } from './user-row.ts';
import { wholeUser } from './whole-user.ts';

/**
 * Statement that creates or overwrites imported password logins, and returns those that existed before: their
 * user_id is not the new one. Rows are inserted in the order of their keys, so that two such statements that
 * write the same logins cannot deadlock.
 * A login whose imported hash this service has replaced stays as it is, and is returned without a user. The
 * caller compares fingerprints to find out whether the same hash is imported again. $8 has the fingerprints
 * of logins that may be overwritten.
 */
const IMPORT = `
  with incoming as (
    select * from unnest($1::text[], $2::uuid[], $3::text[], $4::text[], $6::text[], $7::text[])
      as t (email, user_id, password_hash, hash_algorithm, hash_secret_id, hash_class)
  ), kept as (
    insert into password_logins as login
      (email, user_id, recipe_user_id, time_joined_ms, password_hash, hash_algorithm, hash_secret_id, hash_class,
       hash_set_by, hash_set_at)
    select email, user_id, user_id, $5, password_hash, hash_algorithm, hash_secret_id, hash_class, 'import', now()
    from incoming order by email
    on conflict (email) do update set
      password_hash = excluded.password_hash, hash_algorithm = excluded.hash_algorithm,
      hash_secret_id = excluded.hash_secret_id, hash_class = excluded.hash_class,
      hash_set_at = excluded.hash_set_at, hash_set_by = 'import', imported_fingerprint = null, no_hash = null
    where login.imported_fingerprint is null or encode(login.imported_fingerprint, 'hex') = any ($8)
    returning email, user_id, recipe_user_id, linked, disabled, time_joined_ms, hash_algorithm,
      email = any (verified_emails) as verified, user_id <> all ($2::uuid[]) as existed
  ), created as (
    insert into users (user_id, time_joined_ms)
    select user_id, $5 from kept where not existed
  ), changed as (
    insert into hash_changes (recipe_user_id, changed_by, hash_algorithm)
    select recipe_user_id, 'import', hash_algorithm from kept where existed
  )
  select email, kept.user_id, recipe_user_id, linked, disabled, time_joined_ms, coalesce(verified, false) as verified,
    case when linked then ${wholeUser('kept.user_id')} end as linked_user
  from incoming left join kept using (email) where existed is not false`;

/**
 * Login that was stored already when an import or a third-party sign-up wrote it. `linked_user` is null unless the
 * writing statement read
 * the user as well.
 */
export interface ExistingLogin {
  email: string;
  user_id: string;
  recipe_user_id: string;
  linked: boolean;
  time_joined_ms: string;
  verified: boolean;
  disabled: boolean;
  linked_user: UserRow | null;
}

export type LeftLogin = ExistingLogin & { fingerprint: string };

/** Login that was stored already when it was imported. `user_id` is null if the login stayed as it is. */
export type KeptLogin = ExistingLogin | { email: string; user_id: null };

/** Password login to import, and the id that its user gets if the login is new. */
export interface NewLogin {
  login: IncomingLogin;
  id: string;
}

/** Returns the rows of a user who is created with this password login. */
export const newLoginRows = ({ login: { email, hash }, id }: NewLogin, timeJoinedMs: number) => ({
  ...{ userId: id, recipeUserId: id, email, hash, timeJoinedMs },
  hashSetBy: 'import' as const,
  hasMore: false,
  verifiedEmails: [],
});

export interface WriteOptions {
  now: number;
  /** Fingerprints of logins that may be overwritten although the service has replaced their imported hash. */
  replaceable: readonly string[];
}

/** Creates or overwrites imported password logins, and returns those that existed before. */
export async function writeImported(
  db: Queryable,
  logins: readonly NewLogin[],
  { now, replaceable }: WriteOptions,
): Promise<KeptLogin[]> {
  return db.query<KeptLogin>(IMPORT, [
    logins.map(({ login }) => login.email),
    logins.map(({ id }) => id),
    logins.map(({ login }) => login.hash.encoded),
    logins.map(({ login }) => login.hash.algorithm),
    now,
    logins.map(({ login }) => login.hash.secretId ?? null),
    logins.map(({ login }) => login.hash.strength),
    replaceable,
  ]);
}

/**
 * Returns the statement that reads imported logins which stayed as they are, unless they were changed or
 * removed meanwhile.
 * @param linkedUser SQL for the user of a login that is one of several
 */
export const leftLogins = (linkedUser: string) => `
  select email, user_id, recipe_user_id, linked, disabled, time_joined_ms, encode(imported_fingerprint, 'hex') as fingerprint,
    coalesce(email = any (verified_emails), false) as verified,
    case when linked then ${linkedUser} end as linked_user
  from password_logins login where email = any ($1) and imported_fingerprint is not null`;

const LEFT = leftLogins(wholeUser('login.user_id'));

export const readLeft = (db: Queryable, emails: readonly string[]): Promise<LeftLogin[]> =>
  db.query<LeftLogin>(LEFT, [emails]);

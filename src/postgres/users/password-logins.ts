import { v7 as uuidv7 } from 'uuid';
import type { KeptHash } from '../../hashing/verifier.ts';
import type { HashSetBy, Rehash, VerifiedLogin } from '../../passwords/hash-store.ts';
import type { User } from '../../users/user.ts';
import type { EmailSetBy, PasswordLogin } from '../../users/user-store.ts';
import type { Queryable } from '../client/connection.ts';
import { type Engine, onceForEachEngine } from '../client/engine.ts';
import { type CredentialRow, hasHash, toHash } from './stored-hashes.ts';
import { type LoginRow, passwordUser } from './user-row.ts';
import { readUsers } from './user-rows.ts';

/**
 * SQL condition, always true, with which the commit does not wait for the disk. Sign-ins then do not wait for
 * the flushes of background changes. A change that a crash of the database loses is made again.
 */
export const COMMIT_LATER = "set_config('synchronous_commit', 'off', true) is not null";

/**
 * Returns a statement that changes hashes, and records each change.
 * @param update statement that changes rows of `password_logins`
 * @param condition condition for recording a change
 */
export const withHashChange = (changedBy: string, update: string, condition = 'true') => `
  with changed as (${update} returning recipe_user_id, hash_algorithm)
  insert into hash_changes (recipe_user_id, changed_by, hash_algorithm)
  select recipe_user_id, '${changedBy}', hash_algorithm from changed where ${condition} returning id`;

/**
 * Replaces a hash. Changes one row only, so it never waits while it has locked a row. If an import or a rollback has
 * locked the row, the statement waits, reads the row again, and leaves the login as it is, because its hash has
 * changed.
 * A password that its user has set in this service stays marked as such, and no import may overwrite it. A login that
 * was wrapped or upgraded before keeps the fingerprint of its imported hash.
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

export async function createPasswordUser(
  db: Queryable,
  { email, hash }: { email: string; hash: KeptHash },
): Promise<User | 'email-taken'> {
  const id = uuidv7();
  const now = Date.now();
  const rows = await db.query(
    `with login as (
       insert into password_logins
         (email, user_id, recipe_user_id, time_joined_ms, password_hash, hash_algorithm, hash_class, hash_set_by, email_set_by)
       values ($1, $2, $2, $3, $4, $5, $6, 'user', 'sign-up') on conflict (email) do nothing
       returning user_id, time_joined_ms
     )
     insert into users (user_id, time_joined_ms) select user_id, time_joined_ms from login returning user_id`,
    [email, id, now, hash.encoded, hash.algorithm, hash.strength],
  );
  return rows.length === 0 ? 'email-taken' : passwordUser({ id, email, verified: false, timeJoinedMs: now });
}

type StoredLogin = CredentialRow & {
  email: string;
  recipe_user_id: string;
  hash_set_by: HashSetBy;
  last_sign_in_at: Date | null;
  disabled: boolean;
  email_set_by: EmailSetBy | null;
};

/**
 * Finds logins, in the order of `emails`, by a single query, so that the time of a failed sign-in reveals nothing
 * about its user.
 */
export async function findPasswordLogins(
  db: Queryable,
  emails: readonly string[],
): Promise<(PasswordLogin | undefined)[]> {
  const rows = await db.query<StoredLogin>(
    `select email, recipe_user_id, password_hash, hash_algorithm, hash_secret_id, no_hash, hash_set_by, disabled,
       email_set_by,
       case when last_sign_in_at > hash_set_at then last_sign_in_at end as last_sign_in_at
     from password_logins where email = any ($1)`,
    [emails],
  );
  const logins = new Map(rows.map((row) => [row.email, toLogin(row)]));
  return emails.map((email) => logins.get(email));
}

function toLogin(row: StoredLogin): PasswordLogin {
  const recipeUserId = row.recipe_user_id;
  const isDisabled = row.disabled;
  const emailSetBy = row.email_set_by ?? undefined;
  if (!hasHash(row)) return { recipeUserId, noHash: row.no_hash, isDisabled, emailSetBy };
  const lastSignInMs = row.last_sign_in_at?.getTime();
  const isSetHere = row.hash_set_by === 'user';
  return { recipeUserId, hash: toHash(row), isSetHere, lastSignInMs, isDisabled, emailSetBy };
}

/** A sign-in whose password was verified. */
export interface SignIn {
  email: string;
  login: VerifiedLogin;
}

const SIGN_INS = `unnest($1::text[], $2::text[], $3::uuid[], $4::text[], $5::text[])
  as verified (email, password_hash, recipe_user_id, hash_algorithm, hash_secret_id)`;

/**
 * Returns an SQL condition that is false if anything has changed the login since its password was verified. The same
 * text may be the hash of another password in another algorithm.
 */
const isUnchanged = (engine: Engine) => `
  login.email = verified.email and login.password_hash = verified.password_hash
  and login.recipe_user_id = verified.recipe_user_id and not login.disabled
  and login.hash_algorithm = verified.hash_algorithm
  and login.hash_secret_id is not distinct from verified.hash_secret_id
  ${engine.shardCondition('login.email = any ($1)')}`;

const COLUMNS = `
  login.email, login.user_id, login.recipe_user_id, login.time_joined_ms, login.linked,
  coalesce(login.email = any (login.verified_emails), false) as verified`;

const FIND = onceForEachEngine(
  (engine) => `select ${COLUMNS} from ${SIGN_INS}, password_logins login where ${isUnchanged(engine)}`,
);

const RECORD = onceForEachEngine(
  (engine) => `
  update password_logins login set last_sign_in_at = now() from ${SIGN_INS} where ${isUnchanged(engine)} returning ${COLUMNS}`,
);

/**
 * Records sign-ins. Leaves out rows that another transaction has locked, because the other sign-ins of the statement
 * must not wait for it.
 */
const RECORD_FREE = onceForEachEngine(
  (engine) => `
  with free as (
    select login.email from ${SIGN_INS}, password_logins login where ${isUnchanged(engine)}
    for no key update of login skip locked
  )
  update password_logins login set last_sign_in_at = now() from free
  where login.email = free.email ${engine.shardCondition('login.email = any ($1)')} returning ${COLUMNS}`,
);

/**
 * Returns the users of verified sign-ins, in the order of `signIns`. Undefined for a login that was changed. Addresses
 * must be distinct.
 */
export const findSignedIn = (db: Queryable, signIns: readonly SignIn[]) => signedIn(db, FIND, signIns);

/**
 * Does what `findSignedIn` does, and records the time of each sign-in that has a user. The result is undefined for a
 * login that is locked. The statement does not wait for locks, so that statements of several instances cannot deadlock.
 */
export const recordSignIns = (db: Queryable, signIns: readonly SignIn[]) =>
  signedIn(db, RECORD_FREE, signIns);

/** Does what `recordSignIns` does for one login, and waits if it is locked. */
export const recordSignIn = async (db: Queryable, signIn: SignIn) =>
  (await signedIn(db, RECORD, [signIn]))[0];

async function signedIn(
  db: Queryable,
  statement: (engine: Engine) => string,
  signIns: readonly SignIn[],
): Promise<(User | undefined)[]> {
  const rows = new Map<string, Omit<LoginRow, 'disabled'>>();
  for (const group of await db.engine.groupByShard(db, 'password_logins', signIns, ({ email }) => email)) {
    const found = await db.query<LoginRow & Record<string, unknown>>(statement(db.engine), [
      group.map(({ email }) => email),
      group.map(({ login }) => login.hash.encoded),
      group.map(({ login }) => login.recipeUserId),
      group.map(({ login }) => login.hash.algorithm),
      group.map(({ login }) => login.hash.secretId ?? null),
    ]);
    for (const row of found) rows.set(row.email, row);
  }
  // Nearly all users have one login. A statement that could also read others would take PostgreSQL longer to
  // plan than to execute.
  const linked = [...rows.values()].filter((row) => row.linked);
  const users = await readUsers(
    db,
    linked.map((row) => row.user_id),
  );
  return signIns.map(({ email }) => {
    const row = rows.get(email);
    if (row === undefined) return undefined;
    if (!row.linked) {
      const timeJoinedMs = Number(row.time_joined_ms);
      return passwordUser({ id: row.user_id, email, verified: row.verified, timeJoinedMs });
    }
    // Meanwhile, this login may have been removed or have got another id, or the user may not be visible yet
    // (rule 4 of citus/citus.ts).
    const user = users.get(row.user_id);
    const isThere = user?.loginMethods.some(
      (method) => method.recipeUserId === row.recipe_user_id && method.email === email,
    );
    return isThere ? user : undefined;
  });
}

import { v7 as uuidv7 } from 'uuid';
import { Contended } from '../../lib/errors.ts';
import type { User } from '../../users/user.ts';
import type { IncomingLogin } from '../../users/user-store.ts';
import type { Queryable, Transaction } from '../client/connection.ts';
import type { Database } from '../client/database.ts';
import { forEachEngine } from '../client/engine.ts';
import { inParts } from '../client/in-parts.ts';
import { type CopyNewLogins, copyNewUsers, retryWhereCreated } from './copy-new-logins.ts';
import { passwordUser } from './sole-login.ts';
import { toUser, type UserRow } from './user-row.ts';
import { readUsersIfPossible, wholeUser } from './user-rows.ts';

export interface ImportedLogin {
  user: User;
  existed: boolean;
}

/**
 * Creates or overwrites logins, and returns the logins that existed already: their user_id is not the one that was offered.
 * Rows are inserted in the order of their key, so that two of these statements that share keys cannot deadlock.
 *
 * A login whose imported hash the service has replaced is left as it is, and returned without a user. The caller finds out by the
 * fingerprint whether the same hash is imported again. $8 has the fingerprints of logins that may be overwritten.
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
      hash_set_at = excluded.hash_set_at, hash_set_by = 'import', imported_fingerprint = null
    where login.imported_fingerprint is null or encode(login.imported_fingerprint, 'hex') = any ($8)
    returning email, user_id, recipe_user_id, linked, time_joined_ms, hash_algorithm,
      email = any (verified_emails) as verified, user_id <> all ($2::uuid[]) as existed
  ), created as (
    insert into users (user_id, time_joined_ms)
    select user_id, $5 from kept where not existed
  ), changed as (
    insert into hash_changes (recipe_user_id, changed_by, hash_algorithm)
    select recipe_user_id, 'import', hash_algorithm from kept where existed
  )
  select email, kept.user_id, recipe_user_id, linked, time_joined_ms, coalesce(verified, false) as verified,
    case when linked then ${wholeUser('postgres', 'kept.user_id')} end as linked_user
  from incoming left join kept using (email) where existed is not false`;

/**
 * Overwrites logins of one part of the table, under Citus. Returns those that it has overwritten. One statement for users who are there
 * and for new ones would bring its rows to each node three times over.
 */
const OVERWRITE = `
  update password_logins login set
    password_hash = incoming.password_hash, hash_algorithm = incoming.hash_algorithm,
    hash_secret_id = incoming.hash_secret_id, hash_class = incoming.hash_class,
    hash_set_at = now(), hash_set_by = 'import', imported_fingerprint = null
  from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[])
    as incoming (email, password_hash, hash_algorithm, hash_secret_id, hash_class)
  where login.email = incoming.email and login.email = any ($1)
    and (login.imported_fingerprint is null or encode(login.imported_fingerprint, 'hex') = any ($6))
  returning login.email, login.user_id, login.recipe_user_id, login.linked, login.time_joined_ms, login.hash_algorithm,
    coalesce(login.email = any (login.verified_emails), false) as verified, null as linked_user`;

/** Logins that were left as they are, unless they have been changed or removed meanwhile. */
const LEFT = forEachEngine(
  (engine) => `
  select email, user_id, recipe_user_id, linked, time_joined_ms, encode(imported_fingerprint, 'hex') as fingerprint,
    coalesce(email = any (verified_emails), false) as verified,
    case when linked then ${wholeUser(engine, 'login.user_id')} end as linked_user
  from password_logins login where email = any ($1) and imported_fingerprint is not null`,
);

/**
 * Finds logins that were left as they are, under Citus. Changes nothing: an update has their nodes prepare their parts of the
 * transaction, as `prepareAllNodes` has all of them do. While another node is away, these users can be imported nevertheless.
 */
const FIND_LEFT =
  'update password_logins set linked = linked where email = any ($1) returning email, null as user_id';

/** Each attempt meets those that were upgraded between a look and the write. */
const MAX_ATTEMPTS = 10;

interface ExistingRow {
  email: string;
  user_id: string;
  recipe_user_id: string;
  linked: boolean;
  time_joined_ms: string;
  verified: boolean;
  linked_user: UserRow | null;
}

type LeftRow = ExistingRow & { fingerprint: string };

/** `user_id` is null where the login was left as it is. */
type KeptRow = ExistingRow | { email: string; user_id: null };

/** A login with the id that its user would get. */
interface NewLogin {
  login: IncomingLogin;
  id: string;
}

/** Returns the rows of a user who does not exist yet. */
const asNew = ({ login: { email, hash }, id }: NewLogin, timeJoinedMs: number) => ({
  ...{ userId: id, recipeUserId: id, email, hash, timeJoinedMs },
  hashSetBy: 'import' as const,
  hasMore: false,
  verifiedEmails: [],
});

/** Writes logins, and returns those that were there already. */
async function writeLogins(
  db: Queryable,
  logins: readonly NewLogin[],
  { now, replaceable }: { now: number; replaceable: readonly string[] },
): Promise<KeptRow[]> {
  return db.query<KeptRow>(IMPORT, [
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
 * Does what `writeLogins` does, under Citus. Rows are locked in the order of their shards, so that two transactions that share logins
 * cannot deadlock. @throws a unique violation if another transaction creates one of the new users meanwhile
 */
async function writeLoginsInParts(
  connection: Transaction,
  logins: readonly NewLogin[],
  { now, replaceable }: { now: number; replaceable: readonly string[] },
): Promise<KeptRow[]> {
  const overwritten: (ExistingRow & { hash_algorithm: string })[] = [];
  for (const group of await inParts(connection, 'password_logins', logins, ({ login }) => login.email)) {
    const hashes = group.map(({ login }) => login.hash);
    const rows = await connection.query<(typeof overwritten)[number]>(OVERWRITE, [
      group.map(({ login }) => login.email),
      hashes.map(({ encoded }) => encoded),
      hashes.map(({ algorithm }) => algorithm),
      hashes.map(({ secretId }) => secretId ?? null),
      hashes.map(({ strength }) => strength),
      replaceable,
    ]);
    overwritten.push(...rows);
  }
  if (overwritten.length > 0)
    await connection.query(
      `insert into hash_changes (recipe_user_id, changed_by, hash_algorithm)
       select recipe_user_id, 'import', hash_algorithm from unnest($1::uuid[], $2::text[]) as t (recipe_user_id, hash_algorithm)`,
      [
        overwritten.map(({ recipe_user_id }) => recipe_user_id),
        overwritten.map(({ hash_algorithm }) => hash_algorithm),
      ],
    );
  const done = new Set(overwritten.map(({ email }) => email));
  const others = logins.filter(({ login }) => !done.has(login.email));
  if (others.length === 0) return overwritten;
  const left = await connection.query<{ email: string; user_id: null }>(FIND_LEFT, [
    others.map(({ login }) => login.email),
  ]);
  for (const { email } of left) done.add(email);
  const created = others.filter(({ login }) => !done.has(login.email));
  await copyNewUsers(connection, { passwordLogins: created.map((one) => asNew(one, now)) });
  return [...overwritten, ...left];
}

/**
 * Creates or overwrites password logins, in one statement where none of them was upgraded before. E-mails must be distinct. Returns in
 * the order of `logins`.
 */
export async function importLogins(
  db: Database,
  logins: readonly IncomingLogin[],
  copyNewLogins?: CopyNewLogins,
): Promise<ImportedLogin[]> {
  const now = Date.now();
  const ids = logins.map(() => uuidv7());
  const existing = new Map<string, ExistingRow>();
  let waiting = logins.map((login, index): NewLogin => ({ login, id: ids[index] as string }));
  const newLogins = () => ({ passwordLogins: waiting.map((one) => asNew(one, now)) });
  const isCopied = await copyNewLogins?.attempt(newLogins);
  if (isCopied) waiting = [];
  let replaceable: string[] = [];
  for (let attempt = 1; waiting.length > 0; attempt += 1) {
    if (attempt > MAX_ATTEMPTS) throw new Contended(new Error('logins are upgraded again and again'));
    const options = { now, replaceable };
    const rows =
      db.engine === 'citus'
        ? await retryWhereCreated(() =>
            db.transaction((client) => writeLoginsInParts(client, waiting, options)),
          )
        : await writeLogins(db, waiting, options);
    for (const row of rows) if (row.user_id !== null) existing.set(row.email, row);
    const emails = new Set(rows.filter(({ user_id }) => user_id === null).map(({ email }) => email));
    if (emails.size === 0) break;
    const left = new Map(
      (await db.query<LeftRow>(LEFT[db.engine], [[...emails]])).map((row) => [row.email, row] as const),
    );
    replaceable = [];
    waiting = waiting.filter(({ login }) => {
      if (!emails.has(login.email)) return false;
      const row = left.get(login.email);
      if (row !== undefined && login.matchesFingerprint?.(row.fingerprint) === true) {
        existing.set(row.email, row);
        return false;
      }
      if (row !== undefined) replaceable.push(row.fingerprint);
      return true;
    });
  }
  if (!isCopied) copyNewLogins?.wrote({ wereKnown: existing.size > 0 });
  const linked = await linkedUsers(
    db,
    [...existing.values()].filter((row) => row.linked),
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

import { v7 as uuidv7 } from 'uuid';
import { AppError } from '../../lib/errors.ts';
import { identityKey, type ThirdPartyIdentity, type User } from '../../users/user.ts';
import { inParts } from '../citus/group-by-shard.ts';
import { type CopyNewLogins, copyNewUsers, retryWhereCreated } from '../citus/users/copy-new-logins.ts';
import type { Transaction } from '../client/connection.ts';
import type { Database } from '../client/database.ts';
import { thirdPartyUser } from './sole-login.ts';
import { toUser, type UserRow } from './user-row.ts';
import { readUsersIfPossible, wholeUser } from './user-rows.ts';

export interface ThirdPartySignIn {
  identity: ThirdPartyIdentity;
  email: string;
  verified: boolean;
}

export interface ThirdPartySignedIn {
  user: User;
  recipeUserId: string;
  created: boolean;
}

/**
 * Creates logins or signs in to them, and returns those that were there already: their user_id is not one that was offered.
 * Rows go in by order of their key, so that two of these statements that share keys cannot deadlock.
 */
const SIGN_IN_UP = `
  with incoming as (
    select * from unnest($1::text[], $2::text[], $3::text[], $4::boolean[], $5::uuid[])
      as t (third_party_id, third_party_user_id, email, verified, user_id)
  ), kept as (
    insert into third_party_logins as login
      (third_party_id, third_party_user_id, email, user_id, recipe_user_id, time_joined_ms, verified_emails, last_sign_in_at)
    select third_party_id, third_party_user_id, email, user_id, user_id, $6, case when verified then array[email] end, now()
    from incoming order by third_party_user_id, third_party_id
    on conflict (third_party_user_id, third_party_id) do update set
      email = excluded.email,
      verified_emails = case
        when excluded.verified_emails is null or excluded.email = any (login.verified_emails)
        then login.verified_emails
        else coalesce(login.verified_emails, '{}') || excluded.verified_emails
      end,
      last_sign_in_at = excluded.last_sign_in_at
    returning third_party_id, third_party_user_id, user_id, recipe_user_id, linked, time_joined_ms,
      email = any (verified_emails) as verified
  ), created as (
    insert into users (user_id, time_joined_ms)
    select user_id, $6 from kept where user_id = any ($5::uuid[])
  )
  select kept.*, case when linked then ${wholeUser('postgres', 'kept.user_id')} end as linked_user
  from kept where user_id <> all ($5::uuid[])`;

/** Signs in to logins of one part of the table, under Citus. Returns those that are there. */
const SIGN_IN = `
  update third_party_logins login set
    email = incoming.email,
    verified_emails = case
      when not incoming.verified or incoming.email = any (login.verified_emails) then login.verified_emails
      else coalesce(login.verified_emails, '{}') || array[incoming.email]
    end,
    last_sign_in_at = now()
  from unnest($1::text[], $2::text[], $3::text[], $4::boolean[]) as incoming (third_party_id, third_party_user_id, email, verified)
  where login.third_party_id = incoming.third_party_id and login.third_party_user_id = incoming.third_party_user_id
    and login.third_party_user_id = any ($2)
  returning login.third_party_id, login.third_party_user_id, login.user_id, login.recipe_user_id, login.linked,
    login.time_joined_ms, login.email = any (login.verified_emails) as verified, null as linked_user`;

interface ExistingRow {
  third_party_id: string;
  third_party_user_id: string;
  user_id: string;
  recipe_user_id: string;
  linked: boolean;
  time_joined_ms: string;
  verified: boolean | null;
  linked_user: UserRow | null;
}

/** `gone`: the login that was signed in to, one of several of its user, was removed before the user could be read. */
export type ThirdPartyOutcome = ThirdPartySignedIn | { gone: ThirdPartySignedIn };

/** A sign-in with the id that its user would get. */
interface NewSignIn {
  signIn: ThirdPartySignIn;
  id: string;
}

/** Returns the rows of a user who does not exist yet. */
const asNew = ({ signIn: { identity, email, verified }, id }: NewSignIn, timeJoinedMs: number) => ({
  ...{ userId: id, recipeUserId: id, identity, email, timeJoinedMs },
  verifiedEmails: verified ? [email] : [],
  hasSignedIn: true,
  hasMore: false,
});

/** Writes sign-ins, and returns the logins that were there already. */
function writeSignIns(db: Database, signIns: readonly NewSignIn[], now: number): Promise<ExistingRow[]> {
  if (db.engine === 'citus')
    return retryWhereCreated(() =>
      db.transaction((connection) => writeSignInsInParts(connection, signIns, now)),
    );
  return db.query<ExistingRow>(SIGN_IN_UP, [...columnsOf(signIns), signIns.map(({ id }) => id), now]);
}

/**
 * Does what `writeSignIns` does, under Citus: first the known users, shard by shard, then the new ones.
 * @throws a unique violation if another transaction creates one of the new users meanwhile
 */
async function writeSignInsInParts(
  connection: Transaction,
  signIns: readonly NewSignIn[],
  now: number,
): Promise<ExistingRow[]> {
  const existing: ExistingRow[] = [];
  const userIdOf = ({ signIn }: NewSignIn) => signIn.identity.userId;
  for (const group of await inParts(connection, 'third_party_logins', signIns, userIdOf))
    existing.push(...(await connection.query<ExistingRow>(SIGN_IN, columnsOf(group))));
  const met = new Set(existing.map(identityOf));
  const created = signIns.filter(({ signIn }) => !met.has(identityKey(signIn.identity)));
  await copyNewUsers(connection, { thirdPartyLogins: created.map((one) => asNew(one, now)) });
  return existing;
}

const identityOf = (row: ExistingRow) =>
  identityKey({ id: row.third_party_id, userId: row.third_party_user_id });

const columnsOf = (signIns: readonly NewSignIn[]) => [
  signIns.map(({ signIn }) => signIn.identity.id),
  signIns.map(({ signIn }) => signIn.identity.userId),
  signIns.map(({ signIn }) => signIn.email),
  signIns.map(({ signIn }) => signIn.verified),
];

/** Signs in or creates third-party users together. Identities must be distinct. Returns in the order of `signIns`. */
export async function signInUpThirdParties(
  db: Database,
  signIns: readonly ThirdPartySignIn[],
  copyNewLogins?: CopyNewLogins,
): Promise<ThirdPartyOutcome[]> {
  const now = Date.now();
  const ids = signIns.map(() => uuidv7());
  const incoming = signIns.map((signIn, index): NewSignIn => ({ signIn, id: ids[index] as string }));
  const isCopied = await copyNewLogins?.attempt(() => ({
    thirdPartyLogins: incoming.map((one) => asNew(one, now)),
  }));
  const rows = isCopied ? [] : await writeSignIns(db, incoming, now);
  if (!isCopied) copyNewLogins?.wrote({ wereKnown: rows.length > 0 });
  const existing = new Map(rows.map((row) => [identityOf(row), row]));
  const outcomes = signIns.map((signIn, index) => {
    const { identity, email } = signIn;
    const row = existing.get(identityKey(identity));
    const id = row?.user_id ?? (ids[index] as string);
    const recipeUserId = row?.recipe_user_id ?? id;
    const verified = row?.verified ?? signIn.verified;
    const timeJoinedMs = Number(row?.time_joined_ms ?? now);
    const user = thirdPartyUser({ id, recipeUserId, email, verified, timeJoinedMs }, identity);
    const alone = { user, recipeUserId, created: row === undefined };
    return { signIn, alone, whole: row?.linked ? wholeOutcome(row, signIn) : alone };
  });
  const changed = outcomes.filter(({ whole }) => whole === undefined);
  const users = await readUsersIfPossible(
    db,
    changed.map(({ alone }) => alone.user.id),
  );
  return outcomes.map(({ signIn, alone, whole }) => {
    if (whole !== undefined) return whole;
    // The sign-in is committed, and this login of the user is known at least.
    if (users === undefined) return alone;
    const user = users.get(alone.user.id);
    const method = user && methodOf(user, signIn.identity);
    return method ? { user, recipeUserId: method.recipeUserId, created: false } : { gone: alone };
  });
}

/**
 * The user as the statement saw it, with what it made of the login. The statement saw users as they were when it began, but
 * may have waited for the login's row. Returns undefined where the user was not there yet then, or the login had another
 * id: the user's other logins were removed meanwhile.
 */
function wholeOutcome(
  row: ExistingRow,
  { identity, email }: ThirdPartySignIn,
): ThirdPartySignedIn | undefined {
  if (row.linked_user === null) return undefined;
  const before = toUser(row.linked_user);
  const method = methodOf(before, identity);
  if (method === undefined || method.recipeUserId !== row.recipe_user_id) return undefined;
  const signedIn = { ...method, email, verified: row.verified ?? false };
  const loginMethods = before.loginMethods.map((one) => (one === method ? signedIn : one));
  return { user: { ...before, loginMethods }, recipeUserId: row.recipe_user_id, created: false };
}

const methodOf = (user: User, identity: ThirdPartyIdentity) =>
  user.loginMethods.find(
    (method) => method.recipeId === 'thirdparty' && identityKey(method.thirdParty) === identityKey(identity),
  );

/** Most attempts of a sign-in whose login is removed, each time, before its user is read. */
const MAX_ATTEMPTS = 3;

/** Runs `attempt` again while the login it signed in to is gone when its user is read. */
export async function signInUpUntilThere(
  attempt: () => Promise<ThirdPartyOutcome>,
): Promise<ThirdPartySignedIn> {
  let committed: ThirdPartySignedIn | undefined;
  for (let attempts = 1; attempts <= MAX_ATTEMPTS; attempts += 1) {
    try {
      const outcome = await attempt();
      if (!('gone' in outcome)) return outcome;
      committed = outcome.gone;
    } catch (error) {
      // An earlier attempt has signed in.
      if (committed !== undefined && error instanceof AppError) return committed;
      throw error;
    }
  }
  throw new AppError('OVERLOADED', 'Service is overloaded: this login is changed again and again');
}

import { v7 as uuidv7 } from 'uuid';
import { AppError } from '../../lib/errors.ts';
import { identityKey, type ThirdPartyIdentity, type User } from '../../users/user.ts';
import type { Queryable } from '../client/connection.ts';
import { forEachEngine } from '../client/engine.ts';
import type { CopyNewLogins } from './copy-new-logins.ts';
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
const SIGN_IN_UP = forEachEngine(
  (engine) => `
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
  select kept.*, case when linked then ${wholeUser(engine, 'kept.user_id')} end as linked_user
  from kept where user_id <> all ($5::uuid[])`,
);

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

/** What the statement writes of a user who is not there. */
const asNew = ({ identity, email, verified }: ThirdPartySignIn, id: string, timeJoinedMs: number) => ({
  ...{ userId: id, recipeUserId: id, identity, email, timeJoinedMs },
  verifiedEmails: verified ? [email] : [],
  hasSignedIn: true,
  hasMore: false,
});

/** Signs in or creates third-party users in one statement. Identities must be distinct. Returns in the order of `signIns`. */
export async function signInUpThirdParties(
  db: Queryable,
  signIns: readonly ThirdPartySignIn[],
  copyNewLogins?: CopyNewLogins,
): Promise<ThirdPartyOutcome[]> {
  const now = Date.now();
  const ids = signIns.map(() => uuidv7());
  const isCopied = await copyNewLogins?.(() => ({
    thirdPartyLogins: signIns.map((signIn, index) => asNew(signIn, ids[index] as string, now)),
  }));
  const rows = isCopied
    ? []
    : await db.query<ExistingRow>(SIGN_IN_UP[db.engine], [
        signIns.map(({ identity }) => identity.id),
        signIns.map(({ identity }) => identity.userId),
        signIns.map(({ email }) => email),
        signIns.map(({ verified }) => verified),
        ids,
        now,
      ]);
  const existing = new Map(
    rows.map((row) => [identityKey({ id: row.third_party_id, userId: row.third_party_user_id }), row]),
  );
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

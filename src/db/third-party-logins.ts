import { v7 as uuidv7 } from 'uuid';
import { identityKey } from '../identity-key.ts';
import type { ThirdPartyIdentity, User } from '../users/user.ts';
import type { Queryable } from './connection.ts';
import { thirdPartyUser } from './sole-login.ts';
import { readUsers } from './user-rows.ts';

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

/** As IMPORT in import-logins.ts: by order of the key, and a user_id that was not offered was there already. */
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
      last_sign_in_at = now()
    returning third_party_id, third_party_user_id, user_id, recipe_user_id, linked, time_joined_ms,
      email = any (verified_emails) as verified
  ), created as (
    insert into users (user_id, time_joined_ms)
    select user_id, $6 from kept where user_id = any ($5::uuid[])
  )
  select * from kept where user_id <> all ($5::uuid[])`;

interface ExistingRow {
  third_party_id: string;
  third_party_user_id: string;
  user_id: string;
  recipe_user_id: string;
  linked: boolean;
  time_joined_ms: string;
  verified: boolean | null;
}

/** Signs in or creates third-party users in one statement. Identities must be distinct. Answers in the order of `signIns`. */
export async function signInUpThirdParties(
  db: Queryable,
  signIns: readonly ThirdPartySignIn[],
): Promise<ThirdPartySignedIn[]> {
  const now = Date.now();
  const ids = signIns.map(() => uuidv7());
  const rows = await db.query<ExistingRow>(SIGN_IN_UP, [
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
  const linked = await readUsers(
    db,
    rows.filter((row) => row.linked).map((row) => row.user_id),
  );
  return signIns.map((signIn, index) => {
    const row = existing.get(identityKey(signIn.identity));
    const id = row?.user_id ?? (ids[index] as string);
    const login = {
      id,
      email: signIn.email,
      verified: row?.verified ?? signIn.verified,
      timeJoinedMs: Number(row?.time_joined_ms ?? now),
    };
    // A linked user who was removed since the statement is told as the statement left it.
    const user = linked.get(id) ?? thirdPartyUser(login, signIn.identity);
    return { user, recipeUserId: row?.recipe_user_id ?? id, created: row === undefined };
  });
}

import { identityKey, type ThirdPartyIdentity } from '../../users/user.ts';
import type { Queryable } from '../client/connection.ts';
import { type LoginRow, type UserRow, wholeUser } from './user-row.ts';

export interface ThirdPartySignIn {
  identity: ThirdPartyIdentity;
  email: string;
  verified: boolean;
}

/**
 * End of a statement that inserts third-party logins. Signs in to logins that exist, unless they are disabled. Returns
 * these logins and the created ones.
 */
export const SIGN_IN = `
    on conflict (third_party_user_id, third_party_id) do update set
      email = case when login.disabled then login.email else excluded.email end,
      verified_emails = case
        when login.disabled or excluded.verified_emails is null or excluded.email = any (login.verified_emails)
        then login.verified_emails
        else coalesce(login.verified_emails, '{}') || excluded.verified_emails
      end,
      last_sign_in_at = case when login.disabled then login.last_sign_in_at else excluded.last_sign_in_at end
    returning third_party_id, third_party_user_id, user_id, recipe_user_id, linked, time_joined_ms, disabled,
      coalesce(email = any (verified_emails), false) as verified`;

/**
 * Creates third-party logins or signs in to them, and returns those that existed before. Rows are inserted in the
 * order of their keys, so that two such statements that write the same logins cannot deadlock.
 */
const SIGN_IN_UP = `
  with incoming as (
    select * from unnest($1::text[], $2::text[], $3::text[], $4::boolean[], $5::uuid[])
      as t (third_party_id, third_party_user_id, email, verified, user_id)
  ), kept as (
    insert into third_party_logins as login
      (third_party_id, third_party_user_id, email, user_id, recipe_user_id, time_joined_ms, verified_emails, last_sign_in_at)
    select third_party_id, third_party_user_id, email, user_id, user_id, $6, case when verified then array[email] end, now()
    from incoming order by third_party_user_id, third_party_id ${SIGN_IN}
  ), created as (
    insert into users (user_id, time_joined_ms)
    select user_id, $6 from kept where user_id = any ($5::uuid[])
  )
  select kept.*, case when linked then ${wholeUser('kept.user_id')} end as linked_user
  from kept where user_id <> all ($5::uuid[])`;

/** Login that existed before. `linked_user` is null unless the statement read the user as well. */
export interface ExistingIdentity extends Omit<LoginRow, 'email'> {
  third_party_id: string;
  third_party_user_id: string;
  linked_user: UserRow | null;
}

/** Third-party sign-in, and the id that the user gets if the identity is new. */
export interface NewSignIn {
  signIn: ThirdPartySignIn;
  id: string;
}

export const writeSignIns = (
  db: Queryable,
  signIns: readonly NewSignIn[],
  now: number,
): Promise<ExistingIdentity[]> =>
  db.query<ExistingIdentity>(SIGN_IN_UP, [
    signIns.map(({ signIn }) => signIn.identity.id),
    signIns.map(({ signIn }) => signIn.identity.userId),
    signIns.map(({ signIn }) => signIn.email),
    signIns.map(({ signIn }) => signIn.verified),
    signIns.map(({ id }) => id),
    now,
  ]);

export const identityOf = (row: ExistingIdentity) =>
  identityKey({ id: row.third_party_id, userId: row.third_party_user_id });

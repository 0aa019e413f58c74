import { identityKey } from '../../../users/user.ts';
import type { Transaction } from '../../client/connection.ts';
import type { Database } from '../../client/database.ts';
import {
  columnsOf,
  type ExistingIdentity,
  identityOf,
  type NewSignIn,
  newSignInRows,
} from '../../users/write-sign-ins.ts';
import { groupByShard } from '../group-by-shard.ts';
import { copyNewUsers, retryWhereCreated } from './copy-new-logins.ts';

/** Signs in to the logins of one shard, and returns the logins that exist. */
const SIGN_IN = `
  update third_party_logins login set
    email = case when login.disabled then login.email else incoming.email end,
    verified_emails = case
      when login.disabled or not incoming.verified or incoming.email = any (login.verified_emails) then login.verified_emails
      else coalesce(login.verified_emails, '{}') || array[incoming.email]
    end,
    last_sign_in_at = case when login.disabled then login.last_sign_in_at else now() end
  from unnest($1::text[], $2::text[], $3::text[], $4::boolean[]) as incoming (third_party_id, third_party_user_id, email, verified)
  where login.third_party_id = incoming.third_party_id and login.third_party_user_id = incoming.third_party_user_id
    and login.third_party_user_id = any ($2)
  returning login.third_party_id, login.third_party_user_id, login.user_id, login.recipe_user_id, login.linked,
    login.time_joined_ms, login.disabled, login.email = any (login.verified_emails) as verified, null as linked_user`;

/** Writes sign-ins, and returns the logins that were there already. */
export const writeSignInsOnNodes = (
  db: Database,
  signIns: readonly NewSignIn[],
  now: number,
): Promise<ExistingIdentity[]> =>
  retryWhereCreated(() => db.transaction((connection) => writeByShard(connection, signIns, now)));

/**
 * Writes the known users shard by shard, then the new users.
 * @throws a unique violation if another transaction creates one of the new users meanwhile
 */
async function writeByShard(
  connection: Transaction,
  signIns: readonly NewSignIn[],
  now: number,
): Promise<ExistingIdentity[]> {
  const existing: ExistingIdentity[] = [];
  const userIdOf = ({ signIn }: NewSignIn) => signIn.identity.userId;
  for (const group of await groupByShard(connection, 'third_party_logins', signIns, userIdOf))
    existing.push(...(await connection.query<ExistingIdentity>(SIGN_IN, columnsOf(group))));
  const met = new Set(existing.map(identityOf));
  const created = signIns.filter(({ signIn }) => !met.has(identityKey(signIn.identity)));
  await copyNewUsers(connection, { thirdPartyLogins: created.map((one) => newSignInRows(one, now)) });
  return existing;
}

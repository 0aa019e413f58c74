import type { AccountInfo, PageStart, UserPage } from '../../users/user-store.ts';
import { gatherPage, MAX_LOGINS } from '../citus/users/gather-page.ts';
import {
  PASSWORD_LOGINS,
  type PasswordLoginRow,
  readJoined,
  THIRD_PARTY_LOGINS,
  type ThirdPartyLoginRow,
} from '../citus/users/gather-users.ts';
import type { Queryable } from '../client/connection.ts';
import { Parameters } from './parameters.ts';
import { readFound } from './read-found.ts';

/** Implements `findUsersByAccountInfo` of `UserStore`. */
export async function findUsersByAccountInfo(
  db: Queryable,
  info: AccountInfo,
  match: 'all' | 'any',
  limit: number,
): Promise<UserPage> {
  if (db.engine === 'citus') {
    const met = await findLogins(db, info, match);
    if (met !== undefined) return pageOfLogins(db, met, limit);
  }
  const parameters = new Parameters();
  const sets: string[] = [];
  if (info.email !== undefined) {
    const email = parameters.add(info.email);
    sets.push(
      `(select user_id from password_logins where email = ${email}
        union select user_id from third_party_logins where email = ${email})`,
    );
  }
  if (info.thirdParty !== undefined) {
    const { id, userId } = info.thirdParty;
    sets.push(
      `(select user_id from third_party_logins
        where third_party_id = ${parameters.add(id)} and third_party_user_id = ${parameters.add(userId)})`,
    );
  }
  if (sets.length === 0) return { users: [], next: undefined };
  // The users are found first, and then put in order. `offset 0` keeps Postgres from doing it the other way round: walking
  // all users from the oldest on until enough of them match.
  const found = `
    select user_id, time_joined_ms from (
      select u.user_id, u.time_joined_ms from users u
      where u.user_id in (${sets.join(match === 'all' ? ' intersect ' : ' union ')}) offset 0
    ) met
    order by time_joined_ms, user_id desc limit ${parameters.add(limit + 1)}`;
  return readFound(db, found, parameters, { order: 'asc', limit });
}

type Login = PasswordLoginRow | ThirdPartyLoginRow;

/**
 * Several nodes are asked for the logins themselves, which mostly are all there is of their users. Returns those of users who meet the
 * conditions; undefined where they are too many for that.
 */
async function findLogins(
  db: Queryable,
  { email, thirdParty }: AccountInfo,
  match: 'all' | 'any',
): Promise<Login[] | undefined> {
  const sets: Login[][] = [];
  if (email !== undefined) {
    const most = MAX_LOGINS + 1;
    const others = await db.query<ThirdPartyLoginRow>(
      `${THIRD_PARTY_LOGINS} where email = $1 limit ${most}`,
      [email],
    );
    if (others.length === most) return undefined;
    sets.push([
      ...(await db.query<PasswordLoginRow>(`${PASSWORD_LOGINS} where email = $1`, [email])),
      ...others,
    ]);
  }
  if (thirdParty !== undefined) {
    const statement = `${THIRD_PARTY_LOGINS} where third_party_user_id = $1 and third_party_id = $2`;
    sets.push(await db.query<ThirdPartyLoginRow>(statement, [thirdParty.userId, thirdParty.id]));
  }
  const users = sets.map((logins) => new Set(logins.map(({ user_id }) => user_id)));
  const logins = sets.flat();
  return match === 'any' ? logins : logins.filter((login) => users.every((ids) => ids.has(login.user_id)));
}

async function pageOfLogins(db: Queryable, logins: readonly Login[], limit: number): Promise<UserPage> {
  const joined = await readJoined(db, [...new Set(logins.map(({ user_id }) => user_id))]);
  const places: PageStart[] = [...joined].map(([userId, time]) => ({ userId, timeJoinedMs: Number(time) }));
  places.sort((a, b) => a.timeJoinedMs - b.timeJoinedMs || (a.userId < b.userId ? 1 : -1));
  return gatherPage(db, places.slice(0, limit + 1), limit, logins);
}

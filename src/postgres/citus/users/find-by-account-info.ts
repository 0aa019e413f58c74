import type { AccountInfo, PageStart, UserPage } from '../../../users/user-store.ts';
import type { Queryable } from '../../client/connection.ts';
import { usersWithAccountInfo } from '../../users/find-by-account-info.ts';
import { MAX_LOGINS } from '../../users/read-found.ts';
import { gatherPage, readPlaces } from './gather-page.ts';
import {
  PASSWORD_LOGINS,
  type PasswordLoginRow,
  readJoined,
  THIRD_PARTY_LOGINS,
  type ThirdPartyLoginRow,
} from './gather-users.ts';

export async function findUsersByAccountInfoOnNodes(
  db: Queryable,
  info: AccountInfo,
  match: 'all' | 'any',
  limit: number,
): Promise<UserPage> {
  const met = await findLogins(db, info, match);
  if (met !== undefined) return pageOfLogins(db, met, limit);
  const statement = usersWithAccountInfo(info, match, limit);
  if (statement === undefined) return { users: [], next: undefined };
  return gatherPage(db, await readPlaces(db, statement.found, statement.parameters), limit);
}

type Login = PasswordLoginRow | ThirdPartyLoginRow;

/** Undefined if there are too many logins. For most users, nothing but the logins needs to be read. */
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

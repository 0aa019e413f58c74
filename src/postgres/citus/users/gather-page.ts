import type { PageStart, UserPage } from '../../../users/user-store.ts';
import type { Queryable } from '../../client/connection.ts';
import type { Parameters } from '../../users/parameters.ts';
import { MAX_LOGINS } from '../../users/read-found.ts';
import { isThere, toUser } from '../../users/user-row.ts';
import { type GatheredRow, type GatherOptions, gatherUsers } from './gather-users.ts';

/** @param found statement that selects `user_id` and `time_joined_ms`, in the order of the user listing */
export async function readPlaces(db: Queryable, found: string, parameters: Parameters): Promise<PageStart[]> {
  const rows = await db.query<{ user_id: string; time_joined_ms: string }>(found, parameters.values);
  return rows.map((row) => ({ userId: row.user_id, timeJoinedMs: Number(row.time_joined_ms) }));
}

/** @param places users in the order of the page; one more than `limit` if there are more */
export async function gatherPage(
  db: Queryable,
  places: readonly PageStart[],
  limit: number,
  known: GatherOptions['known'] = [],
): Promise<UserPage> {
  const wanted = places.slice(0, limit);
  let rows = await gatherUsers(db, joinedOf(wanted), { atMost: MAX_LOGINS, known });
  let aliases = (id: string) => rows?.get(id)?.aliases ?? 0;
  if (rows === undefined) {
    const counts = await countAliases(db, wanted);
    aliases = (id) => counts.get(id) ?? 0;
  }
  const fitting = whatFits(wanted, aliases);
  rows ??= (await gatherUsers(db, joinedOf(fitting))) ?? new Map<string, GatheredRow>();
  const users = fitting.flatMap(({ userId }) => rows.get(userId) ?? []).map(toUser);
  return { users: users.filter(isThere), next: places[fitting.length] };
}

const joinedOf = (places: readonly PageStart[]) =>
  new Map(places.map(({ userId, timeJoinedMs }) => [userId, timeJoinedMs]));

function whatFits(places: readonly PageStart[], aliases: (id: string) => number): readonly PageStart[] {
  let logins = 0;
  const end = places.findIndex(({ userId }, index) => {
    logins += 1 + aliases(userId);
    return index > 0 && logins > MAX_LOGINS;
  });
  return end === -1 ? places : places.slice(0, end);
}

async function countAliases(db: Queryable, places: readonly PageStart[]): Promise<Map<string, number>> {
  const rows = await db.query<{ user_id: string; count: number }>(
    `select user_id, count(*)::int as count from user_aliases
     where user_id = any ($1::uuid[]) group by user_id`,
    [places.map(({ userId }) => userId)],
  );
  return new Map(rows.map(({ user_id, count }) => [user_id, count]));
}

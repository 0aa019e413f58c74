import type { Queryable } from '../client/connection.ts';

/** See src/imports/resolve/person.ts for the relation of chunks and ids. */
const chunkBefore = (table: string) => `
  (select import_id, first_user_id, last_user_id from ${table}
   where first_user_id <= id order by first_user_id desc limit 1)`;

const SOURCES = `
  select id as user_id, source
  from unnest($1::uuid[]) id
  cross join lateral (
    select * from (${chunkBefore('import_chunks')} union all ${chunkBefore('import_user_ranges')}) chunks
    order by first_user_id desc limit 1
  ) chunk
  join imports using (import_id)
  where last_user_id >= id and right(id::text, 7) = right(first_user_id::text, 7) and source is not null`;

const chunkOf = (userId: string) => userId.slice(0, 24) + userId.slice(29);

/** Users whom no import created, and users of imports without a source, are left out. */
export async function findSources(
  db: Queryable,
  userIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  // All users of a chunk are from the same source, so only one of them is looked up.
  const ofChunk = new Map(userIds.map((userId) => [chunkOf(userId), userId]));
  const rows = await db.query<{ user_id: string; source: string }>(SOURCES, [[...ofChunk.values()]]);
  const sources = new Map(rows.map(({ user_id, source }) => [chunkOf(user_id), source]));
  return new Map(
    userIds.flatMap((userId) => {
      const source = sources.get(chunkOf(userId));
      return source === undefined ? [] : [[userId, source] as const];
    }),
  );
}

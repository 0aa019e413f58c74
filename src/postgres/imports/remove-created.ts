import type { RollbackCounts } from '../../imports/import-history.ts';
import type { Queryable } from '../client/connection.ts';
import type { RowsToLock } from '../client/engine.ts';
import { passwordLoginsToLock, thirdPartyLoginsToLock, usersToLock } from '../users/rows-to-lock.ts';

/** The form of ids shows whom a chunk created (src/imports/resolve/person.ts). */
const CREATED = 'user_id between $1 and $2 and right(user_id::text, 7) = right($1::uuid::text, 7)';

const OF_RANGE = 'user_id between $1 and $2';
const USERS = usersToLock('user_id', CREATED);
const LOGINS = [passwordLoginsToLock('user_id', OF_RANGE), thirdPartyLoginsToLock('user_id', OF_RANGE)];

/** Users with a login that was used or changed since the import are kept, with all their logins. */
const CHANGED = `
  select user_id from password_logins
  where user_id between $1 and $2 and (last_sign_in_at is not null or changed_at is not null or hash_set_at <>
    (select written_at from import_chunks where import_id = $3 and first_line = $4))
  union
  select user_id from third_party_logins
  where user_id between $1 and $2 and (last_sign_in_at is not null or changed_at is not null)`;

/** Users whom the SuperTokens core has are kept, because their first sign-in needs the hash that is here. */
const IN_CORE = `
  select distinct user_id from handed_over_logins
  where user_id between $1 and $2 and state <> 'refused'`;

/** Statement without joins: PostgreSQL lacks statistics of tables that were just filled, and may plan joins badly. */
const REMOVE = `
  with removed as (
    delete from users where ${CREATED} and user_id <> all ($3::uuid[]) returning user_id
  ), p as (
    delete from password_logins where user_id = any (array(table removed))
  ), t as (
    delete from third_party_logins where user_id = any (array(table removed))
  ), a as (
    delete from user_aliases where user_id = any (array(table removed))
  )
  select count(*) from removed`;

const FORGET_CHUNK = `
  with chunk as (
    delete from import_chunks where import_id = $1 and first_line = $2 returning first_user_id, last_user_id, import_id
  )
  insert into import_user_ranges (first_user_id, last_user_id, import_id)
  select * from chunk where $3 on conflict do nothing`;

interface ChunkRow {
  first_line: string;
  first_user_id: string;
  last_user_id: string;
}

/**
 * Removes the users whom one chunk created, except those of `CHANGED` and `IN_CORE`.
 * @returns undefined if no chunk is left
 */
export async function removeCreated(
  client: Queryable,
  { importId }: { importId: string },
): Promise<Partial<RollbackCounts> | undefined> {
  const [chunk] = await client.query<ChunkRow>(
    `select first_line, first_user_id, last_user_id from import_chunks
     where import_id = $1 order by first_line limit 1`,
    [importId],
  );
  if (chunk === undefined) return undefined;
  const range = [chunk.first_user_id, chunk.last_user_id];
  const place = [importId, chunk.first_line];
  await client.engine.lockOutChanges(client);
  const found = await lock(client, USERS, range);
  for (const logins of LOGINS) await lock(client, logins, range);
  const changed = await client.query<{ user_id: string }>(CHANGED, [...range, ...place]);
  const inCore = await client.query<{ user_id: string }>(IN_CORE, range);
  const kept = [...changed, ...inCore].map(({ user_id }) => user_id);
  const removed = await count(client, REMOVE, [...range, kept]);
  // The range of ids of kept users is kept as well, because it shows their source.
  await client.query(FORGET_CHUNK, [...place, found > removed]);
  return { usersRemoved: removed, usersKept: found - removed };
}

const lock = (client: Queryable, rows: RowsToLock, values: readonly unknown[]) =>
  count(client, `with locked as (${client.engine.lockingRows(rows)}) select count(*) from locked`, values);

async function count(client: Queryable, statement: string, values: readonly unknown[]): Promise<number> {
  const [row] = await client.query<{ count: string }>(statement, values);
  return Number(row?.count);
}

import type { MovedLogin, MovedStore, MoveState } from '../../hooks/moves.ts';
import { Contended } from '../../lib/errors.ts';
import type { Transaction } from '../client/connection.ts';
import type { Database } from '../client/database.ts';
import { chunkOfUser, readExternalIds } from '../imports/read-known.ts';
import { resolveId } from '../users/change-user.ts';
import { readStanding } from '../users/in-core.ts';
import { lockPasswordLogins, passwordLoginsByKey, passwordLoginsToLock } from '../users/rows-to-lock.ts';

/** Number of hashes that one statement deletes. */
const BATCH = 500;

const FIND = `
  select state, extract(epoch from moved_at) * 1000 as moved_ms, extract(epoch from last_match_at) * 1000 as match_ms
  from moved_logins where recipe_user_id = $1`;

const RECORD_MATCH = `
  insert into moved_logins (recipe_user_id, user_id, state, last_match_at, matches, key_name, hook, hash_algorithm)
  values ($1, $2, 'moved', now(), 1, $3, $4, $5)
  on conflict (recipe_user_id) do update set last_match_at = now(), matches = moved_logins.matches + 1
  where moved_logins.state = 'moved' returning recipe_user_id`;

const LOGIN = passwordLoginsByKey('recipe_user_id, password_hash, hash_algorithm, disabled');
const LOGINS = passwordLoginsToLock('recipe_user_id');

interface LockedLogin extends Record<string, unknown> {
  recipe_user_id: string;
  password_hash: string | null;
  hash_algorithm: string | null;
  disabled: boolean;
}

const RECORD_CHANGE = `
  insert into moved_logins (recipe_user_id, user_id, state, key_name, hook, hash_algorithm)
  values ($1, $2, 'changed', $3, $4, $5)
  on conflict (recipe_user_id) do update set state = 'changed', moved_at = now()`;

/** Deletes the hashes of logins, and keeps the logins. */
const DELETE_HASHES = `
  update password_logins set password_hash = null, hash_algorithm = null, hash_secret_id = null, hash_class = null,
    imported_fingerprint = null, no_hash = 'unset', hash_set_at = now()
  where user_id = any ($1::uuid[]) and recipe_user_id = any ($2::uuid[]) and no_hash is null`;

const IS_OLD = "state = 'moved' and last_match_at < now() - $1 * interval '1 day'";

const OLD = `select recipe_user_id, user_id from moved_logins where ${IS_OLD} order by last_match_at limit ${BATCH}`;

const EXPIRE = `
  update moved_logins set state = 'gone' where ${IS_OLD} and recipe_user_id = any ($2::uuid[])
  returning recipe_user_id, user_id`;

/**
 * The subquery is for Citus: its nodes do not have the table `moved_logins`, but can join with the result of a
 * subquery.
 */
const COUNT_WAITING = `
  select count(*) from password_logins login
  where no_hash is null and not exists (
    select from (select recipe_user_id from moved_logins) moved
    where moved.recipe_user_id = login.recipe_user_id)`;

const COUNT_MOVED = `
  select key_name as "keyName", to_char(moved_at at time zone 'UTC', 'YYYY-MM-DD') as day,
    coalesce(hash_algorithm, 'unknown') as algorithm, state, count(*)::int as logins,
    sum(greatest(matches - 1, 0))::int as again
  from moved_logins group by 1, 2, 3, 4 order by 2, 1, 3, 4`;

/** Number of logins to read in one step of `waiting`. */
const STEP = 5000;

const LOGINS_AFTER = `
  select email, hash_algorithm as algorithm, user_id, recipe_user_id from password_logins
  where email > $1 and no_hash is null and not disabled order by email limit ${STEP}`;

const OF_USER = chunkOfUser('owner.id');

const IMPORT_OF = `
  select import_id from (select $1::uuid as id) owner
  ${OF_USER.join}
  where ${OF_USER.condition}`;

interface CountRow extends Record<string, unknown> {
  keyName: string;
  day: string;
  algorithm: string;
  state: MoveState;
  logins: number;
  again: number;
}

interface IdRow extends Record<string, unknown> {
  recipe_user_id: string;
  user_id: string;
}

interface LoginRow extends IdRow {
  email: string;
  algorithm: string;
}

export function createMovedStore(db: Database): MovedStore {
  const deleteHashes = async (client: Transaction, rows: readonly IdRow[]) => {
    const userIds = rows.map((row) => row.user_id);
    await client.query(DELETE_HASHES, [userIds, rows.map((row) => row.recipe_user_id)]);
  };
  return {
    async find(recipeUserId): Promise<MovedLogin | undefined> {
      const [row] = await db.query<{ state: MoveState; moved_ms: string; match_ms: string | null }>(FIND, [
        recipeUserId,
      ]);
      const [movedAtMs, lastMatchMs] = [Number(row?.moved_ms), Number(row?.match_ms ?? row?.moved_ms)];
      return row && { state: row.state, movedAtMs, lastMatchMs };
    },
    recordMatch: ({ email, recipeUserId, userId }, hash, { keyName, hook }) =>
      db.transaction(async (client) => {
        const [login] = await lockPasswordLogins<LockedLogin>(client, LOGIN, [email]);
        const isSame = login?.recipe_user_id === recipeUserId && login.password_hash === hash.encoded;
        if (!isSame || login.disabled) throw new Contended(new Error('the login was changed meanwhile'));
        const values = [recipeUserId, userId, keyName, hook, hash.algorithm];
        return (await client.query(RECORD_MATCH, values)).length > 0 ? 'recorded' : 'refused';
      }),
    recordChange: ({ email, recipeUserId, userId }, { keyName, hook }) =>
      db.transaction(async (client) => {
        const [login] = await lockPasswordLogins<LockedLogin>(client, LOGIN, [email]);
        if (login?.recipe_user_id !== recipeUserId) return;
        await client.query(RECORD_CHANGE, [recipeUserId, userId, keyName, hook, login.hash_algorithm]);
        await deleteHashes(client, [{ recipe_user_id: recipeUserId, user_id: userId }]);
      }),
    expire: (days) =>
      db.transaction(async (client) => {
        const old = await client.query<IdRow>(OLD, [days]);
        if (old.length === 0) return 0;
        // Logins are locked before their records, as for a match, so that the two cannot deadlock.
        await client.engine.lockRows(client, LOGINS, [old.map((row) => row.user_id)]);
        const gone = await client.query<IdRow>(EXPIRE, [days, old.map((row) => row.recipe_user_id)]);
        await deleteHashes(client, gone);
        return gone.length;
      }),
    async progress() {
      const [waiting] = await db.query<{ count: string }>(COUNT_WAITING);
      const rows = await db.query<CountRow>(COUNT_MOVED);
      return {
        waiting: Number(waiting?.count),
        moved: rows.map(({ keyName, day, algorithm, state, logins }) => ({
          ...{ keyName, day, algorithm, state, logins },
        })),
        askedAgain: rows.reduce((sum, { again }) => sum + again, 0),
      };
    },
    async importOf(recipeUserId) {
      const owner = await resolveId(db, recipeUserId);
      if (owner === undefined) return undefined;
      const [row] = await db.query<{ import_id: string }>(IMPORT_OF, [owner.userId]);
      return row?.import_id;
    },
    async waiting(afterEmail, limit) {
      const found: LoginRow[] = [];
      let rows: LoginRow[];
      let after = afterEmail;
      do {
        rows = await db.query<LoginRow>(LOGINS_AFTER, [after]);
        const standing = await readStanding(
          db,
          rows.map((row) => row.user_id),
        );
        found.push(...rows.filter((row) => !standing.moved.has(row.recipe_user_id)));
        after = rows.at(-1)?.email ?? after;
      } while (rows.length === STEP && found.length < limit);
      const logins = found.slice(0, limit);
      const ids = await readExternalIds(
        db,
        logins.map((row) => row.user_id),
      );
      const externalIds = new Map(ids.map((row) => [row.user_id, row.alias]));
      return logins.map(({ email, algorithm, user_id: userId }) => {
        const externalUserId = externalIds.get(userId);
        return { email, algorithm, ...(externalUserId !== undefined && { externalUserId }) };
      });
    },
  };
}

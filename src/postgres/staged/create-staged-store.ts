import type { Decisions } from '../../imports/resolve/resolver.ts';
import type { NewUsers, StagedEntry, StagedStore, StagedUser } from '../../imports/staged/staged-store.ts';
import { AppError, type ErrorCode } from '../../lib/errors.ts';
import { isUuid } from '../../lib/text/characters.ts';
import type { Connection, Queryable } from '../client/connection.ts';
import type { Database } from '../client/database.ts';
import { isUniqueViolation, retryContended } from '../client/pg-error.ts';
import { createPeople } from '../imports/copy-people.ts';
import { readKnown } from '../imports/read-known.ts';
import { BEGIN_BULK_SHORT_WAITS } from '../imports/stored-rows.ts';
import { readUsers } from '../users/user-rows.ts';

/** Maximum number of staged users in a batch. */
const BATCH_USERS = 1000;

/** Maximum total size of the stored users in a batch, not counting the last one. Limits memory. */
const BATCH_BYTES = 8 * 1024 * 1024;

/** Maximum number of attempts. An attempt fails only because of other writers of the same users at the same moment. */
const MAX_ATTEMPTS = 50;

const NOW_MS = '(extract(epoch from clock_timestamp()) * 1000)::bigint';

const NEW = "status = 'NEW'";

/**
 * Condition for users whom an instance of version 0.2.0 has claimed for a time that is over. It claims users by
 * PROCESSING and `claimed_until`, before it locks their rows.
 */
const LET_GO = "status = 'PROCESSING' and claimed_until <= now()";

/**
 * Imports the next staged users in one transaction. The locks of their rows keep other instances from importing
 * the users too, and end with the connection if this instance dies. The rows leave the table in the commit that
 * creates the users, so nobody is imported twice or lost.
 *
 * If the transaction fails, the halves of the batch are the next two batches. A user whom the database cannot
 * take is thus found alone in the end, and fails.
 * @param halves ids of the users of batches that have failed; changed by this function
 */
async function processNext(
  { db, bulkDb, halves }: { db: Database; bulkDb: Database; halves: string[][] },
  work: (users: readonly StagedEntry[]) => NewUsers,
): Promise<{ decisions: Decisions } | { error: unknown } | undefined> {
  // This uses `db`, because imports may be using all connections of `bulkDb`.
  const due = await db.query(
    `select from staged_users where status in ('NEW', 'PROCESSING') and (${NEW} or ${LET_GO}) limit 1`,
  );
  if (due.length === 0) return undefined;
  const half = halves.pop();
  let ids: string[] = [];
  try {
    const decisions = await bulkDb.connection((connection) =>
      writeTogether(connection, async () => {
        let users = await lock(connection, NEW, half);
        if (users.length === 0) users = await lock(connection, LET_GO, half);
        ids = users.map(({ id }) => id);
        if (users.length === 0 && half === undefined) return undefined;
        return importLocked(connection, ids, work(users));
      }),
    );
    return decisions && { decisions };
  } catch (error) {
    const middle = Math.ceil(ids.length / 2);
    if (ids.length > 1) halves.push(ids.slice(middle), ids.slice(0, middle));
    if (ids.length === 0 || isPassingTrouble(error)) throw error;
    if (ids.length === 1) await markFailed(db, ids, [NOT_IMPORTED]);
    return { error };
  }
}

const NOT_IMPORTED = 'The user could not be imported. The log of the service says why.';

/**
 * Returns whether an error is temporary. A unique violation in all attempts is not, because no writer creates the same
 * users for that long.
 */
const isPassingTrouble = (error: unknown) =>
  error instanceof AppError && PASSING_CODES.includes(error.code) && !isUniqueViolation(error.cause);

const PASSING_CODES: readonly ErrorCode[] = ['STORAGE_UNAVAILABLE', 'OVERLOADED'];

/**
 * Locks and returns the next users. If users are large, locks more rows than it returns; these users follow in the next
 * batch.
 */
function lock(db: Queryable, due: string, ids: readonly string[] | undefined): Promise<StagedEntry[]> {
  return db.query<StagedEntry>(
    `with due as (
       select id, user_form, hashes, factors, form_bytes from staged_users
       where ${due} and ${ids === undefined ? '$1::uuid[] is null' : 'id = any ($1::uuid[])'}
       order by id limit ${BATCH_USERS} for update skip locked
     ), weighed as (
       select *, sum(form_bytes) over (order by id) - form_bytes as before from due
     )
     select id, user_form as payload, hashes, factors from weighed where before < ${BATCH_BYTES} order by id`,
    [ids],
  );
}

async function importLocked(
  connection: Connection,
  ids: readonly string[],
  newUsers: NewUsers,
): Promise<Decisions> {
  const { decisions, failures } = await writeUsers(connection, newUsers);
  await markFailed(connection, ids, failures);
  await connection.query("delete from staged_users where id = any ($1::uuid[]) and status <> 'FAILED'", [
    ids,
  ]);
  return decisions;
}

/**
 * Marks users as failed, and ends the claim of an instance of version 0.2.0 that is late.
 * @param messages by index of the user, undefined for users who have not failed
 */
async function markFailed(
  db: Queryable,
  ids: readonly string[],
  messages: readonly (string | undefined)[],
): Promise<void> {
  await db.query(
    `update staged_users set status = 'FAILED', error_message = failed.message, hashes = '[]', factors = null,
       claimed_by = null, claimed_until = null, updated_at_ms = ${NOW_MS}
     from unnest($1::uuid[], $2::text[]) as failed (id, message)
     where staged_users.id = failed.id and failed.message is not null`,
    [ids, messages],
  );
}

/** Creates one user, who was not staged. */
const createUser = (db: Database, user: NewUsers) =>
  db.connection((connection) =>
    writeTogether(connection, async () => {
      const { decisions, failures } = await writeUsers(connection, user);
      const [failure] = failures;
      if (failure !== undefined) return { failure };
      const userId = decisions.ids.first;
      const created = (await readUsers(connection, [userId])).get(userId);
      if (created === undefined) throw new Error('a user that was created is not there');
      return { user: created, decisions };
    }),
  );

/**
 * Runs `work` in a transaction, and repeats it after conflicts.
 * @throws {Contended} if all attempts fail because of other writers
 */
const writeTogether = <T>(connection: Connection, work: () => Promise<T>): Promise<T> =>
  retryContended(MAX_ATTEMPTS, () => connection.transaction(work, BEGIN_BULK_SHORT_WAITS));

/** Creates users within a transaction, without recording an import. */
async function writeUsers(connection: Connection, { keys, resolve }: NewUsers) {
  await connection.engine.prepareAllNodes(connection);
  const known = await readKnown(connection, keys, { matchBy: 'login', source: undefined, lock: false });
  const resolved = resolve(known);
  await createPeople(connection, resolved.decisions.created);
  return resolved;
}

/** Maximum number of users that one statement stores. Building a longer statement would block the event loop. */
const SLICE = 1000;

/** @param bulkDb database connections for importing staged users */
export function createStagedStore(db: Database, bulkDb: Database): StagedStore {
  const queue = { db, bulkDb, halves: [] };
  return {
    processNext: (work) => processNext(queue, work),
    create: (user) => createUser(db, user),

    add: (users) =>
      db.transaction(async (client) => {
        for (let start = 0; start < users.length; start += SLICE) {
          const slice = users.slice(start, start + SLICE);
          await client.query(
            `insert into staged_users (id, user_form, hashes, factors, form_bytes, created_at_ms, updated_at_ms)
             select id, payload, hashes, factors, octet_length(payload), now_ms, now_ms
             from unnest($1::uuid[], $2::text[], $3::jsonb[], $4::bytea[]) as t (id, payload, hashes, factors),
               (select ${NOW_MS} as now_ms) as clock`,
            [
              slice.map(({ id }) => id),
              slice.map(({ payload }) => payload),
              slice.map(({ hashes }) => JSON.stringify(hashes)),
              slice.map(({ factors }) => factors ?? null),
            ],
          );
        }
      }),

    /** Returns a page of users. Their hashes are not read. */
    async list({ status, start, limit, maxBytes }) {
      const rows = await db.query<StagedUser | { id: string; payload: null }>(
        `select id, status, error_message as "errorMessage", created_at_ms::float8 as "createdAtMs",
           updated_at_ms::float8 as "updatedAtMs",
           case when place = 1 or (place <= $3 and bytes <= $4) then user_form end as payload
         from (
           select *, row_number() over newest as place, sum(form_bytes) over newest as bytes
           from (
             select * from staged_users
             where ${status === undefined ? '$1::text is null' : 'status = $1'}
               ${start === undefined ? 'and $2::uuid is null' : 'and id <= $2'}
             order by id desc limit $3 + 1
           ) found
           window newest as (order by id desc rows unbounded preceding)
         ) page
         order by id desc`,
        [status, start, limit, maxBytes],
      );
      // The payload is null if the page ends before the user.
      const users = rows.filter((row): row is StagedUser => row.payload !== null);
      return { users, next: rows[users.length]?.id };
    },

    async count(status) {
      const [row] = await db.query<{ count: number }>(
        'select count(*)::float8 as count from staged_users where $1::text is null or status = $1',
        [status],
      );
      return row?.count ?? 0;
    },

    /** Waits for users whose import is in progress. They then are no longer staged, or have failed and are removed. */
    async remove(ids) {
      const rows = await db.query<{ id: string }>(
        'delete from staged_users where id = any ($1::uuid[]) returning id',
        [ids.filter(isUuid)],
      );
      return new Set(rows.map(({ id }) => id));
    },
  };
}

import type { StagedStore, StagedUser } from '../../imports/staged/staged-store.ts';
import { isUuid } from '../../lib/text/uuid.ts';
import type { Database } from '../client/database.ts';
import { createUser, NOW_MS, processNext } from './import-new-users.ts';

/** Users that one statement stores. Building a longer statement would block the event loop. */
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

    /** Hashes stay in the database. */
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

    /** Users whose import is in progress are waited for, and are then no longer staged, or have failed. */
    async remove(ids) {
      const rows = await db.query<{ id: string }>(
        'delete from staged_users where id = any ($1::uuid[]) returning id',
        [ids.filter(isUuid)],
      );
      return new Set(rows.map(({ id }) => id));
    },
  };
}

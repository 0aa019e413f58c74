import type { StagedEntry } from '../../imports/staged/staged-payload.ts';
import type {
  StagedListing,
  StagedPage,
  StagedStatus,
  StagedUser,
} from '../../imports/staged/staged-store.ts';
import { isUuid } from '../../lib/text/uuid.ts';
import type { Queryable } from '../client/connection.ts';
import type { Database } from '../client/database.ts';
import { NOW_MS } from './claim-staged.ts';

/** Users that one statement stores. Building a longer statement would block the event loop. */
const SLICE = 1000;

export async function addStaged(db: Database, users: readonly StagedEntry[]): Promise<void> {
  await db.transaction(async (client) => {
    for (let start = 0; start < users.length; start += SLICE) {
      await addSlice(client, users.slice(start, start + SLICE));
    }
  });
}

async function addSlice(db: Queryable, users: readonly StagedEntry[]): Promise<void> {
  await db.query(
    `insert into staged_users (id, user_form, hashes, factors, form_bytes, created_at_ms, updated_at_ms)
     select id, payload, hashes, factors, octet_length(payload), now_ms, now_ms
     from unnest($1::uuid[], $2::text[], $3::jsonb[], $4::bytea[]) as t (id, payload, hashes, factors), (select ${NOW_MS} as now_ms) as clock`,
    [
      users.map(({ id }) => id),
      users.map(({ payload }) => payload),
      users.map(({ hashes }) => JSON.stringify(hashes)),
      users.map(({ factors }) => factors ?? null),
    ],
  );
}

interface StagedRow {
  id: string;
  status: StagedStatus;
  error_message: string | null;
  /** JSON of the staged user. Null if the page ends before this user. */
  user_form: string | null;
  created_at_ms: string;
  updated_at_ms: string;
}

/** Hashes stay in the database. */
export async function listStaged(
  db: Queryable,
  { status, start, limit, maxBytes }: StagedListing,
): Promise<StagedPage> {
  const rows = await db.query<StagedRow>(
    `select id, status, error_message, created_at_ms, updated_at_ms,
       case when place = 1 or (place <= $3 and bytes <= $4) then user_form end as user_form
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
  const users = rows.flatMap((row) => (row.user_form === null ? [] : toStagedUser(row, row.user_form)));
  return { users, next: rows[users.length]?.id };
}

const toStagedUser = (row: StagedRow, payload: string): StagedUser => ({
  id: row.id,
  status: row.status,
  errorMessage: row.error_message ?? undefined,
  payload,
  createdAtMs: Number(row.created_at_ms),
  updatedAtMs: Number(row.updated_at_ms),
});

export async function countStaged(db: Queryable, status?: StagedStatus): Promise<number> {
  const [row] = await db.query<{ count: string }>(
    'select count(*) from staged_users where $1::text is null or status = $1',
    [status],
  );
  return Number(row?.count ?? 0);
}

/** Users whose import is in progress are waited for, and are then no longer staged, or have failed. */
export async function removeStaged(db: Queryable, ids: readonly string[]): Promise<Set<string>> {
  const rows = await db.query<{ id: string }>(
    'delete from staged_users where id = any ($1::uuid[]) returning id',
    [ids.filter(isUuid)],
  );
  return new Set(rows.map(({ id }) => id));
}

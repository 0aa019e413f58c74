import { randomUUID } from 'node:crypto';
import type { Queryable } from '../client/connection.ts';

/**
 * Maximum number of staged users in a batch, by the number of earlier attempts. A user who makes every batch
 * fail, or kills the process, shares a batch with fewer users at each attempt, and in the end fails alone.
 */
const BATCH_SIZES = [1000, 100, 10, 1, 1];

const ALONE = BATCH_SIZES.indexOf(1);

/** Maximum total size of the stored users in a batch, not counting the last one. Limits memory. */
const BATCH_BYTES = 8 * 1024 * 1024;

/** Matters only if a worker dies: a living worker has the rows of its claimed users locked. */
const LEASE_MS = 10_000;

export const NOW_MS = '(extract(epoch from clock_timestamp()) * 1000)::bigint';

export interface Claim {
  /** Random token that distinguishes this claim from later claims on the same users. */
  token: string;
  ids: string[];
}

export async function isAnyDue(db: Queryable): Promise<boolean> {
  const rows = await db.query(
    `select from staged_users where status in ('NEW', 'PROCESSING') and (status = 'NEW' or ${LET_GO}) limit 1`,
  );
  return rows.length > 0;
}

/** Claims first users without an attempt, then users whose claim has expired. */
export async function claimStaged(db: Queryable): Promise<Claim | undefined> {
  return (await claim(db, NEW, 0)) ?? (await claimAgain(db));
}

async function claimAgain(db: Queryable): Promise<Claim | undefined> {
  await db.query(GIVE_UP, [BATCH_SIZES.length, GIVEN_UP]);
  const [row] = await db.query<{ attempts: number | null }>(
    `select min(attempts) as attempts from staged_users where ${LET_GO} and attempts < $1`,
    [BATCH_SIZES.length],
  );
  return row?.attempts ? claim(db, `${LET_GO} and attempts = $4`, row.attempts) : undefined;
}

const NEW = "status = 'NEW' and attempts = $4";
const LET_GO = "status = 'PROCESSING' and claimed_until <= now()";

const GIVEN_UP = `The user could not be imported in ${BATCH_SIZES.length} attempts. The log of the service says why.`;

/** Gives up users after their last attempt. Skips locked rows, because their worker is alive. */
const GIVE_UP = `
  with lost as (
    select id from staged_users where ${LET_GO} and attempts >= $1 order by id for update skip locked
  )
  update staged_users set status = 'FAILED', error_message = $2, hashes = '[]', factors = null,
    claimed_by = null, claimed_until = null, updated_at_ms = ${NOW_MS}
  from lost where staged_users.id = lost.id`;

async function claim(db: Queryable, due: string, attempts: number): Promise<Claim | undefined> {
  const token = randomUUID();
  const rows = await db.query<{ id: string }>(
    `with due as (
       select id, form_bytes from staged_users where ${due} order by id limit $3 for update skip locked
     ), weighed as (
       select id, sum(form_bytes) over (order by id) - form_bytes as before from due
     )
     update staged_users set status = 'PROCESSING', claimed_by = $1, attempts = attempts + 1,
       claimed_until = clock_timestamp() + $2 * interval '1 ms', updated_at_ms = ${NOW_MS}
     from weighed where staged_users.id = weighed.id and before < ${BATCH_BYTES} returning staged_users.id`,
    [token, LEASE_MS, BATCH_SIZES[attempts], attempts],
  );
  return rows.length === 0 ? undefined : { token, ids: rows.map(({ id }) => id) };
}

/**
 * Any worker may try again at once. If the cause of the failure passes by itself, users never run out of
 * attempts. Their batches only become smaller, because a large batch may itself be the cause.
 */
export async function releaseClaim(
  db: Queryable,
  { token, ids }: Claim,
  { isPassing }: { isPassing: boolean },
): Promise<void> {
  await db.query(
    `update staged_users set claimed_until = now(), attempts = least(attempts, $3)
     where id = any ($1::uuid[]) and claimed_by = $2`,
    [ids, token, isPassing ? ALONE : BATCH_SIZES.length],
  );
}

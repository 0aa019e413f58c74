import { randomUUID } from 'node:crypto';
import { addRollbackCounts, MAX_KEPT_IDS, type RollbackCounts } from '../../imports/import-history.ts';
import { DEFAULT_MATCH_BY, type MatchBy } from '../../imports/import-request.ts';
import { retry, upTo, within } from '../../lib/async/until.ts';
import { Contended } from '../../lib/errors.ts';
import type { Queryable, Transaction } from '../client/connection.ts';
import type { Database } from '../client/database.ts';
import type { RowsToLock } from '../client/engine.ts';
import { isLostLock, isLostRace, isUniqueViolation } from '../client/pg-error.ts';
import { passwordLoginsToLock, thirdPartyLoginsToLock, usersToLock } from '../users/rows-to-lock.ts';
import { ACTIVE_MS } from './import-records.ts';
import { chunkOf, readExternalIds } from './read-known.ts';
import { BEGIN_BULK, BEGIN_BULK_SHORT_WAITS } from './stored-rows.ts';
import { type Claim, type UndoOptions, undoChanges } from './undo-changes.ts';

/**
 * Maximum number of attempts for a step. It may conflict with sign-ins, or with a last chunk of the import that is
 * being stopped.
 */
const MAX_ATTEMPTS = 10;

/** Maximum number of consecutive failures of a rollback to get a lock. Each waits for half a second. */
const MAX_LOST_LOCKS = 120;

/** Makes PostgreSQL join tables by key, although its statistics are wrong for tables that were just filled. */
const JOIN_BY_KEY =
  'set local enable_bitmapscan = off; set local enable_hashjoin = off; set local enable_mergejoin = off';

/**
 * Part of a rollback. Does one step, and deletes the records that it has handled. Returns undefined once nothing is
 * left.
 */
type Phase = (
  client: Transaction,
  of: Pick<UndoOptions, 'importId' | 'matchBy' | 'after' | 'claim'>,
) => Promise<Partial<RollbackCounts> | undefined>;

/**
 * Changes are undone first. A user whom the import created and then changed is then as it was created, and can be
 * removed.
 */
const PHASES: readonly Phase[] = [
  (client, of) => undoChanges(client, { ...of, kind: 'values', maxTries: 1, isLast: true }),
  (client, of) => undoChanges(client, { ...of, kind: 'rows', maxTries: 2, isLast: false }),
  removeCreated,
  // Users who did not get their former addresses back before, because users had them whom the rollback has removed
  // since.
  (client, of) => undoChanges(client, { ...of, kind: 'rows', maxTries: 4, isLast: true }),
];

/** Begins a rollback. Changes the owner of the import, so that a run that is still active cannot write to it. */
export async function beginRollback(db: Database, importId: string): Promise<boolean> {
  const rows = await db.query(
    `update imports known set rolled_back_at = coalesce(rolled_back_at, now()), owner = $2,
       active_ms = ${ACTIVE_MS}, updated_at = now(), run_started_at = null
     where import_id = $1 and not dry_run and rollback_finished_at is null and expired_at is null
     returning import_id`,
    [importId, randomUUID()],
  );
  // Not before, because a run that is still active on an instance of that version could record further changes.
  if (rows.length > 0) await adoptFormerJournal(db, importId);
  return rows.length > 0;
}

/** Maximum milliseconds for which a step keeps its locks while it waits for the step before. */
const MAX_WAIT_MS = 500;

/** Number of steps that run one at a time after a second one did nothing. It doubles each time. */
const CALM_STEPS = 16;

/** A step in progress. */
interface Step {
  /** Resolves to undefined if the next step must not begin before this one is done, or if this one has failed. */
  claimed: Promise<Claim | undefined>;
  /** Resolves to false if nothing was left, or nothing that could run beside the step before. */
  done: Promise<boolean>;
}

/**
 * Rolls back an import in steps. Each step is one transaction, which also updates the counts, so that they stay correct
 * if the rollback is interrupted. A step that waits half a second for a lock fails and is repeated, because other bulk
 * work may be waiting for the step's own locks.
 *
 * Two steps run at a time if they undo changes of different users. The second one is recorded after the first, and may
 * go on while the caller does not ask for the next step. If it fails, it is repeated after the first, and the next steps
 * run one at a time.
 * @param mayRunTwo whether other work leaves room for a second step
 */
export async function* rollBack(
  db: Database,
  importId: string,
  mayRunTwo: () => boolean,
): AsyncGenerator<void> {
  const [{ matchBy = DEFAULT_MATCH_BY } = {}] = await db.query<{ matchBy?: MatchBy }>(
    'select match_by as "matchBy" from imports where import_id = $1',
    [importId],
  );
  for (const phase of PHASES) {
    // Steps on Citus lock out all other changes, so that a second one would only wait.
    const canRunTwo = phase !== removeCreated && db.engine.name === 'postgres';
    const begin = (before?: Step) => beginStep(db, { importId, matchBy, phase }, before);
    let next: Step | undefined;
    let isLeft = true;
    let lostLocks = 0;
    let [calmSteps, nextCalm] = [0, CALM_STEPS];
    try {
      while (isLeft) {
        const isSecond = next !== undefined;
        const step = next ?? begin();
        // Leaves one connection to imports. The current step needs one, too, if it was only just begun.
        const areSpare = db.spareConnections > (isSecond ? 1 : 2);
        next = canRunTwo && calmSteps === 0 && areSpare && mayRunTwo() ? begin(step) : undefined;
        calmSteps = Math.max(0, calmSteps - 1);
        const isDone = await step.done.catch((error: unknown) => {
          if (isSecond && (isLostLock(error) || error instanceof Contended)) return false;
          lostLocks += 1;
          if (!isLostLock(error)) throw error;
          if (lostLocks >= MAX_LOST_LOCKS) throw new Contended(error);
          return undefined;
        });
        if (isSecond && !isDone) [calmSteps, nextCalm] = [nextCalm, 2 * nextCalm];
        if (isDone) lostLocks = 0;
        else {
          await next?.done.catch(() => {});
          next = undefined;
        }
        isLeft = isSecond || isDone !== false;
        yield;
      }
    } finally {
      await next?.done.catch(() => {});
    }
  }
  await db.query(
    `update imports set rollback_finished_at = now(), updated_at = now()
     where import_id = $1 and rolled_back_at is not null and rollback_finished_at is null and expired_at is null`,
    [importId],
  );
}

interface StepOptions {
  importId: string;
  matchBy: MatchBy;
  phase: Phase;
}

/** @param before step that is in progress, or undefined */
function beginStep(db: Database, options: StepOptions, before: Step | undefined): Step {
  let claim: (claim: Claim | undefined) => void = () => {};
  const claimed = new Promise<Claim | undefined>((resolve) => {
    claim = resolve;
  });
  const done = takeStep(db, { ...options, claim }, before).finally(() => claim(undefined));
  const step: Step = { claimed, done };
  done.catch(() => {
    step.claimed = Promise.resolve(undefined);
  });
  return step;
}

/** Does a step. Repeats it after conflicts, unless it runs beside another. Returns whether there was anything to do. */
async function takeStep(
  db: Database,
  options: StepOptions & Pick<UndoOptions, 'claim'>,
  before: Step | undefined,
): Promise<boolean> {
  const after = await before?.claimed;
  if (before !== undefined && after === undefined) return false;
  const attempt = () =>
    db.transaction(
      (client) => attemptStep(client, { ...options, after }, before?.done),
      `${BEGIN_BULK_SHORT_WAITS}; ${JOIN_BY_KEY}`,
    );
  try {
    return await retry(attempt, upTo(before === undefined ? MAX_ATTEMPTS : 1, isLost));
  } catch (error) {
    throw isLost(error) ? new Contended(error) : error;
  }
}

/**
 * Returns whether a step has lost a race. A unique violation means that somebody has just taken an address that is
 * being restored.
 */
const isLost = (error: unknown) => isLostRace(error) || isUniqueViolation(error);

async function attemptStep(
  client: Transaction,
  { importId, phase, ...of }: StepOptions & Pick<UndoOptions, 'claim' | 'after'>,
  before: Promise<unknown> | undefined,
): Promise<boolean> {
  // Two simultaneous rollbacks of one import take turns, because the record stays locked until the step ends. A second
  // step locks it after the first has committed. If another rollback has it then, it may be waiting for rows that this
  // step has locked, so that waiting for it would be a deadlock. This step fails instead.
  const lockRecord = async (how = '') => {
    const [row] = await client.query<{ rollback: RollbackCounts | null }>(
      `select rollback from imports
       where import_id = $1 and rolled_back_at is not null and rollback_finished_at is null and expired_at is null
       for no key update ${how}`,
      [importId],
    );
    return row;
  };
  let row = before === undefined ? await lockRecord() : undefined;
  if (before === undefined && row === undefined) return false;
  const counts = await phase(client, { importId, ...of });
  if (counts === undefined) return false;
  if (before !== undefined) {
    if (await within(MAX_WAIT_MS, before)) row = await lockRecord('nowait');
    if (row === undefined) throw new Contended(new Error('the step before is not done'));
  }
  const keptUserIds = await idsForClients(client, counts.keptUserIds ?? []);
  const rollback = JSON.stringify(addRollbackCounts(row?.rollback ?? {}, { ...counts, keptUserIds }));
  await client.query('update imports set rollback = $2, updated_at = now() where import_id = $1', [
    importId,
    rollback,
  ]);
  return true;
}

/** Returns the external id of each user who has one, and otherwise the id that is given. */
async function idsForClients(client: Queryable, userIds: readonly string[]): Promise<string[]> {
  const named = userIds.slice(0, MAX_KEPT_IDS);
  if (named.length === 0) return [];
  const externalIds = new Map(
    (await readExternalIds(client, named)).map(({ user_id, alias }) => [user_id, alias]),
  );
  return named.map((userId) => externalIds.get(userId) ?? userId);
}

/** Maximum milliseconds of the move: it took 17 s for 233,000 users of an import by external id, on a busy machine. */
const ADOPTION_TIMEOUT_MS = 10 * 60_000;

/**
 * Moves what an earlier version has kept for rollbacks into `import_changes` (migrations/0017_import_changes.sql).
 * Instances of that version may still run.
 * @param importId import whose records are moved, even if its rollback has begun. If undefined, those of all imports
 * are moved whose rollback has not begun
 */
async function adoptFormerJournal(db: Database, importId?: string): Promise<void> {
  await db.transaction(
    (client) => client.query('select adopt_former_journal($1)', [importId ?? null], ADOPTION_TIMEOUT_MS),
    // Sets the time zone on the nodes of Citus, too.
    BEGIN_BULK,
  );
}

/** Condition for the users whom a chunk created, whom the form of their ids shows (src/imports/resolve/person.ts). */
const CREATED = 'user_id between $1 and $2 and right(user_id::text, 7) = right($1::uuid::text, 7)';

const OF_RANGE = 'user_id between $1 and $2';
const USERS = usersToLock('user_id', CREATED);
const LOGINS = [passwordLoginsToLock('user_id', OF_RANGE), thirdPartyLoginsToLock('user_id', OF_RANGE)];

/** Selects users with a login that was used or changed since the import. They are kept, with all their logins. */
const CHANGED = `
  select user_id from password_logins
  where user_id between $1 and $2 and (last_sign_in_at is not null or changed_at is not null
    or (state_set_at is not null and not state_by_call) or hash_set_at <>
    (select written_at from import_chunks where import_id = $3 and first_line = $4))
  union
  select user_id from third_party_logins
  where user_id between $1 and $2 and (last_sign_in_at is not null or changed_at is not null
    or (state_set_at is not null and not state_by_call))`;

/**
 * Selects users whom the SuperTokens core has, or who have moved to an identity provider. They are kept, because their
 * next sign-in needs what this service has stored.
 */
const ELSEWHERE = `
  select user_id from handed_over_logins where user_id between $1 and $2 and state <> 'refused'
  union select user_id from moved_logins where user_id between $1 and $2`;

/**
 * Removes users without joins, because PostgreSQL lacks statistics of tables that were just filled, and may plan joins
 * badly.
 */
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
 * Removes the users whom one chunk created, except those of `CHANGED` and `ELSEWHERE`.
 * @returns undefined if no chunk is left
 */
async function removeCreated(
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
  const elsewhere = await client.query<{ user_id: string }>(ELSEWHERE, range);
  const kept = [...changed, ...elsewhere].map(({ user_id }) => user_id);
  const removed = await count(client, REMOVE, [...range, kept]);
  // The range of ids of kept users is kept as well, because it shows their source.
  await client.query(FORGET_CHUNK, [...place, found > removed]);
  const keptUserIds = kept.filter((userId) => chunkOf(userId) === chunkOf(chunk.first_user_id));
  return { usersRemoved: removed, usersKept: found - removed, keptUserIds };
}

const lock = (client: Queryable, rows: RowsToLock, values: readonly unknown[]) =>
  count(client, `with locked as (${client.engine.lockingRows(rows)}) select count(*) from locked`, values);

async function count(client: Queryable, statement: string, values: readonly unknown[]): Promise<number> {
  const [row] = await client.query<{ count: string }>(statement, values);
  return Number(row?.count);
}

/**
 * Number of rows that a statement removes. Few, because a row of `import_changes` may have tens of kilobytes, and one of
 * `import_chunks` a hundred.
 */
const BATCH = 500;

/** Tables with rows that expire, with the column of `imports` that has the time since which rows are missing. */
const KEPT: readonly [table: string, mark: string][] = [
  ['import_changes', 'expired_at'],
  ['import_chunks', 'expired_at'],
  // Failures of dry runs expire, too. A dry run can be repeated at any time.
  ['import_failures', 'failures_expired_at'],
];

/**
 * Removes SHA-256 digests of lines. They have no secret key, so a password in a line could be guessed from its digest.
 * Instances of the previous version still write them, and nothing reads them.
 */
const CLEAR_DIGESTS = 'update import_chunks set digests = null where digests is not null';

/** Keeps the range of user ids of an expired chunk, because it shows the source of users. */
const KEEP_RANGES = `
  ranges as (
    insert into import_user_ranges (first_user_id, last_user_id, import_id)
    select first_user_id, last_user_id, import_id from expired on conflict do nothing
  ),`;

/**
 * Condition for rows to remove. It is checked again for each row, because the row may have been written again
 * meanwhile.
 */
const IS_OLD = "written_at < now() - $1 * interval '1 day'";

/**
 * Removes expired rows, and marks their imports as expired in the same statement. Other instances may do so at the same
 * time. Returns the number of removed rows.
 */
export async function expireImports(db: Database, days: number): Promise<number> {
  await db.query(CLEAR_DIGESTS);
  await adoptFormerJournal(db);
  let removed = 0;
  for (const [table, mark] of KEPT) {
    const [row] = await db.query<{ count: string }>(
      `with expired as (
         delete from ${table} where ${IS_OLD}
           and ctid = any (array(select ctid from ${table} where ${IS_OLD} order by written_at limit ${BATCH}))
         returning import_id${table === 'import_chunks' ? ', first_user_id, last_user_id' : ''}
       ), ${table === 'import_chunks' ? KEEP_RANGES : ''} marked as (
         update imports set ${mark} = now()
         where import_id in (select import_id from expired) and ${mark} is null
       )
       select count(*) from expired`,
      [days],
    );
    removed += Number(row?.count);
  }
  return removed;
}

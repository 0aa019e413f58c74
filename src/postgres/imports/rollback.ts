import { randomUUID } from 'node:crypto';
import { addRollbackCounts, type RollbackCounts } from '../../imports/history/import-history.ts';
import type { MatchBy } from '../../imports/import-request.ts';
import { retry, upTo } from '../../lib/async/retry.ts';
import { Contended } from '../../lib/errors.ts';
import type { Transaction } from '../client/connection.ts';
import type { Database } from '../client/database.ts';
import { isLostLock, isLostRace, isUniqueViolation } from '../client/pg-error.ts';
import { ACTIVE_MS } from './import-records.ts';
import { removeCreated } from './remove-created.ts';
import { BEGIN_BULK, BEGIN_BULK_SHORT_WAITS, JOIN_BY_KEY } from './transaction-settings.ts';
import { undoChanges } from './undo-changes.ts';

/** A step may conflict with sign-ins, or with a last chunk of the import that is being stopped. */
const MAX_ATTEMPTS = 10;

/** Maximum number of consecutive failures of a rollback to get a lock. Each waits for half a second. */
const MAX_LOST_LOCKS = 120;

/** Does one step, and deletes the handled rows. Returns undefined once nothing is left. */
type Phase = (
  client: Transaction,
  of: { importId: string; matchBy: MatchBy },
) => Promise<Partial<RollbackCounts> | undefined>;

/** Changes come first: a user whom the import created and changed is then as created, and can be removed. */
const PHASES: readonly Phase[] = [
  (client, of) => undoChanges(client, { ...of, what: 'values', maxTries: 1, isLast: true }),
  (client, of) => undoChanges(client, { ...of, what: 'rows', maxTries: 2, isLast: false }),
  removeCreated,
  // Users whose former addresses belonged to users whom the rollback has removed meanwhile.
  (client, of) => undoChanges(client, { ...of, what: 'rows', maxTries: 4, isLast: true }),
];

/** Changes the owner, so that a run that still works cannot write to the import. */
export async function beginRollback(db: Database, importId: string): Promise<boolean> {
  await adoptFormerJournal(db, importId);
  const rows = await db.query(
    `update imports known set rolled_back_at = coalesce(rolled_back_at, now()), owner = $2,
       active_ms = ${ACTIVE_MS}, updated_at = now(), run_started_at = null
     where import_id = $1 and not dry_run and rollback_finished_at is null and expired_at is null
     returning import_id`,
    [importId, randomUUID()],
  );
  return rows.length > 0;
}

/**
 * Each step is one transaction, which also updates the counts, so that they stay correct if the rollback is
 * interrupted. A step that waits half a second for a lock fails and is repeated, because other bulk work may
 * be waiting for the step's own locks.
 */
export async function* rollBack(db: Database, importId: string): AsyncGenerator<void> {
  for (const phase of PHASES) {
    let isLeft = true;
    let lostLocks = 0;
    while (isLeft) {
      try {
        isLeft = await takeStep(db, importId, phase);
        lostLocks = 0;
      } catch (error) {
        lostLocks += 1;
        if (!isLostLock(error)) throw error;
        if (lostLocks >= MAX_LOST_LOCKS) throw new Contended(error);
      }
      yield;
    }
  }
  await db.query(
    `update imports set rollback_finished_at = now(), updated_at = now()
     where import_id = $1 and rolled_back_at is not null and rollback_finished_at is null and expired_at is null`,
    [importId],
  );
}

/** Returns whether something is left for the phase. */
async function takeStep(db: Database, importId: string, phase: Phase): Promise<boolean> {
  const attempt = () =>
    db.transaction(
      (client) => attemptStep(client, importId, phase),
      `${BEGIN_BULK_SHORT_WAITS}; ${JOIN_BY_KEY}`,
    );
  try {
    return await retry(attempt, upTo(MAX_ATTEMPTS, isLost));
  } catch (error) {
    throw isLost(error) ? new Contended(error) : error;
  }
}

/** A unique violation means that somebody has just taken an address that is being restored. */
const isLost = (error: unknown) => isLostRace(error) || isUniqueViolation(error);

async function attemptStep(client: Transaction, importId: string, phase: Phase): Promise<boolean> {
  // Two simultaneous rollbacks of one import take turns, because the record stays locked until the step ends.
  const [row] = await client.query<{ rollback: RollbackCounts | null; match_by: MatchBy }>(
    `select rollback, match_by from imports
     where import_id = $1 and rolled_back_at is not null and rollback_finished_at is null and expired_at is null
     for no key update`,
    [importId],
  );
  const counts = row && (await phase(client, { importId, matchBy: row.match_by }));
  if (counts === undefined) return false;
  const rollback = JSON.stringify(addRollbackCounts(row?.rollback ?? {}, counts));
  await client.query('update imports set rollback = $2, updated_at = now() where import_id = $1', [
    importId,
    rollback,
  ]);
  return true;
}

/**
 * Moves what an earlier version has kept for rollbacks into `import_changes` (migrations/0017_import_changes.sql).
 * Instances of that version may still run.
 * @param importId also if its rollback has begun. Without it, all imports whose rollback has not
 */
export async function adoptFormerJournal(db: Database, importId?: string): Promise<void> {
  await db.transaction(
    (client) => client.query('select adopt_former_journal($1)', [importId ?? null]),
    // Sets the time zone on the nodes of Citus, too.
    BEGIN_BULK,
  );
}

import { randomUUID } from 'node:crypto';
import { addRollbackCounts, type RollbackCounts } from '../../imports/history/import-history.ts';
import { retry, upTo } from '../../lib/async/retry.ts';
import { Contended } from '../../lib/errors.ts';
import type { Queryable } from '../client/connection.ts';
import type { Database } from '../client/database.ts';
import { isLostLock, isLostRace, isUniqueViolation } from '../client/pg-error.ts';
import { ACTIVE_MS } from './import-records.ts';
import { removeUsers } from './remove-created.ts';
import { restoreEmails, restoreFactors, restoreHashes, restoreStates } from './restore-replaced.ts';
import { restoreUsers } from './restore-users.ts';
import type { Cursor, RollbackPhase } from './rollback-phase.ts';
import { BEGIN_BULK_SHORT_WAITS, JOIN_BY_KEY } from './transaction-settings.ts';

/** A step may conflict with sign-ins, or with a last chunk of the import that is being stopped. */
const MAX_ATTEMPTS = 10;

/** Maximum number of consecutive failures of a rollback to get a lock. Each waits for half a second. */
const MAX_LOST_LOCKS = 120;

const START: Cursor = ['', ''];

/** Values come first: a user whom the import created and changed is then as created, and can be removed. */
const PHASES: readonly RollbackPhase[] = [
  restoreHashes,
  restoreEmails,
  restoreStates,
  restoreFactors,
  restoreUsers({ maxTries: 2, isLast: false }),
  removeUsers,
  // Restores users whose former addresses belonged to users whom the rollback has removed meanwhile.
  restoreUsers({ maxTries: 4, isLast: true }),
];

/** Changes the owner, so that a run that still works cannot write to the import. */
export async function beginRollback(db: Queryable, importId: string): Promise<boolean> {
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
    let cursor: Cursor | undefined = START;
    let lostLocks = 0;
    while (cursor !== undefined) {
      try {
        cursor = await takeStep(db, importId, phase, cursor);
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

async function takeStep(db: Database, importId: string, phase: RollbackPhase, after: Cursor) {
  const attempt = () =>
    db.transaction(
      (client) => attemptStep(client, importId, phase, after),
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

async function attemptStep(client: Queryable, importId: string, phase: RollbackPhase, after: Cursor) {
  // Two simultaneous rollbacks of one import take turns, because the record stays locked until the step ends.
  const [row] = await client.query<{ rollback: RollbackCounts | null }>(
    `select rollback from imports
     where import_id = $1 and rolled_back_at is not null and rollback_finished_at is null and expired_at is null
     for no key update`,
    [importId],
  );
  if (row === undefined) return undefined;
  const { counts, next } = await phase(client, importId, after);
  const rollback = JSON.stringify(addRollbackCounts(row.rollback ?? {}, counts));
  await client.query('update imports set rollback = $2, updated_at = now() where import_id = $1', [
    importId,
    rollback,
  ]);
  return next;
}

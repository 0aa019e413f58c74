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

/** A step may meet sign-ins, or a chunk of the import that is being refused. Each attempt meets only those of its moment. */
const MAX_ATTEMPTS = 10;

/** Locks that may be waited for in vain one after the other. Each wait takes half a second. */
const MAX_LOST_LOCKS = 120;

const START: Cursor = ['', ''];

/**
 * What was replaced comes first: a user that the import created and then changed itself is as it was created after that.
 */
const PHASES: readonly RollbackPhase[] = [
  restoreHashes,
  restoreEmails,
  restoreStates,
  restoreFactors,
  restoreUsers({ maxTries: 2, isLast: false }),
  removeUsers,
  // Users whose addresses the removed ones had.
  restoreUsers({ maxTries: 4, isLast: true }),
];

/** Takes the import away from its run, so that a run that is still going cannot write to it. */
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
 * Rolls back step by step. Each step is a transaction that also adds to the counts, so they are right wherever the rollback
 * breaks off. A step that waits for a lock for longer than a moment gives up and is tried again: other bulk work may be
 * waiting for it.
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

/** @throws {Contended} when every attempt lost a race */
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

/** Somebody else may also have taken an address that is put back. */
const isLost = (error: unknown) => isLostRace(error) || isUniqueViolation(error);

async function attemptStep(client: Queryable, importId: string, phase: RollbackPhase, after: Cursor) {
  // Locks the record until the step is done: of two rollbacks of one import, each goes on where the other one is.
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

import { randomUUID } from 'node:crypto';
import type { RollbackCounts } from '../../imports/history/import-history.ts';
import type { Queryable } from '../client/connection.ts';
import type { Database } from '../client/database.ts';
import { isLostLock, isLostRace, tooManyLosses } from '../client/pg-error.ts';
import { removeUsers } from './remove-created.ts';
import { restoreEmails, restoreHashes } from './restore-replaced.ts';
import { BEGIN_BULK_SHORT_WAITS, JOIN_BY_KEY } from './transaction-settings.ts';

/** A step can meet a chunk of the import that is being refused, or sign-ins; each time only those of that moment. */
const MAX_ATTEMPTS = 10;

/** The last key a step dealt with. */
export type Cursor = readonly [string, string];

/** In a row: each is half a second. */
const MAX_LOST_LOCKS = 120;

const START: Cursor = ['', ''];

/** Does some of the work, and deletes what it has dealt with from the record. `next`: undefined when none is left. */
export type RollbackPhase = (
  client: Queryable,
  importId: string,
  after: Cursor,
) => Promise<{ counts: Partial<RollbackCounts>; next: Cursor | undefined }>;

/** Hashes and addresses first: a user that an import created and then changed itself is thereby as it was created. */
const PHASES: readonly RollbackPhase[] = [restoreHashes, restoreEmails, removeUsers];

/** The new owner is nobody: who runs the import still may write no more of it. */
export async function beginRollback(db: Queryable, importId: string): Promise<boolean> {
  const rows = await db.query(
    `update imports set rolled_back_at = coalesce(rolled_back_at, now()), owner = $2
     where import_id = $1 and not dry_run and rollback_finished_at is null and expired_at is null
     returning import_id`,
    [importId, randomUUID()],
  );
  return rows.length > 0;
}

/**
 * Each step is a transaction, which also counts what it did: so the counts are right wherever it breaks off. A step that
 * waits for a lock for longer than a moment is left, and tried again: other bulk work may wait for it.
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
        if (lostLocks >= MAX_LOST_LOCKS) throw tooManyLosses(error);
      }
      yield;
    }
  }
  await db.query(
    `update imports set rollback_finished_at = now()
     where import_id = $1 and rolled_back_at is not null and rollback_finished_at is null and expired_at is null`,
    [importId],
  );
}

async function takeStep(db: Database, importId: string, phase: RollbackPhase, after: Cursor) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await db.transaction(
        (client) => attemptStep(client, importId, phase, after),
        `${BEGIN_BULK_SHORT_WAITS}; ${JOIN_BY_KEY}`,
      );
    } catch (error) {
      if (!isLostRace(error)) throw error;
      if (attempt >= MAX_ATTEMPTS) throw tooManyLosses(error);
    }
  }
}

async function attemptStep(client: Queryable, importId: string, phase: RollbackPhase, after: Cursor) {
  // Held until the step is done: of two rollbacks of one import, each goes on where the other one is.
  const [row] = await client.query<{ rollback: RollbackCounts | null }>(
    `select rollback from imports
     where import_id = $1 and rolled_back_at is not null and rollback_finished_at is null and expired_at is null
     for no key update`,
    [importId],
  );
  if (row === undefined) return undefined;
  const { counts, next } = await phase(client, importId, after);
  const rollback = JSON.stringify(sum(row.rollback ?? {}, counts));
  await client.query('update imports set rollback = $2 where import_id = $1', [importId, rollback]);
  return next;
}

function sum(a: Partial<RollbackCounts>, b: Partial<RollbackCounts>): RollbackCounts {
  const add = (name: keyof RollbackCounts) => (a[name] ?? 0) + (b[name] ?? 0);
  return {
    usersRemoved: add('usersRemoved'),
    usersKept: add('usersKept'),
    hashesRestored: add('hashesRestored'),
    hashesKept: add('hashesKept'),
    emailsRestored: add('emailsRestored'),
    emailsKept: add('emailsKept'),
  };
}

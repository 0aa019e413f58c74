import type { ChunkWrite, Run, WrittenChunk } from '../../imports/import-store.ts';
import type { Connection } from '../client/connection.ts';
import type { Database } from '../client/database.ts';
import { isLostLock, isLostRace, isUniqueViolation, tooManyLosses } from '../client/pg-error.ts';
import { applyWriteSet } from './apply-write-set.ts';
import { CopyBuffer } from './copy-buffer.ts';
import { recordChunk } from './import-records.ts';
import { readExistingLogins } from './read-existing-logins.ts';
import { BEGIN_BULK, BEGIN_BULK_SHORT_WAITS } from './transaction-settings.ts';

/** Users can appear between the look and the write, each time only those that others are writing that moment. */
export const MAX_ATTEMPTS = 50;

/**
 * A chunk that is not the next to commit keeps what it wrote so long at most before its turn has come: the chunk before
 * it may wait for another import, that one for this chunk.
 */
const COMMIT_WAIT_MS = 2000;

/**
 * Writes one chunk in one transaction, which commits when its turn has come. A draft holds when all its users
 * are new: that they are not shows as a unique violation, and the chunk is planned with what is stored.
 * @throws {AppError} OVERLOADED when others keep writing the same users
 */
export async function writeChunk(
  db: Database,
  run: Run,
  chunk: ChunkWrite,
): Promise<WrittenChunk | 'taken-over'> {
  const endStep = await chunk.beginStep();
  try {
    return await db.connection((connection) => writeInOrder(connection, run, chunk, endStep));
  } finally {
    endStep();
  }
}

async function writeInOrder(
  connection: Connection,
  run: Run,
  chunk: ChunkWrite,
  endStep: () => void,
): Promise<WrittenChunk | 'taken-over'> {
  let isNext = false;
  for (let attempt = 1; ; attempt += 1) {
    const begin = isNext ? BEGIN_BULK : BEGIN_BULK_SHORT_WAITS;
    try {
      return await connection.transaction(async () => {
        const { optimistic } = chunk;
        const result =
          optimistic !== undefined && attempt === 1
            ? await writeOptimistic(connection, optimistic)
            : await writeResolved(connection, run, chunk, attempt);
        // Others may be written while it waits. Should it try again, it does so at once: they may wait for it.
        endStep();
        const before = await (isNext ? chunk.previousCommit : inTime(chunk.previousCommit));
        const progress = chunk.advance(before, result.result);
        const isRecorded = await recordChunk(connection, run, chunk, { result: result.result, progress });
        if (!isRecorded) throw new TakenOver();
        return { ...result, progress };
      }, begin);
    } catch (error) {
      endStep();
      if (error instanceof TakenOver) return 'taken-over';
      if (!isWorthAnotherTry(error)) throw error;
      if (attempt >= MAX_ATTEMPTS) throw tooManyLosses(error);
    }
    await chunk.previousCommit;
    isNext = true;
  }
}

/** Ends the transaction. */
class TakenOver extends Error {}
class KeptTooLong extends Error {}

function inTime<T>(previousCommit: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new KeptTooLong()), COMMIT_WAIT_MS);
    previousCommit.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

export const isWorthAnotherTry = (error: unknown) =>
  isUniqueViolation(error) || isLostRace(error) || isLostLock(error) || error instanceof KeptTooLong;

type Written = Omit<WrittenChunk, 'progress'>;

async function writeOptimistic(
  connection: Connection,
  { rows, result }: NonNullable<ChunkWrite['optimistic']>,
): Promise<Written> {
  // This room makes all drafts, of this kind.
  if (!(rows instanceof CopyBuffer)) throw new Error('rows that another store made');
  await rows.write(connection);
  return { result, metUsers: false };
}

async function writeResolved(
  connection: Connection,
  run: Run,
  chunk: ChunkWrite,
  attempt: number,
): Promise<Written> {
  const existing = await readExistingLogins(connection, chunk.keys(), { lock: true });
  const metUsers = existing.passwords.size + existing.thirdParties.size > 0;
  const { writeSet, result } = chunk.resolve(existing);
  await applyWriteSet(connection, run.importId, writeSet, { inKeyOrder: attempt > 1 });
  return { result, metUsers };
}

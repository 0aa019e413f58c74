import type { ChunkWrite, Run, WrittenChunk } from '../../imports/store.ts';
import type { Connection } from '../connection.ts';
import type { Database } from '../database.ts';
import { isLostLock, isLostRace, isUniqueViolation, tooManyLosses } from '../pg-error.ts';
import { BULK_BEGIN, IMPATIENT_BEGIN } from './bulk-begin.ts';
import { CopyDraft } from './copy-draft.ts';
import { noteChunk } from './import-records.ts';
import { readKnown } from './read-known.ts';
import { writePlan } from './write-plan.ts';

/** Users can appear between the look and the write, each time only those that others are writing that moment. */
export const MAX_ATTEMPTS = 50;

/**
 * A chunk that is not the next to commit keeps what it wrote so long at most before its turn has come: the chunk before
 * it may wait for another import, that one for this chunk.
 */
const TURN_TIMEOUT_MS = 2000;

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
    return await db.connection((connection) => writeInTurn(connection, run, chunk, endStep));
  } finally {
    endStep();
  }
}

async function writeInTurn(
  connection: Connection,
  run: Run,
  chunk: ChunkWrite,
  endStep: () => void,
): Promise<WrittenChunk | 'taken-over'> {
  let isNext = false;
  for (let attempt = 1; ; attempt += 1) {
    const begin = isNext ? BULK_BEGIN : IMPATIENT_BEGIN;
    try {
      return await connection.transaction(async () => {
        const { draft } = chunk;
        const result =
          draft !== undefined && attempt === 1
            ? await writeDraft(connection, draft)
            : await writePlanned(connection, run, chunk, attempt);
        // Others may be written while it waits. Should it try again, it does so at once: they may wait for it.
        endStep();
        const before = await (isNext ? chunk.turn : inTime(chunk.turn));
        const progress = chunk.advance(before, result.result);
        const isNoted = await noteChunk(connection, run, chunk, { result: result.result, progress });
        if (!isNoted) throw new TakenOver();
        return { ...result, progress };
      }, begin);
    } catch (error) {
      endStep();
      if (error instanceof TakenOver) return 'taken-over';
      if (!isWorthAnotherTry(error)) throw error;
      if (attempt >= MAX_ATTEMPTS) throw tooManyLosses(error);
    }
    await chunk.turn;
    isNext = true;
  }
}

/** Ends the transaction. */
class TakenOver extends Error {}
class KeptTooLong extends Error {}

function inTime<T>(turn: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new KeptTooLong()), TURN_TIMEOUT_MS);
    turn.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

export const isWorthAnotherTry = (error: unknown) =>
  isUniqueViolation(error) || isLostRace(error) || isLostLock(error) || error instanceof KeptTooLong;

type Written = Omit<WrittenChunk, 'progress'>;

async function writeDraft(
  connection: Connection,
  { rows, result }: NonNullable<ChunkWrite['draft']>,
): Promise<Written> {
  // This room makes all drafts, of this kind.
  if (!(rows instanceof CopyDraft)) throw new Error('a draft of rows that another store made');
  await rows.write(connection);
  return { result, metUsers: false };
}

async function writePlanned(
  connection: Connection,
  run: Run,
  chunk: ChunkWrite,
  attempt: number,
): Promise<Written> {
  const known = await readKnown(connection, chunk.keys(), { lock: true });
  const metUsers = known.passwords.size + known.thirdParties.size > 0;
  const { plan, result } = chunk.plan(known);
  await writePlan(connection, run.importId, plan, { inKeyOrder: attempt > 1 });
  return { result, metUsers };
}

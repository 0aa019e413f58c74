import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { AppError } from '../../lib/errors.ts';
import { nodeOf } from '../citus/node-errors.ts';
import type { Queryable } from './connection.ts';
import { PROBE } from './engine.ts';

const PAUSE_MS = 250;
/** Number of tries for each line in the log. */
const TRIES_A_LINE = 20;

/**
 * Resolves when the database answers, all nodes of it where it is known to have several. A refusal that waiting cannot mend
 * (wrong password, no such database) is thrown at once. @throws {AppError} STORAGE_UNAVAILABLE after `timeoutMs`
 */
export async function waitForDatabase(
  db: Queryable,
  timeoutMs: number,
  logger: Pick<Logger, 'warn'>,
): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  for (let tries = 0; ; tries += 1) {
    try {
      await db.query(PROBE[db.engine]);
      return;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      if (Date.now() + PAUSE_MS > deadline) {
        throw new AppError(
          'STORAGE_UNAVAILABLE',
          `Storage is unavailable: ${whoIsAway(error)} did not answer within ${timeoutMs} ms (database_wait_ms)`,
          { cause: error.cause },
        );
      }
      if (tries % TRIES_A_LINE === 0)
        logger.warn({ err: error }, `waiting for ${whoIsAway(error)} to answer`);
      await sleep(PAUSE_MS);
    }
  }
}

/** Names the node of Citus that is away, as the coordinator answers then. */
function whoIsAway({ cause }: AppError): string {
  const node = nodeOf(cause);
  return node === undefined ? 'the database' : `node ${node} of Citus`;
}

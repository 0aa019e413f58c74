import type { Logger } from 'pino';
import { retry } from '../../lib/async/until.ts';
import { AppError } from '../../lib/errors.ts';
import type { Queryable } from './connection.ts';

const PAUSE_MS = 250;
/** Number of failed attempts for each log line. The first failure is logged at once. */
const TRIES_A_LINE = 20;

/**
 * Resolves when the database answers. On a Citus cluster whose engine is known, all nodes must answer. A
 * refusal that waiting cannot resolve (wrong password, no such database) is thrown at once.
 * @throws {AppError} STORAGE_UNAVAILABLE after `timeoutMs`
 */
export async function waitForDatabase(
  db: Queryable,
  timeoutMs: number,
  logger: Pick<Logger, 'warn'>,
): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  const probe = () => db.query(db.engine.probe);
  await retry(probe, (error, attempt) => {
    if (!(error instanceof AppError)) return undefined;
    const away = db.engine.nameOfUnavailable(error.cause);
    if (Date.now() + PAUSE_MS > deadline) {
      throw new AppError(
        'STORAGE_UNAVAILABLE',
        `Storage is unavailable: ${away} did not answer within ${timeoutMs} ms (database_wait_ms)`,
        { cause: error.cause },
      );
    }
    if (attempt % TRIES_A_LINE === 1) logger.warn({ err: error }, `waiting for ${away} to answer`);
    return PAUSE_MS;
  });
}

import pg from 'pg';
import { retry, upTo } from '../../lib/async/until.ts';
import { AppError, Contended } from '../../lib/errors.ts';

/**
 * SQLSTATE classes and codes after which the same call may succeed a moment later. Source:
 * https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const UNAVAILABLE_CLASSES = new Set(['08', '53', '57', '58']);
const UNAVAILABLE_CODES = new Set(['25006', '25P03', '40001', '40P01']);

/**
 * Returns whether an error is a violation of a unique key. `constraint` is the name of the key in the migrations;
 * without it, any key counts.
 */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  return hasCode(error, '23505') && (constraint === undefined || error.constraint === constraint);
}

/** Returns whether an SQL statement waited for a lock for longer than its transaction allows. */
export function isLostLock(error: unknown): boolean {
  return hasCode(error, '55P03');
}

const hasCode = (error: unknown, ...codes: string[]): error is pg.DatabaseError =>
  error instanceof pg.DatabaseError && codes.includes(error.code ?? '');

/**
 * Returns whether the database cannot be used at the moment. Errors of the driver, such as a timeout, and of the system
 * are named `Error`. Bugs have other names, such as `TypeError`.
 */
export function isUnavailable(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) {
    const code = error.code ?? '';
    return UNAVAILABLE_CLASSES.has(code.slice(0, 2)) || UNAVAILABLE_CODES.has(code);
  }
  if (error instanceof AggregateError) return error.errors.every(isUnavailable);
  return error instanceof Error && error.name === 'Error';
}

/** Returns whether a deadlock or a serialization failure ended the transaction, which can simply be repeated. */
export function isLostRace(error: unknown): boolean {
  return hasCode(error instanceof AppError ? error.cause : error, '40P01', '40001');
}

/** Descriptions of states of PostgreSQL that an operator must resolve, by SQLSTATE. */
const REASONS: Readonly<Record<string, string>> = {
  '25006': 'the database is read-only, as a standby is',
  '53100': 'the disk of the database is full',
  '53300': 'the database has no connection left',
};

/** Returns STORAGE_UNAVAILABLE if repeating the statement may succeed, otherwise the error itself. */
export function storageError(error: unknown): unknown {
  if (error instanceof AppError || !isUnavailable(error)) return error;
  const code = error instanceof pg.DatabaseError ? (error.code ?? '') : '';
  const reason = REASONS[code] ?? 'the database does not answer';
  return new AppError('STORAGE_UNAVAILABLE', `Storage is unavailable: ${reason}`, { cause: error });
}

/**
 * Runs `work`, and reports conflicts as `Contended`.
 * @throws {Contended} if other transactions write the same rows; `work` may then be repeated
 */
export async function throwIfContended<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw isUniqueViolation(error) || isLostRace(error) || isLostLock(error) ? new Contended(error) : error;
  }
}

/**
 * Runs `work`, and repeats it after conflicts.
 * @throws {Contended} if all `maxAttempts` attempts have failed
 */
export const retryContended = <T>(maxAttempts: number, work: () => Promise<T>): Promise<T> =>
  retry(
    () => throwIfContended(work),
    upTo(maxAttempts, (error) => error instanceof Contended),
  );

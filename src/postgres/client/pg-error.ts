import pg from 'pg';
import { AppError } from '../../lib/errors.ts';

/**
 * SQLSTATE classes and codes after which the same call may succeed a moment later: connection failures,
 * insufficient resources, an operator's intervention (shutdown, failover, a cancelled statement), I/O errors,
 * a standby that is still read-only, a transaction that was idle for too long, and a lost race. Source:
 * https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const UNAVAILABLE_CLASSES = new Set(['08', '53', '57', '58']);
const UNAVAILABLE_CODES = new Set(['25006', '25P03', '40001', '40P01']);

/**
 * Returns whether an SQL statement failed because a row with the same key exists. `constraint` is the name of
 * the key in the migrations; without it, any key counts.
 */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  return hasCode(error, '23505') && (constraint === undefined || error.constraint === constraint);
}

/**
 * Returns whether an SQL statement failed because it waited for a lock for longer than its transaction
 * allows.
 */
export function isLostLock(error: unknown): boolean {
  return hasCode(error, '55P03');
}

const hasCode = (error: unknown, ...codes: string[]): error is pg.DatabaseError =>
  error instanceof pg.DatabaseError && codes.includes(error.code ?? '');

/**
 * Returns whether the error means that the database cannot be reached or cannot serve now. Errors of
 * PostgreSQL are recognised by SQLSTATE. Errors of the driver (timed out, terminated) and of the system
 * (refused, reset) have the name `Error`; bugs of the driver have other names, such as `TypeError`.
 */
export function isUnavailable(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) {
    const code = error.code ?? '';
    return UNAVAILABLE_CLASSES.has(code.slice(0, 2)) || UNAVAILABLE_CODES.has(code);
  }
  if (error instanceof AggregateError) return error.errors.every(isUnavailable);
  return error instanceof Error && error.name === 'Error';
}

/**
 * Returns whether an SQL statement lost a race with another transaction: a deadlock or a serialization
 * failure. Its transaction can simply be repeated.
 */
export function isLostRace(error: unknown): boolean {
  return hasCode(error instanceof AppError ? error.cause : error, '40P01', '40001');
}

/**
 * Error codes of PostgreSQL for states in which it cannot serve and somebody must act, with words for the
 * message.
 */
const REASONS: Readonly<Record<string, string>> = {
  '25006': 'the database is read-only, as a standby is',
  '53100': 'the disk of the database is full',
  '53300': 'the database has no connection left',
};

/**
 * Returns the error to throw for a failed SQL statement: STORAGE_UNAVAILABLE if repeating it may succeed,
 * otherwise the error itself.
 */
export function storageError(error: unknown): unknown {
  if (error instanceof AppError || !isUnavailable(error)) return error;
  const code = error instanceof pg.DatabaseError ? (error.code ?? '') : '';
  const reason = REASONS[code] ?? 'the database does not answer';
  return new AppError('STORAGE_UNAVAILABLE', `Storage is unavailable: ${reason}`, { cause: error });
}

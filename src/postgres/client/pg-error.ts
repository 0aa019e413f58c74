import pg from 'pg';
import { AppError } from '../../lib/errors.ts';

/**
 * SQLSTATE classes and codes after which the same call may well succeed a moment later: connection failures,
 * too little of some resource, an operator's intervention (shutdown, failover, a cancelled statement), I/O errors,
 * a standby that is read-only still, a transaction that was idle too long, and one that lost to another.
 * Source: https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const UNAVAILABLE_CLASSES = new Set(['08', '53', '57', '58']);
const UNAVAILABLE_CODES = new Set(['25006', '25P03', '40001', '40P01']);

/** Was the statement refused because such a row is there already? `constraint` is a name in the migrations; any if not given. */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  return hasCode(error, '23505') && (constraint === undefined || error.constraint === constraint);
}

/** Did the statement wait for a lock longer than its transaction allows? */
export function isLostLock(error: unknown): boolean {
  return hasCode(error, '55P03');
}

const hasCode = (error: unknown, ...codes: string[]): error is pg.DatabaseError =>
  error instanceof pg.DatabaseError && codes.includes(error.code ?? '');

/**
 * Can the database not be reached, or not serve now? Errors of the server are recognised by SQLSTATE; those of the driver
 * (timed out, terminated) and of the system (refused, reset) by the name `Error`. A bug in the driver would be a TypeError
 * or the like.
 */
export function isUnavailable(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) {
    const code = error.code ?? '';
    return UNAVAILABLE_CLASSES.has(code.slice(0, 2)) || UNAVAILABLE_CODES.has(code);
  }
  if (error instanceof AggregateError) return error.errors.every(isUnavailable);
  return error instanceof Error && error.name === 'Error';
}

/** Did the statement lose to another (a deadlock, a serialization failure)? Its transaction can simply run again. */
export function isLostRace(error: unknown): boolean {
  return hasCode(error instanceof AppError ? error.cause : error, '40P01', '40001');
}

/** Returns the error to throw for a failed statement: STORAGE_UNAVAILABLE if trying again makes sense, else the error itself. */
export function storageError(error: unknown): unknown {
  if (error instanceof AppError || !isUnavailable(error)) return error;
  return new AppError('STORAGE_UNAVAILABLE', 'Storage is unavailable: the database does not answer', {
    cause: error,
  });
}

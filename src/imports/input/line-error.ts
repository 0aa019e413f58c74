import { ERROR_STATUS, type ErrorCode } from '../../lib/errors.ts';

/**
 * Error codes that only lines of an import have, beside the error codes of HTTP calls. They have no HTTP
 * status, because one failed line does not fail the request. docs/errors.md lists them too.
 */
export const LINE_CODES = [
  'EMAIL_ALREADY_EXISTS',
  'EMAIL_CHANGED_SINCE',
  'EXTERNAL_ID_ALREADY_EXISTS',
  'LINE_CHANGED',
  'LINE_TOO_LONG',
  'LOGIN_METHODS_CHANGED_SINCE',
  'LOGIN_METHODS_DIVIDED',
  'PASSWORD_CHANGED_SINCE',
  'SIGNED_IN_SINCE',
  'THIRD_PARTY_USER_ALREADY_EXISTS',
  'TOO_MANY_DEFERRED',
  'UNCHANGED',
] as const;

export type LineCode = (typeof LINE_CODES)[number] | ErrorCode;

/** Returns whether result lines of an import may have this error code. */
export const isLineCode = (code: string): code is LineCode =>
  Object.hasOwn(ERROR_STATUS, code) || LINE_CODES.some((one) => one === code);

/** Reason why the line of an import was not imported. */
export interface LineError {
  code: LineCode;
  message: string;
}

import { ERROR_STATUS, type ErrorCode } from '../../lib/errors.ts';

/**
 * Codes that only lines of an import have, beside the codes of single calls. docs/errors.md lists the same ones. They have
 * no HTTP status, because a line fails alone.
 */
export const LINE_CODES = [
  'EMAIL_ALREADY_EXISTS',
  'EXTERNAL_ID_ALREADY_EXISTS',
  'LINE_CHANGED',
  'LINE_TOO_LONG',
  'LOGIN_METHODS_DIVIDED',
  'PASSWORD_CHANGED_SINCE',
  'SIGNED_IN_SINCE',
  'THIRD_PARTY_USER_ALREADY_EXISTS',
] as const;

export type LineCode = (typeof LINE_CODES)[number] | ErrorCode;

/** Is it a code that a line may have? */
export const isLineCode = (code: string): code is LineCode =>
  Object.hasOwn(ERROR_STATUS, code) || LINE_CODES.some((one) => one === code);

/** Why a line was not imported. */
export interface LineError {
  code: LineCode;
  message: string;
}

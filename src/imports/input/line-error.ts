import { ERROR_STATUS, type ErrorCode } from '../../lib/errors.ts';

/** Error codes that only lines of an import have, and no HTTP call. docs/errors.md lists them too. */
export const LINE_CODES = [
  'EMAIL_ALREADY_EXISTS',
  'EMAIL_CHANGED_SINCE',
  'EXTERNAL_ID_ALREADY_EXISTS',
  'EXTERNAL_ID_REPEATED',
  'LINE_CHANGED',
  'LINE_TOO_LONG',
  'LOGIN_METHODS_CHANGED_SINCE',
  'LOGIN_METHODS_DIVIDED',
  'OTHER_PERSON',
  'PASSWORD_CHANGED_SINCE',
  'SIGNED_IN_SINCE',
  'STATE_CHANGED_SINCE',
  'THIRD_PARTY_USER_ALREADY_EXISTS',
  'TOO_MANY_DEFERRED',
  'UNCHANGED',
  'USER_UNKNOWN',
] as const;

export type LineCode = (typeof LINE_CODES)[number] | ErrorCode;

export const isLineCode = (code: string): code is LineCode =>
  Object.hasOwn(ERROR_STATUS, code) || LINE_CODES.some((one) => one === code);

export interface LineError {
  code: LineCode;
  message: string;
}

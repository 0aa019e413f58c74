import type { LineError } from '../input/line-error.ts';
import type { ParsedLoginMethod } from '../input/parsed-user.ts';
import type { Outcome } from './outcome.ts';

export const failed = (code: LineError['code'], message: string): Outcome => ({
  status: 'FAILED',
  code,
  message,
});

/** Why a login method that exists cannot be created. */
export function alreadyExists(method: ParsedLoginMethod): LineError {
  return method.recipeId === 'emailpassword'
    ? { code: 'EMAIL_ALREADY_EXISTS', message: 'A user with this e-mail exists already' }
    : {
        code: 'THIRD_PARTY_USER_ALREADY_EXISTS',
        message: 'A user with this third-party identity exists already',
      };
}

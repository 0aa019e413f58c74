import { AppError } from '../lib/errors.ts';

/** The bytes of a password that is to be set. @throws {AppError} PASSWORD_EMPTY */
export function requirePassword(password: string): Buffer {
  if (password === '') throw new AppError('PASSWORD_EMPTY', 'Password cannot be an empty string');
  return Buffer.from(password, 'utf8');
}

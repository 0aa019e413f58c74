import { AppError } from '../../lib/errors.ts';
import { UUID_PATTERN } from '../../lib/text/uuid.ts';
import type { PageStart } from '../../users/user-store.ts';

const TOKEN = new RegExp(`^(${UUID_PATTERN});(\\d{1,16})$`);

/** Returns the token of the next page of users. To clients, it is opaque text. */
export function writePaginationToken({ timeJoinedMs, userId }: PageStart): string {
  return Buffer.from(`${userId};${timeJoinedMs}`).toString('base64');
}

/** @throws {AppError} QUERY_INVALID for anything that `writePaginationToken` did not write */
export function readPaginationToken(token: string): PageStart {
  const text = Buffer.from(token, 'base64');
  const [, userId, time] = TOKEN.exec(text.toString('latin1')) ?? [];
  if (userId === undefined || time === undefined || text.toString('base64') !== token) {
    throw new AppError('QUERY_INVALID', 'invalid pagination token');
  }
  return { userId, timeJoinedMs: Number(time) };
}

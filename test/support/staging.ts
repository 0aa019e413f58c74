import { expect } from 'vitest';
import type { Answer, TestApp } from './app.ts';
import { PASSWORD } from './user-forms.ts';
import { WITH_ALL_TABLES } from './with-all-tables.ts';

export const STAGE = '/bulk-import/users';

/** Members of all answers about staged users, and of errors. */
export interface StagedBody {
  status: string;
  users: ({ id: string; status: string; errorMessage?: string; index: number; errors: string[] } & Record<
    string,
    unknown
  >)[];
  nextPaginationToken?: string;
  error: string;
  errors: string[];
  deletedIds: string[];
  invalidIds: string[];
}

export const bodyOf = (answer: Answer): StagedBody => JSON.parse(answer.text);

/** Returns a user with a password, whose hash is BCRYPT's. */
export const userOf = (email: string, more: Record<string, unknown> = {}) => ({
  ...more,
  loginMethods: [{ ...PASSWORD, email }],
});

export const usersOf = (count: number, prefix = 'user') =>
  Array.from({ length: count }, (_, index) => userOf(`${prefix}-${index}@b.c`));

/** Ids in the answer to a staged user. */
export interface AssignedIds {
  userId: string;
  loginMethods: Record<string, unknown>[];
}

/** Stages users. Returns the ids that they will have. */
export async function stage(service: TestApp, users: readonly unknown[]): Promise<AssignedIds[]> {
  const answer = await service.send('POST', STAGE, { users });
  const body = JSON.parse(answer.text) as { users: AssignedIds[] };
  expect([answer.status, body]).toEqual([200, { status: 'OK', users: expect.any(Array) }]);
  expect(body.users).toHaveLength(users.length);
  return body.users;
}

/** Stages users, and waits until they are imported or have failed. */
export async function stageAndImport(service: TestApp, users: readonly unknown[]): Promise<AssignedIds[]> {
  const told = await stage(service, users);
  await service.staged.idle();
  return told;
}

export async function staged(service: TestApp, query = ''): Promise<StagedBody['users']> {
  const answer = await service.send('GET', `${STAGE}?limit=500${query}`);
  expect(answer.status).toBe(200);
  return bodyOf(answer).users;
}

export async function messagesOfFailed(service: TestApp): Promise<(string | undefined)[]> {
  const failed = await staged(service, '&status=FAILED');
  return failed.map(({ errorMessage }) => errorMessage).reverse();
}

export async function emailsOfUsers(service: TestApp): Promise<string[]> {
  const rows = await service.database.db.query<{ email: string }>(
    `${WITH_ALL_TABLES} select email from password_logins join users using (user_id) order by email`,
  );
  return rows.map(({ email }) => email);
}

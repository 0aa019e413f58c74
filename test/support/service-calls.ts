import { expect } from 'vitest';
import type { ErrorCode } from '../../src/lib/errors.ts';
import type { TestApp, UserBody } from './app.ts';
import { BCRYPT } from './example-hashes.ts';

export const IMPORT = '/recipe/user/passwordhash/import';
export const VERIFY = '/recipe/user/passwordhash/verify';

/** Ids as this service makes them. */
export const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** A copy of `body` with the member at `path` (e.g. `email.id`) replaced, or left out where `value` is undefined. */
export function withMember(body: Record<string, unknown>, path: string, value: unknown): unknown {
  const copy = structuredClone(body);
  const steps = path.split('.');
  const last = steps.pop() ?? '';
  const holder = steps.reduce((node, step) => node[step] as Record<string, unknown>, copy);
  holder[last] = value;
  return copy;
}

/** What an error answer looks like, for `toMatchObject`. */
export function failure(status: number, code: ErrorCode, messageStart: string) {
  const start = messageStart.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return {
    status,
    body: { statusCode: status, code, message: expect.stringMatching(new RegExp(`^${start}`)) },
  };
}

/** Imports a user, who must be new. */
export async function importNew(service: TestApp, email: string, hash = BCRYPT.hash): Promise<UserBody> {
  const { body } = await service.send('POST', IMPORT, { email, passwordHash: hash });
  expect(body).toMatchObject({ status: 'OK', didUserAlreadyExist: false });
  return body.user;
}

/** Signs in a third-party user, who must be new. */
export async function signInUpNew(
  service: TestApp,
  identity: { id: string; userId: string },
  email: string,
): Promise<UserBody> {
  const { body } = await service.send('POST', '/recipe/signinup', {
    thirdPartyId: identity.id,
    thirdPartyUserId: identity.userId,
    email: { id: email },
  });
  expect(body).toMatchObject({ status: 'OK', createdNewUser: true });
  return body.user;
}

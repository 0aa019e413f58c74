import { expect } from 'vitest';
import type { ErrorCode } from '../../src/lib/errors.ts';
import type { Answer, TestApp, UserBody } from './app.ts';
import { BCRYPT } from './example-hashes.ts';

export const IMPORT = '/recipe/user/passwordhash/import';
export const VERIFY = '/recipe/user/passwordhash/verify';

/** Format of the ids that the service generates. */
export const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Signs in with an e-mail address and a password. */
export const signIn = (service: TestApp, email: string, password = BCRYPT.password): Promise<Answer> =>
  service.send('POST', '/recipe/signin', { email, password });

/** Signs in. Returns the status, which is OK or WRONG_CREDENTIALS_ERROR, or the code of the error. */
export async function signInStatus(service: TestApp, email: string, password?: string): Promise<string> {
  const { body } = await signIn(service, email, password);
  return body.status ?? body.code;
}

/** Imports one user. `more` has further members of the body. */
export const importUser = (
  service: TestApp,
  email: string,
  passwordHash: string,
  more: object = {},
): Promise<Answer> => service.send('POST', IMPORT, { email, passwordHash, ...more });

/** Looks up a user by any of its ids. */
export const getUser = (service: TestApp, id = ''): Promise<Answer> =>
  service.send('GET', `/user/id?userId=${encodeURIComponent(id)}`);

export const countUsers = async (service: TestApp): Promise<number> =>
  (await service.send('GET', '/users/count')).body.count;

/**
 * Returns a copy of `body` with the member at `path` (e.g. `email.id`) replaced, or removed if `value` is
 * undefined.
 */
export function withMember(body: Record<string, unknown>, path: string, value: unknown): unknown {
  const copy = structuredClone(body);
  const steps = path.split('.');
  const last = steps.pop() ?? '';
  const holder = steps.reduce((node, step) => node[step] as Record<string, unknown>, copy);
  holder[last] = value;
  return copy;
}

/** Returns the expected status and body of an error, for `toMatchObject`. */
export function failure(status: number, code: ErrorCode, messageStart: string) {
  const start = messageStart.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return {
    status,
    body: { statusCode: status, code, message: expect.stringMatching(new RegExp(`^${start}`)) },
  };
}

/** Returns a user with one login method as it is answered, without further members. */
export function userWithOneLogin(
  { id, timeJoined }: Pick<UserBody, 'id' | 'timeJoined'>,
  email: string,
  thirdParty?: { id: string; userId: string },
) {
  const login = thirdParty ? { recipeId: 'thirdparty', thirdParty } : { recipeId: 'emailpassword' };
  return {
    ...{ id, isPrimaryUser: false, tenantIds: ['public'], timeJoined, emails: [email], phoneNumbers: [] },
    thirdParty: thirdParty ? [thirdParty] : [],
    webauthn: { credentialIds: [] },
    loginMethods: [{ ...login, tenantIds: ['public'], recipeUserId: id, verified: false, timeJoined, email }],
  };
}

/** Imports a user. Fails if the user exists already. */
export async function importNew(service: TestApp, email: string, hash = BCRYPT.hash): Promise<UserBody> {
  const { body } = await importUser(service, email, hash);
  expect(body).toMatchObject({ status: 'OK', didUserAlreadyExist: false });
  return body.user;
}

/** Signs in a third-party user. Fails if the user exists already. */
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

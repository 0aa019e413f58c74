/** Sign-up and reset of people who have not moved in yet, as an unmodified SDK does them. */
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import SuperTokens from 'supertokens-node';
import EmailPassword from 'supertokens-node/recipe/emailpassword';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createLegacySystem } from '../../examples/legacy-system.ts';
import { API_KEY, createTestApp, type TestApp } from '../support/app.ts';

const TENANT = 'public';
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

let legacy: Server;
let service: TestApp;

beforeAll(async () => {
  const person = (id: string) => ({ id, password: 'old password' });
  legacy = createLegacySystem(
    new Map([
      ['ada@example.com', person('old-1')],
      ['bob@example.com', person('old-2')],
      ['eve@example.com', person('old-3')],
    ]),
    SECRET,
  );
  legacy.listen(0, '127.0.0.1');
  await once(legacy, 'listening');
  service = await createTestApp({
    config: {
      legacy_signin_for: 'unknown',
      legacy_signin_url: `http://127.0.0.1:${(legacy.address() as AddressInfo).port}/`,
      legacy_signin_secret: SECRET,
    },
  });
  SuperTokens.init({
    framework: 'express',
    supertokens: {
      connectionURI: await service.app.listen({ port: 0, host: '127.0.0.1' }),
      apiKey: API_KEY,
    },
    appInfo: { appName: 'test', apiDomain: 'http://127.0.0.1', websiteDomain: 'http://127.0.0.1' },
    recipeList: [EmailPassword.init()],
    telemetry: false,
  });
});
afterAll(async () => {
  await service.close();
  legacy.close();
});

const signIn = async (email: string, password: string) => {
  const answer = await EmailPassword.signIn(TENANT, email, password);
  return answer.status === 'OK' ? answer.user.id : answer.status;
};

it('refuses a sign-up with the address of somebody who has not moved in, who still can sign in', async () => {
  expect((await EmailPassword.signUp(TENANT, 'ada@example.com', 'of another')).status).toBe(
    'EMAIL_ALREADY_EXISTS_ERROR',
  );
  expect(await signIn('ada@example.com', 'of another')).toBe('WRONG_CREDENTIALS_ERROR');
  expect(await signIn('ada@example.com', 'old password')).toBe('old-1');
});

it('finds somebody who has not moved in, for a reset, after which only the new password signs in', async () => {
  const users = await SuperTokens.listUsersByAccountInfo(TENANT, { email: 'bob@example.com' });
  expect(users).toMatchObject([{ id: 'old-2', emails: ['bob@example.com'] }]);
  const [recipeUserId] = users.flatMap(({ loginMethods }) => loginMethods.map((one) => one.recipeUserId));
  if (recipeUserId === undefined) throw new Error('the user has no login method');
  const update = await EmailPassword.updateEmailOrPassword({ recipeUserId, password: 'new password 1' });
  expect(update.status).toBe('OK');
  expect(await signIn('bob@example.com', 'old password')).toBe('WRONG_CREDENTIALS_ERROR');
  expect(await signIn('bob@example.com', 'new password 1')).toBe('old-2');
});

it('signs somebody in who was looked up but set no password, with the old one', async () => {
  await SuperTokens.listUsersByAccountInfo(TENANT, { email: 'eve@example.com' });
  expect(await signIn('eve@example.com', 'old password')).toBe('old-3');
  expect(await signIn('nobody@example.com', 'old password')).toBe('WRONG_CREDENTIALS_ERROR');
  expect((await EmailPassword.signUp(TENANT, 'nobody@example.com', 'password1')).status).toBe('OK');
});

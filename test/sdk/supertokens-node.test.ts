import { subscribe } from 'node:diagnostics_channel';
import type { ClientRequest } from 'node:http';
import argon2 from 'argon2';
import bcrypt from 'bcrypt';
import SuperTokens from 'supertokens-node';
import EmailPassword from 'supertokens-node/recipe/emailpassword';
import ThirdParty from 'supertokens-node/recipe/thirdparty';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { API_KEY, createTestApp, type TestApp } from '../support/app.ts';

const TENANT = 'public';
/** Example of the algorithm's public reference repository, made with the signer key of the tests. */
const SCRYPT =
  '$f_scrypt$lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==$42xEC+ixf3L2lw==$m=14$r=8$s=Bw==';

const IMPORTS: { name: string; password: string; makeHash(): Promise<string>; algorithm?: string }[] = [
  { name: 'bcrypt', password: 'secret-bcrypt', makeHash: () => bcrypt.hash('secret-bcrypt', 4) },
  {
    name: 'argon2',
    password: 'secret-argon2',
    makeHash: () => argon2.hash('secret-argon2', { memoryCost: 64, timeCost: 2 }),
  },
  {
    name: 'external scrypt',
    password: 'user1password',
    makeHash: async () => SCRYPT,
    algorithm: 'external_scrypt',
  },
];

let service: TestApp;
let url: string;
/** Hosts to which this process sent HTTP requests. */
const destinations: string[] = [];

beforeAll(async () => {
  subscribe('http.client.request.start', (message) => {
    const { request } = message as { request: ClientRequest };
    destinations.push(`${request.protocol}//${request.getHeader('host')}`);
  });
  subscribe('undici:request:create', (message) => {
    destinations.push((message as { request: { origin: string } }).request.origin);
  });
  service = await createTestApp();
  url = await service.app.listen({ port: 0, host: '127.0.0.1' });
  SuperTokens.init({
    framework: 'express',
    supertokens: { connectionURI: url, apiKey: API_KEY },
    appInfo: { appName: 'test', apiDomain: 'http://127.0.0.1', websiteDomain: 'http://127.0.0.1' },
    recipeList: [EmailPassword.init(), ThirdParty.init()],
    telemetry: false,
  });
});
afterAll(() => service.close());

/** Returns the answer. Throws unless its status is OK. */
function ok<Answer extends { status: string }>(answer: Answer): Extract<Answer, { status: 'OK' }> {
  expect(answer.status).toBe('OK');
  return answer as Extract<Answer, { status: 'OK' }>;
}

async function importOverHttp(email: string, passwordHash: string, hashingAlgorithm?: string): Promise<void> {
  const response = await fetch(`${url}/recipe/user/passwordhash/import`, {
    method: 'POST',
    headers: { 'api-key': API_KEY, 'content-type': 'application/json' },
    body: JSON.stringify({ email, passwordHash, hashingAlgorithm }),
  });
  expect(await response.json()).toMatchObject({ status: 'OK', didUserAlreadyExist: false });
}

describe('EmailPassword', () => {
  it('refuses a wrong password, an unknown e-mail and an e-mail that is taken', async () => {
    ok(await EmailPassword.signUp(TENANT, 'taken@example.com', 'password1'));
    expect(await EmailPassword.signIn(TENANT, 'taken@example.com', 'password2')).toEqual({
      status: 'WRONG_CREDENTIALS_ERROR',
    });
    expect(await EmailPassword.signIn(TENANT, 'nobody@example.com', 'password1')).toEqual({
      status: 'WRONG_CREDENTIALS_ERROR',
    });
    expect(await EmailPassword.signUp(TENANT, 'Taken@example.com', 'password1')).toEqual({
      status: 'EMAIL_ALREADY_EXISTS_ERROR',
    });
  });

  it('signs up and signs in', async () => {
    const signedUp = ok(await EmailPassword.signUp(TENANT, 'up@example.com', 'password1'));
    const { user, recipeUserId } = ok(await EmailPassword.signIn(TENANT, 'UP@example.com', 'password1'));
    expect(user.toJson()).toEqual(signedUp.user.toJson());
    expect(recipeUserId.getAsString()).toBe(user.id);
    expect(user.toJson()).toMatchObject({
      isPrimaryUser: false,
      tenantIds: ['public'],
      emails: ['up@example.com'],
      loginMethods: [
        { recipeId: 'emailpassword', email: 'up@example.com', verified: false, tenantIds: ['public'] },
      ],
    });
    expect((await SuperTokens.getUser(user.id))?.toJson()).toEqual(user.toJson());
  });

  it.each(IMPORTS)('signs in users imported with $name', async ({ name, password, makeHash, algorithm }) => {
    const email = `${name.replace(' ', '-')}@example.com`;
    await importOverHttp(email, await makeHash(), algorithm);
    expect(await EmailPassword.signIn(TENANT, email, `${password}!`)).toEqual({
      status: 'WRONG_CREDENTIALS_ERROR',
    });
    const { user } = ok(await EmailPassword.signIn(TENANT, email, password));
    expect(user.emails).toEqual([email]);
  });

  it('changes e-mail and password', async () => {
    const { recipeUserId } = ok(await EmailPassword.signUp(TENANT, 'before@example.com', 'password1'));
    ok(await EmailPassword.signUp(TENANT, 'in-the-way@example.com', 'password1'));
    const update = (change: { email?: string; password?: string }, id = recipeUserId) =>
      EmailPassword.updateEmailOrPassword({ recipeUserId: id, ...change });
    expect(await update({ email: 'in-the-way@example.com' })).toEqual({
      status: 'EMAIL_ALREADY_EXISTS_ERROR',
    });
    const nobody = new SuperTokens.RecipeUserId('00000000-0000-7000-8000-000000000000');
    expect((await update({ password: 'password2' }, nobody)).status).toBe('UNKNOWN_USER_ID_ERROR');
    ok(await update({ email: 'after@example.com', password: 'password2' }));
    expect(ok(await EmailPassword.signIn(TENANT, 'after@example.com', 'password2')).user.id).toBe(
      recipeUserId.getAsString(),
    );
    expect((await EmailPassword.signIn(TENANT, 'before@example.com', 'password1')).status).toBe(
      'WRONG_CREDENTIALS_ERROR',
    );
  });
});

describe('ThirdParty', () => {
  const signInUp = (userId: string, email: string, verified: boolean) =>
    ThirdParty.manuallyCreateOrUpdateUser(TENANT, 'google', userId, email, verified);

  it('creates a user, recognises it at the next sign-in, and updates its e-mail', async () => {
    const first = ok(await signInUp('g-1', 'g1@example.com', false));
    expect(first.createdNewRecipeUser).toBe(true);
    expect(first.user.toJson()).toMatchObject({
      emails: ['g1@example.com'],
      thirdParty: [{ id: 'google', userId: 'g-1' }],
      loginMethods: [
        { recipeId: 'thirdparty', verified: false, thirdParty: { id: 'google', userId: 'g-1' } },
      ],
    });
    const again = ok(await signInUp('g-1', 'g1@example.com', false));
    expect(again.createdNewRecipeUser).toBe(false);
    expect(again.user.toJson()).toEqual(first.user.toJson());
    const moved = ok(await signInUp('g-1', 'g1-new@example.com', false));
    expect([moved.createdNewRecipeUser, moved.user.id]).toEqual([false, first.user.id]);
    expect(moved.user.emails).toEqual(['g1-new@example.com']);
    expect(moved.recipeUserId.getAsString()).toBe(first.recipeUserId.getAsString());
  });

  it('keeps an e-mail verified', async () => {
    const verified = async (isVerified: boolean) =>
      ok(await signInUp('g-2', 'g2@example.com', isVerified)).user.loginMethods[0]?.verified;
    expect([await verified(true), await verified(false)]).toEqual([true, true]);
  });

  it('keeps it separate from a password user with the same e-mail', async () => {
    const password = ok(await EmailPassword.signUp(TENANT, 'both@example.com', 'password1')).user;
    const google = ok(await signInUp('g-3', 'both@example.com', false)).user;
    expect(google.id).not.toBe(password.id);
    const find = async (union: boolean) => {
      const thirdParty = { id: 'google', userId: 'g-3' };
      const users = await SuperTokens.listUsersByAccountInfo(
        TENANT,
        { email: 'both@example.com', thirdParty },
        union,
      );
      return users.map(({ id }) => id);
    };
    expect(await find(true)).toEqual([password.id, google.id]);
    expect(await find(false)).toEqual([google.id]);
  });
});

describe('user management', () => {
  it('finds no user under an unknown id', async () => {
    expect(await SuperTokens.getUser('nobody')).toBeUndefined();
    expect(await SuperTokens.listUsersByAccountInfo(TENANT, { email: 'nobody@example.com' })).toEqual([]);
    expect(await SuperTokens.deleteUser('nobody')).toEqual({ status: 'OK' });
  });

  it('pages through all users, in both orders', async () => {
    const before = await SuperTokens.getUserCount();
    const hash = await bcrypt.hash('x', 4);
    const emails = Array.from({ length: 235 }, (_, index) => `page-${index}@example.com`);
    await Promise.all(emails.map((email) => importOverHttp(email, hash)));
    expect(await SuperTokens.getUserCount()).toBe(before + 235);

    const page = async (getUsers: typeof SuperTokens.getUsersOldestFirst) => {
      const ids: string[] = [];
      const sizes: number[] = [];
      let paginationToken: string | undefined;
      do {
        const answer = await getUsers({
          tenantId: TENANT,
          limit: 100,
          ...(paginationToken && { paginationToken }),
        });
        ids.push(...answer.users.map(({ id }) => id));
        sizes.push(answer.users.length);
        paginationToken = answer.nextPaginationToken;
      } while (paginationToken !== undefined);
      expect(new Set(ids).size).toBe(before + 235);
      expect(sizes).toEqual([100, 100, before + 35]);
      return ids;
    };
    const oldestFirst = await page(SuperTokens.getUsersOldestFirst);
    const newestFirst = await page(SuperTokens.getUsersNewestFirst);
    expect(newestFirst.toSorted()).toEqual(oldestFirst.toSorted());
    // The first user of this file joined long before the last.
    const [first, last] = [
      await SuperTokens.getUser(oldestFirst[0] ?? ''),
      await SuperTokens.getUser(newestFirst[0] ?? ''),
    ];
    expect(first?.timeJoined).toBeLessThan(last?.timeJoined ?? 0);
  });

  it('counts and lists users by recipe', async () => {
    const [all, google, password] = [
      await SuperTokens.getUserCount(),
      await SuperTokens.getUserCount(['thirdparty']),
      await SuperTokens.getUserCount(['emailpassword'], TENANT),
    ];
    expect(google).toBeGreaterThan(0);
    expect(google + password).toBe(all);
    const { users } = await SuperTokens.getUsersNewestFirst({
      tenantId: TENANT,
      includeRecipeIds: ['thirdparty'],
    });
    expect(users).toHaveLength(google);
  });

  it('deletes a user and frees its e-mail', async () => {
    const { user } = ok(await EmailPassword.signUp(TENANT, 'deleted@example.com', 'password1'));
    expect(await SuperTokens.deleteUser(user.id)).toEqual({ status: 'OK' });
    expect(await SuperTokens.getUser(user.id)).toBeUndefined();
    expect(ok(await EmailPassword.signUp(TENANT, 'deleted@example.com', 'password1')).user.id).not.toBe(
      user.id,
    );
  });
});

it('sends requests to this service only', () => {
  expect(destinations.length).toBeGreaterThan(100);
  expect(new Set(destinations)).toEqual(new Set([url]));
});

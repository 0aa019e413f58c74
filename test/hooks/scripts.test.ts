/** The example scripts, in doubles of the runtimes of Auth0 and Cognito, against the service. */
import { readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { API_KEY, createTestApp, type TestApp } from '../support/app.ts';
import { BCRYPT } from '../support/example-hashes.ts';
import { importWithId } from '../support/import-calls.ts';
import { listen } from './askers.ts';

const ADA = {
  externalUserId: '42',
  userMetadata: { plan: 'gold' },
  userRoles: [{ role: 'editor' }],
  loginMethods: [
    { recipeId: 'emailpassword', email: 'ada@b.c', passwordHash: BCRYPT.hash, isVerified: true },
  ],
};

let service: TestApp;
let url: string;
beforeEach(async () => {
  service = await createTestApp({ config: { password_hooks_profiles: true } });
  url = await listen(service);
  await importWithId(service, 'first', [ADA]);
});
afterEach(() => service.close());

describe('auth0-database.js', () => {
  class WrongUsernameOrPasswordError extends Error {}
  type Callback = (error: Error | null, profile?: object | null) => void;
  interface Scripts {
    login(email: string, password: string, callback: Callback): Promise<void>;
    getUser(email: string, callback: Callback): Promise<void>;
  }

  function run(work: (scripts: Scripts, callback: Callback) => unknown, key = API_KEY) {
    const text = readFileSync(new URL('../../examples/auth0-database.js', import.meta.url), 'utf8');
    const scripts: Scripts = runInNewContext(`${text}; ({ login, getUser })`, {
      configuration: { HOOKS_URL: url, HOOKS_KEY: key },
      ...{ fetch, AbortSignal, WrongUsernameOrPasswordError },
    });
    return new Promise<{ error: Error | null; profile: object | null | undefined }>((resolve) => {
      void work(scripts, (error, profile) => resolve({ error, profile }));
    });
  }
  const signIn = (password: string, key?: string) =>
    run((scripts, callback) => scripts.login(' Ada@b.c', password, callback), key);

  it('brings the profile with the right password', async () => {
    expect(await signIn(BCRYPT.password)).toEqual({
      error: null,
      profile: {
        ...{ user_id: '42', email: 'ada@b.c', email_verified: true },
        ...{ user_metadata: { plan: 'gold' }, app_metadata: { roles: ['editor'] } },
      },
    });
  });

  it('says that a password is wrong only if it is', async () => {
    expect((await signIn('wrong')).error).toBeInstanceOf(WrongUsernameOrPasswordError);
    const { error } = await signIn(BCRYPT.password, 'a-wrong-key-0123456789');
    expect(error).not.toBeInstanceOf(WrongUsernameOrPasswordError);
    expect(String(error)).toContain('answered 401');
  });

  it('finds a user before a reset of the password', async () => {
    const found = (email: string) => run((scripts, callback) => scripts.getUser(email, callback));
    expect(await found('ada@b.c')).toMatchObject({ error: null, profile: { user_id: '42' } });
    expect(await found('nobody@b.c')).toEqual({ error: null, profile: null });
  });
});

describe('cognito-migrate-user.mjs', () => {
  async function call(triggerSource: string, userName: string, password?: string, key = API_KEY) {
    vi.stubEnv('HOOKS_URL', url).stubEnv('HOOKS_KEY', key);
    const { handler } = await import(
      new URL('../../examples/cognito-migrate-user.mjs', import.meta.url).href
    );
    try {
      return (await handler({ triggerSource, userName, request: { password } })).response;
    } finally {
      vi.unstubAllEnvs();
    }
  }
  const SIGN_IN = 'UserMigration_Authentication';
  const RESET = 'UserMigration_ForgotPassword';

  it('confirms a user with the right password', async () => {
    expect(await call(SIGN_IN, 'ADA@b.c', BCRYPT.password)).toEqual({
      userAttributes: {
        ...{ username: 'ada@b.c', email: 'ada@b.c', email_verified: 'true' },
        'custom:old_id': '42',
      },
      ...{ finalUserStatus: 'CONFIRMED', messageAction: 'SUPPRESS' },
    });
  });

  it('throws one error for a wrong password, and another for a fault', async () => {
    await expect(call(SIGN_IN, 'ada@b.c', 'wrong')).rejects.toThrow('Incorrect username or password.');
    const wrongKey = call(SIGN_IN, 'ada@b.c', BCRYPT.password, 'a-wrong-key-0123456789');
    await expect(wrongKey).rejects.toThrow('Try again later');
  });

  it('lets a user reset a password that was never moved', async () => {
    const answer = await call(RESET, 'ada@b.c');
    expect(answer).toMatchObject({ userAttributes: { email_verified: 'true' } });
    expect(answer).not.toHaveProperty('finalUserStatus');
    await expect(call(RESET, 'nobody@b.c')).rejects.toThrow('Incorrect');
  });
});

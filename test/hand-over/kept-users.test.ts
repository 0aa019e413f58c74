import { describe, expect, it } from 'vitest';
import type { Config } from '../../src/config/schema.ts';
import { legacySystemOf, useLegacySystem } from '../support/legacy-system.ts';
import { IMPORT } from '../support/service-calls.ts';
import { type FrontUnderTest, PASSWORD, passwordOf, useFront } from './front-under-test.ts';

const line = (name: string, more: object = {}) => ({
  externalUserId: name,
  ...more,
  loginMethods: [passwordOf(`${name}@example.com`)],
});
const warningsOf = async ({ send }: FrontUnderTest) => {
  const { body } = await send('POST', '/hand-over', { dryRun: true, unlinked: false });
  return (body as unknown as { preflight: { warnings: string[]; obstacles: string[] } }).preflight;
};
const setDisabled = ({ send }: Pick<FrontUnderTest, 'send'>, userId: string, disabled: boolean) =>
  send('PUT', '/recipe/user/disabled', { userId, disabled });

describe('disabled users in front of a core', () => {
  it('are left out of a hand-over, and cannot sign in with the right password', async () => {
    const service = await useFront();
    await service.importLines(line('off', { disabled: true }), line('on'));
    const wrong = (await service.signIn('on@example.com', 'wrong')).text;
    // Before a hand-over, and after it.
    expect((await service.signIn('off@example.com')).text).toBe(wrong);
    expect((await warningsOf(service)).warnings.join()).toContain(
      '1 logins belong to users who are disabled',
    );
    const { logins, handOverId } = await service.handOver();
    expect(logins).toMatchObject({ waiting: 1, refused: 1 });
    const { text } = await service.send('GET', `/hand-over/${handOverId}/refused`);
    expect(text).toContain('The user is disabled here.');
    expect(service.core.users).toMatchObject([{ id: 'on' }]);
    expect((await service.signIn('off@example.com')).text).toBe(wrong);
    expect(service.core.users).toHaveLength(1);
  });

  it('are handed over at their first sign-in once they are enabled', async () => {
    const service = await useFront();
    await service.importLines(line('off', { disabled: true }));
    await service.handOver();
    expect((await setDisabled(service, 'off', false)).body.status).toBe('OK');
    expect((await service.signIn('off@example.com')).body.status).toBe('OK');
    expect(service.core.users).toMatchObject([{ id: 'off' }]);
  });

  /** Disables or enables somebody once, after a method of the store has read whom to hand over. */
  function setAfter(
    { front: { handOvers }, ...service }: FrontUnderTest,
    method: 'nextUsers' | 'departing',
    disabled: boolean,
  ) {
    const read = handOvers[method].bind(handOvers) as (...args: unknown[]) => Promise<never>;
    handOvers[method] = async (...args: unknown[]) => {
      handOvers[method] = read;
      const found = await read(...args);
      await setDisabled(service, 'off', disabled);
      return found;
    };
  }

  it.each([
    ['not sent if they were disabled', true, [{ id: 'on' }]],
    ['sent if they were enabled', false, [{ id: 'off' }, { id: 'on' }]],
  ])('are %s after a hand-over has read them', async (_what, disabled, sent) => {
    const service = await useFront();
    await service.importLines(line('off', { disabled: !disabled }), line('on'));
    setAfter(service, 'nextUsers', disabled);
    const refused = disabled ? 1 : 0;
    expect((await service.handOver()).logins).toMatchObject({ waiting: 2 - refused, refused });
    expect(service.core.users.map(({ id }) => ({ id })).sort((a, b) => (a.id < b.id ? -1 : 1))).toEqual(sent);
  });

  it('are not sent if they were disabled while a sign-in hands them over', async () => {
    const service = await useFront();
    await service.handOver();
    await service.importLines(line('off'));
    setAfter(service, 'departing', true);
    expect((await service.signIn('off@example.com')).body.status).toBe('WRONG_CREDENTIALS_ERROR');
    expect(service.core.users).toEqual([]);
  });

  it('cannot be made of users whom the core has', async () => {
    const service = await useFront();
    await service.importLines(line('there'));
    await service.handOver();
    expect(await setDisabled(service, 'there', true)).toMatchObject({
      status: 409,
      body: { code: 'HANDED_OVER' },
    });
    expect((await service.signIn('there@example.com')).body.status).toBe('OK');
  });
});

describe('users without a hash in front of a core', () => {
  const NEW = 'the new one';
  const unset = (email: string) => ({
    loginMethods: [{ recipeId: 'emailpassword', email, password: 'unset' }],
  });
  const idOf = async ({ send }: FrontUnderTest, email: string) => {
    const { body } = await send('GET', `/users/by-accountinfo?doUnionOfAccountInfo=false&email=${email}`);
    return body.users[0]?.loginMethods[0].recipeUserId as string | undefined;
  };

  it('are not waited for: nothing here signs them in, and the advice says so', async () => {
    const service = await useFront();
    await service.importLines(unset('unset@example.com'), line('ada'));
    const { advice, handOverId } = await service.handOver();
    expect(advice).toMatch(/^1 logins wait for their first sign-in/);
    expect(advice).toContain('1 logins have no password and can be reset, with or without this service.');
    expect((await service.signIn('ada@example.com')).body.status).toBe('OK');
    const report = await service.report(handOverId);
    expect(report.advice).toMatch(/^Nobody waits\. .*1 logins have no password/);
    // They still have the placeholder, so an undo removes them.
    await service.send('POST', `/hand-over/${handOverId}/undo`);
    await service.front.worker.idle();
    expect(service.core.users).toMatchObject([{ id: 'ada' }]);
  });

  it('count as changed, and not as moved on a day, once they have reset the password', async () => {
    const service = await useFront();
    await service.importLines(unset('unset@example.com'), line('ada'));
    const { handOverId } = await service.handOver();
    expect((await service.signIn('unset@example.com')).body.status).toBe('WRONG_CREDENTIALS_ERROR');
    const recipeUserId = await idOf(service, 'unset@example.com');
    await service.send('PUT', '/recipe/user', { recipeUserId, password: NEW });
    await service.signIn('ada@example.com');
    const { movedByDay, logins } = await service.report(handOverId);
    expect(logins).toMatchObject({ waiting: 0, moved: 1, changed: 1 });
    expect(movedByDay).toMatchObject([{ logins: 1 }]);
    expect((await service.signIn('unset@example.com', NEW)).body.status).toBe('OK');
  });

  it('are handed over before a reset or a sign-up, if they came after the hand-over', async () => {
    const service = await useFront();
    await service.handOver();
    await service.importLines(unset('unset@example.com'), line('ada'));
    expect(await idOf(service, 'unset@example.com')).toBeDefined();
    const signUp = { email: 'ada@example.com', password: NEW };
    expect((await service.send('POST', '/recipe/signup', signUp)).body.status).toBe(
      'EMAIL_ALREADY_EXISTS_ERROR',
    );
    expect((await service.signIn('ada@example.com')).body.status).toBe('OK');
  });
});

describe('users of a legacy system in front of a core', () => {
  const ADA = 'ada@example.com';
  const NEW = 'the new one';

  /** A service in front of a core that asks a legacy system. `asked` counts its calls. */
  async function useLegacy(config: Partial<Config> = {}) {
    const legacy = legacySystemOf({ [ADA]: { id: 'old-1', password: PASSWORD } });
    const { calls, settings } = await useLegacySystem(legacy);
    const asked = { calls, isBroken: false };
    legacy.prependListener('request', (request) => {
      if (asked.isBroken) request.socket.destroy();
    });
    const service = await useFront({ ...settings, ...config });
    await service.handOver();
    const signUp = async (email: string) =>
      (await service.send('POST', '/recipe/signup', { email, password: NEW })).body;
    const findUsers = async (email: string) =>
      (await service.send('GET', `/users/by-accountinfo?doUnionOfAccountInfo=false&email=${email}`)).body
        .users;
    return { ...service, asked, signUp, findUsers };
  }

  it.each(['waiting', 'unknown'] as const)(
    'with %s are moved into the core at their first sign-in, and the legacy system is not asked again',
    async (askedAbout) => {
      const { asked, core, handOver, send, signIn } = await useLegacy({ legacy_signin_for: askedAbout });
      if (askedAbout === 'waiting') {
        await send('POST', IMPORT, { email: ADA, legacySignIn: true });
        expect((await handOver()).advice).toContain('1 logins wait for their first sign-in');
      }
      expect((await signIn(ADA, 'wrong')).body.status).toBe('WRONG_CREDENTIALS_ERROR');
      const answers = await Promise.all(Array.from({ length: 5 }, () => signIn(ADA)));
      expect(answers.map(({ body }) => body.status)).toEqual(Array.from({ length: 5 }, () => 'OK'));
      expect(core.users).toMatchObject([{ methods: [{ email: ADA }] }]);
      const calls = asked.calls.length;
      expect((await signIn(ADA)).body.status).toBe('OK');
      expect((await signIn(ADA, 'wrong')).body.status).toBe('WRONG_CREDENTIALS_ERROR');
      expect(asked.calls).toHaveLength(calls);
    },
  );

  it('get no "wrong password" if another sign-in moves them in meanwhile', async () => {
    const { passwords, signIn } = await useLegacy();
    const waitAsDecoy = passwords.waitAsDecoy.bind(passwords);
    passwords.waitAsDecoy = async () => {
      passwords.waitAsDecoy = waitAsDecoy;
      expect((await signIn(ADA)).body.status).toBe('OK');
    };
    expect((await signIn(ADA)).body.status).toBe('OK');
  });

  it('are found before a reset, and keep the new password', async () => {
    const { core, findUsers, send, signIn } = await useLegacy();
    expect(await findUsers('nobody@example.com')).toEqual([]);
    const [user] = await findUsers(ADA);
    expect(user).toMatchObject({ id: 'old-1' });
    await send('PUT', '/recipe/user', { recipeUserId: user?.loginMethods[0].recipeUserId, password: NEW });
    expect((await signIn(ADA)).body.status).toBe('WRONG_CREDENTIALS_ERROR');
    expect((await signIn(ADA, NEW)).body.status).toBe('OK');
    expect(core.users).toHaveLength(1);
  });

  it('cannot be signed up again, whatever broke off before', async () => {
    const { asked, core, signIn, signUp } = await useLegacy();
    // The person exists here then, and not in the core.
    core.fault = ({ path }) => (path === '/bulk-import/import' ? 'break' : undefined);
    expect((await signUp(ADA)).code).toBe('CORE_UNAVAILABLE');
    core.fault = () => undefined;
    expect((await signUp(ADA)).status).toBe('EMAIL_ALREADY_EXISTS_ERROR');
    expect((await signIn(ADA)).body.status).toBe('OK');
    expect((await signUp('new@example.com')).status).toBe('OK');
    asked.isBroken = true;
    expect((await signUp('other@example.com')).code).toBe('LEGACY_UNAVAILABLE');
  });

  it('get no "wrong password" for a fault of the legacy system or of the core', async () => {
    const { asked, core, signIn } = await useLegacy();
    asked.isBroken = true;
    expect(await signIn(ADA)).toMatchObject({ status: 503, body: { code: 'LEGACY_UNAVAILABLE' } });
    asked.isBroken = false;
    core.fault = ({ path }) => (path === '/bulk-import/import' ? 'break after work' : undefined);
    expect(await signIn(ADA)).toMatchObject({ status: 503, body: { code: 'CORE_UNAVAILABLE' } });
    core.fault = () => undefined;
    expect((await signIn(ADA)).body.status).toBe('OK');
    expect(core.users).toHaveLength(1);
  });

  it('stay disabled', async () => {
    const service = await useLegacy({ legacy_signin_for: 'waiting' });
    const waiting = { recipeId: 'emailpassword', email: ADA, legacySignIn: true };
    await service.importLines({ externalUserId: 'off', disabled: true, loginMethods: [waiting] });
    expect((await service.handOver()).logins).toMatchObject({ waiting: 0, refused: 1 });
    expect((await service.signIn(ADA)).body.status).toBe('WRONG_CREDENTIALS_ERROR');
    expect(service.core.users).toEqual([]);
  });
});

describe('a hand-over of users with factors', () => {
  const device = (more: object = {}) => ({ secretKey: 'JBSWY3DPEHPK3PXP', deviceName: 'phone', ...more });
  const lines = [
    line('both', {
      totpDevices: [device(), device({ deviceName: 'other', digits: 8 })],
      userRoles: [{ role: 'editor' }, { role: 'unknown' }],
      phoneNumbers: ['+4930'],
    }),
    line('none'),
  ];

  it('sends what the core takes, and says what it leaves out', async () => {
    const service = await useFront();
    service.core.features = ['mfa'];
    service.core.roles = ['editor'];
    await service.importLines(...lines);
    const { warnings } = await warningsOf(service);
    expect(warnings.join()).toContain('1 users have TOTP devices. Those with other than 6 digits');
    expect(warnings.join()).toContain('1 users have roles. Roles that the core does not have are left out');
    expect(warnings.join()).toContain('1 users have phone numbers, which are not handed over');
    expect((await service.handOver()).logins).toMatchObject({ waiting: 2, refused: 0 });
    expect(service.core.users.find(({ id }) => id === 'both')).toMatchObject({
      totpDevices: [{ secretKey: 'JBSWY3DPEHPK3PXP', deviceName: 'phone', period: 30, skew: 1 }],
      userRoles: [{ role: 'editor', tenantIds: ['public'] }],
    });
    expect(service.core.users.find(({ id }) => id === 'none')).not.toHaveProperty('totpDevices');
  });

  it('hands over users without TOTP devices if the core has no licence for them', async () => {
    const service = await useFront();
    await service.importLines(...lines);
    expect((await warningsOf(service)).warnings.join()).toContain('with the licensed feature mfa only');
    expect((await service.handOver()).logins).toMatchObject({ waiting: 2, refused: 0 });
    expect(service.core.users.every((user) => user.totpDevices === undefined)).toBe(true);
  });
});

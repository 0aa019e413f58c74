import { describe, expect, it } from 'vitest';
import type { CoreCall, Fault } from '../support/core-double.ts';
import { rowsOf } from '../support/rows-of.ts';
import { type FrontUnderTest, googleOf, PASSWORD, passwordOf, useFront } from './front-under-test.ts';

const ADA = 'ada@example.com';
const WRONG = { status: 200, body: { status: 'WRONG_CREDENTIALS_ERROR' } };
const OK = { status: 200, body: { status: 'OK' } };

/** Hands over a person with two addresses, whose passwords end with their index. Returns the addresses. */
async function handOverTwoPasswords({ core, handOver, importLines }: FrontUnderTest): Promise<string[]> {
  core.features = ['account_linking'];
  const addresses = [ADA, 'second@example.com'];
  const loginMethods = addresses.map((email, index) => ({
    ...passwordOf(email, `${PASSWORD} ${index}`),
    isPrimary: index === 0,
  }));
  await importLines({ externalUserId: 'ext-two', loginMethods });
  expect((await handOver()).logins).toMatchObject({ waiting: 2 });
  return addresses;
}

describe('a sign-in in front of a core', () => {
  it('moves the person: the core gets the old password, and the hash is removed here', async () => {
    const { core, database, handOver, importUser, report, signIn } = await useFront();
    const id = await importUser(ADA);
    const { handOverId } = await handOver();
    expect(core.login(ADA)?.password).toBeUndefined();
    expect(await signIn(ADA)).toMatchObject({ ...OK, body: { status: 'OK', user: { id } } });
    expect(core.login(ADA)?.password).toBe(PASSWORD);
    expect(await rowsOf(database.uri, 'select email from password_logins')).toEqual([]);
    expect((await report(handOverId)).logins).toMatchObject({ waiting: 0, moved: 1 });
  });

  it.each([
    [0, 1],
    [1, 0],
  ])('moves both passwords of a person (%i, then %i), and the report counts both', async (...order) => {
    const service = await useFront();
    const addresses = await handOverTwoPasswords(service);
    for (const index of order)
      expect(await service.signIn(addresses[index] ?? '', `${PASSWORD} ${index}`)).toMatchObject(OK);
    const { database, report } = service;
    const [row] = await rowsOf<{ id: string }>(database.uri, 'select hand_over_id as id from hand_overs');
    expect((await report(row?.id ?? '')).logins).toMatchObject({ waiting: 0, moved: 2 });
    expect(await rowsOf(database.uri, 'select user_id from users')).toEqual([]);
    expect(await service.front.handOvers.withHashLeft(10)).toEqual([]);
  });

  it('computes no hash here once the person has moved', async () => {
    const { handOver, importUser, passwords, signIn } = await useFront();
    await importUser(ADA);
    await handOver();
    await signIn(ADA);
    let computed = 0;
    const verify = passwords.verify.bind(passwords);
    passwords.verify = (...args) => {
      computed += 1;
      return verify(...args);
    };
    expect(await signIn(ADA)).toMatchObject(OK);
    expect(await signIn(ADA, 'wrong')).toMatchObject(WRONG);
    expect(computed).toBe(0);
  });

  it('lets the core answer for a wrong password, and for addresses that it does not know', async () => {
    const { core, handOver, importUser, signIn } = await useFront();
    await importUser(ADA);
    await handOver();
    core.calls.length = 0;
    expect(await signIn(ADA, 'wrong')).toMatchObject(WRONG);
    expect(await signIn('nobody@example.com')).toMatchObject(WRONG);
    expect(core.calls.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /recipe/signin',
      'POST /recipe/signin',
    ]);
    expect(core.login(ADA)?.password).toBeUndefined();
  });

  it('never signs in with an empty password, even if the old hash is of one', async () => {
    const { core, handOver, importUser, signIn } = await useFront();
    await importUser(ADA, '');
    await handOver();
    expect(await signIn(ADA, '')).toMatchObject(WRONG);
    expect(core.login(ADA)?.password).toBeUndefined();
  });

  it('refuses the old password once it was changed in the core, and removes its hash', async () => {
    const { core, database, handOver, importUser, report, signIn } = await useFront();
    const id = await importUser(ADA);
    const { handOverId } = await handOver();
    core.update(id, { password: 'changed past this service' });
    expect(await signIn(ADA)).toMatchObject(WRONG);
    expect(await rowsOf(database.uri, 'select email from password_logins')).toEqual([]);
    expect((await report(handOverId)).logins).toMatchObject({ waiting: 0, changed: 1 });
    expect(await signIn(ADA, 'changed past this service')).toMatchObject(OK);
  });

  it('keeps the hash if the core has no such login, as it may be another core', async () => {
    const { core, database, handOver, importUser, report, signIn } = await useFront();
    const id = await importUser(ADA);
    const { handOverId } = await handOver();
    core.remove(id);
    expect(await signIn(ADA)).toMatchObject(WRONG);
    expect(await rowsOf(database.uri, 'select email from password_logins')).toEqual([{ email: ADA }]);
    expect((await report(handOverId)).logins).toMatchObject({ waiting: 1 });
  });

  it('hands over a person who came after the hand-over, and one whom nobody has handed over gets no "wrong password"', async () => {
    const { core, handOver, importUser, signIn } = await useFront();
    await importUser(ADA);
    expect(await signIn(ADA)).toMatchObject({ status: 503, body: { code: 'NOT_HANDED_OVER' } });
    expect(await signIn(ADA, 'wrong')).toMatchObject(WRONG);
    await handOver();
    await importUser('late@example.com');
    expect(await signIn('late@example.com')).toMatchObject(OK);
    expect(core.login('late@example.com')?.password).toBe(PASSWORD);
  });

  it('moves a person once who signs in several times at once', async () => {
    const { core, handOver, importUser, report, signIn } = await useFront();
    await importUser(ADA);
    const { handOverId } = await handOver();
    const answers = await Promise.all(Array.from({ length: 8 }, () => signIn(ADA)));
    for (const answer of answers) expect(answer).toMatchObject(OK);
    expect(core.calls.filter(({ method }) => method === 'PUT')).toHaveLength(1);
    expect((await report(handOverId)).logins).toMatchObject({ waiting: 0, moved: 1 });
  });

  it('answers 503 with another secret, and changes nothing', async () => {
    const first = await useFront();
    await first.importUser(ADA);
    await first.handOver();
    const { createTestApp } = await import('../support/app.ts');
    const other = await createTestApp({
      database: first.database,
      config: {
        upstream_core_uri: first.core.url,
        hand_over_secret: 'another secret of at least 32 characters',
      },
    });
    const answer = await other.send('POST', '/recipe/signin', { email: ADA, password: PASSWORD });
    expect(answer).toMatchObject({ status: 503, body: { code: 'HAND_OVER_SECRET' } });
    await other.app.close();
    expect(await first.signIn(ADA)).toMatchObject(OK);
  });

  it('forwards sign-ins as they came if nobody can be found by them', async () => {
    const { core, handOver, importUser, send } = await useFront();
    await importUser(ADA);
    await handOver();
    core.calls.length = 0;
    // Without a password, and with an impossible address.
    const bodies = [`{"email":"${ADA}"}`, '{"email":"@","password":"x"}'];
    for (const body of bodies) await send('POST', '/recipe/signin', body);
    expect(core.calls.map((call) => call.body)).toEqual(bodies);
  });

  /** Bodies and content types that the core may read otherwise. */
  const DOUBTFUL: [what: string, body: string | Buffer, type?: string][] = [
    ['text', 'hello'],
    ...['1', 'true', '{}', `["${PASSWORD}"]`, `[["${PASSWORD}"]]`].map((value): [string, string] => [
      value,
      `{"email":"${ADA}","password":${value},"userId":${value}}`,
    ]),
    ['an array', '[]'],
    ['single quotes', `{'email':'${ADA}','password':'${PASSWORD}'}`],
    ['a comment', `{"email":"${ADA}",/* */"password":"${PASSWORD}"}`],
    ['a byte order mark', `\ufeff{"email":"${ADA}","password":"${PASSWORD}"}`],
    ['bytes that are not UTF-8', Buffer.from(`{"email":"${ADA}","password":"\xff"}`, 'latin1')],
    ...[
      ...['; charset=Shift_JIS', '; xcharset=Shift_JIS; charset=utf-8', '; charset=', ' charset=utf-8'],
      ...['; charset=utf-8; charset=iso-8859-1', ';; charset=utf-8'],
    ].map((rest): [string, string, string] => [
      `the content type "${rest}"`,
      `{"email":"${ADA}","password":"${PASSWORD}","recipeUserId":"x","userId":"x"}`,
      `application/json${rest}`,
    ]),
  ];

  it('refuses what the core may read otherwise', async () => {
    const { core, handOver, importUser, send } = await useFront();
    await importUser(ADA);
    await handOver();
    core.calls.length = 0;
    for (const [what, body, type = 'application/json; charset=utf-8'] of DOUBTFUL)
      for (const [method, path] of [
        ['POST', '/recipe/signin'],
        ['PUT', '/recipe/user'],
        ['POST', '/user/remove'],
      ] as const) {
        const { status } = await send(method, path, body, { 'content-type': type });
        expect([400, 415], `${what}: ${method} ${path}`).toContain(status);
      }
    expect(core.calls).toEqual([]);
  });

  it('sets the password as the core reads it from this caller', async () => {
    const { core, handOver, importUser, send } = await useFront();
    await importUser(ADA);
    await handOver();
    // Without a charset the core reads ISO 8859-1. The same caller must be able to sign in again.
    const signIn = () => send('POST', '/recipe/signin', { email: ADA, password: PASSWORD });
    expect(await signIn()).toMatchObject(OK);
    expect(core.login(ADA)?.password).toBe(Buffer.from(PASSWORD).toString('latin1'));
    expect(await signIn()).toMatchObject(OK);
  });

  it('never says "wrong password" after a fault at any call of the core, and the next sign-in works', async () => {
    const { core, handOver, importUser, report, signIn } = await useFront();
    const faults: Fault[] = ['break', 'break after work', 500];
    // Calls of a first sign-in: with the placeholder, the new password, and the sign-in itself.
    const cases = faults.flatMap((fault) => [0, 1, 2].map((at) => ({ fault, at })));
    const addresses = cases.map((_, index) => `user${index}@example.com`);
    for (const email of addresses) await importUser(email);
    const { handOverId } = await handOver();
    for (const [index, { fault, at }] of cases.entries()) {
      const email = addresses[index] ?? '';
      let calls = 0;
      core.fault = () => (calls++ === at ? fault : undefined);
      const answer = await signIn(email);
      // The last call is the caller's own, whose answer is passed on.
      expect([500, 503], email).toContain(answer.status);
      core.fault = () => undefined;
      expect(await signIn(email), email).toMatchObject(OK);
      expect(core.login(email)?.password).toBe(PASSWORD);
      expect((await report(handOverId)).logins).toMatchObject({
        ...{ waiting: cases.length - index - 1, moved: index + 1, changed: 0 },
      });
    }
  });

  it('learns nothing from a fault after a sign-in that broke off', async () => {
    const { core, handOver, importUser, report, signIn } = await useFront();
    await importUser(ADA);
    const { handOverId } = await handOver();
    let calls = 0;
    // The password is set, but nobody is told. Then the placeholder fails, the login is there, and the sign-in is a fault.
    core.fault = () => ({ 1: 'break after work' as const, 4: 500 as const })[calls++];
    expect(await signIn(ADA)).toMatchObject({ status: 503 });
    expect(await signIn(ADA)).toMatchObject({ status: 500 });
    expect((await report(handOverId)).logins).toMatchObject({ waiting: 1, changed: 0 });
    expect(await signIn(ADA)).toMatchObject(OK);
    expect((await report(handOverId)).logins).toMatchObject({ waiting: 0, moved: 1 });
  });

  it('never accepts a password that was replaced while a sign-in set the old one', async () => {
    const { core, handOver, importUser, send, signIn } = await useFront();
    const id = await importUser(ADA);
    await handOver();
    // The reset comes while the core verifies the placeholder.
    let reset: Promise<unknown> | undefined;
    core.fault = (call: CoreCall) => {
      if (call.path === '/recipe/signin')
        reset ??= send('PUT', '/recipe/user', { recipeUserId: id, password: 'the new one' });
      return undefined;
    };
    await signIn(ADA);
    await reset;
    core.fault = () => undefined;
    expect(await signIn(ADA, 'the new one')).toMatchObject(OK);
    expect(await signIn(ADA)).toMatchObject(WRONG);
  });
});

describe('a change in the core that passes through', () => {
  it('of the password makes the old hash void at once', async () => {
    const { database, handOver, importUser, report, send, signIn } = await useFront();
    const id = await importUser(ADA);
    const { handOverId } = await handOver();
    expect(await send('PUT', '/recipe/user', { recipeUserId: id, password: 'new' })).toMatchObject(OK);
    expect(await rowsOf(database.uri, 'select email from password_logins')).toEqual([]);
    expect((await report(handOverId)).logins).toMatchObject({ waiting: 0, changed: 1 });
    expect(await signIn(ADA)).toMatchObject(WRONG);
    expect(await signIn(ADA, 'new')).toMatchObject(OK);
  });

  it('by the reset of older SDKs makes the old hash void at once', async () => {
    const { database, handOver, importUser, report, send, signIn } = await useFront();
    const id = await importUser(ADA);
    const { handOverId } = await handOver();
    const reset = (token: string) =>
      send('POST', '/recipe/user/password/reset', { method: 'token', token, newPassword: 'new' });
    expect(await reset('unknown')).toMatchObject({ body: { status: 'RESET_PASSWORD_INVALID_TOKEN_ERROR' } });
    expect((await report(handOverId)).logins).toMatchObject({ waiting: 1 });
    expect(await reset(id)).toMatchObject(OK);
    expect(await rowsOf(database.uri, 'select email from password_logins')).toEqual([]);
    expect((await report(handOverId)).logins).toMatchObject({ waiting: 0, changed: 1 });
    expect(await signIn(ADA)).toMatchObject(WRONG);
    expect(await signIn(ADA, 'new')).toMatchObject(OK);
  });

  it('under prefixes that the core takes for the public app is followed', async () => {
    const { handOver, importUser, report, send } = await useFront();
    const prefixes = ['/appid-', '/appid-/public', '/appid-public/public', '/PUBLIC'];
    const ids: string[] = [];
    for (const index of prefixes.keys()) ids.push(await importUser(`user${index}@example.com`));
    const { handOverId } = await handOver();
    for (const [index, prefix] of prefixes.entries()) {
      await send('PUT', `${prefix}/recipe/user`, { recipeUserId: ids[index], password: 'new' });
      expect([prefix, (await report(handOverId)).logins.changed]).toEqual([prefix, index + 1]);
    }
  });

  it('of the address is followed', async () => {
    const { handOver, importUser, send, signIn } = await useFront();
    const id = await importUser(ADA);
    await handOver();
    expect(
      await send('PUT', '/recipe/user', { recipeUserId: id, email: 'lovelace@example.com' }),
    ).toMatchObject(OK);
    expect(await signIn(ADA)).toMatchObject(WRONG);
    expect(await signIn('lovelace@example.com')).toMatchObject(OK);
  });

  it('of the user removes it here', async () => {
    const { database, handOver, importUser, send, signIn } = await useFront();
    const id = await importUser(ADA);
    await handOver();
    expect(await send('POST', '/user/remove', { userId: id, removeAllLinkedAccounts: true })).toMatchObject(
      OK,
    );
    expect(await rowsOf(database.uri, 'select user_id from users')).toEqual([]);
    expect(await signIn(ADA)).toMatchObject(WRONG);
  });

  it('of a user with two passwords leaves nobody who waits', async () => {
    const service = await useFront();
    await handOverTwoPasswords(service);
    const remove = { userId: 'ext-two', removeAllLinkedAccounts: true };
    expect(await service.send('POST', '/user/remove', remove)).toMatchObject(OK);
    expect(await rowsOf(service.database.uri, 'select user_id from users')).toEqual([]);
    expect(await service.front.handOvers.countWaiting()).toEqual({ waiting: 0, unset: 0 });
  });

  it('of one of several login methods leaves the others alone', async () => {
    const { database, handOver, importLines, send, signIn } = await useFront();
    const loginMethods = [{ ...passwordOf(ADA), isPrimary: true }, googleOf('1', ADA)];
    await importLines({ externalUserId: 'ext-ada', loginMethods });
    await handOver({ unlinked: true });
    const ids = await rowsOf<{ core_id: string }>(
      database.uri,
      "select core_id from handed_over_logins where state = 'moved'",
    );
    const remove = { userId: ids[0]?.core_id, removeAllLinkedAccounts: true };
    expect(await send('POST', '/user/remove', remove)).toMatchObject(OK);
    expect(await rowsOf(database.uri, 'select 1 from third_party_logins')).toEqual([]);
    expect(await signIn(ADA)).toMatchObject(OK);
  });

  it('leaves everything as it is if the core refuses it', async () => {
    const { core, handOver, importUser, send, signIn } = await useFront();
    const id = await importUser(ADA);
    await handOver();
    core.fault = ({ method }) => (method === 'PUT' ? 'break' : undefined);
    expect(await send('PUT', '/recipe/user', { recipeUserId: id, password: 'new' })).toMatchObject({
      status: 503,
    });
    core.fault = () => undefined;
    expect(await signIn(ADA)).toMatchObject(OK);
  });
});

it('takes as long for an address that is unknown or has moved as for one that waits', async () => {
  const { front, handOver, importUser, passwords, signIn } = await useFront();
  await importUser(ADA);
  await handOver();
  const waited: string[] = [];
  passwords.waitAsDecoy = async (email) => void waited.push(email);
  expect(front.passwords).toBe(passwords);
  await signIn('nobody@example.com');
  await signIn(ADA, 'wrong');
  await signIn(ADA);
  await signIn(ADA, 'wrong');
  await signIn(ADA);
  expect(waited).toEqual(['nobody@example.com', ADA]);
});

/**
 * Whose is an address, in front of a core? Attempts to get the address of somebody else, or to go around what this
 * service does on the way to the core: routes × apps and tenants × versions of the interface × spellings.
 */
import { describe, expect, it } from 'vitest';
import type { LegacyUser } from '../../examples/legacy-system.ts';
import { RIGHTS } from '../../src/config/api-keys.ts';
import { API_KEY } from '../support/app.ts';
import { legacySystemOf, useLegacySystem } from '../support/legacy-system.ts';
import { IMPORT } from '../support/service-calls.ts';
import { type FrontUnderTest, googleOf, PASSWORD, passwordOf, useFront } from './front-under-test.ts';

const KATE = 'kate@x.org';
const NEW = 'the new one';
const UTF8 = 'application/json; charset=utf-8';
const READ_KEY = 'key-that-may-only-read';

interface World extends FrontUnderTest {
  /** Id in the core of somebody who has signed up there. */
  mallory: string;
  /** Number of calls of the legacy system about Kate. */
  asked(): number;
}

/** A service in front of a core, with a finished hand-over, and a legacy system that knows Kate if `knowsKate`. */
async function useWorld({ knowsKate = false } = {}): Promise<World> {
  const people: Record<string, LegacyUser> = knowsKate
    ? { [KATE]: { id: 'old-kate', password: PASSWORD } }
    : {};
  const { calls, settings } = await useLegacySystem(legacySystemOf(people));
  const service = await useFront({
    ...settings,
    legacy_signin_follow_until: '2999-01-01',
    api_keys: [
      { name: 'all', key: API_KEY, allow: RIGHTS.filter((right) => right !== 'export') },
      { name: 'reader', key: READ_KEY, allow: ['read'] },
    ],
  });
  await service.handOver();
  service.core.apps.set('public', new Set(['public', 't1']));
  const { user } = (await service.send('POST', '/recipe/signup', { email: 'mallory@x.org', password: 'm' }))
    .body;
  return { ...service, mallory: user.id, asked: () => calls.filter(({ email }) => email === KATE).length };
}

const importKate = (world: World, more: object = {}) =>
  world.importLines({ externalUserId: 'old-kate', ...more, loginMethods: [passwordOf(KATE)] });

/** How Kate is known before the attempts. She may sign in with her old password, unless she is disabled. */
const KNOWN: Record<string, { knowsKate?: boolean; arrange(world: World): Promise<unknown>; isIn: boolean }> =
  {
    'waiting in the core': {
      arrange: async (world) => {
        await importKate(world);
        await world.handOver();
      },
      isIn: true,
    },
    'imported after the hand-over': { arrange: importKate, isIn: true },
    'moved into the core': {
      arrange: async (world) => {
        await importKate(world);
        expect((await world.signIn(KATE)).body.status).toBe('OK');
      },
      isIn: true,
    },
    'known to the legacy system only': { knowsKate: true, arrange: async () => {}, isIn: true },
    'disabled, and refused by the core': {
      arrange: async (world) => {
        await importKate(world, { disabled: true });
        await world.handOver();
      },
      isIn: false,
    },
    'disabled after the hand-over': {
      arrange: (world) => importKate(world, { disabled: true }),
      isIn: false,
    },
    'refused by the core because of her id': {
      arrange: async (world) => {
        await importKate(world, { externalUserId: 'k'.repeat(128 + 1) }).catch(() => undefined);
        await world.importLines({ loginMethods: [passwordOf(KATE), googleOf('k', KATE)] });
        await world.handOver();
      },
      isIn: false,
    },
  };

/** Prefixes of the public tenant, and of tenants that the core ignores before CDI 5. */
const PUBLIC = ['', '/PUBLIC', '/appid-', '/appid-public/public'];
const IGNORED = ['/ghost', '/appid-/ghost', '/t1'];
const VERSIONS = [undefined, '3.0', '4.0', '5.0', '5.6'];
const KELVIN = '\u212Aate@x.org';
const SPELLINGS: unknown[] = [
  KATE,
  ' KATE@X.ORG\t',
  KELVIN,
  '\u212aATE@X.ORG',
  [KATE],
  [['\u212Aate@x.org']],
];

interface Attempt {
  method: 'POST' | 'PUT';
  path: string;
  body: object;
}

interface Place {
  prefix: string;
  version: string | undefined;
}

const PLAIN: Place = { prefix: '', version: '5.6' };
const placesOf = ({ path }: Attempt): Place[] =>
  (path === '/recipe/signup' ? PUBLIC : [...PUBLIC, ...IGNORED]).flatMap((prefix) =>
    VERSIONS.map((version) => ({ prefix, version })),
  );

const signUps = (email: unknown): Attempt[] => [
  { method: 'POST', path: '/recipe/signup', body: { email, password: NEW } },
];
/** Changes of Mallory's address. Which member names her depends on the version. */
const changes = (mallory: string, email: unknown): Attempt[] =>
  [{ recipeUserId: mallory }, { userId: mallory }, { userId: mallory, recipeUserId: mallory }].map((ids) => ({
    method: 'PUT',
    path: '/recipe/user',
    body: { ...ids, email },
  }));

/** States in which every prefix and version is tried. Which of them a call has is not decided by the state. */
const WITH_ALL_PLACES = ['waiting in the core', 'known to the legacy system only'];

it.each(Object.entries(KNOWN))(
  'the address of somebody %s is given to nobody else by any call',
  { timeout: 120_000 },
  async (known, { knowsKate = false, arrange, isIn }) => {
    const world = await useWorld({ knowsKate });
    await arrange(world);
    const hasAllPlaces = WITH_ALL_PLACES.includes(known);
    const attempts = SPELLINGS.flatMap((email) =>
      [...changes(world.mallory, email), ...signUps(email)].flatMap((attempt) =>
        // Each spelling once, and one of them under every prefix and in every version.
        (email === KELVIN && hasAllPlaces ? placesOf(attempt) : [PLAIN]).map((place) => ({
          ...attempt,
          ...place,
        })),
      ),
    );
    for (const { method, path, body, prefix, version } of attempts) {
      const headers = { 'content-type': UTF8, ...(version && { 'cdi-version': version }) };
      const answer = await world.send(method, `${prefix}${path}`, body, headers);
      expect([method, prefix, path, version, body, answer.body.status]).not.toContain('OK');
    }
    expect(world.core.login('mallory@x.org')?.recipeUserId).toBe(world.mallory);
    const there = world.core.login(KATE);
    if (there !== undefined) expect([NEW, undefined]).not.toContain(there.password ?? there.hash);
    // A user of another tenant who joins the public one. The double does not have this call, and tells what has arrived.
    const { user } = (await world.send('POST', '/t1/recipe/signup', { email: KATE, password: NEW })).body;
    const join = { recipeUserId: user.id };
    const { body } = await world.send('POST', '/recipe/multitenancy/tenant/user', join);
    if (there === undefined) expect(body.status).toBe('EMAIL_ALREADY_EXISTS_ERROR');
    expect((await world.signIn(KATE, NEW)).body.status).toBe('WRONG_CREDENTIALS_ERROR');
    expect((await world.signIn(KATE)).body.status).toBe(isIn ? 'OK' : 'WRONG_CREDENTIALS_ERROR');
    expect((await world.signIn('mallory@x.org', 'm')).body.status).toBe('OK');
  },
);

it('signs up with an address that nobody has, under every spelling that the core takes', async () => {
  const world = await useWorld();
  for (const [email, stored] of [
    [' New@X.org\t', 'new@x.org'],
    ['\u212Aim@x.org', 'kim@x.org'],
    ['no-address', 'no-address'],
  ] as const) {
    const signUp = { email, password: NEW };
    expect((await world.send('POST', '/recipe/signup', signUp, { 'content-type': UTF8 })).body.status).toBe(
      'OK',
    );
    expect(world.core.login(stored)?.password).toBe(NEW);
    expect((await world.signIn(email, NEW)).body.status).toBe('OK');
  }
});

it('refuses addresses that the core may read as others', async () => {
  const world = await useWorld();
  world.core.calls.length = 0;
  for (const email of [
    ...['kat\u0378e@x.org', '\ua7cb@x.org', '\u039a\u03a3@x.org'],
    ...['kate\ud800@x.org', 'kate\u0000@x.org'],
  ]) {
    for (const { method, path, body } of [...signUps(email), ...changes(world.mallory, email)])
      expect((await world.send(method, path, body, { 'content-type': UTF8 })).body.code).toBe(
        'FIELD_INVALID',
      );
    expect((await world.signIn(email)).body.code).toBe('FIELD_INVALID');
  }
  expect(world.core.calls).toEqual([]);
});

describe('a change that the core makes', () => {
  const CHANGES = ['password', 'address', 'removal'];
  /** Every prefix with every version, and every change with each of both. */
  const cases = [...PUBLIC, ...IGNORED]
    .flatMap((prefix) => VERSIONS.map((version) => ({ prefix, version })))
    .map((place, index) => ({ ...place, change: CHANGES[index % CHANGES.length] }));

  it('is followed at once, under every app and tenant and in every version', {
    timeout: 120_000,
  }, async () => {
    const world = await useWorld();
    for (const [index, { change, prefix, version }] of cases.entries()) {
      const email = `user${index}@x.org`;
      const id = await world.importUser(email);
      expect((await world.signIn(email, 'wrong')).body.status).toBe('WRONG_CREDENTIALS_ERROR');
      await world.send('GET', `/users/by-accountinfo?doUnionOfAccountInfo=false&email=${email}`);
      const [method, path, body] =
        change === 'removal'
          ? (['POST', '/user/remove', { userId: id }] as const)
          : ([
              'PUT',
              '/recipe/user',
              {
                ...(version === '3.0' || version === '3.1'
                  ? { userId: id, recipeUserId: world.mallory }
                  : {}),
                ...(version !== '3.0' && { recipeUserId: id }),
                ...(change === 'password' ? { password: NEW } : { email: `new-${email}` }),
              },
            ] as const);
      const headers = { 'content-type': UTF8, ...(version && { 'cdi-version': version }) };
      const { body: answer } = await world.send(method, `${prefix}${path}`, body, headers);
      const isMade = answer.status === 'OK';
      const isIgnoredTenant = IGNORED.includes(prefix) && !(version !== undefined && version < '5.0');
      expect([change, prefix, version, isMade]).toEqual([change, prefix, version, !isIgnoredTenant]);
      const old = (await world.signIn(email)).body.status;
      expect([change, prefix, version, old]).toEqual([
        change,
        prefix,
        version,
        isMade ? 'WRONG_CREDENTIALS_ERROR' : 'OK',
      ]);
      if (!isMade) continue;
      if (change === 'password') expect((await world.signIn(email, NEW)).body.status).toBe('OK');
      if (change === 'address') expect((await world.signIn(`new-${email}`)).body.status).toBe('OK');
    }
  });

  it('is not made if it is unclear which of two ids the core reads', async () => {
    const world = await useWorld();
    const id = await world.importUser(KATE);
    const change = { userId: id, recipeUserId: world.mallory, password: NEW };
    expect((await world.send('PUT', '/recipe/user', change)).body.code).toBe('FIELD_INVALID');
    for (const version of ['4', '4.0, 3.0', 'x'])
      expect((await world.send('PUT', '/recipe/user', change, { 'cdi-version': version })).body.code).toBe(
        'CDI_VERSION_INVALID',
      );
  });

  it('of the address by somebody who waits does not lead a person of the legacy system there', async () => {
    const world = await useWorld({ knowsKate: true });
    const line = { loginMethods: [passwordOf('mallory2@x.org'), googleOf('m', 'mallory2@x.org')] };
    world.core.features = ['account_linking'];
    await world.importLines(line);
    await world.handOver();
    const login = world.core.login('mallory2@x.org');
    // Past the check of this service, as in the dashboard of another proxy, or of an earlier version.
    expect(await world.store.updatePasswordLogin(login?.recipeUserId ?? '', { email: KATE })).toBe('updated');
    if (login !== undefined) login.email = KATE;
    const calls = world.asked();
    expect((await world.signIn(KATE, 'wrong')).body.status).toBe('WRONG_CREDENTIALS_ERROR');
    expect(world.asked()).toBe(calls);
    expect(JSON.stringify(world.core.users)).not.toContain('old-kate');
  });
});

describe('the placeholder password, which all who wait have', () => {
  /** Kate and Mallory wait. Past this service, Mallory gets the address in the core that Kate has here. */
  async function exchange(world: World): Promise<void> {
    await importKate(world);
    await world.importLines({ externalUserId: 'old-mallory', loginMethods: [passwordOf('m@x.org')] });
    await world.handOver();
    const [kate, mallory] = [world.core.login(KATE), world.core.login('m@x.org')];
    if (kate === undefined || mallory === undefined) throw new Error('they are not in the core');
    kate.email = 'moved@x.org';
    mallory.email = KATE;
  }

  it('signs nobody in as another person who waits', async () => {
    const world = await useWorld();
    await exchange(world);
    const { body } = await world.signIn(KATE);
    expect(body.status).toBe('WRONG_CREDENTIALS_ERROR');
    expect(world.core.login(KATE)?.password).toBeUndefined();
    expect((await world.signIn(KATE)).body.status).toBe('WRONG_CREDENTIALS_ERROR');
  });

  it('is not there for others while a hand-over is undone', async () => {
    const world = await useWorld();
    await importKate(world);
    const { handOverId } = await world.handOver();
    const statuses: unknown[] = [];
    world.core.fault = ({ path }) => {
      if (path !== '/user/remove') return undefined;
      const signUp = world.send('POST', '/recipe/signup', { email: KATE, password: NEW });
      statuses.push(signUp.then(({ body }) => body.code));
      return undefined;
    };
    await world.send('POST', `/hand-over/${handOverId}/undo`);
    await world.front.worker.idle();
    expect(await Promise.all(statuses)).toEqual(['NOT_HANDED_OVER']);
    expect(world.core.login(KATE)).toBeUndefined();
  });
});

describe('a login with an id that only the core has', () => {
  async function useLinked() {
    const world = await useWorld({ knowsKate: true });
    world.core.features = ['account_linking'];
    const loginMethods = [{ ...googleOf('k', 'kate@google.example'), isPrimary: true }, passwordOf(KATE)];
    await world.importLines({ externalUserId: 'old-kate', loginMethods });
    await world.handOver();
    const recipeUserId = world.core.login(KATE)?.recipeUserId ?? '';
    expect(recipeUserId).not.toBe('old-kate');
    return { world, recipeUserId };
  }

  it('is followed when its password changes', async () => {
    const { world, recipeUserId } = await useLinked();
    await world.send('PUT', '/recipe/user', { recipeUserId, password: NEW });
    expect(await world.store.findPasswordLogin(KATE)).toBeUndefined();
    expect((await world.signIn(KATE)).body.status).toBe('WRONG_CREDENTIALS_ERROR');
    expect((await world.signIn(KATE, NEW)).body.status).toBe('OK');
  });

  it('is followed when its address changes', async () => {
    const { world, recipeUserId } = await useLinked();
    await world.send('PUT', '/recipe/user', { recipeUserId, email: 'k2@x.org' });
    expect((await world.signIn('k2@x.org')).body.status).toBe('OK');
    expect((await world.signIn(KATE)).body.status).toBe('WRONG_CREDENTIALS_ERROR');
  });

  it('is followed when it or its user is removed', async () => {
    for (const removeAllLinkedAccounts of [true, false]) {
      const { world, recipeUserId } = await useLinked();
      await world.send('POST', '/user/remove', { userId: recipeUserId, removeAllLinkedAccounts });
      expect(await world.store.findPasswordLogin(KATE)).toBeUndefined();
      expect((await world.signIn(KATE)).body.status).toBe('WRONG_CREDENTIALS_ERROR');
    }
  });
});

it('reads the version that the core gets, whatever the header Connection lists', async () => {
  const world = await useWorld();
  const id = await world.importUser(KATE);
  await world.signIn(KATE, 'wrong');
  await world.send('GET', `/users/by-accountinfo?doUnionOfAccountInfo=false&email=${KATE}`);
  const headers = { 'cdi-version': '3.0', connection: 'cdi-version, close' };
  const change = { userId: world.mallory, recipeUserId: id, password: NEW };
  expect((await world.send('PUT', '/recipe/user', change, headers)).body.status).toBe('OK');
  expect((await world.signIn('mallory@x.org', NEW)).body.status).toBe('OK');
  expect((await world.signIn(KATE)).body.status).toBe('OK');
});

describe('social users', () => {
  const signInUp = async (world: World, { prefix = '', thirdPartyUserId = 'k', email = KATE } = {}) =>
    (
      await world.send(
        'POST',
        `${prefix}/recipe/signinup`,
        { thirdPartyId: 'google', thirdPartyUserId, email: { id: email, isVerified: true } },
        { 'cdi-version': '5.6' },
      )
    ).body;

  it('who were imported after the hand-over are handed over when they sign in, under every prefix', async () => {
    const world = await useWorld();
    for (const [index, prefix] of PUBLIC.entries()) {
      const [id, email] = [`old-${index}`, `kate${index}@x.org`];
      await world.importLines({ externalUserId: id, loginMethods: [googleOf(id, email)] });
      for (const time of ['first', 'second'])
        expect(await signInUp(world, { prefix, thirdPartyUserId: id, email }), time).toMatchObject({
          createdNewUser: false,
          user: { id },
        });
      expect(world.core.users.filter((user) => user.id === id)).toHaveLength(1);
    }
  });

  it('are found by their identity before they sign in', async () => {
    const world = await useWorld();
    for (const path of ['/users/by-accountinfo?doUnionOfAccountInfo=false', '/recipe/user?']) {
      const id = path.slice(1, 4);
      await world.importLines({ externalUserId: id, loginMethods: [googleOf(id, `${id}@x.org`)] });
      await world.send('GET', `${path}&thirdPartyId=google&thirdPartyUserId=${id}`);
      expect(world.core.users.map((user) => user.id)).toContain(id);
    }
  });

  it.each(['before', 'after'])('who are disabled stay out, imported %s the hand-over', async (when) => {
    const world = await useWorld();
    const line = { externalUserId: 'old-kate', disabled: true, loginMethods: [googleOf('k', KATE)] };
    await world.importLines(line);
    if (when === 'before') await world.handOver();
    expect(await signInUp(world)).toMatchObject({ status: 'SIGN_IN_UP_NOT_ALLOWED' });
    expect(world.core.users).toHaveLength(1);
  });

  it('whom the core has refused get no second user, and those whom it has from elsewhere sign in', async () => {
    const world = await useWorld();
    const linked = { loginMethods: [googleOf('k', KATE), passwordOf(KATE)] };
    await world.importLines(linked);
    await world.handOver();
    expect(await signInUp(world)).toMatchObject({ code: 'NOT_HANDED_OVER' });
    expect(world.core.users).toHaveLength(1);
    world.core.importUser({ loginMethods: [googleOf('k', KATE)] });
    expect(await signInUp(world)).toMatchObject({ status: 'OK', createdNewUser: false });
  });

  it('get no address that the provider has not verified', async () => {
    const world = await useWorld();
    const email = { id: KELVIN, isVerified: true };
    const signIn = { thirdPartyId: 'google', thirdPartyUserId: 'm', email };
    const { body } = await world.send('POST', '/recipe/signinup', signIn, { 'content-type': UTF8 });
    expect(body.code).toBe('FIELD_INVALID');
  });

  it('whom nobody knows are created', async () => {
    expect(await signInUp(await useWorld())).toMatchObject({ status: 'OK', createdNewUser: true });
  });
});

describe('a removed user', () => {
  it.each(['waiting', 'moved', 'not handed over'])(
    'does not come back through the legacy system: %s',
    async (state) => {
      const world = await useWorld({ knowsKate: true });
      if (state === 'moved') expect((await world.signIn(KATE)).body.status).toBe('OK');
      else await importKate(world);
      if (state === 'waiting') await world.handOver();
      expect((await world.send('POST', '/user/remove', { userId: 'old-kate' })).body.status).toBe('OK');
      expect((await world.signIn(KATE)).body.status).toBe('WRONG_CREDENTIALS_ERROR');
      const calls = world.asked();
      const signUp = { email: KATE, password: NEW };
      expect((await world.send('POST', '/recipe/signup', signUp)).body.status).toBe('OK');
      expect((await world.signIn(KATE, NEW)).body.status).toBe('OK');
      expect(world.asked()).toBe(calls);
    },
  );
});

it('a social user whom the core has verified is not asked about, and does not come back', async () => {
  const world = await useWorld({ knowsKate: true });
  const signIn = { thirdPartyId: 'google', thirdPartyUserId: 'k', email: { id: KATE, isVerified: true } };
  const { user } = (await world.send('POST', '/recipe/signinup', signIn)).body;
  for (let time = 0; time < 2; time += 1) {
    expect((await world.signIn(KATE)).body.status).toBe('WRONG_CREDENTIALS_ERROR');
    await world.send('POST', '/user/remove', { userId: user.id });
  }
  expect(world.asked()).toBe(0);
});

it('a stranger who removes his own account does not shut out its owner', async () => {
  const world = await useWorld();
  const { user } = (await world.send('POST', '/recipe/signup', { email: KATE, password: 'm' })).body;
  await world.send('POST', '/user/remove', { userId: user.id });
  expect(await world.store.isSettled(KATE)).toBe(false);
});

it('look-ups with a key that may only read create nobody, in the core or here', async () => {
  const world = await useWorld({ knowsKate: true });
  await world.importUser('ada@x.org');
  const calls = world.asked();
  for (const email of [KATE, 'ada@x.org'])
    for (const path of ['/users/by-accountinfo?doUnionOfAccountInfo=false&', '/recipe/user?'])
      await world.send('GET', `${path}email=${email}`, undefined, { 'api-key': READ_KEY });
  expect(world.asked()).toBe(calls);
  expect(world.core.users).toHaveLength(1);
  await world.send('GET', `/recipe/user?email=${KATE}`);
  await world.send('GET', '/recipe/user?email=ada@x.org');
  expect(world.asked()).toBe(calls + 1);
  expect(world.core.users).toHaveLength(3);
});

it('the first sign-in works again in every form and charset, for everybody whom the core reads the same', async () => {
  const world = await useWorld();
  const escaped = (text: string) =>
    text.replace(/[\u0080-\uffff]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
  const types = [
    ...['application/json', 'application/json; charset=ISO-8859-1', 'application/json;charset=us-ascii'],
    UTF8,
  ];
  for (const [index, type] of types.entries())
    for (const form of ['raw', 'escaped']) {
      const email = `${form}-${index}@x.org`;
      await world.importUser(email);
      const raw = `{"email":"${email}","password":"${PASSWORD}"}`;
      const isRefused = form === 'raw' && type.includes('ascii');
      for (let time = 0; time < 2; time += 1) {
        const { status, body: answer } = await world.send(
          ...(['POST', '/recipe/signin', form === 'raw' ? raw : escaped(raw)] as const),
          { 'content-type': type },
        );
        expect([type, form, isRefused ? status : answer.status]).toEqual([
          type,
          form,
          isRefused ? 415 : 'OK',
        ]);
      }
      if (form === 'escaped' || type === UTF8) expect((await world.signIn(email)).body.status).toBe('OK');
    }
});

it('a login without a hash that was imported twice is one person', async () => {
  const world = await useWorld({ knowsKate: true });
  await world.send('POST', IMPORT, { email: KATE, legacySignIn: true });
  expect((await world.signIn(KATE)).body.status).toBe('OK');
  expect(world.core.users).toHaveLength(2);
});

import { afterEach, beforeEach, expect, it } from 'vitest';
import { CoreCalls } from '../../src/upstream/core-calls.ts';
import { CoreConnection } from '../../src/upstream/core-connection.ts';
import { CDI_VERSIONS_OF_CORE, CoreDouble, Refusal } from '../support/core-double.ts';

const OWN = ['5.0', '5.1', '5.2', '5.3', '5.4', '5.5', '5.6'];
const EMAIL = 'ada@example.com';

let core: CoreDouble;
let connection: CoreConnection;
let calls: CoreCalls;

beforeEach(async () => {
  core = await CoreDouble.start();
  connection = new CoreConnection({ uri: core.url, apiKey: undefined, timeoutMs: 5000 });
  calls = new CoreCalls(connection);
});
afterEach(async () => {
  await connection.close();
  await core.close();
});

/** Versions that the core has received, and those of them that it has refused. */
const sent = () => core.calls.map(({ path, headers }) => `${path} ${headers['cdi-version']}`);

const userOf = (id: string, email: string) =>
  JSON.stringify({
    externalUserId: id,
    loginMethods: [{ recipeId: 'emailpassword', email, timeJoinedInMSSinceEpoch: 1, plainTextPassword: 'x' }],
  });

/** Makes every call. Ids and times do not differ between two versions. */
async function everyCall() {
  const failure = (call: Promise<unknown>) => call.catch(({ code, message }) => ({ code, message }));
  return {
    versions: (await calls.versions()).length > 0,
    features: await calls.features(),
    roles: await calls.roles(),
    created: await calls.sendUser(userOf('ada', EMAIL)),
    refused: await calls.sendUser(userOf('bob', EMAIL)),
    staged: await calls.stageUsers([userOf('eve', 'eve@example.com')]),
    countStaged: await calls.countStaged(),
    failed: await calls.failedStaged(),
    cleared: await failure(calls.clearStage('all')),
    set: await calls.setPassword('ada', 'secret'),
    unknown: await calls.setPassword('nobody', 'secret'),
    signIn: await calls.signIn(EMAIL, 'secret'),
    wrong: await calls.signIn(EMAIL, 'wrong'),
    found: await calls.findUser('ada'),
    missing: await calls.findUser('nobody'),
    has: await calls.hasPasswordLogin(EMAIL),
    count: await calls.countUsers(),
    removed: await failure(calls.removeUser('ada')),
  };
}

it('every call means the same in every version', async () => {
  core.roles = ['editor'];
  const newest = await everyCall();
  expect(newest).toMatchObject({
    created: { outcome: 'created' },
    refused: { outcome: 'refused' },
    set: 'set',
    signIn: { outcome: 'signed-in', recipeUserId: 'ada' },
    found: { id: 'ada', loginMethods: [{ recipeUserId: 'ada', email: EMAIL, timeJoinedMs: 1 }] },
    has: true,
    count: 1,
  });
  for (const version of OWN) {
    core.maxVersion = version;
    calls = new CoreCalls(connection);
    core.calls.length = 0;
    expect([version, await everyCall()]).toEqual([version, newest]);
    const other = sent().filter((call) => !call.startsWith('/apiversion') && !call.endsWith(version));
    expect(other).toEqual([]);
  }
});

it('asks for the versions once, without a version', async () => {
  await Promise.all([calls.roles(), calls.roles(), calls.countUsers()]);
  await calls.roles();
  expect(sent().filter((call) => call.startsWith('/apiversion'))).toEqual(['/apiversion undefined']);
});

it.each<[min: string | undefined, max: string | undefined, used: string]>([
  [undefined, undefined, '5.6'],
  ['5.4', undefined, '5.6'],
  ['5.6', undefined, '5.6'],
  ['5.4', '5.4', '5.4'],
  [undefined, '5.2', '5.2'],
  ['2.7', '5.0', '5.0'],
])('with a minimum of %s and a maximum of %s uses %s', async (min, max, used) => {
  Object.assign(core, { minVersion: min, maxVersion: max });
  await calls.roles();
  expect(sent().at(-1)).toBe(`/recipe/roles ${used}`);
});

it('uses the newest common version of a core that is newer', async () => {
  core.versions = ['6.0', ...CDI_VERSIONS_OF_CORE, '5.7'];
  await calls.roles();
  expect(sent().at(-1)).toBe('/recipe/roles 5.6');
});

it.each(OWN.flatMap((version) => [[version, '5.6'] as const, ['5.6', version] as const]))(
  'goes on when the core is restarted with %s and then with %s as its only version',
  async (from, to) => {
    for (const version of [from, to]) {
      Object.assign(core, { minVersion: version, maxVersion: version });
      core.calls.length = 0;
      await Promise.all([calls.roles(), calls.roles(), calls.signIn(EMAIL, 'x')]);
      // Each call is repeated at most once, and all ask for the versions together.
      expect(core.calls.length).toBeLessThanOrEqual(3 + 1 + 3);
    }
  },
);

it.each([
  [{ minVersion: '5.7', maxVersion: '5.8' }],
  [{ minVersion: undefined, maxVersion: '4.0' }],
  [{ minVersion: '5.6', maxVersion: '5.5' }],
])('says so if the core accepts no version: %s', async (settings) => {
  core.versions = [...CDI_VERSIONS_OF_CORE, '5.7', '5.8'];
  for (const version of ['before', 'after']) {
    if (version === 'after') Object.assign(core, settings);
    core.calls.length = 0;
    const call = calls.roles();
    if (version === 'before') await call;
    else await expect(call).rejects.toMatchObject({ code: 'CORE_UNAVAILABLE' });
    expect(core.calls.length).toBeLessThanOrEqual(3);
  }
  Object.assign(core, { minVersion: undefined, maxVersion: undefined });
  expect(await calls.roles()).toEqual([]);
});

it('tries the next version if the core refuses one that it lists', async () => {
  core.versions = ['5.4', '5.5'];
  await calls.roles();
  core.versions = ['5.4'];
  // An instance of the core that was not restarted yet lists the version.
  core.fault = ({ path }) => {
    if (path === '/apiversion') core.versions = ['5.4', '5.5'];
    else core.versions = ['5.4'];
    return undefined;
  };
  await calls.roles();
  expect(sent().slice(-3)).toEqual(['/recipe/roles 5.5', '/apiversion undefined', '/recipe/roles 5.4']);
});

it('asks again after the core was away', async () => {
  core.fault = () => 'break';
  await expect(calls.roles()).rejects.toMatchObject({ code: 'CORE_UNAVAILABLE' });
  core.fault = () => undefined;
  expect(await calls.roles()).toEqual([]);
});

it('does not repeat a call that the core refuses for another reason', async () => {
  await calls.roles();
  core.calls.length = 0;
  expect(await calls.sendUser('{}')).toMatchObject({ outcome: 'refused' });
  expect(sent()).toHaveLength(1);
});

it.each([[[]], [[{ index: 7, errors: ['no'] }]], [[{ errors: ['no'] }]], ['none']])(
  'concludes nothing from a refusal of the stage that names %j',
  async (users) => {
    await calls.roles();
    core.stage = () => {
      throw new Refusal(400, JSON.stringify({ users }));
    };
    await expect(calls.stageUsers(['{}'])).rejects.toMatchObject({ code: 'CORE_UNAVAILABLE' });
  },
);

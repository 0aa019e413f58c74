import { describe, expect, it } from 'vitest';
import type { CoreDouble } from '../support/core-double.ts';
import { type FrontUnderTest, PASSWORD, passwordOf, useFront } from './front-under-test.ts';

const NAMES = Array.from({ length: 6 }, (_, index) => `user${index}`);
const emailOf = (name: string) => `${name}@example.com`;

/** Pairs of `supertokens_min_cdi_version` and `supertokens_max_cdi_version` without a version in common. */
const SETTINGS: [min: string | undefined, max: string | undefined][][] = [
  [
    ['5.4', undefined],
    [undefined, '5.2'],
  ],
  [
    ['5.6', '5.6'],
    ['5.0', '5.0'],
    ['5.4', '5.4'],
  ],
];

const STAGED = { stageFrom: 2, batch: 4, lookMs: 5 };

const configure = (
  core: CoreDouble,
  [minVersion, maxVersion]: (typeof SETTINGS)[number][number] = [undefined, undefined],
) => Object.assign(core, { minVersion, maxVersion });

const importNames = (service: FrontUnderTest, timeJoinedInMSSinceEpoch: number): Promise<void> =>
  service.importLines(
    ...NAMES.map((name) => ({
      externalUserId: `ext-${name}`,
      loginMethods: [{ ...passwordOf(emailOf(name)), timeJoinedInMSSinceEpoch }],
    })),
  );

/** Lets the core create the users of its stage whenever they are counted. */
const emptyStage = ({ core }: FrontUnderTest, path: string) => {
  if (path.startsWith('/bulk-import/users/count')) core.emptyStage();
};

describe.each([
  ['one by one', {}],
  ['through the stage', STAGED],
])('a hand-over %s', (_how, bounds) => {
  it.each(SETTINGS)(
    'survives changes of the versions that the core accepts: %s, %s, %s',
    async (...settings) => {
      const service = await useFront({}, bounds);
      const { core, front } = service;
      await importNames(service, 1);
      let calls = 0;
      core.fault = ({ path }) => {
        // Every ninth call meets a core that was restarted with the next setting.
        configure(core, settings[Math.floor(calls++ / 9) % settings.length]);
        emptyStage(service, path);
        return undefined;
      };
      const { handOverId } = await service.handOver();
      // Calls that meet two changes fail, and the worker repeats them.
      await expect
        .poll(
          async () => {
            front.worker.wake();
            await front.worker.idle();
            return service.report(handOverId);
          },
          { timeout: 20_000 },
        )
        .toMatchObject({ status: 'FINISHED', logins: { waiting: NAMES.length, refused: 0 } });
      expect(calls).toBeGreaterThan(9);
      expect(core.users.map(({ id }) => id).sort()).toEqual(NAMES.map((name) => `ext-${name}`));
    },
  );

  it('sends a time of joining of 1 in place of 0, and knows such users again', async () => {
    const service = await useFront({}, bounds);
    const { core, front } = service;
    await importNames(service, 0);
    let isBroken = true;
    core.fault = ({ path }) => {
      emptyStage(service, path);
      // The core creates the users, and this service does not learn of it.
      return isBroken && path.startsWith('/bulk-import/') ? 'break after work' : undefined;
    };
    const { handOverId } = await service.handOver();
    expect(core.users.length + core.stagedCount).toBeGreaterThan(0);
    isBroken = false;
    core.emptyStage();
    // An earlier version of this service has sent one of them with 0.
    for (const { methods } of core.users.slice(0, 1)) for (const method of methods) method.timeJoined = 0;
    front.worker.wake();
    await front.worker.idle();
    expect(await service.report(handOverId)).toMatchObject({
      status: 'FINISHED',
      logins: { waiting: NAMES.length, refused: 0 },
    });
    const times = core.users.map(({ methods }) => methods[0]?.timeJoined);
    expect(times.toSorted()).toEqual([0, ...NAMES.slice(1).map(() => 1)]);
  });
});

it('people who wait sign in after restarts with other versions', async () => {
  const service = await useFront();
  await importNames(service, 1);
  await service.handOver();
  for (const [index, name] of NAMES.entries()) {
    configure(service.core, [...SETTINGS.flat(), undefined][index]);
    expect((await service.signIn(emailOf(name))).body.status).toBe('OK');
    expect(service.core.login(emailOf(name))?.password).toBe(PASSWORD);
  }
});

it('a core without a version in common is an obstacle, and changes nothing', async () => {
  const service = await useFront();
  await importNames(service, 1);
  configure(service.core, [undefined, '4.0']);
  expect(await service.send('POST', '/hand-over', { unlinked: false })).toMatchObject({
    status: 400,
    body: { code: 'HAND_OVER_REFUSED', message: expect.stringContaining('version 10.1 or later') },
  });
  expect(service.core.users).toEqual([]);
});

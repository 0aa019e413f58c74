import { describe, expect, it } from 'vitest';
import { sendUser } from '../../src/hand-over/send-user.ts';
import type { Fault } from '../support/core-double.ts';
import { sendLines } from '../support/ndjson.ts';
import { rowsOf } from '../support/rows-of.ts';
import { type FrontUnderTest, googleOf, md5, PASSWORD, passwordOf, useFront } from './front-under-test.ts';

const BCRYPT = '$2a$10$KwBCUpZQPBObDVE4SuTLtukI.XMW9g4AU.7xkMPvKPOQckh7hN0J2';

const JOINED = { isVerified: true, timeJoinedInMSSinceEpoch: 1_500_000_000_000 };
const emailOf = (name: string) => `${name}@example.com`;
const passwordLine = (name: string, more: object = {}) => ({
  externalUserId: `ext-${name}`,
  ...more,
  loginMethods: [{ ...passwordOf(emailOf(name)), ...JOINED }],
});
const google = (name: string) => ({ ...googleOf(name, emailOf(name)), ...JOINED });
const socialLine = (name: string) => ({ externalUserId: `ext-${name}`, loginMethods: [google(name)] });
const linkedLine = (name: string) => ({
  externalUserId: `ext-${name}`,
  loginMethods: [{ ...passwordOf(emailOf(name)), ...JOINED, isPrimary: true }, google(name)],
});

/** A user of the core who was not handed over. */
const addElsewhere = ({ core }: FrontUnderTest, name: string) =>
  core.importUser({
    externalUserId: 'other',
    loginMethods: [{ recipeId: 'emailpassword', email: emailOf(name), passwordHash: BCRYPT }],
  });

describe('a hand-over', () => {
  it('creates every user in the core with id, times, verified address and exact metadata', async () => {
    const service = await useFront();
    await service.importLines(passwordLine('ada', { userMetadata: { name: 'Ünal', n: 1.5 } }));
    const { logins, status, advice } = await service.handOver();
    expect(status).toBe('FINISHED');
    expect(logins).toEqual({ sending: 0, waiting: 1, moved: 0, changed: 0, refused: 0 });
    expect(advice).toContain('1 logins wait');
    expect(service.core.users).toMatchObject([
      {
        id: 'ext-ada',
        metadata: { name: 'Ünal', n: 1.5 },
        methods: [{ email: 'ada@example.com', verified: true, timeJoined: 1_500_000_000_000 }],
      },
    ]);
  });

  it('sends numbers of metadata as they were written', async () => {
    const service = await useFront();
    const line = JSON.stringify(passwordLine('ada', { userMetadata: {} }));
    await sendLines(service, line.replace('{}', '{"n":12345678901234567890,"z":1.0}'));
    await service.handOver();
    const sent = service.core.calls.find(({ path }) => path === '/bulk-import/import');
    expect(sent?.body).toContain('"userMetadata":{"n":12345678901234567890,"z":1.0}');
  });

  it('passes on hashes that the core verifies in the same way, and no others', async () => {
    const service = await useFront();
    const hashes: [name: string, hash: string, isPassedOn: boolean][] = [
      ['bcrypt', BCRYPT, true],
      ['sign-extended', BCRYPT.replace('$2a', '$2x'), false],
      ['argon2', '$argon2id$v=19$m=64,t=1,p=1$c29tZXNhbHQ$aGFzaGhhc2hoYXNoaGFzaA', true],
      [
        'old-argon2',
        '$argon2i$m=65536,t=2,p=1$c29tZXNhbHQ$9sTbSlTio3Biev89thdrlKKiCaYsjjYVJxGAL3swxpQ',
        false,
      ],
    ];
    for (const [name, passwordHash] of hashes)
      expect(
        await service.send('POST', '/recipe/user/passwordhash/import', {
          email: `${name}@example.com`,
          passwordHash,
        }),
      ).toMatchObject({ status: 200 });
    const { logins } = await service.handOver();
    expect(logins).toMatchObject({ moved: 2, waiting: 2 });
    for (const [name, hash, isPassedOn] of hashes)
      expect([name, service.core.login(`${name}@example.com`)?.hash === hash]).toEqual([name, isPassedOn]);
  });

  it('never sends a hash or a password of a user who waits', async () => {
    const service = await useFront();
    await service.importLines(passwordLine('ada'));
    await service.handOver();
    const sent = JSON.stringify(service.core.calls);
    expect(sent).not.toContain(md5(PASSWORD));
    expect(service.log()).not.toContain('placeholder');
    const [row] = await rowsOf<{ text: string }>(
      service.database.uri,
      'select hand_overs::text as text from hand_overs',
    );
    expect(row?.text).not.toContain(service.core.login('ada@example.com')?.hash ?? 'none');
  });

  it('moves social users at once', async () => {
    const service = await useFront();
    await service.importLines(socialLine('g'));
    expect((await service.handOver()).logins).toMatchObject({ moved: 1, waiting: 0 });
  });

  it('says before it starts that the core has users already', async () => {
    const service = await useFront();
    const warnings = async () => {
      const { body } = await service.send('POST', '/hand-over', { dryRun: true, unlinked: false });
      return (body as unknown as { preflight: { warnings: string[] } }).preflight.warnings;
    };
    expect(await warnings()).toEqual([]);
    addElsewhere(service, 'other');
    expect(await warnings()).toEqual([expect.stringContaining('The core already has users: 1')]);
    await service.importUser('ada@example.com');
    await service.handOver();
    expect(await warnings()).toEqual([]);
  });

  it('tells before it begins which users the core will refuse, and changes nothing', async () => {
    const service = await useFront();
    await service.importLines(linkedLine('ada'), passwordLine('bob'));
    const { body } = await service.send('POST', '/hand-over', { dryRun: true, unlinked: false });
    expect(body).toMatchObject({
      preflight: { users: 2, linkedUsers: 1, obstacles: [], core: { features: [] } },
    });
    expect(JSON.stringify(body)).toContain('1 users have several login methods');
    expect(service.core.users).toEqual([]);
    expect(await rowsOf(service.database.uri, 'select 1 from hand_overs')).toEqual([]);
  });

  it('reports whom the core refuses, and why', async () => {
    const service = await useFront();
    await service.importLines(linkedLine('ada'), passwordLine('bob'));
    const { handOverId, logins, advice } = await service.handOver();
    expect(logins).toMatchObject({ refused: 2, waiting: 1 });
    expect(advice).toContain('2 logins were refused');
    const { body } = await service.send('GET', `/hand-over/${handOverId}/refused`);
    expect(body).toMatchObject({
      refused: [
        { reason: 'Account linking must be enabled to import multiple loginMethods.' },
        { reason: 'Account linking must be enabled to import multiple loginMethods.' },
      ],
    });
  });

  it('keeps users with several login methods together where the core links accounts', async () => {
    const service = await useFront();
    service.core.features = ['account_linking'];
    await service.importLines(linkedLine('ada'));
    expect((await service.handOver()).logins).toMatchObject({ waiting: 1, moved: 1 });
    expect(service.core.users).toMatchObject([{ id: 'ext-ada', methods: [{}, {}] }]);
  });

  it('makes each login method a user of its own with unlinked, and one of them keeps the id', async () => {
    const service = await useFront();
    await service.importLines(linkedLine('ada'));
    expect((await service.handOver({ unlinked: true })).logins).toMatchObject({ waiting: 1, moved: 1 });
    expect(service.core.users.map(({ methods }) => methods.length)).toEqual([1, 1]);
    expect(service.core.users.filter(({ id }) => id === 'ext-ada')).toHaveLength(1);
    expect(await service.signIn('ada@example.com')).toMatchObject({ body: { status: 'OK' } });
  });

  it('leaves users alone whom the core has from elsewhere, and never signs in with their old hash', async () => {
    const service = await useFront();
    await service.importLines(passwordLine('ada'));
    addElsewhere(service, 'ada');
    expect((await service.handOver()).logins).toMatchObject({ refused: 1, waiting: 0 });
    expect(await service.signIn('ada@example.com')).toMatchObject({
      body: { status: 'WRONG_CREDENTIALS_ERROR' },
    });
    expect(service.core.login('ada@example.com')?.password).toBeUndefined();
  });

  it('does not take a user of the core with the same id, address and time for one that it has sent', async () => {
    const service = await useFront();
    await service.importLines(passwordLine('ada'));
    const first = await useFront();
    // As a hand-over of another installation has left it.
    await first.importLines(passwordLine('ada'));
    await first.handOver();
    service.core.users.push(...structuredClone(first.core.users));
    service.core.fault = ({ path }) => (path === '/bulk-import/import' ? 'break' : undefined);
    const stopped = await service.handOver();
    expect(stopped).toMatchObject({ status: 'RUNNING', logins: { sending: 1 } });
    service.core.fault = () => undefined;
    await service.front.worker.idle();
    expect((await service.report(stopped.handOverId)).logins).toMatchObject({ refused: 1, waiting: 0 });
  });

  it('takes a waiting user for one that it has sent, if another call sent it at the same moment', async () => {
    const service = await useFront();
    const { core, handOvers, worker } = service.front;
    const departing = await handOvers.departing(await service.importUser('ada@example.com'));
    const handOver = await handOvers.find((await service.handOver()).handOverId);
    if (departing === undefined || handOver === undefined) throw new Error('the user was not handed over');
    const logins = await sendUser(core, handOver, departing, await worker.placeholder(handOver));
    expect(logins).toMatchObject([{ state: 'waiting' }]);
    expect(service.core.users).toHaveLength(1);
  });

  it('refuses ids that the core would change', async () => {
    const service = await useFront();
    await service.importLines(passwordLine('ada'), { ...passwordLine('bob'), externalUserId: ' bob' });
    const { logins } = await service.handOver();
    expect(logins.waiting + logins.refused).toBe(2);
    for (const { id } of service.core.users) expect(id).toBe(id.trim());
  });

  it('started again takes only users who came since', async () => {
    const service = await useFront();
    await service.importUser('ada@example.com');
    const first = await service.handOver();
    await service.importUser('late@example.com');
    const second = await service.handOver();
    expect(second.handOverId).not.toBe(first.handOverId);
    expect(second.logins).toMatchObject({ waiting: 1 });
    expect(service.core.users).toHaveLength(2);
    expect(second.advice).toContain('2 logins wait');
    expect(await service.signIn('ada@example.com')).toMatchObject({ body: { status: 'OK' } });
    expect(await service.signIn('late@example.com')).toMatchObject({ body: { status: 'OK' } });
  });
});

it('a hand-over that is broken off stands still with the reason, goes on, and creates nobody twice', async () => {
  const service = await useFront();
  const faults: Fault[] = ['break', 'break after work', 500];
  const cases = faults.flatMap((fault) => [0, 2, 4].map((at) => ({ fault, at })));
  const all: string[] = [];
  for (const [index, { fault, at }] of cases.entries()) {
    const names = ['ada', 'bob', 'cyd', 'dan', 'eve'].map((name) => `${name}${index}`);
    await service.importLines(...names.map((name) => passwordLine(name)), socialLine(`g${index}`));
    all.push(`ext-g${index}`, ...names.map((name) => `ext-${name}`));
    let calls = 0;
    let isDown = false;
    service.core.fault = ({ path }) => {
      if (path === '/bulk-import/import' && calls++ === at) isDown = true;
      return isDown ? fault : undefined;
    };
    const { handOverId, status, problem } = await service.handOver();
    expect([fault, at, status]).toEqual([fault, at, 'RUNNING']);
    expect(problem).toContain('core');
    service.core.fault = () => undefined;
    await service.front.worker.idle();
    const report = await service.report(handOverId);
    expect(report).toMatchObject({
      status: 'FINISHED',
      logins: { waiting: 5, moved: 1, refused: 0, sending: 0 },
    });
    expect(report.problem).toBeUndefined();
    expect(service.core.users.map(({ id }) => id).sort()).toEqual(all.toSorted());
    for (const name of names)
      expect(await service.signIn(emailOf(name))).toMatchObject({ body: { status: 'OK' } });
  }
});

describe('a large hand-over', () => {
  const BOUNDS = { batch: 4, stageFrom: 2, lookMs: 5, stagePatienceMs: 100 };
  const NAMES = Array.from({ length: 10 }, (_, index) => `user${index}`);

  const emptyWhenCounted = ({ core }: FrontUnderTest) => {
    core.fault = ({ path }) => {
      if (path.startsWith('/bulk-import/users/count')) core.emptyStage();
      return undefined;
    };
  };

  it('takes users out of a stage that advances too slowly', async () => {
    const many = Array.from({ length: 60 }, (_, index) => `user${index}`);
    const service = await useFront({}, { batch: 100, stageFrom: 2, lookMs: 40, stagePatienceMs: 100 });
    await service.importLines(...many.map((name) => passwordLine(name)));
    let left = many.length;
    service.core.countStaged = (status) => ({
      status: 'OK',
      count: status === 'NEW' && service.core.stagedCount > 0 ? left-- : 0,
    });
    expect(await service.handOver()).toMatchObject({ status: 'FINISHED', logins: { waiting: 60 } });
    // It did not wait until the core had given up on each of them.
    expect(left).toBeGreaterThan(40);
  });

  it('goes through the stage of the core', async () => {
    const service = await useFront({}, BOUNDS);
    await service.importLines(...NAMES.map((name) => passwordLine(name)));
    emptyWhenCounted(service);
    expect(await service.handOver()).toMatchObject({ status: 'FINISHED', logins: { waiting: 10 } });
    expect(service.core.users).toHaveLength(10);
    expect(service.core.calls.filter(({ path }) => path === '/bulk-import/import')).toEqual([]);
  });

  it('says why the core refuses users of the stage', async () => {
    const service = await useFront({}, BOUNDS);
    addElsewhere(service, 'user3');
    await service.importLines(...NAMES.map((name) => passwordLine(name)));
    emptyWhenCounted(service);
    expect(await service.handOver()).toMatchObject({
      status: 'FINISHED',
      logins: { waiting: 9, refused: 1 },
    });
  });

  it('stages users again that a stage lost on the way', async () => {
    const service = await useFront({}, BOUNDS);
    await service.importLines(...NAMES.map((name) => passwordLine(name)));
    let removals = 0;
    service.core.fault = ({ path }) => {
      if (path === '/bulk-import/users/remove') removals++;
      if (path.startsWith('/bulk-import/users/count') && removals > 0) service.core.emptyStage();
      return undefined;
    };
    expect(await service.handOver()).toMatchObject({ status: 'FINISHED', logins: { waiting: 10 } });
    expect(service.core.users).toHaveLength(10);
    expect(removals).toBe(1);
    expect(service.core.calls.filter(({ path }) => path === '/bulk-import/import')).toHaveLength(0);
  });

  it('leaves the failures of the stage there if it is stopped before it has read them', async () => {
    const service = await useFront({}, { ...BOUNDS, stagePatienceMs: 60_000 });
    addElsewhere(service, 'user3');
    await service.importLines(...NAMES.map((name) => passwordLine(name)));
    let stopped: Promise<void> | undefined;
    service.core.fault = ({ path }) => {
      if (!path.startsWith('/bulk-import/users/count')) return undefined;
      service.core.emptyStage();
      stopped ??= service.front.worker.stop();
      return undefined;
    };
    await service.handOver();
    expect(stopped).toBeDefined();
    await stopped;
    expect(service.core.calls.filter(({ path }) => path === '/bulk-import/users/remove')).toEqual([]);
  });

  it('sends the users itself if the stage stands still', async () => {
    const service = await useFront({}, BOUNDS);
    await service.importLines(...NAMES.map((name) => passwordLine(name)));
    expect(await service.handOver()).toMatchObject({ status: 'FINISHED', logins: { waiting: 10 } });
    expect(service.core.stagedCount).toBe(0);
  });
});

describe('an undo', () => {
  async function undo(service: FrontUnderTest, handOverId: string) {
    expect(await service.send('POST', `/hand-over/${handOverId}/undo`)).toMatchObject({
      body: { status: 'OK' },
    });
    await service.front.worker.idle();
    return service.report(handOverId);
  }

  it('removes those from the core who wait, and nobody else', async () => {
    const service = await useFront();
    await service.importLines(passwordLine('ada'), passwordLine('bob'), passwordLine('cyd'), socialLine('g'));
    const { handOverId } = await service.handOver();
    await service.signIn('ada@example.com');
    service.core.update('ext-bob', { password: 'changed past this service' });
    const report = await undo(service, handOverId);
    expect(report).toMatchObject({ status: 'UNDONE', logins: { waiting: 0 } });
    expect(service.core.users.map(({ id }) => id).sort()).toEqual(['ext-ada', 'ext-bob', 'ext-g']);
    // The old hash of bob is void.
    expect(await service.signIn('bob@example.com')).toMatchObject({
      body: { status: 'WRONG_CREDENTIALS_ERROR' },
    });
    expect(report.logins.changed).toBe(1);
    expect(await service.send('POST', `/hand-over/${handOverId}/undo`)).toMatchObject({
      body: { status: 'UNKNOWN_HAND_OVER_ID_ERROR' },
    });
  });

  it('never removes somebody who is just moving, and never says "wrong password" to them', async () => {
    const service = await useFront({}, { lookMs: 5 });
    await service.importLines(passwordLine('ada'), passwordLine('bob'));
    const { handOverId } = await service.handOver();
    // One sign-in begins before the undo comes to its user, and one in the middle of that.
    const begun = service.signIn('ada@example.com');
    let second: ReturnType<FrontUnderTest['signIn']> | undefined;
    service.core.fault = ({ path, body }) => {
      if (path === '/recipe/signin' && body.includes('bob@')) second ??= service.signIn('bob@example.com');
      return undefined;
    };
    await undo(service, handOverId);
    await service.front.worker.idle();
    const answers = [await begun, await second];
    service.core.fault = () => undefined;
    for (const [index, email] of ['ada@example.com', 'bob@example.com'].entries()) {
      const isIn = answers[index]?.body.status === 'OK';
      if (!isIn) expect(answers[index]).toMatchObject({ status: 503, body: { code: 'NOT_HANDED_OVER' } });
      expect([email, service.core.login(email)?.password]).toEqual([email, isIn ? PASSWORD : undefined]);
      const left = await rowsOf(
        service.database.uri,
        `select 1 from password_logins where email = '${email}'`,
      );
      expect(left).toHaveLength(isIn ? 0 : 1);
    }
  });

  it('leaves nobody who signs in afterwards in the core, whatever hand-over came before', async () => {
    const service = await useFront();
    await service.importUser('ada@example.com');
    await service.handOver();
    await service.importUser('bob@example.com');
    const { handOverId } = await service.handOver();
    await undo(service, handOverId);
    expect(await service.signIn('bob@example.com')).toMatchObject({
      status: 503,
      body: { code: 'NOT_HANDED_OVER' },
    });
    expect(service.core.login('bob@example.com')).toBeUndefined();
    expect(await service.signIn('ada@example.com')).toMatchObject({ body: { status: 'OK' } });
  });

  it('goes on after a fault', async () => {
    const service = await useFront();
    await service.importLines(passwordLine('ada'), passwordLine('bob'));
    const { handOverId } = await service.handOver();
    service.core.fault = ({ path }) => (path === '/user/remove' ? 'break' : undefined);
    expect(await undo(service, handOverId)).toMatchObject({ status: 'UNDOING' });
    service.core.fault = () => undefined;
    await service.front.worker.idle();
    expect(await service.report(handOverId)).toMatchObject({ status: 'UNDONE', logins: { waiting: 0 } });
    expect(service.core.users).toEqual([]);
    expect((await service.handOver()).logins).toMatchObject({ waiting: 2 });
  });
});

describe('calls about hand-overs', () => {
  it('say what is missing', async () => {
    const service = await useFront({}, {}, { withSecret: false });
    expect(await service.send('POST', '/hand-over', { unlinked: false })).toMatchObject({
      status: 400,
      body: {
        code: 'HAND_OVER_REFUSED',
        message: 'The hand-over cannot start: hand_over_secret is not configured.',
      },
    });
    service.core.apiKey = 'a key that the service does not have';
    expect(await service.send('POST', '/hand-over', { unlinked: false })).toMatchObject({
      status: 503,
      body: { code: 'CORE_UNAVAILABLE' },
    });
    for (const id of ['nope', '01a20da9-89bc-7589-9e25-5a6b4190ebfb'])
      expect(await service.send('GET', `/hand-over/${id}`)).toMatchObject({
        body: { status: 'UNKNOWN_HAND_OVER_ID_ERROR' },
      });
  });

  it('return the running hand-over instead of starting another', async () => {
    const service = await useFront();
    await service.importUser('ada@example.com');
    service.core.fault = ({ path }) => (path === '/bulk-import/import' ? 'break' : undefined);
    const first = await service.handOver();
    const { body } = await service.send('POST', '/hand-over', { unlinked: false });
    expect(body).toMatchObject({ isNew: false, handOver: { handOverId: first.handOverId } });
    expect(await service.send('POST', '/hand-over', { unlinked: true })).toMatchObject({
      status: 400,
      body: { code: 'HAND_OVER_REFUSED' },
    });
  });
});

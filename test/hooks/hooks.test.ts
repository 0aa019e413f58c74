/** What each hook answers, in every situation in which a provider may ask. */
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Config } from '../../src/config/schema.ts';
import { HOOKS } from '../../src/hooks/moves.ts';
import { AppError } from '../../src/lib/errors.ts';
import { API_KEY, type TestApp, type TestAppOptions, useTestApp } from '../support/app.ts';
import { removeEverything } from '../support/database.ts';
import { BCRYPT, OTHER_BCRYPT } from '../support/example-hashes.ts';
import { importWithId } from '../support/import-calls.ts';
import { importUser, signInStatus } from '../support/service-calls.ts';
import { ASKERS, type Asker, listen, nameOf, post, type Reply, type Verdict } from './askers.ts';

const ADA = 'ada@b.c';
const DAY_MS = 24 * 60 * 60_000;

describe.each(ASKERS.map((asker) => [nameOf(asker), asker] as const))('%s', (_name, asker) => {
  let plain: TestApp;
  let plainUrl: string;
  let service: TestApp;
  let url: string;
  let nowMs = Date.now();
  beforeAll(async () => {
    plain = await useTestApp({ now: () => nowMs });
    plainUrl = await listen(plain);
  });

  /** Imports a user into the service that the tests share, or into one with these options. */
  async function start(options?: TestAppOptions): Promise<void> {
    service = options === undefined ? plain : await useTestApp({ now: () => nowMs, ...options });
    url = options === undefined ? plainUrl : await listen(service);
    await importUser(service, ADA, BCRYPT.hash);
  }
  beforeEach(() => {
    nowMs = Date.now();
  });
  afterEach(() => removeEverything(plain.database.db));

  const ask = (identifier: string, password = BCRYPT.password) =>
    post(url, asker.question(identifier, password));
  const verdict = async (identifier: string, password?: string): Promise<Verdict> =>
    asker.verdictOf(await ask(identifier, password));

  it('matches the old password, however the address is spelled', async () => {
    await start();
    expect(await verdict(ADA)).toBe('match');
    expect(await verdict(' ADA@b.C ')).toBe('match');
  });

  it('answers the same to a wrong password, and to people without a password to compare', async () => {
    await start();
    await importWithId(service, 'some', [
      { email: 'unset@b.c', password: 'unset' },
      { email: 'disabled@b.c', passwordHash: BCRYPT.hash, disabled: true },
    ]);
    const disabled = await service.send('PUT', '/recipe/user/disabled', {
      userId: (await importUser(service, 'banned@b.c', BCRYPT.hash)).body.user.id,
      disabled: true,
    });
    expect(disabled.body.status).toBe('OK');
    const wrong = await ask(ADA, 'wrong');
    expect(asker.verdictOf(wrong)).toBe('no match');
    for (const email of [
      'nobody@b.c',
      'unset@b.c',
      'disabled@b.c',
      'banned@b.c',
      'no address',
      '\u212Aada@b.c',
    ])
      expect(comparable(await ask(email))).toEqual(comparable(wrong));
    expect(comparable(await ask(ADA, ''))).toEqual(comparable(wrong));
  });

  it('moves a user: the hash is kept for a while, and not asked about by callers who do not know who waits', async () => {
    await start({ config: { password_hooks_keep_days: 3 } });
    expect(await verdict(ADA)).toBe('match');
    nowMs += 9 * 60_000;
    expect(await verdict(ADA)).toBe('match');
    nowMs += 2 * 60_000;
    expect(await verdict(ADA)).toBe(asker.asksWhileWaiting ? 'match' : 'no match');
    nowMs += 2 * DAY_MS;
    expect(await verdict(ADA)).toBe(asker.asksWhileWaiting ? 'match' : 'no match');
  });

  it('refuses an old password once another is known to be set', async () => {
    await start();
    expect(await verdict(ADA)).toBe('match');
    const changed = await service.send('POST', '/hooks/changed', { identifier: ' ADA@b.c' });
    expect(changed.body).toEqual({ status: 'OK' });
    expect(await verdict(ADA)).toBe('no match');
    const { rows } = await hashes(service);
    expect(rows).toEqual([{ password_hash: null }]);
  });

  it('keeps a login that waits open to imports, and no other', async () => {
    await start();
    await importUser(service, ADA, OTHER_BCRYPT.hash);
    expect(await verdict(ADA, OTHER_BCRYPT.password)).toBe('match');
    expect(await importUser(service, ADA, BCRYPT.hash)).toMatchObject({
      status: 409,
      body: { code: 'MOVED' },
    });
    const line = { email: ADA, passwordHash: BCRYPT.hash };
    const { results } = await importWithId(service, 'again', [line], '&onConflict=overwrite');
    expect(results).toMatchObject([{ status: 'SKIPPED', code: 'MOVED' }]);
    expect(await signInStatus(service, ADA, OTHER_BCRYPT.password)).toBe('OK');
  });

  it('fails after ten wrong passwords, also with the right one, for a minute', async () => {
    await start({});
    for (let count = 0; count < 10; count += 1) expect(await verdict(ADA, 'wrong')).toBe('no match');
    expect(await verdict(ADA)).toBe('fault');
    nowMs += 61_000;
    expect(await verdict(ADA)).toBe('match');
  });

  it('never takes a fault for a wrong password', async () => {
    const unreachable = () => Promise.reject(new AppError('STORAGE_UNAVAILABLE', 'Storage is unavailable'));
    await start({ store: (real) => ({ ...real, findPasswordLogin: unreachable }) });
    const question = asker.question(ADA, BCRYPT.password);
    const faults: Reply[] = [
      await ask(ADA),
      await post(url, question, { 'api-key': 'a-wrong-key-0123456789' }),
      await post(url, question, {}),
      await post(url, { ...question, body: '{' }),
      await post(url, { ...question, body: {} }),
      await post(url, { ...question, body: [] }),
      await post(url, asker.question(ADA, 'x'.repeat(17_000))),
      await post(url, question, { 'api-key': API_KEY, 'content-type': 'text/plain' }),
      await post(url, question, { 'api-key': API_KEY, 'content-encoding': 'gzip' }),
    ];
    for (const fault of faults) {
      expect(asker.verdictOf(fault)).toBe('fault');
      expect(fault.headers).not.toHaveProperty('retry-after');
      expect(fault.status).not.toBe(403);
      if (fault.status !== 0) expect(fault.headers).toMatchObject(OF_HOOKS(asker));
    }
  });

  it('fails if the answer comes too late, and from the day on which hooks end', async () => {
    const never = () => new Promise<never>(() => {});
    await start({
      config: { password_hooks_timeout_ms: 1000, password_hooks_until: '2100-01-01' },
      store: (real) => ({
        ...real,
        findPasswordLogin: (email) => (email === ADA ? never() : real.findPasswordLogin(email)),
      }),
    });
    expect(await verdict(ADA)).toBe('fault');
    expect(await verdict('nobody@b.c')).toBe('no match');
    nowMs = Date.parse('2100-01-01');
    expect(await verdict('nobody@b.c')).toBe('fault');
  });

  it('is served only if the setting names it', async () => {
    const password_hooks: Config['password_hooks'] = HOOKS.filter((hook) => hook !== asker.hook);
    await start({ config: { password_hooks } });
    expect(await verdict(ADA)).toBe('not served');
  });

  it('logs no password and no key', async () => {
    await start({});
    await ask(ADA, 'a secret word');
    await post(url, asker.question(ADA, 'a secret word'), { 'api-key': 'a-wrong-key-0123456789' });
    await post(url, { ...asker.question(ADA, 'any'), body: '{"password":"a secret word",' });
    await post(url, { ...asker.question(ADA, 'any'), body: { password: ['a secret word'] } });
    expect(service.log()).not.toMatch(/a secret word|a-wrong-key/);
    // An operator sees why the provider reports faults.
    expect(service.log()).toMatch(/API_KEY_INVALID.*BODY_INVALID_JSON.*FIELD_INVALID/s);
  });
});

const OF_HOOKS = ({ hook }: Asker) => ({ 'x-user-import-hook': hook, 'cache-control': 'no-store' });

const comparable = ({ status, body, headers: { date: _, ...headers } }: Reply) => ({ status, body, headers });

const hashes = ({ database }: TestApp) =>
  database.db
    .query('select password_hash from password_logins where email = $1', [ADA])
    .then((rows) => ({ rows }));

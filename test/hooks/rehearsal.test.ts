/** What people type into the old system, counted before anybody moves. */
import { afterEach, expect, it } from 'vitest';
import { createTestApp, type TestApp, type TestAppOptions } from '../support/app.ts';
import { BCRYPT, OTHER_BCRYPT } from '../support/example-hashes.ts';
import { importWithId } from '../support/import-calls.ts';

let service: TestApp;
let nowMs = Date.now();
afterEach(() => service.close());

const line = (email: string, passwordHash = BCRYPT.hash) => ({ email, passwordHash });

async function start(options: TestAppOptions = {}): Promise<void> {
  service = await createTestApp({ now: () => nowMs, ...options });
}

async function rehearse(identifier: string, password: string, wasRight = true): Promise<void> {
  const { status, text } = await service.send('POST', '/hooks/rehearse', { identifier, password, wasRight });
  expect([status, text]).toEqual([204, '']);
}

interface Report {
  groups: { algorithm: string; importId?: string; matches: number; causes: Record<string, number> }[];
  unknown: number;
  alarms: number;
  wrongInBoth: number;
  dropped: number;
}

const report = async (): Promise<Report> => JSON.parse((await service.send('GET', '/hooks/rehearsal')).text);

it('names the family and the import whose hashes do not match, and the cause', async () => {
  await start();
  await importWithId(service, 'good', [line('ada@b.c')]);
  // The trimmed password was hashed, and the untrimmed one is what people type.
  await importWithId(service, 'trimmed', [line('bob@b.c')]);
  await importWithId(service, 'other', [line('cy@b.c', OTHER_BCRYPT.hash)]);
  await rehearse('ada@b.c', BCRYPT.password);
  await rehearse('bob@b.c', ` ${BCRYPT.password} `);
  await rehearse('cy@b.c', BCRYPT.password);
  await rehearse('nobody@b.c', 'any');
  await expect.poll(report).toMatchObject({ unknown: 1, alarms: 0, dropped: 0 });
  const { groups } = await report();
  expect(groups.toSorted((a, b) => (String(a.importId) < String(b.importId) ? -1 : 1))).toEqual([
    { algorithm: 'bcrypt', importId: 'good', matches: 1, causes: {} },
    { algorithm: 'bcrypt', importId: 'other', matches: 0, causes: { unknown: 1 } },
    { algorithm: 'bcrypt', importId: 'trimmed', matches: 0, causes: { PASSWORD_WHITESPACE: 1 } },
  ]);
});

it('raises an alarm if a password matches here that was wrong in the old system', async () => {
  await start();
  await importWithId(service, 'good', [line('ada@b.c'), line('bob@b.c')]);
  await rehearse('ada@b.c', BCRYPT.password, false);
  await rehearse('bob@b.c', 'wrong', false);
  await rehearse('nobody@b.c', 'wrong', false);
  await expect.poll(report).toMatchObject({ alarms: 1, wrongInBoth: 2, groups: [] });
});

it('verifies a person once an hour', async () => {
  await start();
  await importWithId(service, 'good', [line('ada@b.c')]);
  for (let count = 0; count < 3; count += 1) await rehearse(' ADA@b.c', BCRYPT.password);
  await expect.poll(report).toMatchObject({ dropped: 2, groups: [{ matches: 1 }] });
  nowMs += 61 * 60_000;
  await rehearse('ada@b.c', BCRYPT.password);
  await expect.poll(report).toMatchObject({ dropped: 2, groups: [{ matches: 2 }] });
});

it('keeps at most some sign-ins, and drops those that it cannot verify', async () => {
  let answer = () => {};
  const occupied = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await start({
    store: (real) => ({
      ...real,
      async findPasswordLogin(email) {
        await occupied;
        return email === 'fails@b.c'
          ? Promise.reject(new Error('no database'))
          : real.findPasswordLogin(email);
      },
    }),
  });
  await rehearse('fails@b.c', 'any');
  await expect.poll(report).toMatchObject({ dropped: 0 });
  for (let count = 0; count < 60; count += 1) await rehearse(`nobody-${count}@b.c`, 'any');
  expect((await report()).dropped).toBe(10);
  answer();
  await expect.poll(report).toMatchObject({ dropped: 11, unknown: 50 });
});

it('stores and logs nothing, and moves nobody', async () => {
  await start();
  await importWithId(service, 'good', [line('ada@b.c')]);
  const users = () => service.database.db.query('select * from password_logins');
  const before = await users();
  await rehearse('ada@b.c', BCRYPT.password);
  await rehearse('nobody@b.c', 'a secret word');
  await expect.poll(report).toMatchObject({ unknown: 1, groups: [{ matches: 1 }] });
  expect(await users()).toEqual(before);
  expect(await service.database.db.query('select from moved_logins')).toEqual([]);
  expect(service.log()).not.toMatch(/a secret word|nobody@b.c/);
});

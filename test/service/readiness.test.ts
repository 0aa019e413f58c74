import { expect, it, onTestFinished, vi } from 'vitest';
import { createReadiness } from '../../src/service/compose.ts';
import { useTestApp } from '../support/app.ts';

const SECOND = 1000;

/** A probe with a database and a clock that the test controls. */
function probeUnderTest() {
  const answers: { resolve(): void; reject(error: Error): void }[] = [];
  const state = { nowMs: 0 };
  const draining = new AbortController();
  const ping = vi.fn(() => new Promise<void>((resolve, reject) => answers.push({ resolve, reject })));
  const readiness = createReadiness({ ping, draining: draining.signal, now: () => state.nowMs });
  const last = () => answers.at(-1) ?? expect.fail('nothing was asked');
  return { readiness, ping, state, draining, last };
}

it('sends one query for all callers that arrive while it waits for the answer', async () => {
  const { readiness, ping, state, last } = probeUnderTest();
  const calls = [readiness(), readiness()];
  state.nowMs = 60 * SECOND;
  calls.push(readiness());
  last().resolve();
  expect(await Promise.all(calls)).toEqual([undefined, undefined, undefined]);
  expect(ping).toHaveBeenCalledTimes(1);
});

it.each(['success', 'failure'] as const)('reuses a %s for a second, then queries again', async (first) => {
  const { readiness, ping, state, last } = probeUnderTest();
  const asked = readiness();
  if (first === 'success') last().resolve();
  else last().reject(new Error('away'));
  const expected = first === 'success' ? undefined : 'database';
  expect(await asked).toBe(expected);
  state.nowMs = SECOND - 1;
  expect(await readiness()).toBe(expected);
  expect(ping).toHaveBeenCalledTimes(1);
  state.nowMs = SECOND;
  const again = readiness();
  if (first === 'success') last().reject(new Error('away'));
  else last().resolve();
  expect(await again).toBe(first === 'success' ? 'database' : undefined);
  expect(ping).toHaveBeenCalledTimes(2);
});

it('reports a stop as soon as it begins, whatever the database answers', async () => {
  const { readiness, ping, state, draining, last } = probeUnderTest();
  const ready = readiness();
  last().resolve();
  expect(await ready).toBeUndefined();
  state.nowMs = SECOND;
  const awaited = readiness();
  draining.abort();
  expect(await readiness()).toBe('draining');
  last().resolve();
  expect(await awaited).toBe('draining');
  expect(ping).toHaveBeenCalledTimes(2);
});

it('sends the database at most one query a second, however often callers without a key ask', async () => {
  const service = await useTestApp();
  await service.app.ready();
  // The clock of the probe stands still, however long the calls take.
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const statements = vi.spyOn(service.database.db, 'connection');
  const open = Object.entries((service.app.swagger() as { paths: object }).paths).flatMap(([path, methods]) =>
    Object.entries(methods as Record<string, { security?: unknown[] }>).flatMap(([method, { security }]) =>
      security?.length === 0 ? [{ method: method.toUpperCase() as 'GET', path }] : [],
    ),
  );
  expect(open.map(({ path }) => path)).toContain('/health/ready');
  const others = ['/', '/openapi.json', '/docs', '/imports', '/unknown'].map(
    (path) => ({ method: 'GET', path }) as const,
  );
  const keyed = [
    { method: 'POST', path: '/recipe/signin' } as const,
    { method: 'GET', path: '/users' } as const,
  ];
  const calls = [...open, ...others, ...keyed].flatMap(({ method, path }) =>
    Array.from({ length: 15 }, () => service.send(method, path, undefined, { 'api-key': undefined })),
  );
  await Promise.all(calls);
  expect(statements).toHaveBeenCalledTimes(1);
});

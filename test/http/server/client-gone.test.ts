import { once } from 'node:events';
import { request } from 'node:http';
import { expect, it, onTestFinished, vi } from 'vitest';
import { apiKeysOf } from '../../../src/config/api-keys.ts';
import { Decoys } from '../../../src/hashing/decoys.ts';
import { KdfGate } from '../../../src/hashing/kdf-gate.ts';
import { Passwords } from '../../../src/hashing/passwords.ts';
import { buildRegistry, newHashMaker } from '../../../src/hashing/registry.ts';
import { PasswordHooks } from '../../../src/hooks/password-hooks.ts';
import { Rehearsal } from '../../../src/hooks/rehearsal.ts';
import { buildApp } from '../../../src/http/app.ts';
import { ApiKeys } from '../../../src/http/server/route-checks.ts';
import { BulkPace } from '../../../src/imports/bulk-pace.ts';
import { MarkSeal } from '../../../src/imports/stream/line-marks.ts';
import { ImportBeginner } from '../../../src/imports/stream/run-import.ts';
import { StreamMeter } from '../../../src/imports/stream/stream-meter.ts';
import { createLogger } from '../../../src/lib/log.ts';
import { Metrics } from '../../../src/lib/metrics.ts';
import { HashCensus } from '../../../src/passwords/hash-census.ts';
import { createHandOverStore } from '../../../src/postgres/hand-over/create-hand-over-store.ts';
import { createMovedStore } from '../../../src/postgres/hooks/create-moved-store.ts';
import { createImportStore } from '../../../src/postgres/imports/create-import-store.ts';
import { createStagedStore } from '../../../src/postgres/staged/create-staged-store.ts';
import { createExportStore } from '../../../src/postgres/users/create-export-store.ts';
import { createUserStore } from '../../../src/postgres/users/create-user-store.ts';
import { API_KEY } from '../../support/app.ts';
import { useTestDatabase } from '../../support/database.ts';
import { testVault } from '../../support/factors.ts';
import { CHEAP_SETTINGS, DEFAULT_LIMITS } from '../../support/vectors.ts';
import { NO_UPGRADES } from '../../users/domain.ts';

const MIB = 1024 * 1024;

/**
 * Starts the service behind a socket, with room for one computation, which the test occupies until it
 * releases it.
 */
async function useBusyService(queueLimit: number) {
  const registry = buildRegistry({ ...DEFAULT_LIMITS, memoryBudgetBytes: 64 * MIB });
  const maker = newHashMaker({ algorithm: 'bcrypt', settings: CHEAP_SETTINGS }, registry);
  const gate = new KdfGate({ concurrency: 1, memoryBytes: 64 * MIB, queueLimit });
  const { db } = await useTestDatabase();
  const store = createUserStore(db);
  const looked: string[] = [];
  const lines: string[] = [];
  const metrics = new Metrics();
  const passwords = new Passwords({
    ...{ registry, gate, maker, wrapMaker: maker },
    decoys: new Decoys(maker.example, 'a secret'),
  });
  const moved = createMovedStore(db);
  const hooks = new PasswordHooks(
    { store, moved, passwords, metrics, now: Date.now },
    { untilMs: undefined, timeoutMs: 1000, keepDays: 1 },
  );
  const rehearsal = new Rehearsal({ store, moved, passwords, now: Date.now, onError: () => {} });
  const app = await buildApp({
    ...{ hooks, moved, rehearsal, servedHooks: new Set(), hookProfiles: { served: false, factors: false } },
    store: {
      ...store,
      // After this step the sign-in enters the gate.
      async findPasswordLogin(email) {
        const login = await store.findPasswordLogin(email);
        looked.push(email);
        return login;
      },
    },
    census: new HashCensus({ store, registry, now: Date.now }),
    passwords,
    ...NO_UPGRADES,
    seal: new MarkSeal([API_KEY]),
    vault: testVault(),
    now: Date.now,
    imports: createImportStore(db, db),
    beginner: new ImportBeginner(createImportStore(db, db)),
    handOvers: createHandOverStore(db),
    staged: createStagedStore(db, db),
    exports: createExportStore(db, db),
    pace: new BulkPace(),
    wakeStagedWorker: () => {},
    bulk: { maxLineBytes: 1024, maxStreams: 1, maxExports: 1, exportMinutes: 1, idleMs: 10_000 },
    keys: new ApiKeys(apiKeysOf(API_KEY)),
    metrics,
    draining: new AbortController().signal,
    streamMeter: new StreamMeter(metrics),
    pageEnabled: false,
    readiness: async () => undefined,
    logger: createLogger('info', { write: (line) => void lines.push(line) }),
    bodyLimitBytes: 10_000,
    requestTimeoutMs: 10_000,
    version: '0.0.0-test',
  });
  onTestFinished(() => app.close());
  const url = await app.listen({ port: 0, host: '127.0.0.1' });

  let free = () => {};
  const occupied = new Promise<void>((resolve) => {
    free = resolve;
  });
  void gate.run({ memoryBytes: 1, ms: 1 }, () => occupied);
  const signIn = (email: string) => {
    const client = request(`${url}/recipe/signin`, {
      method: 'POST',
      headers: { 'api-key': API_KEY, 'content-type': 'application/json' },
    });
    client.end(JSON.stringify({ email, password: 'any' }));
    return client;
  };
  return {
    signIn,
    free,
    statuses: () => lines.map((line) => JSON.parse(line).status).filter((status) => status !== undefined),
    /** Resolves when the sign-in of this e-mail has reached the gate. */
    async arrived(email: string) {
      await vi.waitFor(() => expect(looked).toContain(email), 5000);
      await new Promise(setImmediate);
    },
  };
}

it('answers 503 with Retry-After if the queue is full', async () => {
  const service = await useBusyService(1);
  const waiting = service.signIn('first@b.c');
  await service.arrived('first@b.c');

  const [answer] = await once(service.signIn('second@b.c'), 'response');
  expect([answer.statusCode, answer.headers['retry-after']]).toEqual([503, '1']);
  expect(JSON.parse((await answer.toArray()).join(''))).toEqual({
    statusCode: 503,
    code: 'OVERLOADED',
    error: 'Service Unavailable',
    message: 'Service is overloaded: too many passwords are waiting to be checked',
  });

  service.free();
  const [first] = await once(waiting, 'response');
  expect(first.statusCode).toBe(200);
  first.resume();
});

it('answers 503 at once if the queue has no places', async () => {
  const service = await useBusyService(0);
  const [answer] = await once(service.signIn('first@b.c'), 'response');
  expect([answer.statusCode, answer.headers['retry-after']]).toEqual([503, '1']);
  answer.resume();
});

it('gives the place of a caller that hangs up to the next one', async () => {
  const service = await useBusyService(1);
  const leaving = service.signIn('leaving@b.c');
  leaving.on('error', () => {});
  await service.arrived('leaving@b.c');
  leaving.destroy();
  await vi.waitFor(() => expect(service.statuses()).toEqual([499]), 5000);

  const staying = service.signIn('staying@b.c');
  await service.arrived('staying@b.c');
  service.free();
  const [answer] = await once(staying, 'response');
  expect(answer.statusCode).toBe(200);
  answer.resume();
  await vi.waitFor(() => expect(service.statuses()).toEqual([499, 200]), 5000);
});

import { afterEach, describe, expect, it } from 'vitest';
import { API_KEY, createTestApp, type TestApp, useTestApp } from '../../../support/app.ts';
import { removeEverything } from '../../../support/database.ts';
import { BCRYPT, OTHER_BCRYPT } from '../../../support/example-hashes.ts';
import { getImport, importWithId, rollBack, rolledBack, stream } from '../../../support/import-calls.ts';
import { lockWaits } from '../../../support/lock-waits.ts';
import { readReport } from '../../../support/ndjson.ts';
import { failure, importNew, signInStatus } from '../../../support/service-calls.ts';
import { undoRows, userRows } from '../../../support/user-tables.ts';

let service = await useTestApp();
const { db } = service.database;
afterEach(() => removeEverything(db));

const ANN = { email: 'ann@b.c', passwordHash: BCRYPT.hash };
const BOB = { email: 'bob@b.c', passwordHash: BCRYPT.hash };

const rows = () => userRows(service.database.db);

describe('a rollback without effect', () => {
  it('reports an unknown import, also for an id that no import can have', async () => {
    for (const id of ['nobody', 'A.b_c-1']) {
      const { status, text } = await rollBack(service, id);
      expect([status, JSON.parse(text)]).toEqual([200, { status: 'UNKNOWN_IMPORT_ID_ERROR', importId: id }]);
    }
    expect(await rollBack(service, 'no%20id')).toMatchObject(failure(404, 'NOT_FOUND', 'Not found'));
  });

  it('succeeds for a dry run, which has nothing to undo', async () => {
    await importWithId(service, 'dry', [ANN], '&dryRun=true');
    expect(await rolledBack(service, 'dry')).toEqual({});
    // The dry run itself is unchanged.
    expect(await getImport(service, 'dry')).toMatchObject({ status: 'FINISHED', created: 1 });
    await importWithId(service, 'dry', [ANN], '&dryRun=true');
  });

  it('is refused for an expired import, part of whose records are deleted', async () => {
    await importWithId(service, 'old', [ANN]);
    const imported = await rows();
    await service.database.db.query("update imports set expired_at = now() where import_id = 'old'");
    const { status, body, text } = await rollBack(service, 'old');
    expect([status, body.status]).toEqual([200, 'IMPORT_EXPIRED_ERROR']);
    expect(JSON.parse(text).rollback.usersRemoved).toBe(0);
    expect(await rows()).toEqual(imported);
    expect(await getImport(service, 'old')).toMatchObject({
      status: 'FINISHED',
      expiredAt: expect.any(Number),
    });
  });
});

describe('the request for a rollback', () => {
  it('needs no body, and accepts an empty one', async () => {
    await importWithId(service, 'it', [ANN]);
    const url = '/bulk-import/imports/it/rollback';
    const json = { 'content-type': 'application/json' };
    const requests: Parameters<TestApp['send']>[] = [
      ['POST', url],
      ['POST', url, undefined, json],
      ['POST', url, '', json],
      ['POST', url, {}],
      ['POST', url, { more: 'is ignored' }],
      ['POST', `/appid-public/public${url}/`],
    ];
    for (const request of requests) {
      expect(await service.send(...request)).toMatchObject({ status: 200, body: { status: 'OK' } });
    }
    expect(await service.send('POST', url, '[]')).toMatchObject(failure(400, 'BODY_INVALID_JSON', 'Invalid'));
    expect(await service.send('POST', url, 'x')).toMatchObject(failure(400, 'BODY_INVALID_JSON', 'Invalid'));
  });
});

describe('an import that was rolled back', () => {
  it('gives the same answer again, and changes nothing', async () => {
    await importWithId(service, 'it', [ANN, BOB]);
    await signInStatus(service, 'ann@b.c');
    const first = await rollBack(service, 'it');
    await importNew(service, 'bob@b.c');
    const after = await rows();
    for (let n = 0; n < 3; n += 1) expect((await rollBack(service, 'it')).text).toBe(first.text);
    expect(await rows()).toEqual(after);
    expect(await getImport(service, 'it')).toMatchObject({
      status: 'ROLLED_BACK',
      created: 2,
      rolledBackAt: expect.any(Number),
      rollback: { usersRemoved: 1, usersKept: 1, keptUserIds: [expect.any(String)] },
    });
    const { keptUserIds } = JSON.parse(first.text).rollback;
    expect((await service.send('GET', `/user/id?userId=${keptUserIds}`)).body.user.emails).toEqual([
      'ann@b.c',
    ]);
  });

  it('names users of whom something was kept by their external ids', async () => {
    await importWithId(service, 'it', [{ ...ANN, externalUserId: 'old-ann' }, BOB]);
    for (const email of ['ann@b.c', 'bob@b.c']) await signInStatus(service, email);
    const { keptUserIds } = JSON.parse((await rollBack(service, 'it')).text).rollback;
    expect(keptUserIds).toEqual(
      expect.arrayContaining(['old-ann', expect.stringMatching(/^[0-9a-f-]{36}$/)]),
    );
    expect(keptUserIds).toHaveLength(2);
  });

  it('cannot be resumed', async () => {
    await importWithId(service, 'it', [ANN]);
    await rolledBack(service, 'it');
    expect(await stream(service, 'it', [ANN, BOB])).toMatchObject(
      failure(400, 'IMPORT_ROLLED_BACK', 'The import with this importId was rolled back'),
    );
    expect((await rows()).size).toBe(0);
    expect(readReport((await stream(service, 'new', [ANN])).text).summary?.created).toBe(1);
  });

  it('leaves no hash in any answer, record of changes or log line', async () => {
    await importNew(service, 'ann@b.c');
    await importWithId(service, 'it', [{ ...ANN, passwordHash: OTHER_BCRYPT.hash }, BOB]);
    const { text } = await rollBack(service, 'it');
    const [changes] = await service.database.db.query<{ all: string }>(
      'select json_agg(hash_changes)::text as all from hash_changes',
    );
    const answers = text + (await service.send('GET', '/bulk-import/imports')).text;
    for (const all of [answers, changes?.all ?? '', service.log()]) {
      expect(all.length).toBeGreaterThan(100);
      for (const secret of ['$2b$', BCRYPT.hash.slice(7), OTHER_BCRYPT.hash.slice(7), 'ann@b.c', 'bob@b.c']) {
        expect(all).not.toContain(secret);
      }
    }
  });
});

describe('a rollback that is interrupted', () => {
  const isAnyoneWaiting = async () => (await lockWaits(service.database.db)) > 0;

  /** Requests the rollback of two chunks, and calls `meanwhile` during the first one. */
  async function rollBackSlowly(meanwhile: (socketGone: AbortController) => Promise<unknown>) {
    service = await useTestApp();
    await importWithId(service, 'it', [ANN]);
    await importWithId(service, 'it', [ANN, BOB]);
    const url = await service.app.listen({ port: 0, host: '127.0.0.1' });
    const caller = new AbortController();
    return service.database.db.transaction(async (client) => {
      await client.query("select from password_logins where email = 'ann@b.c' for update");
      const answer = fetch(`${url}/bulk-import/imports/it/rollback`, {
        method: 'POST',
        headers: { 'api-key': API_KEY },
        signal: caller.signal,
      }).then(
        async (response) => ({ status: response.status, body: await response.json() }),
        () => undefined,
      );
      await expect.poll(isAnyoneWaiting).toBe(true);
      await meanwhile(caller);
      return { answer };
    });
  }

  it('finishes the chunk in progress and stops when its caller hangs up', async () => {
    const { answer } = await rollBackSlowly(async (caller) => {
      caller.abort();
      await expect.poll(() => service.log()).toContain('"status":499');
    });
    expect(await answer).toBeUndefined();
    await expect.poll(() => undoRows(service.database.db)).toMatchObject({ import_chunks: 1 });
    expect(await getImport(service, 'it')).toMatchObject({
      status: 'ROLLBACK_UNFINISHED',
      rollback: { usersRemoved: 1 },
    });
    expect(await rolledBack(service, 'it')).toEqual({ usersRemoved: 2 });
    expect((await rows()).size).toBe(0);
  });

  it('reports when the service stops, and can be continued by another instance', async () => {
    let closed: Promise<unknown> | undefined;
    const { answer } = await rollBackSlowly(async () => {
      closed = service.app.close();
    });
    expect(await answer).toMatchObject(failure(503, 'SHUTTING_DOWN', 'The service is stopping'));
    await closed;
    expect(await undoRows(service.database.db)).toMatchObject({ import_chunks: 1 });
    const next = await createTestApp({ database: service.database });
    expect(await rolledBack(next, 'it')).toEqual({ usersRemoved: 2 });
    await next.app.close();
  });
});

import { beforeAll, describe, expect, it } from 'vitest';
import { API_KEY, useTestApp } from '../../../support/app.ts';
import { ARGON2, BCRYPT, OTHER_BCRYPT } from '../../../support/example-hashes.ts';
import { getImport, type ImportBody, importWithId, rolledBack } from '../../../support/import-calls.ts';
import { NDJSON } from '../../../support/ndjson.ts';
import { failure } from '../../../support/service-calls.ts';

const startedAt = Date.now();

const ANN = { email: 'ann@b.c', passwordHash: BCRYPT.hash };
const BOB = { email: 'bob@b.c', passwordHash: ARGON2.hash };
const GUS = { thirdPartyId: 'google', thirdPartyUserId: '1', email: { id: 'gus@b.c' } };

/** All imports, newest first. */
const IDS = ['Sixth', 'fifth.5', 'fourth-4', 'third_3', 'second', 'first'];

const service = await useTestApp({ config: { api_keys: `migration:${'m'.repeat(20)},${API_KEY}` } });
beforeAll(async () => {
  await importWithId(service, 'first', [ANN, BOB, GUS, { email: 'x' }]);
  await importWithId(
    service,
    'second',
    [ANN, { ...BOB, passwordHash: OTHER_BCRYPT.hash }],
    '&onConflict=skip',
  );
  await service.send(
    'POST',
    '/bulk-import/stream?importId=third_3&onConflict=overwrite',
    `\n${JSON.stringify({ ...ANN, passwordHash: ARGON2.hash })}\n\n`,
    { 'content-type': 'application/x-ndjson', 'api-key': 'm'.repeat(20) },
  );
  await importWithId(service, 'fourth-4', [{ ...ANN, email: 'new@b.c' }], '&dryRun=true');
  await importWithId(service, 'fifth.5', [{ ...ANN, email: 'fifth@b.c' }]);
  await rolledBack(service, 'fifth.5');
  await importWithId(service, 'Sixth', [{ ...ANN, email: 'sixth@b.c' }]);
  // Three imports began in the same millisecond, and two of them in the same microsecond.
  await service.database.db.query(
    `update imports set started_at = '2024-01-01 00:00:00.001' where import_id in ('second', 'third_3')`,
  );
  await service.database.db.query(
    `update imports set started_at = '2024-01-01 00:00:00.001001' where import_id = 'fourth-4'`,
  );
  await service.database.db.query(`update imports set started_at = '2023-01-01' where import_id = 'first'`);
});

const list = (query = '') => service.send('GET', `/bulk-import/imports${query}`);

async function listed(
  query: string,
): Promise<{ ids: string[]; token: string | undefined; body: { imports: ImportBody[] } }> {
  const { status, text } = await list(query);
  expect(status).toBe(200);
  const body = JSON.parse(text);
  return {
    body,
    ids: body.imports.map(({ importId }: ImportBody) => importId),
    token: body.nextPaginationToken,
  };
}

describe('the list', () => {
  it.each([
    ['limit=0', 'limit must a positive integer with min value 1'],
    ['limit=501', 'max limit allowed is 500'],
    ['limit=x', "Field name 'limit' must be an int in the GET request"],
    ['paginationToken=', 'invalid pagination token'],
    ['paginationToken=first', 'invalid pagination token'],
    [`paginationToken=${Buffer.from('no id').toString('base64url')}`, 'invalid pagination token'],
    [`paginationToken=${Buffer.from('first').toString('base64url')}=`, 'invalid pagination token'],
    [`paginationToken=${Buffer.from('x'.repeat(65)).toString('base64url')}`, 'invalid pagination token'],
    ['search=%00', "Field name 'search' is invalid in query"],
    ['status=DONE', "Field name 'status' is invalid in query: expected one of UNFINISHED, FINISHED"],
  ])('refuses %s', async (query, message) => {
    expect(await list(`?${query}`)).toMatchObject(failure(400, 'QUERY_INVALID', message));
  });

  it('has all imports on one page if they fit, newest first', async () => {
    for (const query of ['', '?limit=6', '?limit=500']) {
      expect(await listed(query)).toMatchObject({ ids: IDS, token: undefined });
    }
  });

  it.each([1, 2, 3, 4, 5])('has every import once in pages of %i', async (limit) => {
    const ids: string[] = [];
    let query: string | undefined = `?limit=${limit}`;
    while (query !== undefined) {
      const page = await listed(query);
      expect(page.ids.length).toBeLessThanOrEqual(limit);
      ids.push(...page.ids);
      query = page.token && `?limit=${limit}&paginationToken=${page.token}`;
    }
    expect(ids).toEqual(IDS);
  });

  it('has only imports of a status, and those whose name, id or source contains a text', async () => {
    expect(await listed('?status=ROLLED_BACK')).toMatchObject({ ids: ['fifth.5'] });
    expect(await listed('?status=UNFINISHED')).toMatchObject({ ids: [] });
    expect(await listed('?search=TH')).toMatchObject({ ids: ['Sixth', 'fifth.5', 'fourth-4', 'third_3'] });
    expect(await listed('?search=th&status=FINISHED&limit=1')).toMatchObject({ ids: ['Sixth'] });
    expect(await listed('?search=%25')).toMatchObject({ ids: [] });

    const other = await useTestApp();
    const name = encodeURIComponent('keycloak: Realm.json');
    await importWithId(other, 'named', [ANN], `&name=${name}&source=shop`);
    await importWithId(other, 'named', [ANN]);
    expect(await getImport(other, 'named')).toMatchObject({ name: 'keycloak: Realm.json' });
    for (const [search, count] of [
      ['realm', 1],
      ['SHOP', 1],
      ['firebase', 0],
    ] as const) {
      const { text } = await other.send('GET', `/bulk-import/imports?search=${search}`);
      expect([search, JSON.parse(text).imports.length]).toEqual([search, count]);
    }
  });

  it.each(['', '%00', '%0A', 'x'.repeat(257)])('refuses the name "%s"', async (name) => {
    expect(
      await service.send('POST', `/bulk-import/stream?name=${name}`, '', { 'content-type': NDJSON }),
    ).toMatchObject(failure(400, 'QUERY_INVALID', "Field name 'name' is invalid in query"));
  });

  it('is empty if there are no imports, and after an unknown import', async () => {
    const nobody = Buffer.from('nobody').toString('base64url');
    expect(await listed(`?paginationToken=${nobody}`)).toMatchObject({ ids: [], token: undefined });
  });

  it('shows each import as its own route does', async () => {
    const { body } = await listed('');
    for (const one of body.imports) expect(await getImport(service, one.importId)).toEqual(one);
  });
});

describe('one import', () => {
  it('is not found by another id, nor by its own id in other letter case', async () => {
    for (const id of ['nobody', 'sixth', 'FIRST']) {
      const { status, text } = await service.send('GET', `/bulk-import/imports/${id}`);
      expect([status, JSON.parse(text)]).toEqual([200, { status: 'UNKNOWN_IMPORT_ID_ERROR' }]);
    }
    expect(await service.send('GET', `/bulk-import/imports/${'x'.repeat(65)}`)).toMatchObject(
      failure(404, 'NOT_FOUND', 'Not found'),
    );
  });

  it('shows the outcomes of its lines and their algorithms', async () => {
    const time = expect.any(Number);
    expect(await getImport(service, 'first')).toEqual({
      importId: 'first',
      apiKeyName: 'key-2',
      dryRun: false,
      onConflict: 'update-unchanged',
      matchBy: 'login',
      startedAt: Date.UTC(2023, 0, 1),
      finishedAt: time,
      status: 'FINISHED',
      running: false,
      updatedAt: time,
      lines: 4,
      created: 3,
      updated: 0,
      skipped: 0,
      failed: 1,
      failuresByCode: { FIELD_INVALID: 1 },
      algorithms: { bcrypt: 1, argon2: 1, thirdparty: 1 },
      classes: { strong: 2, legacy: 0, broken: 0 },
      hashes: [
        { algorithm: 'argon2', class: 'strong', count: 1 },
        { algorithm: 'bcrypt', class: 'strong', count: 1 },
      ],
      durationMs: time,
      linesPerSecond: time,
    });
    const sixth = await getImport(service, 'Sixth');
    expect(Number(sixth?.startedAt)).toBeGreaterThanOrEqual(startedAt);
    expect(Number(sixth?.finishedAt)).toBeGreaterThanOrEqual(Number(sixth?.startedAt));
    expect(await getImport(service, 'second')).toMatchObject({
      onConflict: 'skip',
      created: 0,
      skipped: 2,
      algorithms: {},
    });
    // Blank lines do not count.
    expect(await getImport(service, 'third_3')).toMatchObject({
      apiKeyName: 'migration',
      lines: 1,
      updated: 1,
    });
    expect(await getImport(service, 'fourth-4')).toMatchObject({
      dryRun: true,
      created: 1,
      status: 'FINISHED',
    });
    expect(await getImport(service, 'fifth.5')).toMatchObject({
      status: 'ROLLED_BACK',
      created: 1,
      rollback: { usersRemoved: 1, usersKept: 0, hashesRestored: 0 },
    });
  });

  it('shows its duration over all runs, and its rate', async () => {
    const { db } = service.database;
    await db.query("update imports set active_ms = 2000 where import_id = 'first'");
    expect(await getImport(service, 'first')).toMatchObject({ durationMs: 2000, linesPerSecond: 2 });
    // The first run is still running or was killed, so it counts until its last chunk.
    await db.query("update imports set active_ms = 0, finished_at = null where import_id = 'first'");
    await db.query("update import_chunks set written_at = '2023-01-01 00:00:00.5' where import_id = 'first'");
    expect(await getImport(service, 'first')).toMatchObject({
      status: 'UNFINISHED',
      durationMs: 500,
      linesPerSecond: 8,
    });
    await db.query("delete from import_chunks where import_id = 'first'");
    expect(await getImport(service, 'first')).toMatchObject({ durationMs: 0, linesPerSecond: 0 });
  });

  it('is unfinished while it, or its rollback, can be resumed', async () => {
    await importWithId(service, 'broken', [ANN]);
    await service.database.db.query("update imports set finished_at = null where import_id = 'broken'");
    expect(await getImport(service, 'broken')).toMatchObject({ status: 'UNFINISHED' });
    expect(await getImport(service, 'broken')).not.toHaveProperty('finishedAt');
    await service.database.db.query("update imports set rolled_back_at = now() where import_id = 'broken'");
    expect(await getImport(service, 'broken')).toMatchObject({ status: 'ROLLBACK_UNFINISHED' });
  });
});

import { beforeAll, describe, expect, it, vi } from 'vitest';
import { createImportStore } from '../../../../src/postgres/imports/create-import-store.ts';
import { useTestApp } from '../../../support/app.ts';
import { BCRYPT } from '../../../support/example-hashes.ts';
import { getImport, importWithId, stream } from '../../../support/import-calls.ts';
import { ImportStream } from '../../../support/import-stream.ts';
import { ndjson } from '../../../support/ndjson.ts';
import { failure } from '../../../support/service-calls.ts';

const service = await useTestApp();
const url = await service.app.listen({ port: 0, host: '127.0.0.1' });

interface Page {
  status: string;
  failures?: { line: number; code: string; message: string }[];
  nextCursor?: string;
}

const ask = (importId: string, query = '') =>
  service.send('GET', `/bulk-import/imports/${importId}/failures${query}`);

async function page(importId: string, query = ''): Promise<Page> {
  const { status, text } = await ask(importId, query);
  expect(status).toBe(200);
  return JSON.parse(text);
}

/** Returns all pages. Fails if a page is longer than the limit. */
async function walk(importId: string, limit: number, code?: string) {
  const query = `?limit=${limit}${code === undefined ? '' : `&code=${code}`}`;
  const all: NonNullable<Page['failures']> = [];
  let cursor: string | undefined = '0';
  while (cursor !== undefined) {
    const { failures = [], nextCursor }: Page = await page(importId, `${query}&cursor=${cursor}`);
    expect(failures.length).toBeLessThanOrEqual(limit);
    all.push(...failures);
    if (nextCursor !== undefined) expect(Number(nextCursor)).toBeGreaterThan(Number(cursor));
    cursor = nextCursor;
  }
  return all;
}

let made = 0;
const good = () => {
  made += 1;
  return { email: `failures-${made}@b.c`, passwordHash: BCRYPT.hash };
};
const NO_EMAIL = { email: 'x', passwordHash: BCRYPT.hash };
const NO_HASH = { email: 'no-hash@b.c', passwordHash: 'x' };
const CODES = ['FIELD_INVALID', 'PASSWORD_HASH_INVALID', 'BODY_INVALID_JSON'] as const;
const BAD: readonly unknown[] = [NO_EMAIL, NO_HASH, 'no JSON'];

const lineNumbers = ({ failures }: Page) => failures?.map(({ line }) => line);

/** Imports chunk by chunk. Each chunk is reported, and thus committed, before the next is sent. */
async function importChunks(importId: string, chunks: readonly (readonly unknown[])[], query = '') {
  const sender = new ImportStream(url, `?importId=${importId}${query}`);
  let lines = 0;
  for (const chunk of chunks) {
    sender.write(ndjson(...chunk));
    lines += chunk.length;
    await vi.waitUntil(() => sender.report.results.length >= lines, { timeout: 20_000 });
  }
  return sender;
}

describe('the list of failures', () => {
  it.each([
    ['limit=0', 'limit must a positive integer with min value 1'],
    ['limit=501', 'max limit allowed is 500'],
    ['cursor=', "Field name 'cursor' is invalid in query: expected an integer"],
    ['cursor=-1', "Field name 'cursor' is invalid in query: expected an integer"],
    [`cursor=${'9'.repeat(16)}`, "Field name 'cursor' is invalid in query: expected an integer"],
    ['code=', "Field name 'code' is invalid in query: expected a code"],
    ['code=FIELD_INVALIDX', "Field name 'code' is invalid in query: expected a code"],
    ['code=toString', "Field name 'code' is invalid in query: expected a code"],
  ])('is refused for %s', async (query, message) => {
    expect(await ask('nobody', `?${query}`)).toMatchObject(failure(400, 'QUERY_INVALID', message));
  });

  it('does not exist for an unknown import', async () => {
    expect(await page('nobody')).toEqual({ status: 'UNKNOWN_IMPORT_ID_ERROR' });
  });

  it('is empty if nothing failed', async () => {
    await importWithId(service, 'well', [good()]);
    expect(await page('well')).toEqual({ status: 'OK', failures: [] });
    expect(await getImport(service, 'well')).toMatchObject({ failed: 0, failuresByCode: {} });
  });

  it('is ordered by line, with codes and messages as in the report', async () => {
    const lines = [NO_HASH, good(), '', ...BAD, good(), NO_EMAIL];
    const answer = await stream(service, 'bad', lines);
    const reported = answer.text
      .split('\n')
      .filter((text) => text.includes('"FAILED"'))
      .map((text) => JSON.parse(text))
      .map(({ line, code, message }) => ({ line, code, message }));
    expect(reported.map(({ line }) => line)).toEqual([1, 4, 5, 6, 8]);
    expect(await page('bad')).toEqual({ status: 'OK', failures: reported });
    expect(await getImport(service, 'bad')).toMatchObject({
      failed: 5,
      failuresByCode: { FIELD_INVALID: 2, PASSWORD_HASH_INVALID: 2, BODY_INVALID_JSON: 1 },
    });
  });

  it('contains no skipped lines', async () => {
    const known = good();
    await importWithId(service, 'known', [known]);
    await importWithId(service, 'skipped', [known, NO_EMAIL], '&onConflict=skip');
    expect(await getImport(service, 'skipped')).toMatchObject({ skipped: 1, failed: 1 });
    expect(lineNumbers(await page('skipped'))).toEqual([2]);
  });
});

describe('the pages of failures', () => {
  const LINES = Array.from({ length: 60 }, (_, index) => (index % 4 === 3 ? undefined : BAD[index % 3]));
  const wanted = LINES.flatMap((line, index) =>
    line === undefined ? [] : [{ line: index + 1, code: expect.any(String), message: expect.any(String) }],
  );
  const codeOf = (line: number) => CODES.find((_, index) => BAD[index] === LINES[line - 1]);

  beforeAll(async () => {
    const lines = LINES.map((line) => line ?? good());
    await importWithId(service, 'one-chunk', lines);
    const sizes = [1, 1, 1, 20, 2, 5, 30];
    const chunks = sizes.map((size, index) => {
      const start = sizes.slice(0, index).reduce((sum, one) => sum + one, 0);
      return lines.slice(start, start + size).map((line) => (BAD.includes(line) ? line : good()));
    });
    await (await importChunks('chunks', chunks)).end().finished();
    const [{ count } = { count: 0 }] = await service.database.db.query<{ count: number }>(
      "select count(*)::int from import_chunks where import_id = 'chunks'",
    );
    expect(count).toBeGreaterThanOrEqual(sizes.length);
  });

  it.each(['one-chunk', 'chunks'])(
    'contain every failed line of %s once, for any limit',
    async (importId) => {
      for (const limit of [1, 7, 44, 45, 46]) {
        expect(await walk(importId, limit)).toEqual(wanted);
      }
    },
  );

  it.each(['one-chunk', 'chunks'])('contain every line with one code in %s once', async (importId) => {
    for (const code of CODES) {
      const ofCode = wanted.filter(({ line }) => codeOf(line) === code).map((one) => ({ ...one, code }));
      expect(ofCode.length).toBeGreaterThan(10);
      for (const limit of [4, 15, 500]) expect(await walk(importId, limit, code)).toEqual(ofCode);
    }
    expect(await walk(importId, 3, 'LINE_TOO_LONG')).toEqual([]);
  });

  it('begin at the line of the cursor, or after it if that line did not fail', async () => {
    expect(lineNumbers(await page('chunks', '?cursor=4&limit=2'))).toEqual([5, 6]);
    expect(lineNumbers(await page('chunks', '?cursor=59'))).toEqual([59]);
    expect(await page('chunks', '?cursor=60')).toEqual({ status: 'OK', failures: [] });
    expect(await page('chunks', `?cursor=${'9'.repeat(15)}`)).toEqual({ status: 'OK', failures: [] });
  });

  it('are stable while the import continues, and later lines follow at the end', async () => {
    const sender = await importChunks('live', [[NO_EMAIL, good(), NO_HASH]]);
    const first = await page('live');
    expect(first).toMatchObject({ failures: [{ line: 1 }, { line: 3 }] });
    expect(first).not.toHaveProperty('nextCursor');
    sender.write(ndjson(good(), NO_EMAIL));
    await expect.poll(() => sender.report.results.length).toBe(5);
    expect(lineNumbers(await page('live', '?cursor=4'))).toEqual([5]);
    expect(lineNumbers(await page('live'))).toEqual([1, 3, 5]);
    await sender.end().finished();
  });
});

describe('the failures of', () => {
  it('a resumed import are those of its lines, each once', async () => {
    const lines = [NO_EMAIL, good(), NO_HASH];
    await importWithId(service, 'resumed', lines);
    await importWithId(service, 'resumed', [...lines, good(), NO_EMAIL]);
    // A changed line is not imported. The result of the earlier line stands.
    await importWithId(service, 'resumed', [good(), ...lines.slice(1), good(), NO_EMAIL]);
    expect(lineNumbers(await page('resumed'))).toEqual([1, 3, 5]);
    expect(await getImport(service, 'resumed')).toMatchObject({
      failed: 3,
      failuresByCode: { FIELD_INVALID: 2, PASSWORD_HASH_INVALID: 1 },
    });
  });

  it('a dry run are kept until it is repeated', async () => {
    await importWithId(service, 'dry', [NO_EMAIL, good(), NO_HASH, NO_HASH], '&dryRun=true');
    expect(await walk('dry', 2)).toMatchObject([{ line: 1 }, { line: 3 }, { line: 4 }]);
    expect(await getImport(service, 'dry')).toMatchObject({
      failed: 3,
      failuresByCode: { FIELD_INVALID: 1, PASSWORD_HASH_INVALID: 2 },
    });
    await importWithId(service, 'dry', [good(), NO_EMAIL], '&dryRun=true');
    expect(lineNumbers(await page('dry'))).toEqual([2]);
    expect(await getImport(service, 'dry')).toMatchObject({
      lines: 2,
      failuresByCode: { FIELD_INVALID: 1 },
    });
  });

  it('a dry run that another request took over are those of the later request', async () => {
    const first = await importChunks('dry-twice', [[NO_EMAIL]], '&dryRun=true');
    await importWithId(service, 'dry-twice', [good(), NO_HASH], '&dryRun=true');
    await first.end(ndjson(NO_EMAIL, NO_EMAIL)).finished();
    expect(await page('dry-twice')).toMatchObject({ failures: [{ line: 2, code: 'PASSWORD_HASH_INVALID' }] });
    expect(await getImport(service, 'dry-twice')).toMatchObject({ failed: 1, status: 'FINISHED' });
  });

  it('an expired import are deleted, which the answer says; a dry run may then be repeated', async () => {
    const { db } = service.database;
    const imports = createImportStore(db, db);
    await importWithId(service, 'old', [good(), NO_EMAIL]);
    await importWithId(service, 'old-dry', [NO_EMAIL], '&dryRun=true');
    for (const table of ['import_chunks', 'import_failures']) {
      await db.query(
        `update ${table} set written_at = now() - interval '31 days' where import_id like 'old%'`,
      );
    }
    expect(await imports.expire(30)).toBe(3);
    for (const id of ['old', 'old-dry']) expect(await page(id)).toEqual({ status: 'IMPORT_EXPIRED_ERROR' });
    expect(await getImport(service, 'old')).toMatchObject({
      failuresByCode: { FIELD_INVALID: 1 },
      expiredAt: expect.any(Number),
    });
    expect(await getImport(service, 'old-dry')).not.toHaveProperty('expiredAt');
    await importWithId(service, 'old-dry', [good(), NO_EMAIL], '&dryRun=true');
    expect(lineNumbers(await page('old-dry'))).toEqual([2]);
  });

  it('an import in which an instance of an earlier version took part are marked as incomplete', async () => {
    const { db } = service.database;
    await importWithId(service, 'mixed', [NO_EMAIL, good(), NO_HASH]);
    // The earlier version counted failures, but recorded neither lines nor codes.
    await db.query(`update imports set outcomes = '{"created": 1, "failed": 3}' where import_id = 'mixed'`);
    await db.query(`
      insert into imports (import_id, key_name, dry_run, on_conflict, owner, outcomes)
      values ('dry-before', 'k', true, 'fail', gen_random_uuid(), '{"failed": 1}')`);
    for (const id of ['mixed', 'dry-before'])
      expect(await page(id)).toEqual({ status: 'IMPORT_EXPIRED_ERROR' });
  });
});

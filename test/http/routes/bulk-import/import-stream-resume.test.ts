import { afterEach, describe, expect, it } from 'vitest';
import { useTestApp } from '../../../support/app.ts';
import { removeEverything } from '../../../support/database.ts';
import { OTHER_BCRYPT } from '../../../support/example-hashes.ts';
import { ImportStream } from '../../../support/import-stream.ts';
import {
  countResults,
  importLines,
  ndjson,
  type Report,
  readReport,
  sendLines,
  userLine,
} from '../../../support/ndjson.ts';
import { failure } from '../../../support/service-calls.ts';

const service = await useTestApp();
const url = await service.app.listen({ port: 0, host: '127.0.0.1' });
afterEach(() => removeEverything(service.database.db));

const CHANGED = 'This import had another line in this place: send changed lines under another importId';

const send = (lines: readonly unknown[], query: string) =>
  sendLines(service, ndjson(...lines), `?importId=it${query}`);

async function run(lines: readonly unknown[], query = ''): Promise<Report> {
  const answer = await send(lines, query);
  expect([answer.status, answer.headers['import-id']]).toEqual([200, 'it']);
  const report = readReport(answer.text);
  expect(report.summary).toMatchObject({ ...countResults(report), ms: expect.any(Number) });
  return report;
}

const form = (id: string) => ({
  externalUserId: `old-${id}`,
  loginMethods: [{ recipeId: 'emailpassword', email: `${id}@form.c`, plainTextPassword: 'secret' }],
});
const users = (count: number) => Array.from({ length: count }, (_, index) => userLine(`user-${index}@b.c`));
const rows = async (table: string) => (await service.database.db.query(`select from ${table}`)).length;

/** Lines with every kind of outcome. */
const MIXED = [
  userLine('a@b.c'),
  'not JSON',
  '',
  form('1'),
  userLine('a@b.c', OTHER_BCRYPT.hash),
  form('2'),
  '{}',
];

describe('a stream that is repeated', () => {
  it('has the same report, and changes nothing', async () => {
    const first = await run(MIXED);
    const hashes = await service.database.db.query('select * from password_logins order by email');
    const again = await run(MIXED);
    expect(again).toEqual({ ...first, summary: { ...first.summary, ms: expect.any(Number) } });
    expect(first.summary).toMatchObject({ lines: 6, created: 3, updated: 1, failed: 2 });
    expect(await service.database.db.query('select * from password_logins order by email')).toEqual(hashes);
    expect([await rows('import_chunks'), await rows('hash_changes')]).toEqual([1, 1]);
  });

  it('may continue where it ended', async () => {
    const first = await run(MIXED);
    const more = [userLine('new@b.c'), form('3'), userLine('a@b.c')];
    const longer = await run([...MIXED, ...more]);
    expect(longer.results.slice(0, 6)).toEqual(first.results);
    expect(longer.results.slice(6)).toMatchObject([
      { line: 8, status: 'CREATED' },
      { line: 9, status: 'CREATED', externalUserId: 'old-3' },
      { line: 10, status: 'UPDATED', userId: first.results[0]?.userId },
    ]);
    expect((await run([...MIXED, ...more])).results).toEqual(longer.results);
  });

  it('may be shorter', async () => {
    const first = await run(MIXED);
    expect((await run(MIXED.slice(0, 4))).results).toEqual(first.results.slice(0, 3));
    expect((await run([])).results).toEqual([]);
    expect((await run(MIXED)).results).toEqual(first.results);
  });

  it('reports exactly the lines that have changed', async () => {
    const first = await run(MIXED);
    const changed: unknown[] = [...MIXED];
    changed[0] = userLine('other@b.c');
    changed[2] = userLine('where nothing was@b.c');
    changed[3] = ` ${JSON.stringify(form('1'))}`;
    changed[6] = '';
    const again = await run(changed);
    const byLine = new Map(first.results.map((result) => [result.line, result]));
    const wanted = [1, 2, 3, 4, 5, 6, 7].map((number) =>
      [1, 3, 4, 7].includes(number)
        ? { line: number, status: 'FAILED', code: 'LINE_CHANGED', message: CHANGED }
        : byLine.get(number),
    );
    expect(again.results).toEqual(wanted);
    expect(await rows('users')).toBe(3);
    expect((await run(MIXED)).results).toEqual(first.results);
  });

  it('may have other line breaks, and a byte order mark', async () => {
    const first = await run(MIXED);
    const body = `\uFEFF${ndjson(...MIXED).replaceAll('\n', '\r\n')}`;
    expect((await importLines(service, body, '?importId=it')).results).toEqual(first.results);
  });

  it('is compared line by line, even if its chunks are divided differently', async () => {
    const lines = [...MIXED, ...users(5000), ...MIXED];
    const first = await run(lines);
    expect(first.summary).toMatchObject({ lines: 5012, created: 5003 });
    expect((await run(lines)).results).toEqual(first.results);
    const stream = new ImportStream(url, '?importId=it');
    for (let start = 0; start < lines.length; start += 700) {
      stream.write(ndjson(...lines.slice(start, start + 700)));
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
    expect((await stream.end().finished()).results).toEqual(first.results);
    expect(await rows('users')).toBe(5003);
  });
});

describe('other options', () => {
  it.each(['&onConflict=skip', '&dryRun=true', '&dryRun=true&onConflict=skip'])(
    'are refused: %s',
    async (query) => {
      await run([userLine('a@b.c')]);
      expect(await send([userLine('b@b.c')], query)).toMatchObject(
        failure(400, 'IMPORT_OPTIONS_DIFFER', 'An import with this importId was begun with other options'),
      );
      expect(await rows('users')).toBe(1);
    },
  );

  it('are not different if defaults are spelled out', async () => {
    const first = await run([userLine('a@b.c')]);
    expect((await run([userLine('a@b.c')], '&dryRun=false&onConflict=update-unchanged')).results).toEqual(
      first.results,
    );
  });
});

it('a dry run starts from the beginning each time', async () => {
  const first = await run(MIXED, '&dryRun=true');
  await service.send('POST', '/recipe/signup', { email: 'a@b.c', password: 'chosen' });
  const again = await run([...MIXED.slice(0, 1), userLine('b@b.c')], '&dryRun=true');
  expect(first.results[0]).toEqual({ line: 1, status: 'CREATED' });
  expect(again.results).toMatchObject([
    { line: 1, status: 'SKIPPED', code: 'PASSWORD_CHANGED_SINCE' },
    { line: 2, status: 'CREATED' },
  ]);
});

describe('two requests with one importId', () => {
  it('end with an error for the older one, and every line imported once', async () => {
    const older = new ImportStream(url, '?importId=it');
    older.write(ndjson(...MIXED));
    await expect.poll(() => older.report.results.length).toBe(6);
    const newer = new ImportStream(url, '?importId=it');
    newer.write(ndjson(...MIXED));
    await expect.poll(() => newer.report.results.length).toBe(6);
    older.write(ndjson(userLine('from the older@b.c')));
    const { error, summary, importId } = await older.finished();
    expect([error?.code, summary, importId]).toEqual(['IMPORT_TAKEN_OVER', undefined, 'it']);

    const whole = await newer.end(ndjson(userLine('b@b.c'))).finished();
    expect(whole.results.slice(0, 6)).toEqual(older.report.results);
    expect(whole.summary).toMatchObject({ lines: 7, created: 4, updated: 1, failed: 2 });
    expect([await rows('users'), await rows('hash_changes')]).toEqual([4, 1]);
  });

  it('end that way too if the older one has sent everything', async () => {
    const lines = users(12_000);
    const older = new ImportStream(url, '?importId=it').end(ndjson(...lines));
    await expect.poll(() => older.text.length).toBeGreaterThan(0);
    const whole = await run(lines);
    const told = await older.finished();
    expect(whole.summary).toMatchObject({ lines: 12_000, created: 12_000 });
    expect(told.results).toEqual(whole.results.slice(0, told.results.length));
    expect(told.error?.code ?? told.summary?.lines).toBe(told.summary ? 12_000 : 'IMPORT_TAKEN_OVER');
    expect(await rows('users')).toBe(12_000);
  });

  it('import each line once when they run side by side', async () => {
    const lines = users(4000);
    const streams = Array.from({ length: 3 }, () => new ImportStream(url, '?importId=it'));
    for (const stream of streams) stream.end(ndjson(...lines));
    const reports = await Promise.all(streams.map((stream) => stream.finished()));
    const whole = reports.find(({ summary }) => summary !== undefined);
    expect(whole?.summary).toMatchObject({ lines: 4000, created: 4000 });
    for (const { results, error, summary } of reports) {
      expect(results).toEqual(whole?.results.slice(0, results.length));
      expect(error?.code).toBe(summary ? undefined : 'IMPORT_TAKEN_OVER');
    }
    expect(await rows('users')).toBe(4000);
  });
});

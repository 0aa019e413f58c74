import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { until } from '../../src/lib/async/until.ts';
import { BCRYPT, CliRun, readNdjson, runCli, toyFile, toyUsers } from './command-line.ts';
import { answer, fakeService, importLikeTheService, NDJSON } from './fake-service.ts';
import { anInstance, useInstances } from './instances.ts';
import { tool } from './tool-process.ts';

/** More rows than are in flight at once. */
const ROWS = 40_000;
const cli = useInstances(2);

/** Returns rows of which every tenth has the address of the row before, and its own result. */
const rowsFrom = (first: number) =>
  toyUsers(ROWS, first).map((user, index, all) =>
    index % 10 === 9 ? { ...user, email: all[index - 1]?.email, hash: BCRYPT } : user,
  );
const CONFLICTS = ROWS / 10;

const args = (file: string, url: string, ...more: string[]) => [
  ...['import', file, '--url', url, '--yes', '--json', '--parallel', '3'],
  ...['--shared-address', 'oldest', '--accept-failures', `${ROWS}`, ...more],
];

/** Checks that every row is in the report once, and that every user exists once. */
async function expectWhole(report: string, before: number): Promise<void> {
  const rows = readNdjson(readFileSync(report, 'utf8'));
  expect(rows.map(({ row }) => row)).toEqual(Array.from({ length: ROWS }, (_, index) => index + 1));
  expect(rows.map(({ result }) => result)).toEqual(
    Array.from({ length: ROWS }, (_, index) => (index % 10 === 9 ? 'conflict' : 'import')),
  );
  expect((await cli.userCount()) - before).toBe(ROWS - CONFLICTS);
}

const begun = (before: number) => until(async () => (await cli.userCount()) > before, 30_000);

describe('an import in parts that is interrupted', { timeout: 120_000 }, () => {
  it('continues after kill -9, and imports no line twice', async () => {
    const before = await cli.userCount();
    const file = toyFile(cli.directory, rowsFrom(100_000));
    const report = join(cli.directory, 'report');
    const killed = tool(...args(file, cli.url, '--report', report));
    expect(await begun(before)).toBe(true);
    killed.child.kill('SIGKILL');
    await killed.ended();
    expect((await cli.userCount()) - before).toBeLessThan(ROWS - CONFLICTS);
    const { code, stdout, stderr } = await runCli(args(file, cli.url, '--report', report));
    expect(stderr).toContain('Resuming toy-');
    expect([code, JSON.parse(stdout)]).toMatchObject([2, { resumed: true, created: ROWS - CONFLICTS }]);
    await expectWhole(report, before);
  });

  it('ends on Ctrl-C once sent lines are answered, and can be continued', async () => {
    const before = await cli.userCount();
    const file = toyFile(cli.directory, rowsFrom(200_000));
    const report = join(cli.directory, 'report');
    const run = new CliRun(args(file, cli.url, '--report', report));
    expect(await begun(before)).toBe(true);
    run.interrupt();
    const stopped = await run.finished;
    expect(stopped.code).toBe(130);
    expect(stopped.stderr).toMatch(/Stopped\. [\d,]+ rows are done\. Run the same command again, as it is/);
    expect((await runCli(args(file, cli.url, '--report', report))).code).toBe(2);
    await expectWhole(report, before);
  });

  it('continues with the other instances when one dies', async () => {
    const before = await cli.userCount();
    const [service] = cli.services;
    if (service === undefined) throw new Error('there is no instance');
    const mortal = await anInstance(service.database);
    const url = await mortal.app.listen({ port: 0, host: '127.0.0.1' });
    const file = toyFile(cli.directory, rowsFrom(300_000));
    const report = join(cli.directory, 'report');
    const run = new CliRun(args(file, `${cli.urls[0]},${url},${cli.urls[1]}`, '--report', report));
    expect(await begun(before)).toBe(true);
    mortal.app.server.closeAllConnections();
    await mortal.close();
    const { code, stdout, stderr } = await run.finished;
    expect([code, JSON.parse(stdout)]).toMatchObject([2, { created: ROWS - CONFLICTS }]);
    expect(stderr).toContain('Trying again in');
    await expectWhole(report, before);
  });
});

describe('an import in parts whose service fails', () => {
  it('avoids an address for some time if it does not answer', async () => {
    const good = await fakeService((request, response) => importLikeTheService(request, response));
    const file = toyFile(cli.directory, toyUsers(500));
    const { code, stdout } = await runCli(args(file, `${good.url},http://127.0.0.1:9`, '--retry-for', '10s'));
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { rows: 500, imported: 500, created: 500 }]);
    expect(good.streams.length).toBeGreaterThanOrEqual(3);
  });

  it('asks at another address if the first does not answer before the import begins', async () => {
    const good = await fakeService((request, response) => importLikeTheService(request, response));
    const file = toyFile(cli.directory, toyUsers(250));
    const { code } = await runCli(args(file, `http://127.0.0.1:9,${good.url}`, '--retry-for', '10s'));
    expect(code).toBe(0);
  });

  it('begins at another address if the first accepts calls and never answers', async () => {
    const good = await fakeService((request, response) => importLikeTheService(request, response));
    const hanging = await fakeService(
      () => {},
      () => {},
    );
    const file = toyFile(cli.directory, toyUsers(250));
    const { code } = await runCli(args(file, `${hanging.url},${good.url}`, '--retry-for', '10s'));
    // The first address was asked once, with a timeout. Neither the look-up nor a part was sent there.
    expect([code, hanging.requests.length]).toEqual([0, 1]);
  });

  it('says what may be wrong if the service accepts no more streams', async () => {
    const busy = await fakeService((request, response) => {
      if (!request.url?.includes('3of3')) return importLikeTheService(request, response);
      return answer(response, 503, { code: 'OVERLOADED', message: 'too many imports run' });
    });
    const file = toyFile(cli.directory, toyUsers(5000));
    const { code, stderr } = await runCli(args(file, busy.url, '--retry-for', '1s'));
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /too many imports run\. 3 parts may be more than the instances take at once \(bulk_import_connections of each\)\. [\d,]+ rows are done\. Run/,
    );
  });

  it.each([
    ['of another part', '{"line":1000,"status":"CREATED"}\n'],
    ['out of order', '{"line":2,"status":"CREATED"}\n'],
    ['of a row that nobody sent', '{"line":0,"status":"CREATED"}\n'],
  ])('rejects an answer %s', async (_, text) => {
    const garbled = await fakeService((request, response) => {
      if (!request.url?.includes('2of3')) return importLikeTheService(request, response);
      request.once('data', () => response.writeHead(200, NDJSON).write(text));
      request.resume();
      return undefined;
    });
    const file = toyFile(cli.directory, toyUsers(500));
    const { code, stderr } = await runCli(args(file, garbled.url, '--retry-for', '10s'));
    expect([code, stderr]).toEqual([1, expect.stringContaining('does not belong to what was sent')]);
  });
});

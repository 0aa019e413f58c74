import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { until } from '../../src/lib/async/until.ts';
import { CliRun, readNdjson, runCli, scratch, toyFile, toyUsers } from './command-line.ts';
import { answer, fakeService, importLikeTheService, NDJSON } from './fake-service.ts';

const ROWS = 3000;

let directory: string;
let report: string;
let args: (url: string) => string[];
beforeEach(() => {
  directory = scratch();
  report = join(directory, 'report.ndjson');
  const file = toyFile(directory, toyUsers(ROWS));
  args = (url) => ['import', file, '--url', url, '--yes', '--report', report];
});

it('says how to continue if the key is refused during the import', async () => {
  const service = await fakeService((request, response, attempt) => {
    if (attempt > 1) return answer(response, 401, { code: 'API_KEY_INVALID', message: 'Invalid API key' });
    response.writeHead(200, NDJSON);
    request.once('data', () => {
      response.write('{"line":1,"status":"CREATED"}\n{"line":2,"status":"CREATED"}\n');
      // Earlier answers have been sent by then.
      setTimeout(() => response.destroy(), 200);
    });
  });
  const { code, stderr } = await runCli(args(service.url));
  expect([code, readdirSync(directory)]).toEqual([1, ['users.ndjson']]);
  expect(stderr).toMatch(
    /file of --api-key-file\)\. 2 rows are done\. Once that is mended, run the same command again, as it is: it continues from there \(import toy-\w+\)\.\n$/,
  );
});

const removePart = () => {
  for (const name of readdirSync(directory)) if (name.endsWith('.part')) rmSync(join(directory, name));
};

it('says how to continue if its report is removed during the import', async () => {
  const service = await fakeService((request, response) =>
    importLikeTheService(request, response, (line) => {
      if (line === 1) removePart();
      return undefined;
    }),
  );
  const { code, stderr } = await runCli(args(service.url));
  expect([code, readdirSync(directory)]).toEqual([1, ['users.ndjson']]);
  expect(stderr).toContain(`${report} cannot be written: its temporary file `);
  expect(stderr).toContain('run the same command again');
});

it('an import is taken over by another run, whose report is complete', async () => {
  const service = await fakeService((request, response, attempt) => {
    if (attempt > 1) return importLikeTheService(request, response);
    response.writeHead(200, NDJSON);
    request.resume();
    takeOver = () =>
      response.end('{"error":{"code":"IMPORT_TAKEN_OVER","message":"Another request has it"}}\n');
  });
  let takeOver: (() => void) | undefined;
  const first = new CliRun(args(service.url));
  expect(await until(() => takeOver !== undefined, 10_000)).toBe(true);
  const second = new CliRun(args(service.url));
  expect(await until(() => service.streams.length === 2, 10_000)).toBe(true);
  takeOver?.();
  const [one, two] = [await first.finished, await second.finished];
  expect([one.code, two.code]).toEqual([1, 0]);
  expect(one.stderr).toContain('another run of this tool has taken it over');
  expect(one.stderr).not.toContain('run the same command again');
  expect(readNdjson(readFileSync(report, 'utf8'))).toHaveLength(ROWS);
  expect(readdirSync(directory).sort()).toEqual(['report.ndjson', 'users.ndjson']);
});

it('waits as long for a service without a database as during the import', async () => {
  const noDatabase = { code: 'STORAGE_UNAVAILABLE', message: 'Storage is unavailable' };
  let asked = 0;
  // The wait for a service that does not answer at all is over by then.
  const now = performance.now.bind(performance);
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + 10_000 * asked);
  onTestFinished(() => clock.mockRestore());
  const service = await fakeService(
    (request, response) => importLikeTheService(request, response),
    (_, response) => {
      asked += 1;
      if (asked <= 2) return answer(response, 503, noDatabase);
      return answer(response, 200, { status: 'UNKNOWN_IMPORT_ID_ERROR' });
    },
  );
  const { code, stderr } = await runCli(args(service.url));
  expect(code).toBe(0);
  expect(stderr).toMatch(
    /^The service says STORAGE_UNAVAILABLE: Storage is unavailable\. Waiting for it\.\n/,
  );
});

it('keeps the report with the import, whichever of two runs began first', async () => {
  const service = await fakeService(
    (request, response) => importLikeTheService(request, response),
    (_, response) => {
      removePart();
      answer(response, 200, { status: 'UNKNOWN_IMPORT_ID_ERROR' });
    },
  );
  const { code } = await runCli(args(service.url));
  expect([code, readNdjson(readFileSync(report, 'utf8')).length]).toEqual([0, ROWS]);
});

import { expect, it } from 'vitest';
import { readNdjson, runCli } from './command-line.ts';
import { answer, fakeService } from './fake-service.ts';

it('lists rows that the service refused, page by page', async () => {
  const asked: string[] = [];
  const fake = await fakeService(
    () => {},
    (request, response) => {
      asked.push(request.url ?? '');
      const cursor = Number(new URL(request.url ?? '', 'http://x').searchParams.get('cursor') ?? 0);
      const failures = [1, 2].map((line) => ({
        line: cursor + line,
        code: 'PASSWORD_HASH_INVALID',
        message: `so\u001b[31m it is ${line}`,
      }));
      answer(response, 200, {
        status: 'OK',
        failures,
        ...(cursor < 4 && { nextCursor: String(cursor + 2) }),
      });
    },
  );
  const run = await runCli(['rejects', 'an-import', '--url', fake.url]);
  expect([run.code, run.stderr]).toEqual([
    0,
    expect.stringContaining(': user-import import FILE… --rejects rejects.ndjson\n'),
  ]);
  expect(run.stdout.split('\n').slice(0, 2)).toEqual([
    '1\tPASSWORD_HASH_INVALID\tso [31m it is 1',
    '2\tPASSWORD_HASH_INVALID\tso [31m it is 2',
  ]);
  expect(run.stdout.trimEnd().split('\n')).toHaveLength(6);
  expect(asked[1]).toBe('/bulk-import/imports/an-import/failures?limit=500&cursor=2');
  const json = await runCli(['rejects', 'an-import', '--url', fake.url, '--json']);
  expect(readNdjson(json.stdout)).toHaveLength(6);
});

it('says where to find rows that were never sent', async () => {
  const fake = await fakeService(
    () => {},
    (_request, response) => answer(response, 200, { status: 'OK', failures: [] }),
  );
  const { code, stdout, stderr } = await runCli(['rejects', 'an-import', '--url', fake.url]);
  expect([code, stdout]).toEqual([0, '']);
  expect(stderr).toContain(
    'refused no lines of this import. For rows that were never sent, see the files of --report and --rejects',
  );
});

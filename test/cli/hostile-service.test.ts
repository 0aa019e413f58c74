import { existsSync, lstatSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, it, onTestFinished, vi } from 'vitest';
import { Terminal } from '../../src/cli/terminal/terminal.ts';
import { until } from '../../src/lib/async/until.ts';
import { CliRun, runCli, scratch, toyFile, toyUsers, words } from './command-line.ts';
import { answer, fakeService, NDJSON } from './fake-service.ts';

/** Sets the window title, clears the screen, and reverses text. */
const ESCAPES = '\u001b]0;x\u0007\u001b[2J\u009b31m\u202e';
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it is about
const OBEYED = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]/;

const RECORD = {
  importId: ESCAPES,
  apiKeyName: ESCAPES,
  onConflict: ESCAPES,
  status: ESCAPES,
  startedAt: 1e300,
  durationMs: 5,
  created: 1,
  failuresByCode: { [ESCAPES]: 1 },
  hashes: [{ count: 1, algorithm: ESCAPES, class: ESCAPES }],
  rollback: { [ESCAPES]: 1 },
};

it.each([
  ['status', { imports: [RECORD, { importId: { toString: 1 } }] }],
  ['status an-import', { import: RECORD }],
  ['status an-import', { import: { ...RECORD, apiKeyName: { toString: 1 }, onConflict: [] } }],
  ['census', { hashes: [{ hashingAlgorithm: ESCAPES, class: ESCAPES, setBy: ESCAPES, users: 'x' }] }],
  ['rollback an-import --yes', { status: 'OK', import: RECORD, rollback: { [ESCAPES]: 1 } }],
  ['rejects an-import', { status: 'OK', failures: [{ line: ESCAPES, code: ESCAPES, message: ESCAPES }] }],
])('%s prints no control characters of a service', async (command, body) => {
  const fake = await fakeService(
    () => {},
    (_, response) => answer(response, 200, body),
  );
  const run = await runCli([...command.split(' '), '--url', fake.url]);
  expect([run.code, run.stderr]).toEqual([
    0,
    expect.stringMatching(/^(?:Users of whom.*\n)?Next.*: user-import .*\n$/),
  ]);
  expect(run.stdout + run.stderr).not.toMatch(OBEYED);
  // An id that the service sends is one word of the shell.
  expect(run.stderr).not.toMatch(/status [^'\n]*[\s;]/);
});

it.each([
  [{ usersRemoved: 2, usersKept: 0 }, ': 2 removed.\n'],
  [
    { usersRemoved: 2, usersKept: 1, hashesKept: 2 },
    ': 2 removed, 1 kept (they signed in or were changed since).\n  passwords  0 restored, 2 kept',
  ],
  [{ usersNotRestored: 1 }, 'users whom the import changed  0 restored, 1 kept'],
])('a rollback says why users were kept: %j', async (rollback, expected) => {
  const fake = await fakeService(
    () => {},
    (_, response) => answer(response, 200, { status: 'OK', import: RECORD, rollback }),
  );
  const run = await runCli(['rollback', 'an-import', '--yes', '--url', fake.url]);
  expect(run.stdout).toContain(expected);
});

const imports = (answers: readonly unknown[]) =>
  fakeService((request, response) => {
    request.resume();
    response.writeHead(200, NDJSON);
    response.end(answers.map((one) => `${JSON.stringify(one)}\n`).join(''));
  });

it.each<[string, unknown[]]>([
  ['a code', [{ line: 1, status: 'FAILED', code: ESCAPES, message: 'm' }, { summary: { lines: 1 } }]],
  ['a code that is none', [{ line: 1, status: 'FAILED', code: {} }, { summary: { lines: 1 } }]],
  ['a status', [{ line: 1, status: ESCAPES }, { summary: { lines: 1 } }]],
  ['a message', [{ line: 1, status: 'FAILED', code: 'X', message: [1] }, { summary: { lines: 1 } }]],
  ['a line', [{ line: '1', status: 'CREATED' }, { summary: { lines: 1 } }]],
  ['an error', [{ error: { code: ESCAPES, message: 'm' } }]],
])('%s is rejected if no service could have sent it', async (_, answers) => {
  const fake = await imports(answers);
  const directory = scratch();
  const report = join(directory, 'report.ndjson');
  const file = toyFile(directory, toyUsers(1));
  const run = await runCli(words`import ${file} --url ${fake.url} --yes --report ${report} --retry-for 1ms`);
  expect(run.code).toBe(1);
  expect(run.stderr).toContain('cannot be understood');
  expect(run.stderr + run.stdout).not.toMatch(OBEYED);
  expect(existsSync(report)).toBe(false);
});

it('escapes control characters in JSON, without changing the value', async () => {
  const stdout = Object.assign(new PassThrough(), { isTTY: true });
  const stream = new PassThrough();
  const io = { stdin: stream, stdout, stderr: stream, env: {}, onSignal: () => () => {} };
  const terminal = new Terminal({ ...io, exit: () => process.exit() }, { isQuiet: false, isJson: true });
  const value = { message: ESCAPES };
  await terminal.result(`${JSON.stringify(value)}\n`);
  const text = String(stdout.read());
  expect(text).not.toMatch(OBEYED);
  expect(JSON.parse(text)).toEqual(value);
});

it('does not request a page of rejects twice', async () => {
  const fake = await fakeService(
    () => {},
    (_, response) => answer(response, 200, { status: 'OK', failures: [], nextCursor: '7' }),
  );
  const run = await runCli(['rejects', 'an-import', '--url', fake.url]);
  expect([run.code, fake.requests.length]).toEqual([1, 2]);
  expect(run.stderr).toContain('cannot be understood');
});

it('an import is stopped by Ctrl-C after everything is sent, if the answer does not end', async () => {
  const fake = await fakeService((request, response) => {
    request.resume();
    response.writeHead(200, NDJSON);
    response.write('{"line":1,"status":"CREATED"}\n');
    // Sends data repeatedly, so that no timeout occurs.
    const timer = setInterval(() => response.write('\n'), 50);
    response.once('close', () => clearInterval(timer));
  });
  const directory = scratch();
  const run = new CliRun(['import', toyFile(directory, toyUsers(1)), '--url', fake.url, '--yes']);
  expect(await until(() => fake.streams.length > 0, 10_000)).toBe(true);
  await new Promise((resolve) => setTimeout(resolve, 300));
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  run.interrupt();
  // Answers to sent rows may take ten seconds.
  vi.advanceTimersByTime(10_000);
  const { code, stderr } = await run.finished;
  expect(code).toBe(130);
  expect(stderr).toContain('Run the same command again');
});

it('writes a report through no symbolic link beside it', async () => {
  const fake = await imports([{ line: 1, status: 'CREATED' }, { summary: { lines: 1 } }]);
  const directory = scratch();
  const [report, other] = ['report.ndjson', 'other'].map((name) => join(directory, name)) as [string, string];
  writeFileSync(other, 'of somebody else');
  symlinkSync(other, `${report}.part`);
  const file = toyFile(directory, toyUsers(1));
  const run = await runCli(['import', file, '--url', fake.url, '--yes', '--report', report]);
  expect(run.code).toBe(0);
  expect(readFileSync(other, 'utf8')).toBe('of somebody else');
  expect([lstatSync(report).isFile(), lstatSync(report).mode & 0o777]).toEqual([true, 0o600]);
});

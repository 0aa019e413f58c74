import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { API_KEY, createTestApp } from '../support/app.ts';
import { IS_CITUS } from '../support/citus.ts';
import { importLines, ndjson } from '../support/ndjson.ts';
import { BCRYPT, CliRun, runCli, scratch } from './command-line.ts';
import { fakeService, NDJSON } from './fake-service.ts';
import { useImportSetup } from './import-setup.ts';

const USER = `{"loginMethods":[{"recipeId":"emailpassword","email":"ada@example.com","passwordHash":"${BCRYPT}"}]}`;
const LINES = `${USER}\n${USER}\n`;
const digestOf = (text: string) => createHash('sha256').update(text).digest('hex');
const END = `{"export":{"users":2,"sha256":"${digestOf(LINES)}"}}\n`;

/** A service that sends this and then ends the answer, or breaks the connection. */
const sending = (text: string, isBroken = false) =>
  fakeService(
    () => {},
    (_request, response: ServerResponse) => {
      response.writeHead(200, NDJSON).write(text, () => (isBroken ? response.destroy() : response.end()));
    },
  );

describe.skipIf(IS_CITUS)('an export into a file', () => {
  const cli = useImportSetup();
  const exporting = (...args: string[]) => runCli(['export', ...args, '--url', cli.url]);

  it('has the lines of the service, with their number and digest, for this user only', async () => {
    await importLines(cli.service, ndjson({ email: 'ada@example.com', passwordHash: BCRYPT }));
    const { text } = await cli.service.send('GET', '/bulk-export/stream');
    const file = join(cli.directory, 'users.ndjson');
    const { code, stdout, stderr } = await exporting(file, '--json');
    expect(readFileSync(file, 'utf8')).toBe(text);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(cli.directory)).toEqual(['users.ndjson']);
    const { sha256 } = JSON.parse(text.split('\n').at(-2) ?? '').export;
    expect([code, JSON.parse(stdout)]).toEqual([
      0,
      { file, users: 1, sha256, bytes: text.length, ms: expect.any(Number) },
    ]);
    expect(stderr).toBe(`${file}: 1 user, ${text.length} bytes, SHA-256 ${sha256}\n`);

    const streamed = await exporting('-');
    expect([streamed.code, streamed.stdout]).toEqual([0, text]);
    expect(streamed.stderr).toContain('Complete: 1 user');
  });

  it('is refused with what to do if the key may not export', async () => {
    const short = await createTestApp({ database: cli.service.database, config: { api_keys: API_KEY } });
    const url = await short.app.listen({ port: 0, host: '127.0.0.1' });
    const file = join(cli.directory, 'users.ndjson');
    const { code, stderr } = await runCli(['export', file, '--url', url]);
    await short.app.close();
    expect([code, existsSync(file)]).toEqual([1, false]);
    expect(stderr).toBe(
      'The service says RIGHT_MISSING: The API key "key-1" lacks the right "export" (add it to `allow` of this key in api_keys of the service, or use another key).\n',
    );
  });
});

// Which files are replaced is tested in whole-file.test.ts and outputs.test.ts.
it('a file that exists is replaced with --force only', async () => {
  const { url } = await sending(LINES + END);
  const file = join(scratch(), 'users.ndjson');
  writeFileSync(file, 'mine');
  const refused = await runCli(['export', file, '--url', url]);
  expect([refused.code, readFileSync(file, 'utf8')]).toEqual([1, 'mine']);
  expect(refused.stderr).toBe(`${file} exists. Name another file, or add --force.\n`);
  expect((await runCli(['export', file, '--url', url, '--force'])).code).toBe(0);
  expect(readFileSync(file, 'utf8')).toBe(LINES + END);
});

describe('an export that is not whole leaves no file', () => {
  it.each([
    ['ends before its last line', LINES, 'The connection broke before the export was complete.'],
    ['ends within a line', LINES + END.slice(0, 30), 'The connection broke before the export was complete.'],
    [
      'lacks the last line break',
      LINES + END.trimEnd(),
      'The connection broke before the export was complete.',
    ],
    ['has another number of users', `${USER}\n${END}`, 'The export was changed on its way'],
    ['has another digest', LINES.replace('ada', 'eve') + END, 'The export was changed on its way'],
    ['is empty', '', 'The connection broke before the export was complete.'],
    [
      'has an error as its last line',
      `${LINES}{"error":{"code":"SHUTTING_DOWN","message":"The service is stopping"},"exportId":"x"}\n`,
      'The service says SHUTTING_DOWN: The service is stopping.',
    ],
  ])('if it %s', async (_, text, message) => {
    const { url } = await sending(text);
    const directory = scratch();
    const file = join(directory, 'users.ndjson');
    const { code, stdout, stderr } = await runCli(['export', file, '--url', url, '--json']);
    expect([code, readdirSync(directory)]).toEqual([1, []]);
    expect(stderr).toContain(message);
    expect(stderr).toContain(`${file} was not written: run the command again.`);
    expect(JSON.parse(stdout)).toEqual({ error: stderr.trimEnd() });
    const streamed = await runCli(['export', '-', '--url', url]);
    expect([streamed.code, streamed.stdout.includes('{"export"')]).toEqual([1, false]);
    expect(streamed.stderr).toContain('The output is incomplete');
  });

  it('if the connection breaks, the service is silent or too old, or something else answers', async () => {
    const directory = scratch();
    const file = join(directory, 'users.ndjson');
    const failing = async (url: string, ...more: string[]) => {
      const { code, stderr } = await runCli(['export', file, '--url', url, ...more]);
      expect([code, readdirSync(directory)]).toEqual([1, []]);
      return stderr;
    };
    expect(await failing((await sending(LINES, true)).url)).toMatch(/the connection broke/i);
    const silent = await fakeService(
      () => {},
      (_request, response) => response.writeHead(200, NDJSON).write(LINES),
    );
    expect(await failing(silent.url, '--timeout', '200ms')).toContain('The service sent nothing for 0.2 s.');
    const old = await fakeService(
      () => {},
      (_request, response) => response.writeHead(404).end('{"code":"NOT_FOUND","message":"Not found"}'),
    );
    expect(await failing(old.url)).toContain('the service is older than this tool, or --url names another');
    const other = await fakeService(
      () => {},
      (_request, response) => response.end('<html>'),
    );
    expect(await failing(other.url)).toContain('The answer is not from user-import-core. Check --url.');
    expect(await failing('http://127.0.0.1:1')).toContain('nothing listens there');
  });

  it('if it is interrupted', async () => {
    const directory = scratch();
    const file = join(directory, 'users.ndjson');
    let begun = () => {};
    const beginning = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const { url } = await fakeService(
      () => {},
      (_request, response) => response.writeHead(200, NDJSON).write(LINES, begun),
    );
    const run = new CliRun(['export', file, '--url', url]);
    await beginning;
    await expect.poll(() => readdirSync(directory).length).toBe(1);
    expect(() => run.interrupt()).toThrow('exited');
    expect([run.exited, existsSync(file)]).toEqual([130, false]);
  });
});

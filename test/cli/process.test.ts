import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { until } from '../../src/lib/async/until.ts';
import { API_KEY, useTestApp } from '../support/app.ts';
import { readNdjson, scratch, toyFile, toyUsers, words } from './command-line.ts';
import { fakeService, importLikeTheService, NDJSON } from './fake-service.ts';
import { COMMAND, ENV, Tool, tool } from './tool-process.ts';

const service = await useTestApp();
const url = await service.app.listen({ port: 0, host: '127.0.0.1' });

describe('a pipe', { timeout: 60_000 }, () => {
  it('that is closed early is no failure', async () => {
    const file = toyFile(scratch(), toyUsers(5000));
    const words = [...COMMAND, 'convert', file].map((word) => `'${word}'`).join(' ');
    const shell = new Tool(['bash', '--norc', '-c', `${words} | head -1; echo "exit \${PIPESTATUS[0]}"`]);
    expect(await shell.ended()).toBe(0);
    const [line = '', exit, ...rest] = shell.output.trimEnd().split('\n');
    expect(JSON.parse(line)).toMatchObject({ externalUserId: 'u0' });
    expect([exit, rest]).toEqual(['exit 0', []]);
  });

  it('that is closed does not hide the exit code of the work', async () => {
    const file = toyFile(scratch(), [...toyUsers(3), '{"broken']);
    const exitOf = async (words: readonly string[], to: string) => {
      const quoted = words.map((word) => `'${word}'`).join(' ');
      const shell = new Tool(['bash', '--norc', '-c', `(${quoted}; echo "exit $?" >&2) ${to}`]);
      await shell.ended();
      return shell.output;
    };
    const fake = await fakeService((request, response) => importLikeTheService(request, response));
    const into = (address: string) => [...COMMAND, 'import', file, '--url', address, '--yes', '--json'];
    const gone = '| true';
    expect(await exitOf([...into('http://127.0.0.1:9'), '--retry-for', '1ms'], gone)).toContain('exit 1');
    expect(await exitOf(into(fake.url), gone)).toContain('exit 2');
  });

  it.each([
    ['convert', 'stdout cannot be written: the disk is full.\nexit 1\n'],
    ['inspect', 'stdout cannot be written: the disk is full.\nexit 1\n'],
  ])('or file that is full ends %s without a stack trace', async (command, said) => {
    const file = toyFile(scratch(), toyUsers(3));
    const words = [...COMMAND, command, file, '-q', ...(command === 'inspect' ? ['--json'] : [])];
    const quoted = words.map((word) => `'${word}'`).join(' ');
    const shell = new Tool(['bash', '--norc', '-c', `${quoted} > /dev/full; echo "exit $?" >&2`]);
    await shell.ended();
    expect(shell.output).toBe(said);
  });

  it('may be an input, although it can be read only once', async () => {
    const file = toyFile(scratch(), toyUsers(3));
    const words = COMMAND.map((word) => `'${word}'`).join(' ');
    const shell = new Tool(['bash', '--norc', '-c', `${words} convert <(cat '${file}') -q`]);
    expect(await shell.ended()).toBe(0);
    expect(readNdjson(shell.output)).toHaveLength(3);
  });
});

describe('a process that is killed', { timeout: 60_000 }, () => {
  it('continues when it is run again, with the same result', async () => {
    const directory = scratch();
    const file = toyFile(directory, toyUsers(15_000, 100_000));
    const report = join(directory, 'report.ndjson');
    const args = ['import', file, '--url', url, '--yes', '--json', '--report', report];
    const killed = tool(...args);
    const written = async () => (await service.send('GET', '/users/count')).body.count;
    while ((await written()) === 0 && killed.child.exitCode === null)
      await new Promise((resolve) => setTimeout(resolve, 5));
    killed.child.kill('SIGKILL');
    await killed.ended();
    expect(await written()).toBeGreaterThan(0);
    expect(() => readFileSync(report)).toThrow('ENOENT');

    const again = tool(...args);
    expect(await again.ended()).toBe(0);
    const [, json = ''] = /^(\{.*\})$/m.exec(again.output) ?? [];
    expect(JSON.parse(json)).toMatchObject({
      rows: 15_000,
      imported: 15_000,
      created: 15_000,
      updated: 0,
      resumed: true,
    });
    expect(await written()).toBe(15_000);
    expect(readNdjson(readFileSync(report, 'utf8')).map(({ row }) => row)).toEqual(
      Array.from({ length: 15_000 }, (_, index) => index + 1),
    );
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('by %s exits in order', async (signal, exitCode) => {
    const fake = await fakeService((request, response) => {
      response.writeHead(200, NDJSON);
      request.resume();
    });
    const run = tool('import', toyFile(scratch(), toyUsers(2)), '--url', fake.url, '--yes');
    expect(await until(() => fake.streams.length > 0, 15_000)).toBe(true);
    run.child.kill(signal);
    // Sent lines are never answered, and the second signal does not wait for them.
    await until(() => false, 100);
    run.child.kill(signal);
    expect(await run.ended()).toBe(exitCode);
  });
});

it('a refused import shows the reason, although it is still sending', { timeout: 60_000 }, async () => {
  const file = toyFile(scratch(), toyUsers(20_000, 200_000));
  const args = ['import', file, '--url', url, '--yes', '--retry-for', '5s', '--import-id', 'refused'];
  const begun = await service.send('POST', '/bulk-import/stream?importId=refused', '{}', {
    'content-type': 'application/x-ndjson',
  });
  expect(begun.status).toBe(200);
  // The service answers at once and closes the connection, with most of the body unread.
  const run = tool(...args, '--on-conflict', 'skip');
  expect(await run.ended()).toBe(1);
  expect(run.output).toContain('The service says IMPORT_OPTIONS_DIFFER');
  expect(run.output).not.toContain('Trying again');
});

describe('secrets', { timeout: 60_000 }, () => {
  it('are visible to no other process, and are not printed', async () => {
    const directory = scratch();
    const keyFile = join(directory, 'key');
    writeFileSync(keyFile, `${API_KEY}\n`);
    const file = toyFile(directory, toyUsers(3));
    let seen = '';
    const fake = await fakeService((request, response) => {
      seen = readFileSync(`/proc/${run.child.pid}/cmdline`, 'latin1');
      return importLikeTheService(request, response);
    });
    const run = new Tool(words`${COMMAND} import ${file} --url ${fake.url} --api-key-file ${keyFile} --yes`, {
      PATH: ENV.PATH,
    });
    expect(await run.ended()).toBe(0);
    expect(seen).toContain('--api-key-file');
    expect(seen + run.output + fake.streams.join()).not.toContain(API_KEY);
    expect(fake.requests.at(-1)?.headers['api-key']).toBe(API_KEY);
    expect(run.output).not.toMatch(/example\.com|\$2y\$/);
  });
});

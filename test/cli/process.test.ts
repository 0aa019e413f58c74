import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { until } from '../../src/lib/async/until.ts';
import { API_KEY, useTestApp } from '../support/app.ts';
import { readNdjson, runCli, scratch, toyFile, toyUsers, words } from './command-line.ts';
import { fakeService, importLikeTheService, NDJSON } from './fake-service.ts';
import { COMMAND, ENV, Tool, tool } from './tool-process.ts';

const service = await useTestApp();
const url = await service.app.listen({ port: 0, host: '127.0.0.1' });

/** Runs shell text, in which `TOOL` is the command of the tool. */
async function shell(text: string): Promise<{ exitCode: number | null; output: string }> {
  const command = COMMAND.map((word) => `'${word}'`).join(' ');
  const run = new Tool(['bash', '--norc', '-c', text.replaceAll('TOOL', command)]);
  return { exitCode: await run.ended(), output: run.output };
}

describe('a pipe', () => {
  it('that is closed early is no failure', async () => {
    const file = toyFile(scratch(), toyUsers(5000));
    const { output } = await shell(`TOOL convert '${file}' | head -1; echo "exit \${PIPESTATUS[0]}"`);
    const [line = '', ...rest] = output.trimEnd().split('\n');
    expect(JSON.parse(line)).toMatchObject({ externalUserId: 'u0' });
    expect(rest).toEqual(['exit 0']);
  });

  it('that is closed does not hide the exit code of the work', async () => {
    const file = toyFile(scratch(), [...toyUsers(3), '{"broken']);
    const fake = await fakeService((request, response) => importLikeTheService(request, response));
    const { output } = await shell(
      `(TOOL import '${file}' --url ${fake.url} --yes --json; echo "exit $?" >&2) | true`,
    );
    expect(output).toContain('exit 2');
  });

  it('or file that is full ends the tool without a stack trace', async () => {
    const file = toyFile(scratch(), toyUsers(3));
    const { output } = await shell(`TOOL convert '${file}' -q > /dev/full; echo "exit $?" >&2`);
    expect(output).toBe('stdout cannot be written: the disk is full.\nexit 1\n');
  });

  it('may be an input, although it can be read only once', async () => {
    const file = toyFile(scratch(), toyUsers(3));
    const { exitCode, output } = await shell(`TOOL convert <(cat '${file}') -q`);
    expect([exitCode, readNdjson(output).length]).toEqual([0, 3]);
  });
});

describe('a process that is killed', () => {
  it('continues when it is run again, with the same result', async () => {
    const USERS = 8000;
    const directory = scratch();
    const file = toyFile(directory, toyUsers(USERS, 100_000));
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
      rows: USERS,
      imported: USERS,
      created: USERS,
      updated: 0,
      resumed: true,
    });
    expect(await written()).toBe(USERS);
    expect(readNdjson(readFileSync(report, 'utf8')).map(({ row }) => row)).toEqual(
      Array.from({ length: USERS }, (_, index) => index + 1),
    );
  });

  it('by a signal exits in order', async () => {
    const fake = await fakeService((request, response) => {
      response.writeHead(200, NDJSON);
      request.resume();
    });
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
    const runs = signals.map(() =>
      tool('import', toyFile(scratch(), toyUsers(2)), '--url', fake.url, '--yes', '--new'),
    );
    expect(await until(() => fake.streams.length === runs.length, 30_000)).toBe(true);
    const kill = () => runs.forEach(({ child }, index) => void child.kill(signals[index]));
    kill();
    // Sent lines are never answered, and the second signal does not wait for them.
    await until(() => false, 100);
    kill();
    expect(await Promise.all(runs.map((run) => run.ended()))).toEqual([130, 143, 129]);
  });
});

it('a refused import shows the reason, although it is still sending', async () => {
  const file = toyFile(scratch(), toyUsers(20_000, 200_000));
  const begun = await service.send('POST', '/bulk-import/stream?importId=refused', '{}', {
    'content-type': 'application/x-ndjson',
  });
  expect(begun.status).toBe(200);
  // The service answers at once and closes the connection, with most of the body unread.
  const flags = ['--yes', '--retry-for', '5s', '--import-id', 'refused', '--on-conflict', 'skip'];
  const { code, stderr } = await runCli(['import', file, '--url', url, ...flags]);
  expect(code).toBe(1);
  expect(stderr).toContain('The service says IMPORT_OPTIONS_DIFFER');
  expect(stderr).not.toContain('Trying again');
});

describe('secrets', () => {
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

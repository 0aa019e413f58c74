import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream/promises';
import { expect, it, onTestFinished } from 'vitest';

const FIREBASE = ['users.json', 'hash_config.txt'].map((name) => `test/sources/samples/firebase/${name}`);

/**
 * Runs the demo. Once it has a database, sends its processes this signal, if any. Returns the exit code and
 * the path of the database.
 */
async function runDemo(args: readonly string[], signal?: NodeJS.Signals) {
  // Vitest sets a BASE_URL.
  const { BASE_URL: _, ...env } = process.env;
  const child = spawn(process.execPath, ['--import', 'tsx', 'examples/demo.ts', ...args], {
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const exited = once(child, 'exit');
  let data = '';
  for await (const line of createInterface({ input: child.stdout })) {
    const [, directory] = /thrown away afterwards \((.+)\)$/.exec(line) ?? [];
    if (directory === undefined) continue;
    data = directory;
    if (signal !== undefined && child.exitCode === null) process.kill(-(child.pid ?? 0), signal);
  }
  const [code] = await exited;
  return { code, data };
}

// test/readme.test.ts runs it to its end.
it.each([
  ['users.json, until Ctrl-C', [], 'SIGINT'],
  ['an export, until it is asked to end', FIREBASE, 'SIGTERM'],
] as const)('leaves no user on the disk: %s', { timeout: 60_000 }, async (_, args, signal) => {
  const { data } = await runDemo(args, signal);
  expect(data).toMatch(/\/user-import-(core(-\d+)?\/\w+|demo-\w+\/postgres)$/);
  expect(existsSync(data)).toBe(false);
});

it('reads a file that can be read only once', { timeout: 60_000 }, async () => {
  const directory = await mkdtemp(join(tmpdir(), 'uic-demo-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const pipe = join(directory, 'users.json');
  const [users = '', config = ''] = FIREBASE;
  execFileSync('mkfifo', [pipe]);
  const written = pipeline(createReadStream(users), createWriteStream(pipe));
  const { code, data } = await runDemo([pipe, config]);
  expect([code, existsSync(data)]).toEqual([2, false]);
  await written;
});

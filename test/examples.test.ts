import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { API_KEY, createTestApp } from './support/app.ts';
import { BCRYPT } from './support/example-hashes.ts';

/** Scripts that import a file over the bulk stream, with the question whether their language is installed. */
const SCRIPTS = [
  { command: ['python3', 'examples/import_users.py'], version: ['python3', '--version'] },
  {
    // The first time, Go compiles its library, which takes half as long without optimisations and without C.
    command: ['go', 'run', '-gcflags=all=-N -l', 'examples/import-users.go'],
    env: { CGO_ENABLED: '0' },
    version: ['go', 'version'],
  },
];

it.for(SCRIPTS)(
  '$version.0: a script imports a file, and a user signs in',
  { timeout: 300_000 },
  async (script, context) => {
    const [program = '', ...args] = script.command;
    const [asked = '', ...flags] = script.version;
    if (spawnSync(asked, flags).status !== 0) {
      // CI installs Python, but not Go, which is large.
      if (process.env.CI !== undefined && program === 'python3') throw new Error('CI has no python3');
      context.skip(`${program} is not installed`);
    }
    const service = await createTestApp();
    onTestFinished(() => service.close());
    const directory = mkdtempSync(join(tmpdir(), 'uic-example-'));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    const file = join(directory, 'users.ndjson');
    const users = Array.from({ length: 5000 }, (_, index) => ({
      email: `user-${index}@example.com`,
      passwordHash: BCRYPT.hash,
    }));
    const lines = [...users, { email: 'bad@example.com', passwordHash: 'x' }];
    writeFileSync(file, lines.map((line) => JSON.stringify(line)).join('\n'));
    const run = async (key: string) => {
      const child = spawn(program, [...args, file, 'user-7@example.com'], {
        env: {
          ...process.env,
          ...script.env,
          USER_IMPORT_API_KEY: key,
          USER_IMPORT_URL: await service.app.listeningOrigin,
        },
      });
      child.stdin.end(`${BCRYPT.password}\n`);
      const ended = once(child, 'close');
      const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
      return { code: (await ended)[0], stdout, stderr };
    };
    await service.app.listen({ port: 0, host: '127.0.0.1' });
    const refused = await run('x'.repeat(24));
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('401')]);
    const done = { code: 0, stdout: '5001 lines: 5000 created, 1 failed\nsign-in: OK\n' };
    expect(await run(API_KEY)).toMatchObject({
      ...done,
      stderr: expect.stringMatching(/^line 5001: \w+\n$/),
    });
    // Again: the same file continues the same import, which is complete.
    expect(await run(API_KEY)).toMatchObject(done);
    expect((await service.send('GET', '/users/count')).body.count).toBe(5000);
  },
);

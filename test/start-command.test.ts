import { execFile } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { LAUNCHER, nodeFlags } from './support/start-command.ts';

const run = promisify(execFile);
const read = (name: string) => readFileSync(new URL(`../${name}`, import.meta.url), 'utf8');

/** Runs the launcher through a link, as npm installs it, with a node that prints its pool size and arguments. */
async function launch(args: string[], env: Record<string, string> = {}) {
  const directory = mkdtempSync(join(tmpdir(), 'uic-launcher-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const bin = join(directory, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'node'), '#!/bin/sh\necho "$UV_THREADPOOL_SIZE" "$@"\n', { mode: 0o755 });
  symlinkSync(LAUNCHER, join(bin, 'user-import-core'));
  const PATH = `${bin}:${process.env.PATH}`;
  return run(join(bin, 'user-import-core'), args, { cwd: directory, env: { PATH, ...env } }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout: stdout.trim(), stderr }),
    ({ code, stdout, stderr }) => ({ code, stdout: stdout.trim(), stderr }),
  );
}

const ROOT = join(LAUNCHER, '../..');

it('the service gets two threads more than there are cores, unless the environment says otherwise', async () => {
  const service = `${nodeFlags().join(' ')} ${ROOT}/bin/../dist/main.js`;
  expect(nodeFlags()).not.toEqual([]);
  expect((await launch([])).stdout).toBe(`${availableParallelism() + 2} ${service}`);
  expect((await launch([], { UV_THREADPOOL_SIZE: '9' })).stdout).toBe(`9 ${service}`);
});

it('migrate takes options, and other arguments are refused', async () => {
  const migrate = await launch(['migrate', '--shards', '8']);
  expect(migrate.stdout).toBe(`${ROOT}/bin/../dist/migrate.js --shards 8`);
  const usage = expect.stringContaining('Usage: user-import-core ');
  expect(await launch(['import', 'users.csv'])).toEqual({ code: 2, stdout: '', stderr: usage });
  expect(await launch(['--help'])).toEqual({ code: 0, stdout: '', stderr: usage });
});

it('npm and the image run the launcher, and npm compiles at installation', () => {
  const { scripts } = JSON.parse(read('package.json'));
  expect(scripts.prepare).toBe('release/compile-if-changed.sh');
  expect(scripts.start).toBe('release/compile-if-changed.sh && exec bin/user-import-core');
  expect(read('Dockerfile')).toMatch(/^CMD \["user-import-core"\]$/m);
});

it('the sources are compiled once, and again after a change of one of them', async () => {
  const copy = mkdtempSync(join(tmpdir(), 'uic-compile-'));
  onTestFinished(() => rmSync(copy, { recursive: true }));
  // dist has the folders of src, such as sources.
  for (const name of ['release', 'src/lib', 'dist/sources', 'bin'])
    mkdirSync(join(copy, name), { recursive: true });
  const script = join(copy, 'release/compile-if-changed.sh');
  copyFileSync(join(ROOT, 'release/compile-if-changed.sh'), script);
  for (const name of ['tsconfig.json', 'tsconfig.build.json', 'src/lib/one.ts', 'src/lib/two.ts'])
    writeFileSync(join(copy, name), '');
  // Stand for the compiler and for npm, which runs it.
  writeFileSync(join(copy, 'bin/tsc'), '', { mode: 0o755 });
  writeFileSync(join(copy, 'bin/npm'), `#!/bin/sh\necho built\n`, {
    mode: 0o755,
  });
  const PATH = `${copy}/bin:${process.env.PATH}`;
  const compile = async () => (await run(script, [], { env: { PATH } })).stdout;
  const change = (text: string) => writeFileSync(join(copy, 'src/lib/one.ts'), text);
  expect(await compile()).toBe('built\n');
  expect(await compile()).toBe('');
  const past = new Date(Date.now() - 60_000);
  change('as from an archive');
  utimesSync(join(copy, 'src/lib/one.ts'), past, past);
  expect(await compile()).toBe('built\n');
  expect(await compile()).toBe('');
  rmSync(join(copy, 'src/lib/two.ts'));
  expect(await compile()).toBe('built\n');
  // Without a compiler, a start would run what was compiled before the change. An installation need not compile.
  rmSync(join(copy, 'bin/tsc'));
  change('again');
  const bare = { PATH: `${copy}/bin:/usr/bin:/bin` };
  await expect(run(script, [], { env: { ...bare, npm_lifecycle_event: 'start' } })).rejects.toThrow(
    'Not compiled',
  );
  await run(script, [], { env: { ...bare, npm_lifecycle_event: 'prepare' } });
});

it('the launcher has flags that this version of Node accepts', async () => {
  const flags = nodeFlags();
  const { stdout, stderr } = await run(process.execPath, [...flags, '-p', 'process.execArgv.join()']);
  expect([stdout.trim(), stderr]).toEqual([`${flags},-p,process.execArgv.join()`, '']);
});

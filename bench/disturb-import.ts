/**
 * Usage: `npm run build && npx tsx bench/disturb-import.ts [name …]`. Disturbs imports by other means than
 * kills: a frozen service, a full disk, pipes that nobody reads, another port, another key, two tools, a
 * rollback, and a proxy (HAProxy, if installed). Prints what the tool says, and compares the result like
 * bench/kill-import.ts. Requires root for the full disk.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../src/lib/async/free-port.ts';
import { writeExport } from './export-files.ts';
import { API_KEY } from './fixtures.ts';
import { type Ended, ImportStage, ToolRun } from './import-stage.ts';
import { differences, type ImportState, readState } from './import-state.ts';
import { messyFirebase } from './messy-exports.ts';

const USERS = Number(process.env.KILL_USERS ?? 60_000);
const FILES = ['--force', '--report', 'report.ndjson', '--rejects', 'rejects.ndjson'];

const directory = await mkdtemp(join(tmpdir(), 'uic-disturb-'));
const stage = await ImportStage.open(join(directory, 'postgres'));
const file = join(directory, 'users.json');
await writeExport(file, messyFirebase, USERS);
const settings = Object.entries(messyFirebase.settings ?? {}).flatMap(([key, value]) => [
  '--set',
  `${key}=${value}`,
]);

/** Begins a run in its own directory, with a link to the file. */
function begin(where: string, more: readonly string[] = [], url = stage.url): ToolRun {
  const cwd = join(directory, where);
  mkdirSync(cwd, { recursive: true });
  if (!existsSync(join(cwd, 'users.json'))) execFileSync('ln', ['-s', file, join(cwd, 'users.json')]);
  return new ToolRun(
    ['import', 'users.json', ...settings, '--url', url, '--yes', '--json', ...FILES, ...more],
    { cwd },
  );
}

/** Resolves when the service has imported this many lines, or when the tool has ended. */
async function underway(run: ToolRun, lines = 5000): Promise<void> {
  while (!run.isOver) {
    const [row] = await stage
      .query<{ lines: string | null }>('select sum(lines) as lines from import_chunks')
      .catch(() => []);
    if (Number(row?.lines ?? 0) >= lines) return;
    await sleep(20);
  }
}

const tell = (who: string, { code, signal, stderr, stdout, ms }: Ended) =>
  console.log(
    `  ${who}: exit ${code ?? signal} after ${Math.round(ms)} ms\n    stderr: ${stderr.trimEnd().replaceAll('\n', '\n            ')}\n    stdout: ${stdout.slice(0, 200).trimEnd()}`,
  );

let wanted: ImportState;
let wrong = 0;

async function compare(where: string, ended: Ended): Promise<void> {
  const cwd = join(directory, where);
  const found =
    ended.code === 2
      ? differences(wanted, await readState(stage, cwd, ended), cwd)
      : [`it ended with ${ended.code}`];
  wrong += found.length;
  console.log(found.length === 0 ? '  same end state' : `  WRONG: ${found.join('\n  ')}`);
}

async function expectNothingLeft(where: string): Promise<void> {
  const left = (await readdir(join(directory, where))).filter((name) => name !== 'users.json');
  if (left.length === 0) return;
  wrong += 1;
  console.log(`  WRONG: left over: ${left.join(', ')}`);
}

/** Runs the import again, undisturbed, and compares the results. */
async function again(where: string): Promise<void> {
  const ended = await begin(where).ended;
  tell('again', ended);
  await compare(where, ended);
}

/** Imports through a proxy with short timeouts, which may be reloaded meanwhile. */
async function throughProxy(where: string, timeout: string): Promise<void> {
  const port = await freePort();
  const path = join(directory, `${where}.cfg`);
  writeFileSync(
    path,
    `defaults\n mode http\n timeout connect 1s\n timeout client ${timeout}\n timeout server ${timeout}\nfrontend in\n bind 127.0.0.1:${port}\n default_backend out\nbackend out\n server one 127.0.0.1:${stage.port}\n`,
  );
  const proxy = spawn('haproxy', ['-q', '-db', '-f', path], { stdio: 'inherit' });
  await sleep(500);
  const run = begin(where, [], `http://127.0.0.1:${port}`);
  await underway(run);
  // Longer than the timeout of the proxy.
  process.kill(stage.servicePid, 'SIGSTOP');
  await sleep(3000);
  process.kill(stage.servicePid, 'SIGCONT');
  const ended = await run.ended;
  tell('tool', ended);
  await compare(where, ended);
  proxy.kill('SIGKILL');
  await once(proxy, 'exit');
}

const SCENES: Record<string, (name: string) => Promise<void>> = {
  async frozen(name) {
    const run = begin(name);
    await underway(run);
    process.kill(stage.servicePid, 'SIGSTOP');
    await sleep(100_000);
    process.kill(stage.servicePid, 'SIGCONT');
    const ended = await run.ended;
    tell('tool', ended);
    await compare(name, ended);
  },
  async 'full-disk'(name) {
    const cwd = join(directory, name);
    mkdirSync(cwd);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=3m', 'tmpfs', cwd]);
    try {
      const ended = await begin(name).ended;
      tell('tool', ended);
      await expectNothingLeft(name);
      execFileSync('mount', ['-o', 'remount,size=64m', cwd]);
      await again(name);
    } finally {
      execFileSync('umount', [cwd]);
    }
  },
  async 'unread-pipes'(name) {
    const run = begin(name);
    run.child.stdout?.pause();
    run.child.stderr?.pause();
    await once(run.child, 'exit');
    run.child.stdout?.resume();
    run.child.stderr?.resume();
    await compare(name, await run.ended);
  },
  async 'other-port'(name) {
    const run = begin(name, ['--retry-for', '5s']);
    await underway(run);
    await stage.killService();
    await stage.startService({ PORT: String(await freePort()) });
    tell('tool', await run.ended);
    await expectNothingLeft(name);
    await stage.killService();
    await stage.startService();
    await again(name);
  },
  async 'other-key'(name) {
    const run = begin(name);
    await underway(run);
    await stage.killService();
    await stage.startService({ API_KEYS: 'another-key-0123456789-abc' });
    tell('tool', await run.ended);
    await expectNothingLeft(name);
    await stage.killService();
    await stage.startService();
    await again(name);
  },
  async 'two-tools'(name) {
    const first = begin(name);
    await underway(first);
    const second = begin(name);
    const [one, two] = await Promise.all([first.ended, second.ended]);
    tell('first', one);
    tell('second', two);
    await compare(name, two);
  },
  async 'two-at-once'(name) {
    const runs = [begin(name), begin(name)];
    const ended = await Promise.all(runs.map((run) => run.ended));
    for (const [index, one] of ended.entries()) tell(`tool ${index + 1}`, one);
    const done = ended.find(({ code }) => code === 2) ?? ended[0];
    if (done !== undefined) await compare(name, done);
  },
  async rollback(name) {
    const run = begin(name);
    await underway(run);
    const [, id = ''] = /^Importing .* as (\S+)/m.exec(run.stderr) ?? [];
    const back = await new ToolRun(['rollback', id, '--yes', '--json', '--url', stage.url], {
      cwd: directory,
      key: API_KEY,
    }).ended;
    tell('rollback', back);
    tell('tool', await run.ended);
    await expectNothingLeft(name);
    const [left] = await stage.query('select count(*)::int as users from users');
    console.log('  left of it:', left);
    tell('again', await begin(name).ended);
    const renewed = await begin(name, ['--new']).ended;
    tell('--new', renewed);
  },
  async 'retry-for'(name) {
    const run = begin(name, ['--retry-for', '5s']);
    await underway(run);
    await stage.killPostgres();
    tell('tool', await run.ended);
    await expectNothingLeft(name);
    await stage.startPostgres();
    await again(name);
  },
  proxy: (name) => throughProxy(name, '2s'),
  'slow-proxy': (name) => throughProxy(name, '10s'),
};

await stage.reset('undisturbed_0');
const undisturbed = await begin('undisturbed').ended;
wanted = await readState(stage, join(directory, 'undisturbed'), undisturbed);
const named = process.argv.slice(2);
for (const name of named.length > 0 ? named : Object.keys(SCENES)) {
  console.log(name);
  await stage.reset(name.replaceAll('-', '_'));
  await SCENES[name]?.(name);
}
await stage.close();
await rm(directory, { recursive: true, force: true });
console.log(`${wrong} wrong`);
if (wrong > 0) process.exitCode = 1;

import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { until } from '../../src/lib/async/until.ts';
import { readNdjson, runCli, scratch, toyFile, toyUsers } from './command-line.ts';
import { fakeService, importLikeTheService } from './fake-service.ts';
import { COMMAND, ENV } from './tool-process.ts';

let directory: string;
let users: string;
beforeEach(() => {
  directory = scratch();
  users = toyFile(directory, [...toyUsers(2), '{']);
});

const at = (name: string) => join(directory, name);

describe('a report can be written to devices and pipes', () => {
  it('to /dev/null, also both outputs', async () => {
    const { code } = await runCli(['convert', users, '--report', '/dev/null', '--rejects', '/dev/null']);
    expect([code, statSync('/dev/null').isCharacterDevice()]).toEqual([2, true]);
  });

  it('to /dev/stdout and /dev/stderr', async () => {
    const service = await fakeService((request, response) => importLikeTheService(request, response));
    const [program, ...rest] = COMMAND;
    const args = ['import', users, '--yes', '--quiet', '--url', service.url];
    const child = spawn(program, [...rest, ...args, '--report', '/dev/stdout', '--rejects', '/dev/fd/2'], {
      env: ENV,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const said = { stdout: '', stderr: '' };
    child.stdout.on('data', (text) => {
      said.stdout += text;
    });
    child.stderr.on('data', (text) => {
      said.stderr += text;
    });
    await once(child, 'close');
    expect([child.exitCode, readNdjson(said.stdout).length, readNdjson(said.stderr).length]).toEqual([
      2, 3, 1,
    ]);
  });

  it('but not to the standard output that has the lines', async () => {
    const { code, stderr } = await runCli(['convert', users, '--report', '/dev/stdout']);
    expect([code, stderr]).toMatchObject([
      1,
      expect.stringContaining('results of this command go to stdout'),
    ]);
  });

  it('to a pipe, even with more data than it holds, but not if nobody reads it', async () => {
    const many = toyFile(directory, toyUsers(5000), 'many.ndjson');
    execFileSync('mkfifo', [at('pipe')]);
    const unread = await runCli(['convert', many, '--report', at('pipe')]);
    expect([unread.code, unread.stderr]).toMatchObject([
      1,
      expect.stringContaining('is a pipe without a reader'),
    ]);
    const reader = spawn('cat', [at('pipe')], { stdio: ['ignore', openSync(at('read'), 'w'), 'ignore'] });
    // cat is blocked in open until the tool opens the pipe for writing.
    expect(await until(() => isWaiting(reader.pid), 10_000)).toBe(true);
    const { code } = await runCli(['convert', many, '--report', at('pipe')]);
    if (reader.exitCode === null) await once(reader, 'exit');
    expect([code, readNdjson(readFileSync(at('read'), 'utf8')).length]).toEqual([0, 5000]);
    expect(statSync(at('pipe')).isFIFO()).toBe(true);
  });

  it('but not to a terminal', () => {
    const command = [
      ...COMMAND,
      'import',
      users,
      '--yes',
      '--report',
      '/dev/tty',
      '--url',
      'http://127.0.0.1:1',
    ];
    const { stdout } = spawnSync('script', ['-qec', command.join(' '), '/dev/null'], {
      env: ENV,
      encoding: 'utf8',
    });
    expect(stdout).not.toContain('example.com');
  });
});

const isWaiting = (pid: number | undefined) =>
  readFileSync(`/proc/${pid}/wchan`, 'utf8').includes('fifo') ||
  readFileSync(`/proc/${pid}/syscall`, 'utf8').startsWith('257 ');

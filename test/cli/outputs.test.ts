import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
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
const keep = (name: string, text = `the text of ${name}`) => {
  writeFileSync(at(name), text);
  return at(name);
};

const LINKS: readonly [way: string, name: (path: string) => string][] = [
  [
    'a symbolic link',
    (path) => {
      symlinkSync(path, at('link'));
      return at('link');
    },
  ],
  [
    'a hard link',
    (path) => {
      linkSync(path, at('hard'));
      return at('hard');
    },
  ],
];

describe.each(['import', 'convert'])('%s replaces no file', (command) => {
  const more = command === 'import' ? ['--yes', '--url', 'http://127.0.0.1:1'] : [];

  it.each(['--report', '--rejects'])('%s names a file that exists', async (flag) => {
    const path = keep('there');
    const { code, stderr } = await runCli([command, users, ...more, flag, path]);
    expect([code, readFileSync(path, 'utf8')]).toEqual([1, 'the text of there']);
    expect(stderr).toContain('there exists. Name another file, or add --force.');
    expect(readdirSync(directory).sort()).toEqual(['there', 'users.ndjson']);
  });

  it.each([['itself', (path: string) => path] as const, ...LINKS])(
    'an input is not replaced with --force either: %s',
    async (_, name) => {
      const before = readFileSync(users);
      const { code, stderr } = await runCli([command, users, ...more, '--force', '--report', name(users)]);
      expect([code, readFileSync(users).equals(before)]).toEqual([1, true]);
      expect(stderr).toMatch(/is one of the files that are read|is not a regular file/);
    },
  );
});

it('with --force, a file is replaced', async () => {
  const path = keep('there');
  expect((await runCli(['convert', users, '--force', '--report', path])).code).toBe(2);
  expect(readNdjson(readFileSync(path, 'utf8'))).toHaveLength(3);
});

it('the file of another flag is not replaced with --force either', async () => {
  const answers = keep('answers', '{"active":["everybody"]}');
  const link = at('hard');
  linkSync(answers, link);
  for (const report of [answers, link]) {
    const args = ['convert', users, '--mapping', answers, '--force', '--report', report];
    expect((await runCli(args)).stderr).toContain('is the file of --mapping. Name another file.');
  }
  expect(readFileSync(answers, 'utf8')).toBe('{"active":["everybody"]}');
});

it('report and rejects must be different files, and not stdout', async () => {
  const { code, stderr } = await runCli(['convert', users, '--report', at('a'), '--rejects', at('./a')]);
  expect([code, stderr]).toMatchObject([1, expect.stringContaining('name the same file')]);
  const piped = await runCli(['convert', users, '--report', '-']);
  expect([piped.code, piped.stderr]).toEqual([1, '--report -: stdout is for results. Name a file.\n']);
});

it('other files beside the report are kept, whatever their names', async () => {
  const part = toyFile(directory, toyUsers(2), 'report.part');
  const other = keep('rejects.part');
  const before = readFileSync(part);
  const { code } = await runCli(['convert', part, '--report', at('report'), '--rejects', at('rejects')]);
  expect(code).toBe(0);
  expect([readFileSync(part).equals(before), readFileSync(other, 'utf8')]).toEqual([
    true,
    'the text of rejects.part',
  ]);
  expect(readdirSync(directory).sort()).toEqual([
    ...['rejects', 'rejects.part', 'report', 'report.part', 'users.ndjson'],
  ]);
});

it('a file that appears during the run is not replaced', async () => {
  const report = at('report.ndjson');
  const service = await fakeService((request, response) =>
    importLikeTheService(request, response, (line) => {
      if (line === 1) linkSync(users, report);
      return undefined;
    }),
  );
  const before = readFileSync(users);
  const { code, stderr } = await runCli(['import', users, '--yes', '--url', service.url, '--report', report]);
  expect([code, readFileSync(report).equals(before)]).toEqual([1, true]);
  expect(stderr).toContain('exists');
  expect(readdirSync(directory).sort()).toEqual(['report.ndjson', 'users.ndjson']);
});

describe('an export given twice', () => {
  it.each(LINKS)('is refused: %s', async (_, name) => {
    const { code, stderr } = await runCli(['convert', users, name(users)]);
    expect([code, stderr]).toMatchObject([1, expect.stringMatching(/the same file: name it once\.\n$/)]);
  });
});

const toolWith = (args: readonly string[], stdio: (number | 'pipe' | 'ignore')[], env = ENV) => {
  const [program, ...rest] = COMMAND;
  return spawnSync(program, [...rest, ...args], { env, stdio, encoding: 'utf8', cwd: process.cwd() });
};

describe('standard streams that are files', () => {
  it('that are an input are not appended to', () => {
    const before = readFileSync(users);
    const descriptor = openSync(users, 'a');
    const { status, stderr } = toolWith(['convert', users], ['ignore', descriptor, 'pipe']);
    closeSync(descriptor);
    expect([status, readFileSync(users).equals(before)]).toEqual([1, true]);
    expect(stderr).toContain('stdout is redirected to');
  });
});

it.each(['SIGTERM', 'SIGKILL'] as const)('the copy of standard input is removed after %s', async (signal) => {
  mkdirSync(at('tmp'));
  const [program, ...rest] = COMMAND;
  const child = spawn(program, [...rest, 'convert', '-', '--rejects', at('rejects')], {
    env: { ...ENV, TMPDIR: at('tmp') },
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  child.stdin.write(readFileSync(users));
  const copied = () => readdirSync(at('tmp')).some((name) => name.startsWith('user-import-'));
  expect(await until(copied, 20_000)).toBe(true);
  await new Promise((resolve) => setTimeout(resolve, 300));
  child.kill(signal);
  await once(child, 'close');
  const left = readdirSync(at('tmp'))
    .filter((name) => name.startsWith('user-import-'))
    .flatMap((name) => readdirSync(at(`tmp/${name}`)));
  expect(left).toEqual([]);
  expect(readdirSync(directory).sort()).toEqual(['tmp', 'users.ndjson']);
});

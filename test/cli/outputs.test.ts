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
import { basename, join, relative } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { until } from '../../src/lib/async/until.ts';
import { runCli, scratch, toyFile, toyUsers } from './command-line.ts';
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

const NAMES: readonly [way: string, name: (path: string) => string][] = [
  ['itself', (path) => path],
  ['relative to the directory', (path) => relative(process.cwd(), path)],
  ['with dots', (path) => `${directory}/../${basename(directory)}/./${basename(path)}`],
  [
    'a symbolic link',
    (path) => {
      symlinkSync(path, at('link'));
      return at('link');
    },
  ],
  [
    'a link to its directory',
    (path) => {
      symlinkSync(directory, at('linked'));
      return join(at('linked'), basename(path));
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

/** Files that a command reads, and the arguments that name them. */
const READ: readonly [what: string, make: () => { path: string; args: string[]; env?: NodeJS.ProcessEnv }][] =
  [
    ['the export', () => ({ path: users, args: [] })],
    [
      'a second export',
      () => {
        const path = toyFile(directory, toyUsers(1, 10), 'more.ndjson');
        return { path, args: [path] };
      },
    ],
    [
      'a mapping',
      () => {
        const path = keep('mapping.json', '{"columns":{"id":"id"}}');
        return { path, args: ['--map', `@${path}`] };
      },
    ],
    [
      'the passwords of databases',
      () => {
        const path = keep('pgpass');
        return { path, args: [], env: { PGPASSFILE: path } };
      },
    ],
    [
      'certificates',
      () => {
        const path = keep('ca.pem');
        return { path, args: [], env: { NODE_EXTRA_CA_CERTS: path } };
      },
    ],
    [
      'the key of a connection to a database',
      () => {
        const path = keep('key.pem');
        return { path, args: [`postgres://127.0.0.1:1/app?sslkey=${encodeURIComponent(path)}`] };
      },
    ],
  ];

describe.each(['import', 'convert'])('%s overwrites none of its inputs', (command) => {
  for (const flag of ['--report', '--rejects'])
    for (const [what, make] of READ)
      for (const [way, name] of NAMES)
        it(`${flag} names ${what} by ${way}`, async () => {
          const { path, args, env } = make();
          const before = readFileSync(path);
          const more = command === 'import' ? ['--yes', '--url', 'http://127.0.0.1:1'] : [];
          const { code, stderr } = await runCli(
            [command, users, ...args, ...more, flag, name(path)],
            env && { env },
          );
          expect([code, readFileSync(path).equals(before)]).toEqual([1, true]);
          expect(stderr).toContain('it would be overwritten. Name another file.');
          expect(readdirSync(directory).filter((entry) => entry.endsWith('.part'))).toEqual([]);
        });
});

it('the file of the API key is not overwritten', async () => {
  const key = keep('key', 'a-key-of-the-tests-0123456789\n');
  const { code, stderr } = await runCli([
    ...['import', users, '--yes', '--url', 'http://127.0.0.1:1', '--api-key-file', key, '--report', key],
  ]);
  expect([code, readFileSync(key, 'utf8')]).toEqual([1, 'a-key-of-the-tests-0123456789\n']);
  expect(stderr).toContain('is the file of --api-key-file');
});

it.each(NAMES)('report and rejects must be different files: %s', async (_, name) => {
  const there = keep('there');
  const { code, stderr } = await runCli(['convert', users, '--report', there, '--rejects', name(there)]);
  expect([code, readFileSync(there, 'utf8')]).toEqual([1, 'the text of there']);
  expect(stderr).toContain('--report and --rejects name the same file.');
});

it('report and rejects must be different files even if they do not exist yet', async () => {
  symlinkSync(directory, at('linked'));
  const { code, stderr } = await runCli([
    ...['convert', users, '--report', at('new'), '--rejects', at('linked/new')],
  ]);
  expect([code, readdirSync(directory).sort()]).toEqual([1, ['linked', 'users.ndjson']]);
  expect(stderr).toContain('--report and --rejects name the same file.');
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

it('a file that becomes an input during the run is not overwritten', async () => {
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
  expect(stderr).toContain('is one of the files that are read');
  expect(readdirSync(directory).sort()).toEqual(['report.ndjson', 'users.ndjson']);
});

describe('an export given twice', () => {
  it.each(NAMES.slice(1))('is refused: %s', async (_, name) => {
    const { code, stderr } = await runCli(['convert', users, name(users)]);
    expect([code, stderr]).toMatchObject([1, expect.stringMatching(/the same file: name it once\.\n$/)]);
  });
});

const toolWith = (args: readonly string[], stdio: (number | 'pipe' | 'ignore')[], env = ENV) => {
  const [program, ...rest] = COMMAND;
  return spawnSync(program, [...rest, ...args], { env, stdio, encoding: 'utf8', cwd: process.cwd() });
};

describe('standard streams that are files', () => {
  it.each([
    ['stdin is the export', 0, 'r', ['convert', '-']],
    ['stdout has the lines', 1, 'w', ['convert', 'USERS']],
    ['stderr has what is said', 2, 'a', ['convert', 'USERS']],
  ] as const)('are not replaced by a report: %s', (_, stream, mode, words) => {
    const path = stream === 0 ? users : keep('stream', '');
    const before = readFileSync(path);
    const descriptor = openSync(path, mode);
    const stdio: (number | 'pipe')[] = ['pipe', 'pipe', 'pipe'];
    stdio[stream] = descriptor;
    const args = words.map((word) => (word === 'USERS' ? users : word));
    const { status, stderr } = toolWith([...args, '--rejects', path], stdio);
    closeSync(descriptor);
    expect(status).toBe(1);
    const said = stream === 2 ? readFileSync(path, 'utf8') : stderr;
    expect(said).toContain('is redirected: it would be overwritten');
    if (stream !== 2) expect(readFileSync(path).equals(before)).toBe(true);
  });

  it('that are an input are not appended to', () => {
    const before = readFileSync(users);
    const descriptor = openSync(users, 'a');
    const { status, stderr } = toolWith(['convert', users], ['ignore', descriptor, 'pipe']);
    closeSync(descriptor);
    expect([status, readFileSync(users).equals(before)]).toEqual([1, true]);
    expect(stderr).toContain('stdout is redirected to a file that is read');
  });
});

it.each(['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGKILL'] as const)(
  'the copy of standard input is removed after %s',
  async (signal) => {
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
  },
);

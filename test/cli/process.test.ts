import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, type TestContext } from 'vitest';
import { until } from '../../src/lib/async/until.ts';
import { API_KEY, createTestApp, type TestApp } from '../support/app.ts';
import { BCRYPT, readNdjson, scratch, toyFile, toyUsers } from './command-line.ts';
import { answer, fakeService, importLikeTheService, NDJSON } from './fake-service.ts';

const COMMAND = [process.execPath, '--import', 'tsx', join(import.meta.dirname, 'toy-cli.ts')] as const;
const ENV = { PATH: process.env.PATH ?? '', USER_IMPORT_API_KEY: API_KEY, TERM: 'xterm' };
const PROJECT = join(import.meta.dirname, '../..');

let service: TestApp;
let url: string;
beforeAll(async () => {
  service = await createTestApp();
  url = await service.app.listen({ port: 0, host: '127.0.0.1' });
});
afterAll(() => service.close());

/** A process, and all it says. */
class Tool {
  readonly child: ChildProcess;
  output = '';
  constructor(command: readonly string[], env: NodeJS.ProcessEnv = ENV) {
    const [program = '', ...args] = command;
    this.child = spawn(program, args, { env, cwd: PROJECT, stdio: 'pipe' });
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream?.on('data', (text) => {
        this.output += text;
      });
    }
    onTestFinished(() => void this.child.kill('SIGKILL'));
  }

  type(text: string): void {
    this.child.stdin?.write(text);
  }

  async says(text: string): Promise<void> {
    if (await until(() => this.output.includes(text), 15_000)) return;
    throw new Error(`it did not say ${text}, but:\n${this.output}`);
  }

  async ended(): Promise<number | null> {
    if (this.child.exitCode === null && this.child.signalCode === null) await once(this.child, 'close');
    return this.child.exitCode;
  }
}

const tool = (...args: string[]) => new Tool([...COMMAND, ...args]);

/** On a terminal of its own, as `script` of util-linux makes them; it passes on what is typed. */
function onTerminal(context: TestContext, args: readonly string[], env: NodeJS.ProcessEnv = ENV): Tool {
  try {
    execFileSync('script', ['--version'], { stdio: 'ignore' });
  } catch {
    if (process.env.CI === undefined) context.skip('script is not installed');
  }
  const command = [...COMMAND, ...args].map((word) => `'${word}'`).join(' ');
  return new Tool(['script', '-qefc', `stty cols 100; ${command}`, '/dev/null'], env);
}

describe('a pipe', { timeout: 60_000 }, () => {
  it('that is closed early is no failure', async () => {
    const file = toyFile(scratch(), toyUsers(20_000));
    const words = [...COMMAND, 'convert', file].map((word) => `'${word}'`).join(' ');
    const shell = new Tool(['bash', '--norc', '-c', `${words} | head -1; echo "exit \${PIPESTATUS[0]}"`]);
    expect(await shell.ended()).toBe(0);
    const [line = '', exit, ...rest] = shell.output.trimEnd().split('\n');
    expect(JSON.parse(line)).toMatchObject({ externalUserId: 'u0' });
    expect([exit, rest]).toEqual(['exit 0', []]);
  });

  it('may be what is read, where it can be read once only', async () => {
    const file = toyFile(scratch(), toyUsers(3));
    const words = COMMAND.map((word) => `'${word}'`).join(' ');
    const shell = new Tool(['bash', '--norc', '-c', `${words} convert <(cat '${file}') -q`]);
    expect(await shell.ended()).toBe(0);
    expect(readNdjson(shell.output)).toHaveLength(3);
  });
});

describe('a process that is killed', { timeout: 60_000 }, () => {
  it('goes on when it is run again, and comes to the same end', async () => {
    const directory = scratch();
    const file = toyFile(directory, toyUsers(30_000, 100_000));
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
      rows: 30_000,
      imported: 30_000,
      created: 30_000,
      updated: 0,
      resumed: true,
    });
    expect(await written()).toBe(30_000);
    expect(readNdjson(readFileSync(report, 'utf8')).map(({ row }) => row)).toEqual(
      Array.from({ length: 30_000 }, (_, index) => index + 1),
    );
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('by %s ends in order', async (signal, exitCode) => {
    const fake = await fakeService((request, response) => {
      response.writeHead(200, NDJSON);
      request.resume();
    });
    const run = tool('import', toyFile(scratch(), toyUsers(2)), '--url', fake.url, '--yes');
    expect(await until(() => fake.streams.length > 0, 15_000)).toBe(true);
    run.child.kill(signal);
    // What was sent is never answered: the second one does not wait for it.
    await until(() => false, 100);
    run.child.kill(signal);
    expect(await run.ended()).toBe(exitCode);
  });
});

describe('secrets', { timeout: 60_000 }, () => {
  it('are nowhere to be read by other processes, nor said', async () => {
    const directory = scratch();
    const keyFile = join(directory, 'key');
    writeFileSync(keyFile, `${API_KEY}\n`);
    let seen = '';
    const fake = await fakeService((request, response) => {
      seen = readFileSync(`/proc/${run.child.pid}/cmdline`, 'latin1');
      return importLikeTheService(request, response);
    });
    const run = new Tool(
      [
        ...COMMAND,
        'import',
        toyFile(directory, toyUsers(3)),
        '--url',
        fake.url,
        '--api-key-file',
        keyFile,
        '--yes',
      ],
      { PATH: ENV.PATH },
    );
    expect(await run.ended()).toBe(0);
    expect(seen).toContain('--api-key-file');
    expect(seen + run.output + fake.streams.join()).not.toContain(API_KEY);
    expect(fake.requests.at(-1)?.headers['api-key']).toBe(API_KEY);
    expect(run.output).not.toMatch(/example\.com|\$2y\$/);
  });
});

describe('on a terminal', { timeout: 60_000 }, () => {
  it('asks for the password without showing it', async (context) => {
    const file = toyFile(scratch(), [{ email: 'ada@example.com', hash: BCRYPT }]);
    const run = onTerminal(context, ['prove', file, '--email', 'ada@example.com', '--url', url]);
    await run.says('The password of that person: ');
    run.type('passwoX\x7frd\r');
    await run.says('It matches.');
    expect(await run.ended()).toBe(0);
    expect(run.output).not.toMatch(/passwo(?!rd of that)/);
  });

  it('gives up the question for Ctrl-C', async (context) => {
    const file = toyFile(scratch(), [{ email: 'ada@example.com', hash: BCRYPT }]);
    const run = onTerminal(context, ['prove', file, '--email', 'ada@example.com', '--url', url]);
    await run.says('The password of that person: ');
    run.type('half\x03');
    expect(await run.ended()).toBe(130);
    expect(run.output).not.toContain('half');
  });

  it('inspects, rehearses, asks, imports with progress, and tells how to undo', {
    timeout: 60_000,
  }, async (context) => {
    const file = toyFile(scratch(), [
      ...toyUsers(2000, 200_000),
      { id: 'd', email: 'd@example.com', hash: BCRYPT, state: 'DISABLED' },
    ]);
    const run = onTerminal(context, ['import', file, '--url', url]);
    await run.says('[y/N]');
    expect(run.output).toContain('Toy exports');
    expect(run.output).toMatch(
      /Dry run.*: 2,001 rows = 2,000 imported \+ 1 skipped \+ 0 conflicts \+ 0 errors/,
    );
    expect(run.output).toContain('Nothing was written.');
    expect(run.output).toContain(`Import 2,000 users into ${url}?`);
    run.type('y\r');
    expect(await run.ended()).toBe(0);
    expect(run.output).toMatch(/To undo it: user-import rollback toy-[0-9a-f]{20}/);
    expect(run.output).toContain('\x1b[1m');
    expect(run.output).not.toMatch(/user200000@|EkVBmTI0/);
  });

  it('imports nothing unless the answer is yes', async (context) => {
    const file = toyFile(scratch(), toyUsers(2, 300_000));
    const run = onTerminal(context, ['import', file, '--url', url], { ...ENV, NO_COLOR: '1' });
    await run.says('[y/N]');
    run.type('\r');
    expect(await run.ended()).toBe(1);
    expect(run.output).toContain('Nothing was imported.');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are what it is about
    expect(run.output).not.toMatch(/\x1b\[\d+m/);
    expect((await service.send('GET', '/user/id?userId=u300000')).body.status).not.toBe('OK');
  });

  it('draws one line that fits, not more than five times a second', async (context) => {
    const fake = await fakeService((request, response) => {
      // Answers a hundred lines every 20 ms: two seconds.
      response.writeHead(200, NDJSON);
      let line = 0;
      const timer = setInterval(() => {
        for (let index = 0; index < 100; index += 1)
          response.write(`{"line":${++line},"status":"CREATED"}\n`);
        if (line < 10_000) return;
        clearInterval(timer);
        response.end('{"summary":{"lines":10000}}\n');
      }, 20);
      request.resume();
    });
    const file = toyFile(scratch(), toyUsers(10_000));
    const run = onTerminal(context, ['import', file, '--url', fake.url, '--yes']);
    expect(await run.ended()).toBe(0);
    const drawn = run.output.split('\r').filter((text) => text.startsWith('importing '));
    expect(drawn.length).toBeGreaterThan(2);
    const texts = drawn.map((text) => text.split('\x1b[K')[0] ?? '');
    expect(texts.filter((text) => text.length > 99)).toEqual([]);
    expect(texts.at(-1)).toMatch(/^importing [\d,]+ rows .*[\d,]+ rows\/s · .*imported [\d,]+/);
  });

  it('asks for the id before it rolls back', async (context) => {
    const file = toyFile(scratch(), toyUsers(2, 400_000));
    const imported = tool('import', file, '--url', url, '--yes', '--import-id', 'typed-id');
    expect(await imported.ended()).toBe(0);
    const wrong = onTerminal(context, ['rollback', 'typed-id', '--url', url]);
    await wrong.says('Type the id of the import to go on: ');
    wrong.type('typed\r');
    expect([await wrong.ended(), wrong.output.includes('Nothing was changed.')]).toEqual([1, true]);
    const right = onTerminal(context, ['rollback', 'typed-id', '--url', url]);
    await right.says('Type the id of the import to go on: ');
    right.type('typed-id\r');
    expect([await right.ended(), right.output.includes('2  usersRemoved')]).toEqual([0, true]);
  });

  it('shows no lines of a conversion unless it is told to', async (context) => {
    const file = toyFile(scratch(), toyUsers(1));
    const run = onTerminal(context, ['convert', file]);
    expect(await run.ended()).toBe(1);
    expect(run.output).toContain('send them to a file');
    const shown = onTerminal(context, ['convert', file, '--show']);
    expect(await shown.ended()).toBe(0);
    expect(shown.output).toContain('user0@example.com');
  });
});

describe('rejects of the service', { timeout: 60_000 }, () => {
  it('come a page at a time', async () => {
    const asked: string[] = [];
    const fake = await fakeService(
      () => {},
      (request, response) => {
        asked.push(request.url ?? '');
        const cursor = Number(new URL(request.url ?? '', 'http://x').searchParams.get('cursor') ?? 0);
        const failures = [1, 2].map((line) => ({
          line: cursor + line,
          code: 'PASSWORD_HASH_INVALID',
          message: `so\u001b[31m it is ${line}`,
        }));
        answer(response, 200, {
          status: 'OK',
          failures,
          ...(cursor < 4 && { nextCursor: String(cursor + 2) }),
        });
      },
    );
    const run = tool('rejects', 'an-import', '--url', fake.url, '--code', 'PASSWORD_HASH_INVALID');
    expect(await run.ended()).toBe(0);
    expect(run.output.split('\n').slice(0, 2)).toEqual([
      '1\tPASSWORD_HASH_INVALID\tso [31m it is 1',
      '2\tPASSWORD_HASH_INVALID\tso [31m it is 2',
    ]);
    expect(run.output.trimEnd().split('\n')).toHaveLength(6);
    expect(asked[1]).toBe(
      '/bulk-import/imports/an-import/failures?limit=500&code=PASSWORD_HASH_INVALID&cursor=2',
    );
    const limited = tool('rejects', 'an-import', '--url', fake.url, '--limit', '2', '--json');
    expect(await limited.ended()).toBe(0);
    expect(readNdjson(limited.output)).toHaveLength(2);
  });
});

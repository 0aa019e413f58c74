import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { until } from '../../src/lib/async/until.ts';
import { CliRun, readNdjson, runCli, scratch, toyFile, toyUsers, words } from './command-line.ts';
import { answer, fakeService, importLikeTheService, NDJSON, tcpService } from './fake-service.ts';

const ROWS = 1200;

let directory: string;
let file: string;
let report: string;
beforeEach(() => {
  directory = scratch();
  file = toyFile(directory, [...toyUsers(ROWS - 1), '{"broken']);
  report = join(directory, 'report.ndjson');
});

const args = (url: string, ...more: string[]) =>
  words`import ${file} --url ${url} --yes --json --report ${report} ${more}`;
const importing = (url: string, ...more: string[]) => runCli(args(url, '--retry-for', '5s', ...more));
const reported = () => readNdjson(readFileSync(report, 'utf8'));

describe('a temporary failure is retried with the same import id', () => {
  it.each<[string, Parameters<typeof fakeService>[0]]>([
    [
      'a connection that breaks in the middle',
      (request, response) =>
        importLikeTheService(request, response, (line) => {
          if (line === 300) response.destroy();
          return undefined;
        }),
    ],
    ['a connection that breaks before an answer', (request) => request.socket.destroy()],
    [
      '503 of the service',
      (_, response) =>
        answer(response, 503, { code: 'OVERLOADED', message: 'too many' }, { 'retry-after': '1' }),
    ],
    ['502 of a proxy', (_, response) => answer(response, 502, '<html>Bad Gateway</html>')],
    [
      'an answer that ends without a summary',
      (_, response) => response.writeHead(200, NDJSON).end('{"line":1,"status":"CREATED"}\n'),
    ],
    [
      'an answer that ends in the middle of a line',
      (_, response) => response.writeHead(200, NDJSON).end('{"line":1,"sta'),
    ],
    [
      'a last line that says so',
      (_, response) =>
        response
          .writeHead(200, NDJSON)
          .end('{"error":{"code":"SHUTTING_DOWN","message":"stopping"},"importId":"x"}\n'),
    ],
    [
      'an answer of another line',
      (_, response) => response.writeHead(200, NDJSON).end('{"line":4000000,"status":"CREATED"}\n'),
    ],
    [
      'a summary before all is sent',
      (_, response) => response.writeHead(200, NDJSON).end('{"summary":{"lines":0}}\n'),
    ],
    ['a silent service', () => {}],
  ])('%s', async (what, first) => {
    const service = await fakeService((request, response, attempt) =>
      attempt === 1 ? first(request, response, attempt) : importLikeTheService(request, response),
    );
    // Short only in the test of timeouts, because a busy machine can be silent for some time.
    const timeout = what === 'a silent service' ? '2s' : '30s';
    const { code, stdout, stderr } = await importing(service.url, '--timeout', timeout);
    expect([code, service.streams.length]).toEqual([2, 2]);
    expect(service.streams[0]).toBe(service.streams[1]);
    expect(stderr).toContain('Trying again in');
    expect(JSON.parse(stdout)).toMatchObject({
      rows: ROWS,
      imported: ROWS - 1,
      errors: 1,
      created: ROWS - 1,
    });
    expect(reported().map(({ row }) => row)).toEqual(Array.from({ length: ROWS }, (__, index) => index + 1));
  });

  it('as long as the import makes progress, however often the connection breaks', async () => {
    const service = await fakeService((request, response, attempt) =>
      importLikeTheService(request, response, (line) => {
        // Earlier answers have been sent by then.
        if (line === attempt * 350) setTimeout(() => response.destroy(), 50);
        return line > attempt * 350;
      }),
    );
    const { code } = await runCli(args(service.url, '--retry-for', '3s'));
    expect([code, service.streams.length]).toEqual([2, 4]);
  });

  it('until the import makes no progress for too long, and then says how to continue', async () => {
    const service = await fakeService((request, response) =>
      importLikeTheService(request, response, (line) => {
        if (line === 300) response.destroy();
        return undefined;
      }),
    );
    const { code, stderr } = await runCli(args(service.url, '--retry-for', '1s'));
    expect(code).toBe(1);
    expect(service.streams.length).toBeGreaterThan(1);
    expect(stderr).toMatch(
      /the connection broke\. [\d,]+ rows are done\. Run the same command again, as it is: it continues from there \(import toy-/,
    );
    expect(readdirSync(directory)).toEqual(['users.ndjson']);
  });

  it('three times if the retries hardly get further', async () => {
    const service = await fakeService((_, response) => response.writeHead(200, NDJSON).end('garbled\n'));
    const { code, stderr } = await importing(service.url);
    expect([code, service.streams.length]).toEqual([1, 3]);
    expect(stderr).toContain('cannot be understood');
  });
});

describe('a permanent failure is not retried', () => {
  it.each<[string, Parameters<typeof fakeService>[0], string]>([
    [
      'a key that is not known',
      (_, response) => answer(response, 401, { code: 'API_KEY_INVALID', message: 'Invalid API key' }),
      'check USER_IMPORT_API_KEY',
    ],
    [
      'a proxy that asks for a password',
      (_, response) => answer(response, 401, '<html>'),
      'A proxy in front of the service refused the request (401)',
    ],
    [
      'another address',
      (_, response) => answer(response, 307, '', { location: 'https://elsewhere.example/x?token=hidden' }),
      'redirects (307 to https://elsewhere.example/x). Pass that address with --url',
    ],
    ['a proxy with a limit', (_, response) => answer(response, 413, '<html>'), 'client_max_body_size'],
    [
      'another service',
      (_, response) => answer(response, 404, 'Not Found'),
      'There is no user-import-core at this address',
    ],
    [
      'a page',
      (_, response) => answer(response, 200, '<html>', { 'content-type': 'text/html' }),
      'The answer is not from user-import-core',
    ],
    [
      'an import that was rolled back',
      (_, response) => answer(response, 400, { code: 'IMPORT_ROLLED_BACK', message: 'rolled back' }),
      'add --new',
    ],
    [
      'an import that somebody else runs',
      (_, response) =>
        response.writeHead(200, NDJSON).end('{"error":{"code":"IMPORT_TAKEN_OVER","message":"taken"}}\n'),
      'another run of this tool has taken it over',
    ],
  ])('%s', async (_, first, message) => {
    const service = await fakeService(first);
    const { code, stderr } = await importing(service.url);
    expect([code, service.streams.length]).toEqual([1, 1]);
    expect(stderr).toContain(message);
    expect(stderr).not.toContain('hidden');
    expect(existsSync(report)).toBe(false);
  });

  it('a redirect of the first request, which sends the key nowhere else', async () => {
    const other = await fakeService(() => {});
    const service = await fakeService(
      () => {},
      (_, response) => answer(response, 302, '', { location: `${other.url}/login` }),
    );
    const { code, stderr } = await importing(service.url);
    expect([code, other.requests.length, service.streams.length]).toEqual([1, 0, 0]);
    expect(stderr).toContain(`(302 to ${other.url}/login)`);
  });

  it('a server that speaks neither HTTP nor TLS', async () => {
    const speaker = await tcpService('SSH-2.0-OpenSSH_9.2\r\n');
    expect((await importing(`http://${speaker}`)).stderr).toContain('does not speak HTTP');
    expect((await importing(`https://${speaker}`)).stderr).toContain('does not speak TLS');
  });

  it('an unknown host', async () => {
    const { code, stderr } = await importing('http://no-such-host.invalid');
    expect(code).toBe(1);
    expect(stderr).toMatch(/there is no host of that name|cannot be looked up now/);
  });
});

it('waits a short time for a service that is starting, and says so if it never starts', async () => {
  const { code, stderr } = await runCli(args('http://127.0.0.1:9', '--retry-for', '700ms'));
  expect(code).toBe(1);
  expect(stderr).toContain('http://127.0.0.1:9: nothing listens there. Is the service running? (--url)');
});

it('bounds the memory for an answer without line breaks', async () => {
  const piece = 'x'.repeat(1024 * 1024);
  let written = 0;
  const service = await fakeService((_, response) => {
    response.writeHead(200, NDJSON);
    const more = () => {
      while (!response.destroyed && response.write(piece)) written += piece.length;
      response.once('drain', more);
    };
    more();
  });
  const { code, stderr } = await runCli(args(service.url, '--retry-for', '1s'));
  expect(code).toBe(1);
  expect(stderr).toContain('cannot be understood');
  expect(written).toBeLessThan(100 * piece.length);
});

describe('Ctrl-C', () => {
  it('stops sending, waits for the answers to sent lines, and says how to continue, which works', async () => {
    const answered: number[] = [];
    let release: (() => void) | undefined;
    const service = await fakeService((request, response, attempt) => {
      if (attempt > 1) return importLikeTheService(request, response);
      response.writeHead(200, NDJSON);
      let line = 0;
      const waiting: number[] = [];
      request.on('data', (bytes: Buffer) => {
        for (const byte of bytes) if (byte === 0x0a) waiting.push(++line);
        release = () => {
          for (const one of waiting.splice(0)) {
            answered.push(one);
            response.write(`{"line":${one},"status":"CREATED"}\n`);
          }
        };
        // The first lines are answered at once, the others after Ctrl-C.
        if (answered.length === 0) release();
      });
      request.on('error', () => {});
    });
    const run = new CliRun(args(service.url));
    expect(await until(() => answered.length > 0, 10_000)).toBe(true);
    run.interrupt();
    setTimeout(() => release?.(), 100);
    const { code, stderr, stdout } = await run.finished;
    expect(code).toBe(130);
    expect(stderr).toMatch(/Stopped\. [\d,]+ rows are done\. Run the same command again, as it is/);
    expect(JSON.parse(stdout).error).toContain('Stopped.');
    expect(readdirSync(directory)).toEqual(['users.ndjson']);
    expect((await runCli(args(service.url))).code).toBe(2);
    expect(service.streams[1]).toBe(service.streams[0]);
    expect(reported()).toHaveLength(ROWS);
  });

  it('exits at once on the second signal', async () => {
    const service = await fakeService(() => {});
    const run = new CliRun(args(service.url));
    expect(await until(() => service.streams.length > 0, 10_000)).toBe(true);
    run.interrupt();
    expect(run.exited).toBeUndefined();
    expect(() => run.interrupt()).toThrow('exited');
    expect(run.exited).toBe(130);
  });

  it('ends the pause before a retry', async () => {
    const service = await fakeService((_, response) =>
      answer(response, 503, { code: 'OVERLOADED', message: 'busy' }, { 'retry-after': '30' }),
    );
    const run = new CliRun(args(service.url));
    expect(await until(() => run.stderr.includes('Trying again in 30 s'), 10_000)).toBe(true);
    run.interrupt();
    const { code, stderr } = await run.finished;
    expect(code).toBe(130);
    expect(stderr).toContain('Stopped. 0 rows are done.');
  });
});

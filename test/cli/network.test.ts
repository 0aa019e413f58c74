import { once } from 'node:events';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isThisMachine } from '../../src/cli/options/service-options.ts';
import { API_KEY } from '../support/app.ts';
import { makeCertificates } from '../support/certificates.ts';
import { runCli, scratch, toyFile, toyUsers } from './command-line.ts';
import { answer } from './fake-service.ts';
import { COMMAND, ENV, Tool } from './tool-process.ts';

interface Listening {
  port: number;
  requests: IncomingMessage[];
  bodies: string;
}

/** Starts a service on all addresses of this machine. The tool treats its address 0.0.0.0 as another host. */
async function listening(answers: RequestListener): Promise<Listening> {
  const seen: Listening = { port: 0, requests: [], bodies: '' };
  const server = createServer((request, response) => {
    seen.requests.push(request);
    request.on('data', (bytes) => {
      seen.bodies += bytes;
    });
    answers(request, response);
  });
  server.listen(0, '0.0.0.0');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  seen.port = (server.address() as AddressInfo).port;
  return seen;
}

const unknown: RequestListener = (_, response) => answer(response, 404, { code: 'NOT_FOUND', message: 'no' });
const withKey = ({ requests }: Listening) =>
  requests.filter(({ headers }) => headers['api-key'] !== undefined);

describe('http:// to another host', () => {
  const file = () => toyFile(scratch(), toyUsers(1));
  const COMMANDS: readonly [command: string, words: () => string[]][] = [
    ['status', () => ['status']],
    ['status of one', () => ['status', 'x']],
    ['census', () => ['census']],
    ['rejects', () => ['rejects', 'x']],
    ['rollback', () => ['rollback', 'x', '--yes']],
    ['import', () => ['import', file(), '--yes']],
    ['import --dry-run', () => ['import', file(), '--dry-run']],
    ['prove', () => ['prove', file(), '--email', 'user0@example.com', '--insecure-http']],
  ];

  it.each(COMMANDS)('causes a warning from %s, unless the host is this machine', async (_, words) => {
    const service = await listening(unknown);
    const far = await runCli([...words(), '--url', `http://0.0.0.0:${service.port}`], {
      input: 'password\n',
    });
    expect(far.stderr).toContain(
      `Warning: 0.0.0.0:${service.port} is not this machine and --url is not https`,
    );
    expect(withKey(service).length).toBeGreaterThan(0);
    const near = await runCli([...words(), '--url', `http://127.0.0.1:${service.port}`], {
      input: 'password\n',
    });
    expect(near.stderr).not.toContain('Warning');
  });

  it('receives no password from prove unless --insecure-http is given', async () => {
    const service = await listening(unknown);
    const args = ['prove', file(), '--email', 'user0@example.com', '--url', `http://0.0.0.0:${service.port}`];
    const refused = await runCli(args, { input: 'password-of-ada\n' });
    expect([refused.code, service.requests.length]).toEqual([1, 0]);
    expect(refused.stderr).toContain('add --insecure-http');
    await runCli([...args, '--insecure-http'], { input: 'password-of-ada\n' });
    expect(service.bodies).toContain('password-of-ada');
  });
});

it.each([
  ['localhost', true],
  ['LOCALHOST', true],
  ['127.0.0.1', true],
  ['127.255.1.2', true],
  ['::1', true],
  ['[::1]', true],
  ['[::ffff:7f00:1]', true],
  ['::ffff:127.0.0.1', true],
  ['0.0.0.0', false],
  ['127.0.0.1.example.com', false],
  ['127.evil.example', false],
  ['localhost.example.com', false],
  ['app.localhost', false],
  ['10.0.0.1', false],
  ['::ffff:10.0.0.1', false],
  ['[2001:db8::1]', false],
  ['::1.example.com', false],
  ['', false],
])('%s is this machine: %s', (host, expected) => {
  expect(isThisMachine(host)).toBe(expected);
});

it('several addresses receive no request', async () => {
  const services = [await listening(unknown), await listening(unknown)];
  const url = services.map(({ port }) => `http://127.0.0.1:${port}`).join(',');
  const { code, stderr } = await runCli(['import', toyFile(scratch(), toyUsers(1)), '--yes', '--url', url]);
  expect([code, services.flatMap(({ requests }) => requests)]).toEqual([1, []]);
  expect(stderr).toContain('--url: one address.');
});

describe('the file of the API key', () => {
  it.each([
    [0o600, false],
    [0o400, false],
    [0o640, true],
    [0o604, true],
  ])('of mode %o causes a warning: %s', async (mode, isWarned) => {
    const path = join(scratch(), 'key');
    writeFileSync(path, `${API_KEY}\n`);
    chmodSync(path, mode);
    const { stderr } = await runCli(['status', '--url', 'http://127.0.0.1:1', '--api-key-file', path]);
    expect(stderr.includes('can be read by other users of this machine')).toBe(isWarned);
  });
});

it('the API key is sent only after the certificate is checked, whatever the environment says, and never to a proxy', async () => {
  const certificates = makeCertificates(scratch());
  let heard = 0;
  const server = createTlsServer(
    { cert: readFileSync(certificates.good.cert), key: readFileSync(certificates.good.key) },
    (_, response) => {
      heard += 1;
      answer(response, 200, { status: 'OK', imports: [] });
    },
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const proxy = await listening(unknown);
  const url = `https://localhost:${(server.address() as AddressInfo).port}`;
  const http = `http://127.0.0.1:${proxy.port}`;
  const proxies = {
    HTTP_PROXY: http,
    HTTPS_PROXY: http,
    http_proxy: http,
    https_proxy: http,
    NODE_USE_ENV_PROXY: '1',
  };
  const run = (env: NodeJS.ProcessEnv) =>
    new Tool([...COMMAND, 'status', '--url', url], { ...ENV, ...proxies, ...env });
  const untrusted = run({ NODE_TLS_REJECT_UNAUTHORIZED: '0' });
  expect([await untrusted.ended(), heard]).toEqual([1, 0]);
  expect(untrusted.output).toContain('NODE_EXTRA_CA_CERTS can name a file');
  const trusted = run({ NODE_EXTRA_CA_CERTS: certificates.ca });
  expect([await trusted.ended(), heard, proxy.requests.length]).toEqual([0, 2, 0]);
});

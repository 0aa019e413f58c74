import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, expect, it } from 'vitest';
import { type Client, importOf } from '../support/client.ts';
import { type ServiceProcess, useServices } from '../support/compiled-service.ts';
import { rawRequest, rawSocket, statusesIn } from '../support/raw-socket.ts';
import { IMPORT } from '../support/service-calls.ts';
import { waitUntil } from './postgres.ts';

/** Number of the shortest requests that fit into one packet. */
const PIPELINED = 1700;
const CONNECTIONS = 40;
const MAX_GROWTH_MIB = 150;

const services = useServices();
let service: ServiceProcess;
let url: string;
let client: Client;
beforeEach(async () => {
  ({ service, url, client } = await services.begin({ REQUEST_TIMEOUT_MS: '1000' }, 8));
});

const memoryMib = async () =>
  Number(/^VmRSS:\s*(\d+) kB$/m.exec(await readFile(`/proc/${service.pid}/status`, 'utf8'))?.[1]) / 1024;
const openFiles = () => readdirSync(`/proc/${service.pid}/fd`).length;
/** Whether the service answers, however long it takes. */
const isWell = async () => (await (await fetch(`${url}/hello`)).text()) === 'Hello';

const ATTACKS: [what: string, request: string][] = [
  ['the interface description', rawRequest('GET', '/openapi.json', { 'api-key': undefined })],
  ['a file of the page', rawRequest('GET', '/docs/static/swagger-ui-bundle.js', { 'api-key': undefined })],
  ['users, with a key', rawRequest('GET', '/users?limit=500')],
  ['a greeting', rawRequest('GET', '/hello', { 'api-key': undefined })],
];

it.runIf(process.platform === 'linux').each(ATTACKS)(
  'survives callers that ask for %s without end and read nothing',
  async (_what, request) => {
    await Promise.all(
      Array.from({ length: 500 }, (_, index) => client.send('POST', IMPORT, importOf(index))),
    );
    expect(await isWell()).toBe(true);
    const before = { files: openFiles(), memory: await memoryMib() };
    const sockets = Array.from({ length: CONNECTIONS }, (_, index) => {
      // Some callers flood the service. Others send a few requests and do not read the answers.
      const { socket } = rawSocket(url, request.repeat(index % 2 === 0 ? PIPELINED : 20));
      return socket.pause();
    });
    let peak = 0;
    for (let look = 0; look < 10; look += 1) {
      expect(await isWell()).toBe(true);
      peak = Math.max(peak, await memoryMib());
      await sleep(50);
    }
    expect(peak - before.memory).toBeLessThan(MAX_GROWTH_MIB);
    for (const socket of sockets) socket.destroy();
    // The pool may have opened its connections in the meantime.
    await waitUntil(() => openFiles() <= before.files + 12);
    expect(await isWell()).toBe(true);
    expect(service.child.exitCode).toBe(null);
  },
);

/** Yields pseudo-random numbers, the same for the same seed. */
function* random(seed: number): Generator<number> {
  for (let state = seed; ; ) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    yield state / 0x80000000;
  }
}

const PATHS = [
  '/hello',
  '/users',
  '/recipe/signin',
  '/bulk-import/stream',
  '/docs',
  '/openapi.json',
  '/',
  '/nope',
];
const PIECES = [
  'GET',
  'POST',
  'PATCH',
  ' ',
  '/',
  '%00',
  '..',
  '?limit=',
  'HTTP/1.1',
  '\r\n',
  '\n',
  ':',
  'host: x',
  '{',
  '"',
  '\0',
  'é',
  'transfer-encoding: chunked',
  'content-length: 5',
  'expect: banana',
  '0',
  'zz',
];

it('answers no garbage with 500, and works afterwards', async () => {
  const numbers = random(42);
  const next = (below: number) => Math.floor((numbers.next().value ?? 0) * below);
  const pick = (from: readonly string[]) => from[next(from.length)] ?? '';
  const statuses: number[] = [];
  for (let round = 0; round < 40; round += 1) {
    const callers = Array.from({ length: 25 }, async () => {
      const noise = Array.from({ length: next(12) }, () => pick(PIECES)).join('');
      const start =
        next(3) === 0
          ? ''
          : rawRequest(pick(['GET', 'POST', 'DELETE']), pick(PATHS) + (next(3) === 0 ? noise : ''));
      const caller = rawSocket(url, start + (next(2) === 0 ? noise : ''));
      // Some callers wait for the answers, and some leave at a random moment.
      if (next(2) === 0) caller.socket.end();
      else setTimeout(() => caller.socket.destroy(), next(60));
      statuses.push(...statusesIn(await caller.closed));
    });
    await Promise.all(callers);
  }
  expect(statuses.filter((status) => status >= 500)).toEqual([]);
  expect(statuses.length).toBeGreaterThan(100);
  expect(await isWell()).toBe(true);
  expect(service.stdout).not.toContain('"level":"error"');
});

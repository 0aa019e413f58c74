import { describe, expect, it } from 'vitest';
import type { Readiness } from '../../../src/http/context.ts';
import { useTestApp } from '../../support/app.ts';

const service = await useTestApp();

const METHODS = ['GET', 'POST', 'PUT', 'DELETE'] as const;
const cases = ['/', '/hello', '/Hello/', '/appid-public/public/hello', '/appid-public/public'].flatMap(
  (path) => METHODS.map((method) => ({ method, path })),
);

it.each(cases)('$method $path says Hello, without a key', async ({ method, path }) => {
  const { status, text, headers } = await service.send(method, path, undefined, { 'api-key': undefined });
  expect([status, text, headers['content-type']]).toEqual([200, 'Hello', 'text/plain; charset=utf-8']);
});

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

describe('a browser', () => {
  it('gets a page at / whose links are served, also behind a proxy that adds a path', async () => {
    const { status, text, headers } = await service.send('GET', '/', undefined, { accept: BROWSER });
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    const links = [...text.matchAll(/href="([^"]+)"/g)].map(([, link]) => link);
    expect(links).toEqual(['imports', 'docs', 'openapi.json']);
    for (const link of links) expect((await service.send('GET', `/${link}`)).status).toBe(200);
    expect(text).not.toMatch(/<script|\son\w+=/);
  });

  it('is offered no page that is switched off', async () => {
    const without = await useTestApp({ config: { page_enabled: false }, database: service.database });
    const { text } = await without.send('GET', '/', undefined, { accept: BROWSER });
    expect(text).not.toContain('href="imports"');
  });

  it.each([
    ['GET', '/hello'],
    ['POST', '/'],
  ] as const)('gets Hello from %s %s', async (method, path) => {
    expect((await service.send(method, path, undefined, { accept: BROWSER })).text).toBe('Hello');
  });
});

it('other clients get Hello at /', async () => {
  for (const accept of ['*/*', 'application/json', undefined])
    expect((await service.send('GET', '/', undefined, { accept })).text).toBe('Hello');
});

it.each(['', '?apiDomain=http%3A%2F%2Fa.b&websiteDomain=x', '?websiteDomain=1&websiteDomain=2'])(
  'returns the versions, whatever the query: "%s"',
  async (query) => {
    const { status, body } = await service.send('GET', `/apiversion${query}`);
    expect(status).toBe(200);
    expect(body).toEqual({ versions: ['4.0', '5.0', '5.1', '5.2', '5.3', '5.4', '5.5', '5.6'] });
  },
);

it.each<[path: string, reason: Awaited<ReturnType<Readiness>>, status: number]>([
  ['/health/ready', undefined, 200],
  ['/health/ready', 'draining', 503],
  ['/health/ready', 'database', 503],
  ['/health/live', 'draining', 200],
])('%s tells what the service is: %s', async (path, reason, status) => {
  const probed = await useTestApp({ readiness: async () => reason, database: service.database });
  const answer = await probed.send('GET', path, undefined, { 'api-key': undefined });
  const body = status === 200 ? { status: 'ok' } : { status: 'unavailable', reason };
  expect([answer.status, answer.body]).toEqual([status, body]);
});

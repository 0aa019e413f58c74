import { describe, expect, it } from 'vitest';
import { RouteTable } from '../../../src/http/server/route-checks.ts';
import { IMPORT_ID_PATTERN } from '../../../src/imports/import-request.ts';
import { useTestApp } from '../../support/app.ts';
import { failure } from '../../support/service-calls.ts';

const NOT_FOUND = failure(404, 'NOT_FOUND', 'Not found');

/** A service with routes as an engineer would add them. They answer with their name and their parameters. */
const service = await useTestApp();
const { app } = service;
const echo = (name: string) => async (request: { params: unknown }) => ({ name, params: request.params });
app.get('/things', echo('list'));
app.get('/things/Latest', echo('latest'));
app.get('/things/:thingId', echo('read'));
app.delete('/things/:thingId', echo('remove'));
app.post('/things/:thingId/undo', echo('undo'));
app.get('/open/:thingId', { config: { key: 'open' } }, echo('open'));

const WITHOUT_KEY = { 'api-key': undefined };
const LONGEST = 'x'.repeat(64);

describe('a path with a parameter', () => {
  it.each(['a', 'Ab-9._z', LONGEST, '018f6e7a-0000-7000-8000-000000000000', '...', 'undo', 'things'])(
    'answers if the parameter is %s, in its own letter case',
    async (thingId) => {
      const read = await service.send('GET', `/things/${thingId}`);
      expect([read.status, read.body]).toEqual([200, { name: 'read', params: { thingId } }]);
      const undo = await service.send('POST', `/THINGS/${thingId}/Undo/?x=1`);
      expect([undo.status, undo.body]).toEqual([200, { name: 'undo', params: { thingId } }]);
    },
  );

  it.each([
    ['longer than an id', `${LONGEST}x`],
    ['longer than the router takes', 'x'.repeat(101)],
    ['far too long', 'x'.repeat(5000)],
    ['a space', 'a%20b'],
    ['a slash', 'a%2Fb'],
    ['a NUL', '%00'],
    ['a comma', 'a,b'],
    ['a tilde', 'a~b'],
    ['a plus sign', 'a+b'],
    ['a letter beyond ASCII', '%C3%A9'],
    ['its own name', ':thingId'],
    ['a wildcard', '*'],
  ])('is unknown if the parameter is or has %s, with or without a key', async (_what, thingId) => {
    for (const headers of [{}, WITHOUT_KEY]) {
      for (const method of ['GET', 'POST', 'PUT', 'DELETE'] as const) {
        expect(await service.send(method, `/things/${thingId}`, undefined, headers)).toMatchObject(NOT_FOUND);
        expect(await service.send(method, `/things/${thingId}/undo`, undefined, headers)).toMatchObject(
          NOT_FOUND,
        );
      }
    }
    expect(service.log()).not.toContain('"level":"error"');
  });

  it.each(['/things//', '/things//undo', '/things/a//', '/things/a/b', '/things/a/undo/b', '/x/things/a/b'])(
    'does not match %s',
    async (path) => {
      expect(await service.send('GET', path)).toMatchObject(NOT_FOUND);
      expect(await service.send('POST', path)).toMatchObject(NOT_FOUND);
    },
  );

  it('decodes characters that are encoded without need, as a fixed path does', async () => {
    expect((await service.send('GET', '/things/%61%42')).body).toMatchObject({ params: { thingId: 'aB' } });
    expect((await service.send('GET', '/thing%73/a')).status).toBe(200);
  });

  it('does not affect the fixed path with a trailing slash', async () => {
    expect((await service.send('GET', '/things/')).body).toEqual({ name: 'list', params: {} });
  });

  it('answers other methods with 405 and the allowed ones', async () => {
    const put = await service.send('PUT', '/things/a', '{');
    expect(put).toMatchObject(failure(405, 'METHOD_NOT_SUPPORTED', 'Method not supported'));
    expect(put.headers.allow).toBe('DELETE, GET, HEAD');
    const get = await service.send('GET', '/things/a/undo');
    expect([get.status, get.headers.allow]).toEqual([405, 'POST']);
  });

  it('checks the key before everything else', async () => {
    const refused = failure(401, 'API_KEY_INVALID', 'Invalid API key');
    expect(await service.send('GET', '/things/a', undefined, WITHOUT_KEY)).toMatchObject(refused);
    const put = await service.send('PUT', '/things/a', undefined, WITHOUT_KEY);
    expect(put).toMatchObject(refused);
    expect(put.headers.allow).toBeUndefined();
  });

  it('requires no key if the route requires none', async () => {
    expect((await service.send('GET', '/open/a', undefined, WITHOUT_KEY)).status).toBe(200);
    expect((await service.send('POST', '/open/a', undefined, WITHOUT_KEY)).status).toBe(405);
  });

  it('is logged without its parameter', async () => {
    await service.send('GET', '/things/in-no-line');
    expect(service.log()).toContain('"route":"/things/:thingId"');
    expect(service.log()).not.toContain('in-no-line');
  });
});

describe('a fixed path that also matches a parameter', () => {
  it.each(['/things/Latest', '/things/latest', '/things/LATEST/'])('takes precedence: %s', async (path) => {
    expect((await service.send('GET', path)).body).toEqual({ name: 'latest', params: {} });
  });

  it('leaves other methods to the parameterised path, and lists both as allowed', async () => {
    expect((await service.send('DELETE', '/things/Latest')).body).toEqual({
      name: 'remove',
      params: { thingId: 'Latest' },
    });
    const put = await service.send('PUT', '/things/latest');
    expect([put.status, put.headers.allow]).toEqual([405, 'DELETE, GET, HEAD']);
  });
});

describe('the table', () => {
  const table = new RouteTable(IMPORT_ID_PATTERN);
  const handler = () => {};
  table.add({ method: 'GET', url: '/a.b/:id', handler });
  table.add({ method: ['POST', 'PUT'], url: '/A.b/:ID/', handler });
  table.add({ method: 'GET', url: '/files/*', handler });

  it.each([
    ['/a.b/x', true],
    ['/A.B/X/?q=/', true],
    ['/axb/x', false],
    ['/a.b/:id', false],
    ['/a.b', false],
    ['/a.b/x\n', false],
    ['/x/a.b/x', false],
    ['/files/x', false],
    ['', false],
  ])('knows %j: %s', (url, isKnown) => {
    expect(table.has(url)).toBe(isKnown);
    expect(table.methods(url)).toEqual(isKnown ? ['GET', 'POST', 'PUT'] : []);
    expect(table.isOpen(url)).toBe(false);
  });

  it('accepts only ids as parameters', () => {
    expect(table.takes({ id: 'a-b' })).toBe(true);
    expect(table.takes({ id: 'a-b', other: 'a b' })).toBe(false);
    expect(table.takes({ '*': 'a b/c' })).toBe(false);
    expect(table.takes(null)).toBe(true);
  });
});

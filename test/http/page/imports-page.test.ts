import { join } from 'node:path';
import { expect, inject, it } from 'vitest';
import type { Config } from '../../../src/config/schema.ts';
import { readAssets } from '../../../src/http/page/imports-page.ts';
import { useTestApp } from '../../support/app.ts';
import { failure } from '../../support/service-calls.ts';
import { CHROMIUM } from './browser.ts';

const service = await useTestApp();

const open = (path: string, headers: Record<string, string> = {}) =>
  service.send('GET', path, undefined, { 'api-key': undefined, ...headers });

/** Returns the paths of the files that a page refers to. */
const assetsOf = (html: string, address: string) =>
  [...html.matchAll(/(?:src|href)="([^"]+)"/g)].flatMap(([, reference = '']) =>
    reference.startsWith('data:') ? [] : [new URL(reference, `http://x${address}`).pathname],
  );

it.each(['/imports', '/imports/', '/imports?q', '/imports/?q=/'])(
  'the page at %s needs no key, and refers only to files that are served',
  async (address) => {
    const page = await open(address);
    expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    const assets = assetsOf(page.text, address);
    expect(assets.some((path) => path.endsWith('/app.js'))).toBe(true);
    for (const asset of assets) expect([asset, (await open(asset)).status]).toEqual([asset, 200]);
  },
);

it('preloads every module, and each module imports only modules that are served', async () => {
  const { text } = await open('/imports');
  const modules = assetsOf(text, '/imports').filter((path) => path.endsWith('.js'));
  for (const path of modules) {
    const { text: code, headers } = await open(path);
    expect(headers['content-type']).toBe('text/javascript; charset=utf-8');
    expect(code).not.toContain('sourceMappingURL');
    for (const [, from = ''] of code.matchAll(/\b(?:from|import)\s*["']([\w./@-]+)["']/g)) {
      expect(from).toMatch(/^\.\//);
      expect(modules).toContain(new URL(from, `http://x${path}`).pathname);
    }
  }
});

it('the page has the same files after compilation', async () => {
  const compiled = await import(join(inject('compiled').directory, 'dist/http/page/imports-page.js'));
  expect([...(await compiled.readAssets()).keys()]).toEqual([...(await readAssets()).keys()]);
});

it('never turns text into markup', async () => {
  const { text } = await open('/imports');
  for (const path of assetsOf(text, '/imports').filter((one) => !/preact|htm\.js|\.css$/.test(one))) {
    expect((await open(path)).text).not.toMatch(
      /innerHTML|insertAdjacent|document\.write|localStorage|cookie/,
    );
  }
});

it('the page may load from and call only this service', async () => {
  const { text, headers } = await open('/imports');
  expect(String(headers['content-security-policy']).split('; ')).toEqual([
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ]);
  expect(headers).toMatchObject({
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  });
  expect(text).not.toMatch(/<script>|<style|\sstyle=|\son\w+=/);
});

it('the page is loaded at each visit, and its files are cached for ever', async () => {
  const page = await open('/imports');
  expect(page.headers).toMatchObject({ 'cache-control': 'no-cache' });
  for (const path of assetsOf(page.text, '/imports')) {
    expect(path).toMatch(/^\/imports\/assets\/[\w-]{16}\//);
    expect((await open(path)).headers['cache-control']).toBe('public, max-age=31536000, immutable');
  }
});

it.each([
  '/imports/x',
  '/imports/assets',
  '/imports/assets/',
  '/imports/assets/../x',
  '/imports/assets/x/main.js',
])('answers %s like an unknown path', async (path) => {
  expect(await open(path)).toMatchObject(failure(404, 'NOT_FOUND', 'Not found'));
});

it('says which moves of users are on, so that the page shows their progress', async () => {
  const movesWith = async (config: Partial<Config>) => {
    const app = await useTestApp({ config, database: service.database });
    return /data-moves="([^"]*)"/.exec((await app.send('GET', '/imports')).text)?.[1];
  };
  expect(await movesWith({ password_hooks: [] })).toBe('');
  expect(await movesWith({ password_hooks: ['hash'] })).toBe('');
  expect(await movesWith({ password_hooks: ['rehearse'] })).toBe('rehearsal');
  expect(await movesWith({ password_hooks: ['kratos', 'rehearse'] })).toBe('hooks rehearsal');
  expect(await movesWith({ password_hooks: ['hash'], upstream_core_uri: 'http://127.0.0.1:1' })).toBe('core');
});

it('the page is not served if it is disabled, and accepts no other method', async () => {
  expect(await service.send('POST', '/imports')).toMatchObject(
    failure(405, 'METHOD_NOT_SUPPORTED', 'Method'),
  );
  const without = await useTestApp({ config: { page_enabled: false } });
  expect(await without.send('GET', '/imports')).toMatchObject(failure(404, 'NOT_FOUND', 'Not found'));
});

it.skipIf(process.env.CI !== 'true')(
  'the page is tested in Chromium in CI, where no test may be skipped',
  () => {
    expect(CHROMIUM).toBeDefined();
  },
);

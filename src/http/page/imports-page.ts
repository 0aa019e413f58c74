import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { readAssets, versionOf } from './assets.ts';

/** The page may load from and call this service only. No text that it shows can become markup or script. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cpath fill='%231a7f37' d='M8 1v7H5l3 4 3-4H8M2 11v4h12v-4h-2v2H4v-2z'/%3E%3C/svg%3E";

/**
 * @param base relative path from the page to its files, so that it also holds behind a proxy that adds a path
 */
const page = (base: string, modules: readonly string[]) => `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Imports</title>
<link rel="icon" href="${ICON}">
<link rel="stylesheet" href="${base}style.css">
${modules.map((name) => `<link rel="modulepreload" href="${base}${name}">`).join('\n')}
<script type="module" src="${base}main.js"></script>
</head>
<body>
<div id="page"></div>
<noscript>This page needs JavaScript; what it shows is at /bulk-import/imports.</noscript>
</body>
</html>
`;

/** Browsers may cache scripts and styles for a year, because their URLs contain a version. */
const FOR_EVER = 'public, max-age=31536000, immutable';

/** Serves the page /imports, on which operators watch imports. All its files are kept in memory. */
export async function importsPage(app: FastifyInstance): Promise<void> {
  const assets = await readAssets();
  const version = versionOf(assets);

  const serve = (url: string, type: string, cacheControl: string, bodyOf: (url: string) => Buffer) =>
    app.get(url, { config: { key: 'open' }, schema: { hide: true } }, (request, reply) => {
      const body = bodyOf(request.url);
      const etag = tagOf(body);
      void reply.headers({
        'cache-control': cacheControl,
        'content-security-policy': POLICY,
        // No page of another origin can then access the window in which somebody types an API key.
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
        etag,
      });
      return isKnown(request.headers['if-none-match'], etag)
        ? reply.code(304).send()
        : reply.type(type).send(body);
    });

  const modules = assets.flatMap(({ name }) => (name.endsWith('.js') ? [name] : []));
  const [ofPath, ofFolder] = ['imports/', ''].map((base) =>
    Buffer.from(page(`${base}assets/${version}/`, modules)),
  ) as [Buffer, Buffer];
  serve('/imports', 'text/html; charset=utf-8', 'no-cache', (url) =>
    url.split('?', 1)[0]?.endsWith('/') ? ofFolder : ofPath,
  );
  for (const { name, type, body } of assets) {
    serve(`/imports/assets/${version}/${name}`, type, FOR_EVER, () => body);
  }
}

/** Proxies that compress mark an ETag as weak (W/), and caches may send several. */
const isKnown = (ifNoneMatch: string | undefined, etag: string) =>
  ifNoneMatch?.split(',').some((one) => one.trim().replace(/^W\//, '') === etag) ?? false;

const tags = new WeakMap<Buffer, string>();

function tagOf(body: Buffer): string {
  let tag = tags.get(body);
  if (tag === undefined) {
    tag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`;
    tags.set(body, tag);
  }
  return tag;
}

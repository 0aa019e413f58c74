import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { FastifyInstance } from 'fastify';
import { htmlPage, serveFile } from '../page/serve-file.ts';

/**
 * Files of Swagger UI, with their types. The plugin of @fastify/swagger-ui is not used, because it opens a file for
 * every request.
 */
const UI_FILES: Readonly<Record<string, string>> = {
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'swagger-ui.css': 'text/css; charset=utf-8',
  'index.css': 'text/css; charset=utf-8',
  'favicon-32x32.png': 'image/png',
};

const page = (base: string) =>
  htmlPage({
    title: 'user-import-core',
    head: `<link rel="stylesheet" href="${base}static/swagger-ui.css">
<link rel="stylesheet" href="${base}static/index.css">
<link rel="icon" type="image/png" href="${base}static/favicon-32x32.png">`,
    body: `<div id="swagger-ui"></div>
<noscript>This page needs JavaScript; what it shows is at /openapi.json.</noscript>
<script src="${base}static/swagger-ui-bundle.js"></script>
<script src="${base}static/swagger-initializer.js"></script>`,
  });

/**
 * Script that starts Swagger UI. It is a file of its own, because the security policy forbids inline scripts.
 * `validatorUrl: null` keeps the page from sending the OpenAPI description to a public validator.
 */
const INITIALIZER = `SwaggerUIBundle({
  url: new URL('../../openapi.json', document.currentScript.src).href,
  dom_id: '#swagger-ui',
  deepLinking: true,
  validatorUrl: null,
});
`;

/** Serves the page /docs for browsing the OpenAPI description. All its files are kept in memory. */
export async function docsPage(app: FastifyInstance): Promise<void> {
  const { resolve } = createRequire(import.meta.url);
  const serve = (name: string, type: string, body: string | Buffer, cacheControl = 'no-cache') =>
    serveFile(app, { url: `/docs/static/${name}`, type, cacheControl, body: () => body });
  serveFile(app, {
    ...{ url: '/docs', type: 'text/html; charset=utf-8', cacheControl: 'no-cache' },
    body: (isFolder) => page(isFolder ? '' : 'docs/'),
  });
  serve('swagger-initializer.js', 'text/javascript; charset=utf-8', INITIALIZER);
  // The files of Swagger UI change only with a release.
  for (const [name, type] of Object.entries(UI_FILES))
    serve(name, type, await readFile(resolve(`@fastify/swagger-ui/static/${name}`)), 'max-age=3600');
}

import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { htmlPage, serveFile } from './serve-file.ts';
import { STYLE } from './style.ts';

/** Further rules of the security policy. With these, no text that the page shows can become markup or script. */
const POLICY = ["require-trusted-types-for 'script'", "trusted-types 'none'"];

const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cpath fill='%231a7f37' d='M8 1v7H5l3 4 3-4H8M2 11v4h12v-4h-2v2H4v-2z'/%3E%3C/svg%3E";

const { resolve } = createRequire(import.meta.url);

/** Libraries: the name that modules import, the name of the file for browsers, and the path of the file here. */
const LIBRARIES = [
  ['preact', 'preact.js', resolve('preact')],
  ['preact/hooks', 'preact-hooks.js', resolve('preact/hooks')],
  // `require.resolve` would find a file of htm that is not a module for browsers.
  ['htm', 'htm.js', join(dirname(resolve('htm')), 'htm.mjs')],
] as const;

/** Reads the modules in `client`, which the build copies to `dist`, and the libraries. Returns all files by name. */
export async function readAssets(): Promise<Map<string, string>> {
  const folder = join(import.meta.dirname, 'client');
  const own = (await readdir(folder)).filter((name) => name.endsWith('.js')).sort();
  const assets = new Map([['style.css', STYLE]]);
  for (const name of own) assets.set(name, forBrowsers(await readFile(join(folder, name), 'utf8')));
  for (const [, name, path] of LIBRARIES) assets.set(name, forBrowsers(await readFile(path, 'utf8')));
  return assets;
}

/**
 * Returns a module in which names of libraries are replaced by files. With the names, browsers would need an import
 * map, and the page's policy forbids inline ones.
 */
const forBrowsers = (module: string) =>
  LIBRARIES.reduce(
    (text, [library, name]) =>
      text.replaceAll(new RegExp(`(\\bfrom\\s*["'])${library}(?=["'])`, 'g'), `$1./${name}`),
    module,
  ).replace(/^\/\/# sourceMappingURL=.*$/gm, '');

export interface PageOptions {
  /** Features for users who move to another system, if they are on. The page shows the progress of each. */
  moves: readonly ('hooks' | 'rehearsal' | 'core')[];
}

/** Serves the page /imports, on which operators watch imports. All its files are kept in memory. */
export async function importsPage(app: FastifyInstance, { moves }: PageOptions): Promise<void> {
  const assets = await readAssets();
  const modules = [...assets.keys()].filter((name) => name.endsWith('.js'));
  // The version in the URLs changes with any file, because browsers may cache the files for a year.
  const hash = createHash('sha256');
  for (const [name, body] of assets) hash.update(`${name}\n${body.length}\n${body}`);
  const version = hash.digest('base64url').slice(0, 16);
  const page = (base: string) =>
    htmlPage({
      title: 'Imports',
      head: `<meta name="color-scheme" content="light dark">
<link rel="icon" href="${ICON}">
<link rel="stylesheet" href="${base}style.css">
${modules.map((name) => `<link rel="modulepreload" href="${base}${name}">`).join('\n')}
<script type="module" src="${base}app.js"></script>`,
      body: `<div id="page" data-moves="${moves.join(' ')}"></div>
<noscript>This page needs JavaScript; what it shows is at /bulk-import/imports.</noscript>`,
    });
  serveFile(app, {
    ...{ url: '/imports', type: 'text/html; charset=utf-8', cacheControl: 'no-cache', policy: POLICY },
    body: (isFolder) => page(`${isFolder ? '' : 'imports/'}assets/${version}/`),
  });
  for (const [name, body] of assets)
    serveFile(app, {
      ...{ url: `/imports/assets/${version}/${name}`, body: () => body },
      type: name.endsWith('.js') ? 'text/javascript; charset=utf-8' : 'text/css; charset=utf-8',
      cacheControl: 'public, max-age=31536000, immutable',
    });
}

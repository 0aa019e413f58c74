import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { STYLE } from './style.ts';

export interface Asset {
  name: string;
  type: string;
  body: Buffer;
}

/**
 * Modules import libraries by name. Browsers need an import map for names, and the page's policy forbids
 * inline ones, so names are replaced by these files.
 */
const LIBRARIES: Readonly<Record<string, string>> = {
  preact: 'preact.js',
  'preact/hooks': 'preact-hooks.js',
  htm: 'htm.js',
};

const JAVASCRIPT = 'text/javascript; charset=utf-8';

/** Reads the modules in `client`, which the build copies to `dist`, and the libraries. */
export async function readAssets(): Promise<Asset[]> {
  const folder = join(import.meta.dirname, 'client');
  const own = (await readdir(folder)).filter((name) => name.endsWith('.js')).sort();
  const { resolve } = createRequire(import.meta.url);
  const paths: [name: string, path: string][] = [
    ...own.map((name): [string, string] => [name, join(folder, name)]),
    ['preact.js', resolve('preact')],
    ['preact-hooks.js', resolve('preact/hooks')],
    // `require.resolve` would find a file of htm that is not a module for browsers.
    ['htm.js', join(dirname(resolve('htm')), 'htm.mjs')],
  ];
  const modules = await Promise.all(
    paths.map(async ([name, path]) => {
      const text = await readFile(path, 'utf8');
      return { name, type: JAVASCRIPT, body: Buffer.from(forBrowsers(text)) };
    }),
  );
  return [...modules, { name: 'style.css', type: 'text/css; charset=utf-8', body: Buffer.from(STYLE) }];
}

const forBrowsers = (module: string) =>
  module
    .replace(/(\bfrom\s*)(["'])([^"'./][^"']*)\2/g, (whole, from: string, quote: string, name: string) => {
      const file = LIBRARIES[name];
      return file === undefined ? whole : `${from}${quote}./${file}${quote}`;
    })
    .replace(/^\/\/# sourceMappingURL=.*$/gm, '');

/** Changes with any file. The paths of the files contain the version, and browsers cache them for ever. */
export function versionOf(assets: readonly Asset[]): string {
  const hash = createHash('sha256');
  for (const { name, body } of assets) hash.update(`${name}\n${body.length}\n`).update(body);
  return hash.digest('base64url').slice(0, 16);
}

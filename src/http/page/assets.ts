import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { STYLE } from './style.ts';

export interface Asset {
  name: string;
  type: string;
  body: string;
}

const { resolve } = createRequire(import.meta.url);

/** Libraries by the name that modules import, with the name under which browsers get them, and their file. */
const LIBRARIES = [
  ['preact', 'preact.js', resolve('preact')],
  ['preact/hooks', 'preact-hooks.js', resolve('preact/hooks')],
  // `require.resolve` would find a file of htm that is not a module for browsers.
  ['htm', 'htm.js', join(dirname(resolve('htm')), 'htm.mjs')],
] as const;

/** Reads the modules in `client`, which the build copies to `dist`, and the libraries. */
export async function readAssets(): Promise<Asset[]> {
  const folder = join(import.meta.dirname, 'client');
  const own = (await readdir(folder)).filter((name) => name.endsWith('.js')).sort();
  const paths = [
    ...own.map((name) => [name, join(folder, name)] as const),
    ...LIBRARIES.map(([, name, path]) => [name, path] as const),
  ];
  const modules = await Promise.all(
    paths.map(async ([name, path]) => ({
      name,
      type: 'text/javascript; charset=utf-8',
      body: forBrowsers(await readFile(path, 'utf8')),
    })),
  );
  return [...modules, { name: 'style.css', type: 'text/css; charset=utf-8', body: STYLE }];
}

/**
 * Browsers need an import map for names of libraries, and the page's policy forbids inline ones, so names are replaced by
 * files.
 */
const forBrowsers = (module: string) =>
  LIBRARIES.reduce(
    (text, [library, name]) =>
      text.replaceAll(new RegExp(`(\\bfrom\\s*["'])${library}(?=["'])`, 'g'), `$1./${name}`),
    module,
  ).replace(/^\/\/# sourceMappingURL=.*$/gm, '');

/** Changes with any file. The paths of the files contain the version, and browsers cache them for ever. */
export function versionOf(assets: readonly Asset[]): string {
  const hash = createHash('sha256');
  for (const { name, body } of assets) hash.update(`${name}\n${body.length}\n${body}`);
  return hash.digest('base64url').slice(0, 16);
}

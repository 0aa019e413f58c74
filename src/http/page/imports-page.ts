import type { FastifyInstance } from 'fastify';
import { readAssets, versionOf } from './assets.ts';
import { serveFile } from './serve-file.ts';

/** No text that the page shows can become markup or script. */
const POLICY = ["require-trusted-types-for 'script'", "trusted-types 'none'"];

const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cpath fill='%231a7f37' d='M8 1v7H5l3 4 3-4H8M2 11v4h12v-4h-2v2H4v-2z'/%3E%3C/svg%3E";

export interface PageOptions {
  /** Ways in which users move to another system, if they are on: the page shows the progress. */
  moves: readonly ('hooks' | 'rehearsal' | 'core')[];
}

/**
 * @param base relative path from the page to its files, so that it also holds behind a proxy that adds a path
 */
const page = (base: string, modules: readonly string[], { moves }: PageOptions) => `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Imports</title>
<link rel="icon" href="${ICON}">
<link rel="stylesheet" href="${base}style.css">
${modules.map((name) => `<link rel="modulepreload" href="${base}${name}">`).join('\n')}
<script type="module" src="${base}app.js"></script>
</head>
<body>
<div id="page" data-moves="${moves.join(' ')}"></div>
<noscript>This page needs JavaScript; what it shows is at /bulk-import/imports.</noscript>
</body>
</html>
`;

/** Serves the page /imports, on which operators watch imports. All its files are kept in memory. */
export async function importsPage(app: FastifyInstance, options: PageOptions): Promise<void> {
  const assets = await readAssets();
  const version = versionOf(assets);
  const modules = assets.map(({ name }) => name).filter((name) => name.endsWith('.js'));
  serveFile(app, {
    ...{ url: '/imports', type: 'text/html; charset=utf-8', cacheControl: 'no-cache', policy: POLICY },
    body: (isFolder) => page(`${isFolder ? '' : 'imports/'}assets/${version}/`, modules, options),
  });
  // Browsers may cache scripts and styles for a year, because their URLs contain the version.
  for (const { name, type, body } of assets)
    serveFile(app, {
      ...{ url: `/imports/assets/${version}/${name}`, type, body: () => body },
      cacheControl: 'public, max-age=31536000, immutable',
    });
}

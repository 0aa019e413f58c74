import { createHash } from 'node:crypto';
import { htmlPage } from './serve-file.ts';

const STYLE = `:root { color-scheme: light dark; background: light-dark(#ffffff, #14171b); color: light-dark(#1b1f24, #e6e8ea); }
a { color: light-dark(#0b57d0, #8ab4f8); }
body { max-width: 40rem; margin: 10vh auto; padding: 0 1rem; font: 16px/1.5 system-ui, sans-serif; }
li { margin: 0.75rem 0; }
code { font-family: ui-monospace, monospace; }
`;

export const HOME_HEADERS = {
  'content-security-policy': `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'referrer-policy': 'no-referrer',
};

const IMPORTS = `<li><a href="imports">Imports</a>: what runs, what failed, who still waits, and rollbacks. It asks for an API key.</li>
`;

/**
 * Returns the page that a browser gets at the path `/`.
 * @param hasPage whether the page /imports is served
 */
export const homePage = (hasPage: boolean) =>
  htmlPage({
    title: 'user-import-core',
    head: `<meta name="color-scheme" content="light dark">
<style>${STYLE}</style>`,
    body: `<main>
<h1>user-import-core</h1>
<p>This service imports users with the password hashes they already have, and signs them in.</p>
<ul>
${hasPage ? IMPORTS : ''}<li><a href="docs">API documentation</a>: every call, to read and to try.</li>
<li><a href="openapi.json">OpenAPI description</a>: the same for programs.</li>
</ul>
<p>An export is imported with the command line: <code>user-import inspect FILE</code> shows what it contains.
The documents are in the folder <code>docs</code> of the installation; begin with <code>docs/index.md</code>.</p>
</main>`,
  });

import { execFile } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { posix } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { outdatedDocuments } from './support/docs/generated-documents.ts';
import { proseLines, readText, urlOf } from './support/docs/read-text.ts';

const run = promisify(execFile);

const markdownIn = (folder: string, recursive: boolean) =>
  readdirSync(urlOf(folder), { recursive, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => posix.join(folder, name.replaceAll('\\', '/')));

const documents = [...markdownIn('./', false), ...markdownIn('docs/', true)];

it('generated documents are as the code generates them (npm run docs)', async () => {
  expect(await outdatedDocuments()).toEqual([]);
});

it('npm run docs knows no other option than --check', async () => {
  await expect(run('npm', ['run', '-s', 'docs', '--', '--chekc'])).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Usage: npm run docs [-- --check]'),
  });
});

it.each(documents)('%s has lines of at most 120 characters outside of tables', (path) => {
  const long = proseLines(readText(path)).filter(({ line }) => line.length > 120 && !line.startsWith('|'));
  expect(long.map(({ number }) => `${path}:${number}`)).toEqual([]);
});

/** Returns the anchors of the headings of a document, as GitHub names them. */
function anchorsOf(path: string): Set<string> {
  const anchors = new Set<string>();
  for (const { line } of proseLines(readText(path))) {
    const [, title] = /^#+ (.*)$/.exec(line) ?? [];
    if (title === undefined) continue;
    const words = title.toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, '');
    anchors.add(words.replaceAll(/\s/g, '-'));
  }
  return anchors;
}

const sources = new Set(
  ['src', 'test', 'bench', 'examples', 'migrations'].flatMap((folder) =>
    readdirSync(urlOf(folder), { recursive: true, encoding: 'utf8' }).map((name) =>
      posix.join(folder, name.replaceAll('\\', '/')),
    ),
  ),
);
const fileNames = new Set([...sources].map((path) => posix.basename(path)));

/** ADRs and the changelog name files of their time. */
it.each(documents.filter((path) => !path.startsWith('docs/adr/') && path !== 'CHANGELOG.md'))(
  'files of code that %s names exist',
  (path) => {
    const named = [...readText(path).matchAll(/`((?:[\w.-]+\/)*[\w.-]+\.(?:ts|sql))`/g)].map(
      ([, name = '']) => name,
    );
    const isThere = (name: string) =>
      /NAME/.test(name) ||
      (name.startsWith('src/') ? sources.has(name) : fileNames.has(posix.basename(name)));
    expect(named.filter((name) => !isThere(name))).toEqual([]);
  },
);

it.each(documents)('links in %s lead to files and headings that exist', (path) => {
  const text = proseLines(readText(path))
    .map(({ line }) => line.replaceAll(/`[^`]*`/g, ''))
    .join('\n');
  const broken = [...text.matchAll(/\]\((?!https?:)([^)\s]+)\)/g)].flatMap(([, link = '']) => {
    const [file = '', anchor] = link.split('#');
    const target = file === '' ? path : posix.join(posix.dirname(path), file);
    if (!existsSync(urlOf(target))) return [link];
    const isDocument = target.endsWith('.md') && statSync(urlOf(target)).isFile();
    return anchor === undefined || (isDocument && anchorsOf(target).has(anchor)) ? [] : [link];
  });
  expect(broken).toEqual([]);
});

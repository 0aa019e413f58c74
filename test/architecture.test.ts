import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

interface Import {
  /** The file it stands in, e.g. `http/routes/sign-in.ts`. */
  from: string;
  /** What it names: a file of src, or a package. */
  to: string;
  typesOnly: boolean;
}

/** Rooms of src, and the entries that stand beside them: whom each may import. */
const ARROWS: Record<string, readonly string[]> = {
  'main.ts': ['service', 'config', 'postgres', 'lib'],
  'migrate.ts': ['service', 'config', 'postgres', 'lib'],
  service: ['http', 'postgres', 'embedded-postgres', 'imports', 'hashing', 'config', 'lib'],
  http: ['imports', 'users', 'hashing', 'config', 'lib'],
  imports: ['users', 'hashing', 'lib'],
  users: ['hashing', 'lib'],
  hashing: ['lib'],
  postgres: ['imports', 'users', 'hashing', 'lib'],
  'embedded-postgres': [],
  config: ['embedded-postgres', 'hashing', 'lib'],
  lib: [],
};

/** Rooms that may be known by their types only. */
const TYPES_ONLY: readonly [from: string, to: string][] = [
  ['postgres', 'imports'],
  ['postgres', 'hashing'],
  ['http', 'hashing'],
  ['imports', 'hashing'],
];

/** Packages, and who alone may import them. */
const PACKAGES: Record<string, readonly string[]> = {
  pg: ['postgres', 'embedded-postgres'],
  fastify: ['http'],
  '@fastify/swagger': ['http'],
  '@fastify/type-provider-typebox': ['http'],
  '@sinclair/typebox': ['http', 'config'],
  argon2: ['hashing'],
  bcrypt: ['hashing'],
  yaml: ['config'],
  leven: ['config'],
  pino: ['lib', 'service', 'postgres'],
  uuid: ['postgres', 'http', 'imports'],
};

const filesOf = (folder: string) =>
  readdirSync(ROOT + folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => name.replaceAll('\\', '/'))
    .sort();
const textOf = (folder: string, file: string) => readFileSync(`${ROOT}${folder}/${file}`, 'utf8');

const STATEMENT =
  /^(?:import|export)\s(?:([^;'"]*?)\sfrom\s)?['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/gm;

/** The import statements of a file, and what it passes on from others. */
function importsOf(from: string, text: string): Import[] {
  return [...text.matchAll(STATEMENT)].map(([, names, stated, dynamic]) => {
    const target = stated ?? dynamic ?? '';
    const listed = /^\{([^}]*)\}$/.exec(names?.trim() ?? '')?.[1]?.split(',') ?? [];
    const named = listed.map((name) => name.trim()).filter((name) => name !== '');
    const typesOnly =
      names?.startsWith('type ') === true ||
      (named.length > 0 && named.every((name) => name.startsWith('type ')));
    const to = target.startsWith('.') ? posix.join(posix.dirname(from), target) : target;
    return { from, to, typesOnly };
  });
}

const roomOf = (file: string) => file.split('/')[0] ?? file;
const packageOf = (name: string) => name.split('/', name.startsWith('@') ? 2 : 1).join('/');

const SRC = filesOf('src');
const IMPORTS = SRC.flatMap((file) => importsOf(file, textOf('src', file)));
const INNER = IMPORTS.filter(({ to }) => SRC.includes(to));
const OUTER = IMPORTS.filter(({ to }) => !SRC.includes(to) && !to.startsWith('node:'));

const isAllowed = ({ from, to, typesOnly }: Import) => {
  const [source, target] = [roomOf(from), roomOf(to)];
  if (source === target) return true;
  if (!ARROWS[source]?.includes(target)) return false;
  return typesOnly || !TYPES_ONLY.some(([a, b]) => a === source && b === target);
};
const arrow = ({ from, to, typesOnly }: Import) => `${from} → ${to}${typesOnly ? ' (types)' : ''}`;

describe('the reader of imports', () => {
  it('reads every form', () => {
    const text = `import a from './a.ts';
import { b, type C } from "../b/c.ts";
import type { D } from 'd';
import {
  type E,
  type F,
} from './e.ts';
import * as g from '@g/h';
import './i.ts';
export { j } from './j.ts';
export * from './k.ts';
const l = await import('./l.ts');
const notOne = "from './m.ts'";
`;
    expect(importsOf('http/x.ts', text).map(arrow)).toEqual([
      'http/x.ts → http/a.ts',
      'http/x.ts → b/c.ts',
      'http/x.ts → d (types)',
      'http/x.ts → http/e.ts (types)',
      'http/x.ts → @g/h',
      'http/x.ts → http/i.ts',
      'http/x.ts → http/j.ts',
      'http/x.ts → http/k.ts',
      'http/x.ts → http/l.ts',
    ]);
  });

  it('sees as many as there are', () => {
    expect(INNER.length).toBeGreaterThan(150);
    const lines = SRC.flatMap((file) => textOf('src', file).match(/^(?:import |.* from ')/gm) ?? []);
    expect(IMPORTS.length).toBeLessThanOrEqual(lines.length);
  });

  it('refuses what goes up or sideways', () => {
    const wrong = [
      'http/a.ts postgres/b.ts',
      'users/a.ts http/b.ts',
      'users/a.ts postgres/b.ts',
      'hashing/a.ts users/b.ts',
    ];
    const more = [
      'postgres/a.ts http/b.ts',
      'lib/errors.ts http/app.ts',
      'config/a.ts http/b.ts',
      'new-room/a.ts lib/errors.ts',
    ];
    for (const [from = '', to = ''] of [...wrong, ...more].map((pair) => pair.split(' '))) {
      expect([from, isAllowed({ from, to, typesOnly: true })]).toEqual([from, false]);
    }
    expect(isAllowed({ from: 'postgres/a.ts', to: 'imports/b.ts', typesOnly: false })).toBe(false);
    expect(isAllowed({ from: 'postgres/a.ts', to: 'imports/b.ts', typesOnly: true })).toBe(true);
  });
});

it('arrows go downward only', () => {
  expect(INNER.filter((one) => !isAllowed(one)).map(arrow)).toEqual([]);
});

it('every file and room has its place in the table', () => {
  const unplaced = [...new Set(SRC.map(roomOf))].filter((room) => ARROWS[room] === undefined);
  expect(unplaced).toEqual([]);
});

it('relative imports end at files that are there', () => {
  const relative = IMPORTS.filter(({ to }) => !to.startsWith('node:') && /^\.\.?\/|\.ts$/.test(to));
  expect(relative.filter(({ to }) => !SRC.includes(to)).map(arrow)).toEqual([]);
});

it('packages are imported where they belong only', () => {
  const strays = OUTER.filter(({ from, to }) => !PACKAGES[packageOf(to)]?.includes(roomOf(from)));
  expect(strays.map(arrow)).toEqual([]);
});

const CODE = ['src', 'test'].flatMap((folder) =>
  filesOf(folder).map((file) => ({ file: `${folder}/${file}`, text: textOf(folder, file) })),
);

it('nothing is exported by default', () => {
  expect(CODE.filter(({ text }) => /^export default\b/m.test(text)).map(({ file }) => file)).toEqual([]);
});

it('no file has more than 300 lines', () => {
  const long = CODE.filter(({ text }) => text.split('\n').length - 1 > 300);
  expect(long.map(({ file }) => file)).toEqual([]);
});

it('files are named in kebab-case', () => {
  const odd = CODE.filter(
    ({ file }) => !/^(?:[a-z0-9-]+\/)+[a-z0-9-]+(?:\.property)?(?:\.test)?\.ts$/.test(file),
  );
  expect(odd.map(({ file }) => file)).toEqual([]);
});

import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { SETTINGS } from '../src/config/schema.ts';
import { ARROWS, PACKAGES } from './support/arrows.ts';
import { findCycle, type Import, importsOf } from './support/source-imports.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

const filesOf = (folder: string) =>
  readdirSync(ROOT + folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => name.replaceAll('\\', '/'))
    .sort();
const textOf = (folder: string, file: string) => readFileSync(`${ROOT}${folder}/${file}`, 'utf8');

const packageOf = (name: string) => name.split('/', name.startsWith('@') ? 2 : 1).join('/');

/** Returns the room of a file: the longest name in the table that its path begins with. */
function roomOf(file: string): string | undefined {
  for (let room = file; room !== '.'; room = posix.dirname(room)) if (room in ARROWS) return room;
  return undefined;
}

const SRC = filesOf('src');
const IMPORTS = SRC.flatMap((file) => importsOf(file, textOf('src', file)));
const INNER = IMPORTS.filter(({ to }) => SRC.includes(to));
const OUTER = IMPORTS.filter(({ to }) => !SRC.includes(to) && !to.startsWith('node:'));

function covers(permission: string, { to, typesOnly }: Import): boolean {
  const [, kind, target = ''] = /^(types:)?(.*)$/.exec(permission) ?? [];
  if (kind !== undefined && !typesOnly) return false;
  if (target.endsWith('/**')) return to.startsWith(target.slice(0, -2));
  return to === target || roomOf(to) === target;
}

function isAllowed(one: Import): boolean {
  const room = roomOf(one.from);
  if (room === undefined) return false;
  return room === roomOf(one.to) || ARROWS[room]?.some((permission) => covers(permission, one)) === true;
}
const arrow = ({ from, to, typesOnly }: Import) => `${from} → ${to}${typesOnly ? ' (types)' : ''}`;

describe('the reader of imports', () => {
  it('reads every form of import', () => {
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

  it('finds no more imports than there are import lines', () => {
    expect(INNER.length).toBeGreaterThan(150);
    const lines = SRC.flatMap((file) => textOf('src', file).match(/^(?:import |.* from ')/gm) ?? []);
    expect(IMPORTS.length).toBeLessThanOrEqual(lines.length);
  });

  it('refuses imports that go up or sideways', () => {
    const wrong = [
      ['http/app.ts', 'postgres/client/b.ts'],
      ['users/a.ts', 'http/app.ts'],
      ['users/a.ts', 'postgres/users/b.ts'],
      ['passwords/a.ts', 'users/b.ts'],
      ['hashing/a.ts', 'passwords/b.ts'],
      ['imports/input/a.ts', 'imports/stream/b.ts'],
      ['postgres/client/a.ts', 'http/app.ts'],
      ['lib/a.ts', 'users/b.ts'],
      ['new-room/a.ts', 'lib/errors.ts'],
    ];
    for (const [from = '', to = ''] of wrong) {
      expect([from, isAllowed({ from, to, typesOnly: true })]).toEqual([from, false]);
    }
  });

  it('finds files that import each other', () => {
    const chain = [
      { from: 'a', to: 'b' },
      { from: 'b', to: 'c' },
      { from: 'a', to: 'c' },
    ];
    expect(findCycle(chain)).toBeUndefined();
    expect(findCycle([...chain, { from: 'c', to: 'b' }])).toEqual(['b', 'c', 'b']);
  });
});

it('imports go downward only', () => {
  expect(INNER.filter((one) => !isAllowed(one)).map(arrow)).toEqual([]);
});

it('few files import the code for Citus, which can be deleted with these lines', () => {
  const isCitus = (file: string) => file.startsWith('postgres/citus/');
  const users = INNER.filter(({ from, to }) => isCitus(to) && !isCitus(from)).map(({ from }) => from);
  expect([...new Set(users)]).toEqual([
    'migrate.ts',
    'postgres/migrate/apply-migrations.ts',
    'postgres/migrate/migrate-alone.ts',
    'postgres/users/user-rows.ts',
    'service/start.ts',
  ]);
  const asking = SRC.filter((file) => !isCitus(file) && /=== 'citus'/.test(textOf('src', file)));
  expect(asking).toEqual([]);
});

it('every file has a room in the table, and every room has files', () => {
  expect(SRC.filter((file) => roomOf(file) === undefined)).toEqual([]);
  expect(Object.keys(ARROWS).filter((room) => !SRC.some((file) => roomOf(file) === room))).toEqual([]);
});

it('every permission is used', () => {
  const stale = Object.entries(ARROWS).flatMap(([room, permissions]) =>
    permissions
      .filter((permission) => !INNER.some((one) => roomOf(one.from) === room && covers(permission, one)))
      .map((permission) => `${room} → ${permission}`),
  );
  expect(stale).toEqual([]);
});

it('no files import each other, not even for types', () => {
  expect(findCycle(INNER)).toBeUndefined();
});

it('the migrate command loads neither Fastify nor the rooms of requests', () => {
  const loaded = new Set(['migrate.ts']);
  // Iterating a Set also visits members that are added during the iteration.
  for (const file of loaded) {
    for (const { from, to, typesOnly } of IMPORTS) if (from === file && !typesOnly) loaded.add(to);
  }
  expect([...loaded]).toContain('postgres/migrate/apply-migrations.ts');
  expect([...loaded].filter((one) => /^(?:http|imports|users|passwords)\/|^@?fastify/.test(one))).toEqual([]);
});

it('relative imports name files that exist', () => {
  const relative = IMPORTS.filter(({ to }) => !to.startsWith('node:') && /^\.\.?\/|\.ts$/.test(to));
  expect(relative.filter(({ to }) => !SRC.includes(to)).map(arrow)).toEqual([]);
});

it('packages are imported only by the rooms that may use them', () => {
  const strays = OUTER.filter(({ from, to }) => !PACKAGES[packageOf(to)]?.includes(from.split('/')[0] ?? ''));
  expect(strays.map(arrow)).toEqual([]);
});

const FILES = ['src', 'test'].flatMap((folder) => filesOf(folder).map((file) => `${folder}/${file}`));

it('files are named in kebab-case', () => {
  const kebabCase = /^(?:[a-z0-9-]+\/)+[a-z0-9-]+(?:\.property)?(?:\.test)?\.ts$/;
  expect(FILES.filter((file) => !kebabCase.test(file))).toEqual([]);
});

it('docs/architecture.md names only files that exist', () => {
  const named = [...textOf('docs', 'architecture.md').matchAll(/`([\w./-]+\.ts)`/g)].map(
    ([, path = '']) => path,
  );
  expect(named.length).toBeGreaterThan(30);
  expect(named.filter((path) => !FILES.some((file) => file === path || file.endsWith(`/${path}`)))).toEqual(
    [],
  );
});

it('every setting is used by code that is not its definition', () => {
  const code = SRC.filter((file) => file !== 'config/schema.ts').map((file) => textOf('src', file));
  const unused = SETTINGS.map(([name]) => name).filter(
    (name) => !code.some((text) => new RegExp(`\\.${name}\\b|[{,]\\s*${name}\\b`).test(text)),
  );
  expect(unused).toEqual([]);
});

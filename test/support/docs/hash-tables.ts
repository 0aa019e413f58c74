import { readdirSync } from 'node:fs';
import type { HashAlgorithm } from '../../../src/hashing/algorithm.ts';
import { ALGORITHMS } from '../../../src/hashing/registry.ts';
import { code, table } from './doc-tables.ts';
import { GUIDE, namesIn } from './hash-guide.ts';
import { OTHER_ORIGINS } from './hash-origins.ts';
import { urlOf } from './read-text.ts';

const ALL: readonly HashAlgorithm[] = ALGORITHMS;
const VERIFIERS = 'src/hashing/verifiers';

/** What each file of verifiers exports: one algorithm, or an array of algorithms. */
const EXPORTS = (
  await Promise.all(
    readdirSync(urlOf(VERIFIERS)).map(async (file) => {
      const name = file.replace(/\.ts$/, '');
      const module: Record<string, unknown> = await import(`../../../src/hashing/verifiers/${name}.ts`);
      return Object.values(module).map((value) => ({ file, algorithms: [value].flat() }));
    }),
  )
).flat();

/** Returns a link to the file that defines an algorithm: of all exports that hold the algorithm, the smallest. */
function sourceLink(algorithm: HashAlgorithm): string {
  const [found] = EXPORTS.filter(({ algorithms }) => algorithms.includes(algorithm)).sort(
    (a, b) => a.algorithms.length - b.algorithms.length,
  );
  if (found === undefined) throw new Error(`no file of ${VERIFIERS} exports ${algorithm.name}`);
  return `[${found.file}](../${VERIFIERS}/${found.file})`;
}

const namesOf = ({ name, aliases }: HashAlgorithm) =>
  code(name) + (aliases.length > 0 ? ` (also ${aliases.map(code).join(', ')})` : '');

/** Returns what the hashes look like, and what a request needs beside the hash. */
const lookOf = ({ looksLike, byNameOnly, secret }: HashAlgorithm) =>
  [
    looksLike,
    ...(byNameOnly ? ['only by name'] : []),
    ...(secret === undefined ? [] : [`secret ${secret}`]),
  ].join('; ');

/** Returns the systems that the guide maps to an algorithm, and those that only `OTHER_ORIGINS` knows. */
function originsOf({ name, aliases }: HashAlgorithm): string {
  const names = [name, ...aliases];
  const systems = GUIDE.filter((row) => namesIn(row).some((one) => names.includes(one))).map(
    ({ system }) => system,
  );
  const other = OTHER_ORIGINS[name];
  if (systems.length === 0 && other === undefined)
    throw new Error(
      `${name}: neither docs/hash-guide.md nor hash-origins.ts says which system it comes from`,
    );
  if (systems.length > MANY) return `[${systems.length} systems](hash-guide.md)`;
  return [...systems, ...(other === undefined ? [] : [other])].join('; ');
}

/** Longer lists make the row unreadable. */
const MANY = 6;

export const familyTable = () =>
  table(
    ['`hashingAlgorithm`', 'looks like', 'strength', 'comes from', 'source'],
    ALL.map((one) => [namesOf(one), lookOf(one), one.strength, originsOf(one), sourceLink(one)]),
  );

/** Returns one row for all algorithms that have the same cells: their names, and then the cells. */
function grouped(rows: readonly { name: string; cells: readonly string[] }[]): string[][] {
  const groups = new Map<string, { names: string[]; cells: readonly string[] }>();
  for (const { name, cells } of rows) {
    const group = groups.get(cells.join('\0')) ?? { names: [], cells };
    group.names.push(name);
    groups.set(cells.join('\0'), group);
  }
  return [...groups.values()].map((group) => [...group.cells, group.names.join(', ')]);
}

export const boundsTable = () =>
  table(
    ['setting', 'default', 'what it bounds', 'families'],
    grouped(
      ALL.flatMap(({ name, limits }) =>
        Object.entries(limits).map(([setting, limit]) => ({
          name,
          cells: [code(setting), String(limit.default), limit.description],
        })),
      ),
    ),
  );

export const timesTable = () =>
  table(
    ['reference time', 'examples', 'measured', 'families'],
    grouped(
      ALL.map(({ name, reference: { formula, examples, measured } }) => ({
        name,
        cells: [formula, examples, measured],
      })),
    ),
  );

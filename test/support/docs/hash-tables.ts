import { readdirSync } from 'node:fs';
import { FAMILIES } from '../../../src/hashing/families.ts';
import type { Family } from '../../../src/hashing/family.ts';
import { code, table } from './doc-tables.ts';
import { GUIDE, namesIn } from './hash-guide.ts';
import { OTHER_ORIGINS } from './hash-origins.ts';
import { urlOf } from './read-text.ts';

const FOLDER = 'src/hashing/families';

/** Families that each file exports: single ones, and arrays of them. */
const EXPORTS = (
  await Promise.all(
    readdirSync(urlOf(FOLDER)).map(async (file) => {
      const name = file.replace(/\.ts$/, '');
      const module: Record<string, unknown> = await import(`../../../src/hashing/families/${name}.ts`);
      return Object.values(module).map((value) => ({ file, families: [value].flat() }));
    }),
  )
).flat();

/** Returns a link to the file that defines a family: of all exports that hold the family, the smallest. */
function sourceLink(family: Family): string {
  const [found] = EXPORTS.filter(({ families }) => families.includes(family)).sort(
    (a, b) => a.families.length - b.families.length,
  );
  if (found === undefined) throw new Error(`no file of ${FOLDER} exports ${family.name}`);
  return `[${found.file}](../${FOLDER}/${found.file})`;
}

const namesOf = ({ name, aliases }: Family) =>
  code(name) + (aliases.length > 0 ? ` (also ${aliases.map(code).join(', ')})` : '');

/** Returns what the hashes look like, and what a request needs beside the hash. */
const lookOf = ({ looksLike, byName, secret }: Family) =>
  [
    looksLike,
    ...(byName ? ['only by name'] : []),
    ...(secret === undefined ? [] : [`secret ${secret}`]),
  ].join('; ');

/** Returns the systems that the guide maps to a family, and those that only `OTHER_ORIGINS` knows. */
function originsOf({ name, aliases }: Family): string {
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
    FAMILIES.map((one) => [namesOf(one), lookOf(one), one.strength, originsOf(one), sourceLink(one)]),
  );

const timesOf = ({ forms }: Family) => [...new Set(forms.map(({ formula }) => formula.time))];

/** Families whose forms all take the same time, by that time. The first family stands for the others. */
const NAME_BY_TIME = new Map(
  FAMILIES.toReversed().flatMap((family): [string, string][] => {
    const [time, ...others] = timesOf(family);
    return time === undefined || others.length > 0 ? [] : [[time, family.name]];
  }),
);

/** Longer times are replaced by the name of a family that takes as long. */
const NAME_FROM = 10;

function timeOf(family: Family): string {
  const [time, ...others] = timesOf(family);
  if (time === undefined) throw new Error(`${family.name} has no form`);
  if (others.length === 0) return time;
  // The time of no other family describes all forms of this one.
  const own = [time, ...others].find((one) => !NAME_BY_TIME.has(one));
  const likes = [time, ...others].map((one) =>
    one.length < NAME_FROM ? one : `as ${NAME_BY_TIME.get(one)}`,
  );
  return own ?? `by the form of the hash: ${likes.join(', ')}`;
}

export function timesTable() {
  const namesByTime = new Map<string, string[]>();
  for (const family of FAMILIES) {
    const time = timeOf(family);
    namesByTime.set(time, [...(namesByTime.get(time) ?? []), family.name]);
  }
  return table(
    ['reference time', 'families'],
    [...namesByTime].map(([time, names]) => [time, names.join(', ')]),
  );
}

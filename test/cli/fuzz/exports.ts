import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Random } from '../../support/random.ts';
import { MUTATIONS } from './mutations.ts';

const SAMPLES = join(import.meta.dirname, '../../sources/samples');
const DUMPS = join(import.meta.dirname, '../../sources/containers/sql/fixtures');

export type ExportFiles = readonly { name: string; bytes: Buffer }[];

/** Returns all samples of exports, and the dumps of the tests of the SQL reader. */
export function readExports(): ExportFiles[] {
  const samples = readdirSync(SAMPLES).flatMap((system) => {
    const { exports }: { exports: { files: string[] }[] } = JSON.parse(
      readFileSync(join(SAMPLES, system, 'expected.json'), 'utf8'),
    );
    return exports.map(({ files }) => files.map((file) => fileAt(join(SAMPLES, system, file))));
  });
  const dumps = readdirSync(DUMPS)
    .filter((name) => name.endsWith('.sql'))
    .map((name) => [fileAt(join(DUMPS, name))]);
  return [...samples, ...dumps];
}

const fileAt = (path: string) => ({ name: basename(path), bytes: readFileSync(path) });

/** Files on disk to run the tool with, and their origin. */
export interface Case {
  paths: string[];
  story: string;
  /** The files before they were changed. */
  originals: Buffer[];
}

/** Writes changed files into a new directory. */
export function makeCase(all: readonly ExportFiles[], random: Random, directory: string): Case {
  mkdirSync(directory, { recursive: true });
  const chosen = [...random.one(all)];
  const stories: string[] = [];
  if (random.chance(0.1)) {
    chosen.push(random.one(random.one(all)));
    stories.push('with a stranger');
  }
  if (chosen.length > 1 && random.chance(0.1)) {
    chosen.splice(random.below(chosen.length), 1);
    stories.push('one left out');
  }
  const kinds = Object.keys(MUTATIONS);
  const paths = chosen.map(({ name, bytes }, index) => {
    let changed = bytes;
    const done: string[] = [];
    for (let left = random.chance(0.3) ? 0 : 1 + random.below(3); left > 0; left -= 1) {
      const kind = random.one(kinds);
      changed = MUTATIONS[kind]?.(changed, random, random.one(random.one(all)).bytes) ?? changed;
      done.push(kind);
    }
    const shown = random.chance(0.1) ? `${name}${random.one(['.gz', '.csv', '.sql', '.json', ''])}` : name;
    stories.push(`${shown}: ${done.join(', ')}`);
    const path = join(directory, `${index}-${shown}`);
    writeFileSync(path, changed);
    return path;
  });
  return { paths, story: stories.join('; '), originals: chosen.map(({ bytes }) => bytes) };
}

import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Random } from '../../support/random.ts';
import { scratch } from '../command-line.ts';
import { makeCase, readExports } from './exports.ts';
import { problemsOf } from './invariants.ts';

const EXPORTS = readExports();

it('reports damaged exports clearly', async () => {
  const root = scratch();
  for (let seed = 1; seed <= 25; seed += 1) {
    const directory = join(root, String(seed));
    const made = makeCase(EXPORTS, new Random(seed), directory);
    expect([seed, made.story, await problemsOf(made, directory)]).toEqual([seed, made.story, []]);
  }
});

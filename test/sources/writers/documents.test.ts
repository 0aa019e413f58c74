import { describe, expect, it } from 'vitest';
import { openContainer } from '../../../src/sources/containers/open-container.ts';
import { installed } from '../../support/installed.ts';
import { Random } from '../../support/random.ts';
import { fileOf, problemOf } from '../containers/read-whole.ts';
import { checkWriter } from './check-writer.ts';
import { hostileRows } from './hostile-rows.ts';
import { JSON_WRITERS } from './json/json-writers.ts';
import { LDIF_WRITERS } from './ldif/ldif-writers.ts';
import { WRITERS } from './registry.ts';

/** SEEDS sets another number of files. */
const SEEDS = Array.from({ length: Number(process.env.SEEDS ?? 2) }, (_, index) => index + 1);

const isMissing = ({ programs }: { programs: readonly string[] }) =>
  programs.some((program) => installed(program) === undefined);

describe.each([...JSON_WRITERS, ...LDIF_WRITERS])('$name ($programs)', (writer) => {
  it.skipIf(isMissing(writer))(
    'writes files that are read back cell for cell, whatever they contain',
    async () => {
      const running = await writer.start();
      try {
        for (const seed of SEEDS) {
          const { how, plain } = await checkWriter(writer, running, seed);
          expect({ seed, how, plain }).toMatchObject({ plain: { result: 'read' } });
        }
      } finally {
        await running.stop();
      }
    },
  );
});

describe.each(WRITERS)('$name ($programs)', (writer) => {
  it.skipIf(isMissing(writer))('writes files of one kind, or ambiguous ones', async () => {
    const running = await writer.start();
    try {
      for (const seed of SEEDS) {
        const random = new Random(seed);
        const { bytes, how, options } = await running.write(hostileRows(random, 0), random);
        let kind = '';
        const said = await problemOf(async () => {
          kind = (await openContainer(fileOf(bytes), options)).name;
        });
        expect({ seed, how, kind: said ?? kind }).toMatchObject({
          kind: expect.stringMatching(new RegExp(`^${writer.container}$|--format|--encoding`)),
        });
      }
    } finally {
      await running.stop();
    }
  });
});

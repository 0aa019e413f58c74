import { afterAll, describe, expect, it } from 'vitest';
import { openContainer } from '../../../src/sources/containers/open-container.ts';
import type { ReadOptions } from '../../../src/sources/containers/table.ts';
import { installed } from '../../support/installed.ts';
import { Random } from '../../support/random.ts';
import { fileOf, problemOf } from '../containers/read-whole.ts';
import { type HostileRow, hostileRows, tameRows } from './hostile-rows.ts';
import { differenceOf, readBack } from './read-back.ts';
import { stopServers, type Writer, type WrittenFile } from './writer.ts';
import { WRITERS } from './writers.ts';

/** Number of files of each writer, and the share of them that the reader must be certain about. */
const FILES: Readonly<Record<string, { count: number; share: number }>> = {
  csv: { count: 12, share: 0 },
  sql: { count: 6, share: 0.5 },
  json: { count: 2, share: 0.9 },
  ldif: { count: 2, share: 0.9 },
};

/** Longer rows may be refused one by one, if the reader is certain where they end. */
const MAX_ROW_CHARS = 1_000_000;

type Outcome = { result: 'read' } | { result: 'refused' | 'wrong'; why: string };

async function outcomeOf(
  { container }: Writer,
  file: WrittenFile,
  rows: readonly HostileRow[],
  options: ReadOptions,
): Promise<Outcome> {
  const back = await readBack(file.bytes, options, file.isTable?.bind(file));
  if ('refused' in back) return { result: 'refused', why: back.refused };
  const isLong = (index: number) => JSON.stringify(rows[index] ?? '').length > MAX_ROW_CHARS;
  const why = differenceOf(file.rows, back, container, isLong);
  if (why === undefined) return { result: 'read' };
  // A cell can change the kind of a table, which the tests of kinds cover.
  const isAnotherKind = container === 'csv' && why.startsWith('read as ');
  return { result: isAnotherKind ? 'refused' : 'wrong', why };
}

afterAll(() => stopServers());

describe.each(WRITERS)('$name ($programs)', (writer) => {
  const isSkipped =
    writer.programs.some((program) => installed(program) === undefined) && process.env.CI === undefined;

  it.skipIf(isSkipped)('writes files that are read back cell for cell, or refused', async () => {
    const { count = 0, share = 0 } = FILES[writer.container] ?? {};
    let read = 0;
    for (let seed = 1; seed <= count; seed += 1) {
      const random = new Random(seed);
      const rows = random.chance(0.25) ? tameRows(random) : hostileRows(random);
      const file = await writer.write(rows, random);
      // As it is, and with the options that its operator can give.
      const outcomes = [
        await outcomeOf(writer, file, rows, {}),
        await outcomeOf(writer, file, rows, file.options),
      ];
      const wrong = outcomes.filter(({ result }) => result === 'wrong');
      expect({ seed, how: file.how, wrong }).toEqual({ seed, how: file.how, wrong: [] });
      if (outcomes.some(({ result }) => result === 'read')) read += 1;
      if (seed <= 2)
        expect({ how: file.how, kind: await kindOf(file) }).toMatchObject({
          kind: expect.stringMatching(new RegExp(`^${writer.container}$|--format|--encoding`)),
        });
    }
    // A reader that refuses everything would pass otherwise.
    expect(read / count).toBeGreaterThan(share);
  });
});

/** Returns the kind of a file, or why it is ambiguous. */
async function kindOf({ bytes, options }: WrittenFile): Promise<string> {
  let kind = '';
  const said = await problemOf(async () => {
    kind = (await openContainer(fileOf(bytes), options)).name;
  });
  return said ?? kind;
}

import { describe, expect, it } from 'vitest';
import { installed } from '../../../support/installed.ts';
import { checkWriter } from '../check-writer.ts';
import { SQL_WRITERS } from './sql-writers.ts';

/** Number of files of each writer. RUNS sets another number. */
const RUNS = Number(process.env.RUNS ?? 6);

describe.each(SQL_WRITERS)('$name', (writer) => {
  const missing = writer.programs.filter((program) => installed(program) === undefined);
  const title = missing.length === 0 ? '' : ` (skipped: ${missing.join(', ')} is not installed)`;

  it.skipIf(missing.length > 0)(
    `writes hostile cells that are read back unchanged, or the file is refused${title}`,
    { timeout: 240_000 },
    async () => {
      const running = await writer.start();
      try {
        let read = 0;
        for (let seed = 1; seed <= RUNS; seed++) {
          const { how, plain, told } = await checkWriter(writer, running, seed);
          expect([seed, how, plain.result === 'wrong' && plain.why]).toEqual([seed, how, false]);
          expect([seed, how, told.result === 'wrong' && told.why]).toEqual([seed, how, false]);
          if (told.result === 'read') read++;
        }
        // A reader that refuses everything would pass otherwise.
        expect(read).toBeGreaterThan(RUNS / 2);
      } finally {
        await running.stop();
      }
    },
  );
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { installed } from '../../../support/installed.ts';
import { checkWriter } from '../check-writer.ts';
import type { RunningWriter } from '../writer.ts';
import { CSV_WRITERS } from './csv-writers.ts';

/** Number of files. */
const SEEDS = 12;

/** Whether a cell changed the kind of the file. The tests of kinds cover this. */
const isAnotherKind = (why: string) => why.startsWith('read as ');

describe.each(CSV_WRITERS.map((writer) => [writer.name, writer] as const))('%s', (_, writer) => {
  const missing = writer.programs.filter((program) => installed(program) === undefined);
  const isSkipped = missing.length > 0 && process.env.CI === undefined;
  let running: RunningWriter | undefined;
  beforeAll(async () => {
    if (!isSkipped) running = await writer.start();
  });
  afterAll(() => running?.stop());

  it.skipIf(isSkipped)(`${SEEDS} files are read back cell for cell, or refused`, async () => {
    const problems: string[] = [];
    let read = 0;
    for (let seed = 1; seed <= SEEDS; seed += 1) {
      if (running === undefined) continue;
      const { how, plain, told } = await checkWriter(writer, running, seed);
      for (const outcome of [plain, told]) {
        if (outcome.result === 'read') read += 1;
        if (outcome.result === 'wrong' && !isAnotherKind(outcome.why)) {
          problems.push(`seed ${seed} (${how}): ${outcome.why}`);
        }
      }
    }
    expect(problems).toEqual([]);
    expect(read).toBeGreaterThan(0);
  });
});

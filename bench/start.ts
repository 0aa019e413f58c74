import { once } from 'node:events';
import { scratchDirectory } from '../test/support/scratch.ts';
import { startCompiledService } from './compiled.ts';
import { median, milliseconds, type Row } from './report.ts';

const ROUNDS = 5;

/**
 * Measures the time from the start of the process until it is ready, on an existing embedded database.
 * Requires a build.
 */
export async function benchStart(): Promise<Row[]> {
  const scratch = await scratchDirectory();
  const times: number[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const start = performance.now();
    const { child } = await startCompiledService({ EMBEDDED_POSTGRES_DIR: scratch.path }, 'ignore');
    const elapsed = performance.now() - start;
    console.log(
      `start to ready${round === 0 ? ', first ever (creates the database)' : ''}: ${milliseconds(elapsed)}`,
    );
    if (round > 0) times.push(elapsed);
    child.kill('SIGTERM');
    await once(child, 'exit');
  }
  await scratch.remove();
  const measured = median(times);
  return [
    {
      what: 'start to ready, warm, embedded',
      measured: milliseconds(measured),
      limit: '1,000 ms',
      ratio: measured / 1000,
      aim: '< 1',
      met: measured < 1000,
    },
  ];
}

import { execFileSync } from 'node:child_process';
import { expect, inject, it } from 'vitest';

/** Fills the heap with short-lived objects, as rows are, and prints the size of the space for new objects. */
const FILL = `
  const { getHeapSpaceStatistics } = await import('node:v8');
  let living = [];
  for (let batch = 0; batch < 3000; batch += 1) {
    living = [...living.slice(-40), Array.from({ length: 500 }, (_, index) => ({ index, text: 'x'.repeat(20) + index }))];
    if (batch % 10 === 0) await new Promise(setImmediate);
  }
  const { space_size: size } = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space');
  console.log(size / 2 ** 20);`;

const sizeAfter = (before: string) =>
  Number(execFileSync(process.execPath, ['--input-type=module', '--eval', before + FILL]));

it('keeps the space for new objects small', () => {
  const bound = `${inject('compiled').directory}/dist/cli/process-io.js`;
  expect(sizeAfter('')).toBeGreaterThan(16);
  expect(sizeAfter(`const { boundHeap } = await import('${bound}'); boundHeap();`)).toBeLessThanOrEqual(16);
});

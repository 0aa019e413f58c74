import { expect, it } from 'vitest';
import { withBlanks } from '../../../src/cli/rows/part-lines.ts';

it('pieces that are short for their time are padded with spaces, which changes nothing', () => {
  expect(withBlanks('\n\n', 5000)).toBe(`${' '.repeat(998)}\n\n`);
  expect(withBlanks('\n{}\n', 100)).toBe(`${' '.repeat(16)}\n{}\n`);
  expect(withBlanks('\n', 3_600_000)).toHaveLength(1000);
  for (const [text, elapsedMs] of [
    ['\n\n', 5],
    ['{}\n', 5000],
    ['\n'.repeat(1000), 60_000],
  ] as const)
    expect(withBlanks(text, elapsedMs)).toBe(text);
});

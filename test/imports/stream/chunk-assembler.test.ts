import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import {
  assembleChunks,
  type LineChunk,
  type OptimisticChunk,
} from '../../../src/imports/stream/chunk-assembler.ts';
import { readMarks } from '../../../src/imports/stream/line-marks.ts';

const MAX_LINE_BYTES = 1000;
const LIMITS = { maxLines: 2000, maxBytes: 10_000, idleMs: 1000, maxAgeMs: 60_000 };

async function* piecesOf(body: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let start = 0; start < body.length; start += size) yield body.subarray(start, start + size);
}

async function chunksOf(body: Buffer, { size = 4096, boundary = 1 } = {}): Promise<LineChunk[]> {
  const options = { maxLineBytes: MAX_LINE_BYTES, limits: LIMITS, boundary, openOptimistic: () => undefined };
  const chunks: LineChunk[] = [];
  for await (const chunk of assembleChunks(piecesOf(body, size), options)) chunks.push(chunk);
  return chunks;
}

it.each([
  ['too long', Buffer.from(`${'x'.repeat(MAX_LINE_BYTES + 100)}\n`)],
  ['not UTF-8', Buffer.from([...Buffer.alloc(900, 0xff), 0x0a])],
  ['good', Buffer.from(`${'x'.repeat(900)}\n`)],
  ['blank', Buffer.from('\n')],
])('a chunk holds a bounded number of bytes of lines that are %s', async (_what, line) => {
  const count = 30_000;
  const chunks = await chunksOf(Buffer.concat(Array(count).fill(line)));
  const mostBytes = Math.max(...chunks.map(({ bytes }) => bytes));
  expect(mostBytes).toBeLessThanOrEqual(LIMITS.maxBytes + 4096 + MAX_LINE_BYTES);
  expect(Math.max(...chunks.map(({ filled }) => filled))).toBeLessThanOrEqual(LIMITS.maxLines);
  const numbers = chunks.flatMap((chunk) => chunk.lines().map((raw) => raw.line));
  expect(numbers).toEqual(Array.from({ length: count }, (_, index) => index + 1));
  expect(chunks.map((chunk) => readMarks(chunk.marks).length)).toEqual(chunks.map(({ size }) => size));
});

it('no chunk has lines on both sides of the boundary', async () => {
  const chunks = await chunksOf(Buffer.from('a\n'.repeat(50)), { size: 7, boundary: 18 });
  expect(chunks.map(({ firstLine, nextLine }) => [firstLine, nextLine])).toEqual([
    [1, 18],
    [18, 51],
  ]);
});

it('a released chunk returns no lines, and is not released twice', async () => {
  const [chunk] = await chunksOf(Buffer.from('a\nb\n'));
  if (chunk === undefined) throw new Error('no chunk');
  expect(chunk.lines().map(({ text }) => text)).toEqual(['a', 'b']);
  chunk.release();
  expect(() => chunk.lines()).toThrow('released');
  expect(() => chunk.marks).toThrow('released');
  expect(() => chunk.release()).toThrow('released');
});

it('blank lines hardly count towards the size of a chunk', async () => {
  const chunks = await chunksOf(Buffer.from(`\n${'a\n\n'.repeat(3000)}`));
  expect(chunks.map(({ filled }) => filled)).toEqual([2000, 1000]);
  expect(chunks.reduce((sum, { size }) => sum + size, 0)).toBe(6001);
});

it('keeps a chunk of blank lines open, however slowly they arrive, and closes it at the first other line', async () => {
  async function* slowly() {
    for (const piece of ['\n', '\n', ' \n', 'a\n', '\n', '\n']) {
      yield Buffer.from(piece);
      await sleep(3);
    }
  }
  const limits = { ...LIMITS, idleMs: 0, maxAgeMs: 0 };
  const options = { maxLineBytes: MAX_LINE_BYTES, limits, boundary: 1, openOptimistic: () => undefined };
  const sizes: number[] = [];
  for await (const { size } of assembleChunks(slowly(), options)) sizes.push(size);
  expect(sizes).toEqual([4, 2]);
});

it.each([
  ['all users seem to be new', 100, false, [6, 4]],
  ['users seem to be new up to the fourth line', 4, false, [4, 2, 2, 2]],
  ['calls wait', 100, true, [2, 2, 2, 2, 2]],
])('a chunk is larger as long as %s', async (_what, newLines, isHeldBack, expected) => {
  const options = {
    ...{ maxLineBytes: MAX_LINE_BYTES, boundary: 1, pace: { isHeldBack } },
    limits: { ...LIMITS, maxLines: 2, timesNew: 3 },
    openOptimistic: () => seemingNew(newLines),
  };
  const sizes: number[] = [];
  for await (const { size } of assembleChunks(piecesOf(Buffer.from('a\n'.repeat(10)), 2), options))
    sizes.push(size);
  expect(sizes).toEqual(expected);
});

/** Takes all users for new, up to the line with this number. */
function seemingNew(lastLine: number): OptimisticChunk {
  const seen = { last: 0 };
  return {
    get isWhole() {
      return seen.last < lastLine;
    },
    add(lines: readonly { line: number }[]) {
      seen.last = lines.at(-1)?.line ?? 0;
    },
  } as OptimisticChunk;
}

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  cutBlock,
  isBlank,
  LineSplitter,
  type RawLine,
  readLines,
} from '../../../src/imports/input/line-splitter.ts';

const MAX = 16;

/** Returns the lines of a body that arrives in these pieces. */
function split(pieces: readonly Buffer[]): RawLine[] {
  const splitter = new LineSplitter(MAX);
  const blocks = [...pieces.flatMap((piece) => splitter.push(piece)), ...splitter.end()];
  for (const { lines, bytes } of blocks) expect(readLines(bytes, lines[0]?.line ?? 0, MAX)).toEqual(lines);
  return blocks.flatMap(({ lines }) => lines);
}

const whole = (body: string | Buffer) => split([Buffer.from(body)]);
const byteByByte = (body: string | Buffer) =>
  split([...Buffer.from(body)].map((byte) => Buffer.from([byte])));
const texts = (lines: readonly RawLine[]) => lines.map(({ text, problem }) => text ?? problem);

const BOM = '\uFEFF';
const full = 'é'.repeat(MAX / 2);

describe.each([
  ['at once', whole],
  ['byte by byte', byteByByte],
])('a body that comes %s', (_how, read) => {
  it.each([
    ['', []],
    ['a', ['a']],
    ['a\n', ['a']],
    ['a\n\n', ['a', '']],
    ['\n\na', ['', '', 'a']],
    ['a\r\nb\r\n', ['a', 'b']],
    ['a\rb\r\r\n', ['a\rb\r']],
    ['\r\n', ['']],
    [`${BOM}a\n${BOM}b`, ['a', `${BOM}b`]],
    [`${BOM}\r\na`, ['', 'a']],
    [`\n${BOM}a`, ['', `${BOM}a`]],
    ['a\0\u2028b', ['a\0\u2028b']],
    [`${full}\n${full}\r\n${full}`, [full, full, full]],
    [`${full}x\nb`, ['too-long', 'b']],
    [`${full}x\r\nb`, ['too-long', 'b']],
    [`${full}\r\r\nb`, ['too-long', 'b']],
    [`${BOM}${full}\r\n${BOM}${full}`, [full, 'too-long']],
    [`${BOM}${full}x`, ['too-long']],
    ['x'.repeat(40), ['too-long']],
    [Buffer.from('a\n\xff\nb', 'latin1'), ['a', 'not-utf8', 'b']],
    [Buffer.from('é').subarray(0, 1), ['not-utf8']],
    [Buffer.from([0xed, 0xa0, 0x80, 0x0a, 0x61]), ['not-utf8', 'a']],
    [Buffer.alloc(40, 0xff), ['too-long']],
  ])('%j has the lines %j', (body, expected) => {
    const lines = read(body);
    expect(texts(lines)).toEqual(expected);
    expect(lines.map(({ line }) => line)).toEqual(expected.map((_text, index) => index + 1));
  });
});

const bodies = fc
  .array(
    fc.oneof(
      fc
        .constantFrom('\n', '\r\n', '\r', BOM, 'a', full, BOM + full, `${full}x`, '😀', 'x'.repeat(MAX + 1))
        .map((text) => Buffer.from(text)),
      fc.uint8Array({ maxLength: 4 }).map((bytes) => Buffer.from(bytes)),
    ),
    { maxLength: 12 },
  )
  .map((parts) => Buffer.concat(parts));

it('a body has the same lines however it is cut', () => {
  fc.assert(
    fc.property(bodies, fc.array(fc.nat(100)), (body, cuts) => {
      const at = [0, ...cuts.map((cut) => Math.min(cut, body.length)), body.length].sort((a, b) => a - b);
      const pieces = at.slice(1).map((end, index) => body.subarray(at[index], end));
      expect(split(pieces)).toEqual(whole(body));
      expect(byteByByte(body)).toEqual(whole(body));
    }),
    { numRuns: 500 },
  );
});

it('cuts a block between lines', () => {
  fc.assert(
    fc.property(bodies, fc.nat(8), fc.nat(8), (body, lines, filled) => {
      const [block] = new LineSplitter(MAX).push(Buffer.concat([body, Buffer.from('\n')]));
      if (block === undefined) throw new Error('a body that ends in a line break has a block');
      const [head, rest] = cutBlock(block, { lines: lines + 1, filled: filled + 1 });
      expect([...head.lines, ...(rest?.lines ?? [])]).toEqual(block.lines);
      const isFilled = (raw: RawLine) => !isBlank(raw);
      expect(head.lines.length).toBeLessThanOrEqual(lines + 1);
      expect(head.lines.filter(isFilled).length).toBeLessThanOrEqual(filled + 1);
      // The block has as many lines as there is room for.
      const next = rest?.lines[0];
      if (next !== undefined && head.lines.length < lines + 1) {
        expect([head.lines.filter(isFilled).length, isFilled(next)]).toEqual([filled + 1, true]);
      }
      for (const { lines, bytes } of rest === undefined ? [head] : [head, rest]) {
        expect(readLines(bytes, lines[0]?.line ?? 0, MAX)).toEqual(lines);
      }
    }),
    { numRuns: 500 },
  );
});

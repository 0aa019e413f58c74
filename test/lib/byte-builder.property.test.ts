import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ByteBuilder } from '../../src/lib/buffers.ts';

const part = fc.oneof(
  fc.uint8Array({ maxLength: 300 }),
  fc.string({ unit: 'binary', maxLength: 300 }),
  // Larger than the initial capacity of a builder.
  fc.integer({ min: 1, max: 70_000 }).map((size) => 'ä'.repeat(size)),
);

it('holds everything that was added, in order, also after it is reused', () => {
  const builder = new ByteBuilder();
  fc.assert(
    fc.property(fc.array(part, { maxLength: 6 }), (parts) => {
      builder.clear();
      for (const one of parts) {
        if (typeof one === 'string') builder.addText(one, 'utf8');
        else builder.add(one);
      }
      const expected = Buffer.concat(parts.map((one) => Buffer.from(one as string)));
      expect(builder.length).toBe(expected.length);
      expect(builder.bytes().equals(expected)).toBe(true);
      expect(builder.capacity).toBeGreaterThanOrEqual(expected.length);
    }),
    { numRuns: 300 },
  );
});

it('encodes text as Latin-1 on request', () => {
  const builder = new ByteBuilder();
  builder.addText('\0ÿ', 'latin1');
  expect([...builder.bytes()]).toEqual([0, 255]);
});

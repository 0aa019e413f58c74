import fc from 'fast-check';
import { expect, it } from 'vitest';
import { checkBase64, decodeBase64 } from '../../../src/lib/text/base64.ts';

const STYLES = ['bare', 'lenient'] as const;
const bytes = fc.uint8Array({ maxLength: 9 }).map((value) => Buffer.from(value));

it('accepts every spelling of bytes, and computes their number', () => {
  fc.assert(
    fc.property(bytes, (value) => {
      const padded = value.toString('base64');
      const writings = [padded, padded.replaceAll('=', ''), value.toString('base64url')];
      for (const text of writings) {
        expect(checkBase64(text, 'lenient')).toBe(value.length);
        expect(decodeBase64(text, 'lenient')).toEqual(value);
      }
      expect(checkBase64(padded.replaceAll('=', ''), 'bare')).toBe(value.length);
    }),
  );
});

it('rejects text that encodes back to another text', () => {
  const text = fc.string({ unit: fc.constantFrom(...'ABQgw01+/-_=', ' ', '\n', 'ä', '\0'), maxLength: 9 });
  fc.assert(
    fc.property(text, (any) => {
      for (const style of STYLES) {
        const length = checkBase64(any, style);
        if (typeof length !== 'number') continue;
        const decoded = Buffer.from(any, 'base64');
        expect(decoded.length).toBe(length);
        const writings = [decoded.toString('base64'), decoded.toString('base64url')];
        const bare = writings.map((one) => one.replaceAll('=', ''));
        expect(style === 'bare' ? [bare[0]] : [...writings, ...bare]).toContain(
          style === 'lenient' && any.includes('=') && /[-_]/.test(any)
            ? any.replaceAll('-', '+').replaceAll('_', '/')
            : any,
        );
      }
    }),
    { numRuns: 20_000 },
  );
});

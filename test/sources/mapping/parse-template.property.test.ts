import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readingHash } from '../../../src/sources/fields/hashes.ts';
import { parseTemplate } from '../../../src/sources/mapping/hash-template.ts';
import { rendered } from './render.ts';

const braced = fc.constantFrom<readonly [string, string]>(['{', '}'], ['\\{', '\\}']);
const bytes = fc.uint8Array({ minLength: 1, maxLength: 64 }).map((array) => Buffer.from(array));
const written = fc.constantFrom<readonly [string, (value: Buffer) => string]>(
  ['hex', (value) => value.toString('hex')],
  ['hex', (value) => value.toString('hex').toUpperCase()],
  ['base64', (value) => value.toString('base64')],
  ['base64', (value) => value.toString('base64url')],
  ['latin1', (value) => value.toString('latin1')],
);
const wanted = fc.constantFrom<readonly [string, (value: Buffer) => string]>(
  ['', (value) => value.toString('base64').replaceAll('=', '')],
  ['|to-phc', (value) => value.toString('base64').replaceAll('=', '')],
  ['|to-base64', (value) => value.toString('base64')],
  ['|to-base64url', (value) => value.toString('base64url')],
  ['|to-hex', (value) => value.toString('hex')],
);

describe('templates', () => {
  it('write the bytes of a cell in any encoding', () => {
    fc.assert(
      fc.property(bytes, written, wanted, braced, (value, [from, write], [to, read], [open, close]) => {
        const result = rendered(`$x$${open}hash|${from}${to}${close}`, { hash: write(value) });
        expect(result).toMatchObject({ encoded: `$x$${read(value)}` });
      }),
    );
  });

  it('are accepted, or refused at one of their characters', () => {
    const piece = fc.constantFrom(...'{}\\|")$ é', 'hash', 'hex', 'part(', "1,':'");
    const text = fc.oneof(
      fc.string(),
      fc.array(piece).map((pieces) => pieces.join('')),
    );
    fc.assert(
      fc.property(text, (template) => {
        const result = parseTemplate(template);
        if (!('problem' in result)) return;
        expect(result.position).toBeGreaterThan(0);
        expect(result.position).toBeLessThanOrEqual(template.length + 1);
      }),
      { numRuns: 1000 },
    );
  });

  it('throw nothing but that a password cannot be read, whatever the cells contain', () => {
    const text = '{hash|hex}{salt|base64|to-hex|lower}{n|log2}{salt|part(1,"$")|utf8}';
    fc.assert(
      fc.property(fc.anything(), fc.anything(), fc.anything(), (hash, salt, n) => {
        readingHash(() => {
          rendered(text, { hash, salt, n });
          return undefined;
        });
      }),
    );
  });
});

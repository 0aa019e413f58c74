import { expect, it } from 'vitest';
import { normalForm } from '../../../src/lib/text/characters.ts';

it('normalises text', () => {
  expect(normalForm('a\u0301', 'NFC')).toBe('á');
  expect(normalForm('á', 'NFD')).toBe('a\u0301');
  expect(normalForm('ﬁ', 'NFKC')).toBe('fi');
  expect(normalForm('密'.repeat(2048), 'NFKC')).toBe('密'.repeat(2048));
});

it('leaves text alone that would take too long, and ASCII', () => {
  expect(normalForm('a\u0301'.repeat(1025), 'NFC')).toBeUndefined();
  expect(normalForm('a'.repeat(100_000), 'NFC')).toBe('a'.repeat(100_000));
});

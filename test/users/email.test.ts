import fc from 'fast-check';
import { expect, it } from 'vitest';
import { stripControlAndSpace } from '../../src/lib/text/characters.ts';
import { normalizeEmail, requireEmail, requireEmailToFind } from '../../src/users/email.ts';

it.each([
  '',
  ' ',
  '@',
  'a@',
  '@b',
  'ab',
  ' @b ',
  'a@ ',
  'a\0b@c.d',
  '\ud800a@b.c',
  'a@b.c\udfff',
  `${'x'.repeat(253)}@b.c`,
])('refuses %j', (raw) => {
  expect(normalizeEmail(raw)).toBeUndefined();
  expect(() => requireEmail(raw)).toThrow(expect.objectContaining({ code: 'FIELD_INVALID', status: 400 }));
});

it('says what is wrong without showing the address', () => {
  expect(() => requireEmail('someone.private')).toThrow(
    "Field name 'email' is invalid in JSON input: expected an address with an @, at most 256 characters",
  );
});

it.each([
  ['A@B.C', 'a@b.c'],
  ['\t\r\n\0 a@b.c \u001f', 'a@b.c'],
  ['a@b.c\u00a0', 'a@b.c\u00a0'],
  ['\u3000a@b.c', '\u3000a@b.c'],
  ['a@b@c', 'a@b@c'],
  ['@a@b', '@a@b'],
  ['"a b"@c', '"a b"@c'],
  ['ÄÖ@ÉXAMPLE.COM', 'äö@éxample.com'],
  ['🔑@b.c', '🔑@b.c'],
  [`${'x'.repeat(252)}@b.c`, `${'x'.repeat(252)}@b.c`],
])('normalises %j', (raw, expected) => {
  expect(normalizeEmail(raw)).toBe(expected);
  expect(requireEmail(raw)).toBe(expected);
});

it('counts characters, not UTF-16 units', () => {
  expect(normalizeEmail(`${'🔑'.repeat(254)}@b`)).toBe(`${'🔑'.repeat(254)}@b`);
  expect(normalizeEmail(`${'🔑'.repeat(255)}@b`)).toBeUndefined();
});

/** Addresses and near-addresses, made of the characters that matter. */
const nearlyEmail = fc.oneof(
  fc.string({
    unit: fc.constantFrom('a', 'A', '@', '.', ' ', '\0', '\u00a0', 'İ', 'ß', 'Σ', '🔑', '\ud800'),
    maxLength: 12,
  }),
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.emailAddress(),
);

it('gives every address one normal form, whatever its letter case and spaces', () => {
  fc.assert(
    fc.property(
      nearlyEmail,
      fc.string({ unit: fc.constantFrom(' ', '\t', '\n', '\u0001') }),
      (raw, space) => {
        const email = normalizeEmail(raw);
        fc.pre(email !== undefined);
        expect(normalizeEmail(email)).toBe(email);
        expect(normalizeEmail(space + raw + space)).toBe(email);
        expect(normalizeEmail(raw.toLowerCase())).toBe(email);
      },
    ),
  );
});

it('returns only addresses that can be stored', () => {
  fc.assert(
    fc.property(nearlyEmail, (raw) => {
      const email = normalizeEmail(raw);
      fc.pre(email !== undefined);
      expect(email).not.toMatch(/[\0\p{Surrogate}]/u);
      expect(email).toMatch(/^.+@./su);
      expect(email).toBe(email.toLowerCase());
      expect([...email].length).toBeLessThanOrEqual(256);
    }),
  );
});

it('strips what Java strips, at both ends only', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (raw) => {
      const stripped = stripControlAndSpace(raw);
      expect(stripped).not.toMatch(/^[\0-\u0020]|[\0-\u0020]$/);
      expect(raw.includes(stripped)).toBe(true);
      expect(raw.replace(/^[\0-\u0020]+/, '').replace(/[\0-\u0020]+$/, '')).toBe(stripped);
    }),
  );
});

it('unites two addresses only if they differ in letter case', () => {
  const sameAs = new Map<string, string[]>();
  for (let code = 0; code <= 0x10ffff; code += 1) {
    const raw = `x${String.fromCodePoint(code)}ate@x.org`;
    const email = normalizeEmail(raw);
    if (email !== undefined && email !== raw) sameAs.set(email, [...(sameAs.get(email) ?? [email]), raw]);
  }
  const isAscii = (text: string) => /^[\0-\x7f]*$/.test(text);
  // A few letters have a title case as well.
  const wrong = [...sameAs.values()].filter(
    (same) => same.length > (/\p{Lt}/u.test(same.join('')) ? 3 : 2) || new Set(same.map(isAscii)).size > 1,
  );
  expect(wrong).toEqual([]);
  expect(sameAs.size).toBeGreaterThan(1_400);
});

const FOREIGN = [
  '\u212aate@x.org',
  '\u0130da@x.org',
  'ann@\u212a.org',
  '\u212bsa@x.org',
  '\u2126@x.org',
  '\u03f4@x.org',
];

it.each(FOREIGN)('refuses %s, which looks like another address in lower case', (raw) => {
  expect(normalizeEmail(raw)).toBeUndefined();
  expect(() => requireEmail(raw)).toThrow(expect.objectContaining({ code: 'FIELD_INVALID' }));
  const toFind = requireEmailToFind(raw);
  expect(toFind).not.toBe(raw.toLowerCase());
  expect(normalizeEmail(toFind)).toBeUndefined();
});

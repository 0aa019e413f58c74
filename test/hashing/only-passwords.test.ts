import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FAMILIES } from '../../src/hashing/families.ts';
import { isTyped, UPPER_CASE } from '../../src/hashing/kdf/password-reading.ts';
import type { ParsedHash } from '../../src/hashing/verifier.ts';
import { isAlone } from '../../src/lib/text/characters.ts';
import {
  cheapened,
  DEFAULT_LIMITS,
  isAvailable,
  secretOf,
  vectorsOf,
  verifierOf,
} from '../support/vectors.ts';

const MAX_HASHES = 2;
/** Number of passwords to compute for a hash: as many as take this long by the reference. */
const BUDGET_MS = 8;
/** Only one hash of each kind is computed if a hash costs more. */
const COSTLY_MS = 10;

/**
 * Returns the cheapest hashes of a family. Hashes with distinct descriptions come first: other forms,
 * encodings and keys.
 */
function samplesOf(algorithm: string): ParsedHash[] {
  const hashes = vectorsOf(algorithm)
    .filter(({ expect, acceptable }) => expect === true && acceptable === undefined)
    .map((vector) => cheapened(verifierOf(algorithm, DEFAULT_LIMITS, secretOf(vector)).parse(vector.hash)))
    .sort((a, b) => a.cost.ms - b.cost.ms);
  const kindOf = (hash: ParsedHash) =>
    JSON.stringify(Object.values(hash.describe()).filter((value) => typeof value === 'string'));
  const kinds = new Map(hashes.toReversed().map((hash) => [kindOf(hash), hash]));
  const cheapest = hashes[0]?.cost.ms ?? 0;
  return [...new Set([...kinds.values(), ...(cheapest <= COSTLY_MS ? hashes : [])])]
    .filter(({ cost }) => cost.ms <= Math.max(2, cheapest))
    .slice(0, MAX_HASHES);
}

/** Computations that were tested already, by the objects that they consist of. */
const tested = new Map<unknown, number>();
const seen = new Set<string>();

/** Returns whether another family computes hashes in the same way, which was tested there. */
function isTested(hash: ParsedHash): boolean {
  const { form } = hash;
  const { reading, second, key } = form.options;
  const numbers = [form.formula, reading, second, key].map((part) => {
    if (!tested.has(part)) tested.set(part, tested.size);
    return tested.get(part);
  });
  const way = JSON.stringify([numbers, hash.describe()]);
  const isKnown = seen.has(way);
  seen.add(way);
  return isKnown;
}

const PASSWORDS = [
  'Secret Word',
  'C)',
  'K;`\'"<&>\\',
  'pass12345',
  'password',
  'password123',
  'hunter2',
  'pässwörd',
  'пароль',
  'ﬁne ŉ',
  '1234567',
  '1234567890123',
  '1234567890123456',
  'abcdefghijklm',
  // Both are the same key of HMAC-SHA-1 (https://mathiasbynens.be/notes/pbkdf2-hmac).
  'plnlrtfpijpuhqylxbgqiiyipieyxvfsavzgxbbcfusqkozwpngsyejqlmjsytrmd',
  "eBkXQTfuBqp'cTcar&g*",
  'x'.repeat(71),
  'x'.repeat(72),
  'x'.repeat(128),
];

const fullWidth = (text: string) =>
  text.replace(/[!-~]/g, (one) => String.fromCharCode(one.charCodeAt(0) + 0xfee0)).replaceAll(' ', '\u3000');

/** Returns variants with the highest bit of some bytes set, if they are valid text. */
function eightBitForms(text: string): string[] {
  const bytes = [...Buffer.from(text), 0, 0].slice(0, 12);
  return bytes.flatMap((_byte, at) =>
    [2, 3].flatMap((count) => {
      const form = Buffer.from(
        bytes.map((byte, index) => (index >= at && index < at + count ? byte | 0x80 : byte)),
      );
      const end = at + count > bytes.length - 2 ? Math.max(at + count, bytes.length - 2) : bytes.length - 2;
      const other = Buffer.concat([form.subarray(0, end), Buffer.from(text).subarray(12)]);
      return isTyped(other) ? [other.toString('utf8')] : [];
    }),
  );
}

/** Returns passwords that some family reads as this password. */
function siblingsOf(text: string): string[] {
  return [
    `${text} `,
    ` ${text}`,
    `${text.slice(0, 1)} \t${text.slice(1)}`,
    text.replaceAll(' ', '\u00a0'),
    `${text.slice(0, 1)}\u00ad${text.slice(1)}`,
    text.toUpperCase(),
    text.toLowerCase(),
    text.normalize('NFC'),
    text.normalize('NFD'),
    text.normalize('NFKC'),
    text.replaceAll('K', '\u212a').replaceAll(';', '\u037e').replaceAll('`', '\u1fef'),
    text.replaceAll('s', 'ſ').replaceAll('i', 'ı'),
    fullWidth(text),
    ...eightBitForms(text),
    ...[1, 2, 3, 4].map((cut) => text.slice(0, -cut)),
    `${text}x`,
    `${text}xx`,
    text.padEnd(73, 'x'),
    text.padEnd(130, 'x'),
    text + text,
    text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll("'", '&#39;'),
    text.replaceAll(/['"\\]/g, '\\$&'),
    ...['us', 'use', 'user', 'cis', 'cisc', 'adm', 'admi'].map((name) => text + name),
    ...['md5', 'sha1', 'sha256'].map((digest) => createHash(digest).update(text).digest('hex')),
    Buffer.from(text, 'utf8').toString('latin1'),
  ].filter((one) => one !== '' && isTyped(Buffer.from(one)));
}

/** Returns the sets of passwords that share a digest. */
async function readAlike(hash: ParsedHash, passwords: readonly string[]): Promise<string[][]> {
  const alike = new Map<string, string[]>();
  for (const password of new Set(passwords)) {
    const digest = (await hash.digestOf(Buffer.from(password)))?.toString('hex');
    if (digest !== undefined) alike.set(digest, [...(alike.get(digest) ?? []), password]);
  }
  return [...alike.values()].filter(({ length }) => length > 1);
}

const called = (hash: ParsedHash, passwords: readonly string[]) =>
  passwords.filter((password) => hash.isOnlyPassword(Buffer.from(password)));

const NAMES = FAMILIES.map(({ name }) => name);

const SETS = PASSWORDS.map((password) => [password, ...siblingsOf(password), ...PASSWORDS]);

describe.each(NAMES)('%s', (name) => {
  it.skipIf(!isAvailable(name))(
    'never calls a password unique that shares its digest with another',
    async () => {
      for (const hash of samplesOf(name)) {
        if (isTested(hash)) continue;
        const most = Math.ceil(BUDGET_MS / hash.cost.ms);
        for (const passwords of SETS.slice(0, Math.max(1, Math.floor(most / 60)))) {
          for (const alike of await readAlike(hash, passwords.slice(0, Math.max(10, most))))
            expect(called(hash, alike), hash.encoded).toEqual([]);
        }
      }
    },
  );
});

it('never calls a made-up password unique that shares its digest with another', async () => {
  const hashes = NAMES.filter(isAvailable)
    .flatMap((name) => samplesOf(name).slice(0, 1))
    .filter(({ cost }) => cost.ms <= 0.2);
  expect(hashes.length).toBeGreaterThan(60);
  const text = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
    .filter((one) => isTyped(Buffer.from(one)));
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...hashes), text, async (hash, password) => {
      for (const alike of await readAlike(hash, [password, ...siblingsOf(password)]))
        expect(called(hash, alike), hash.encoded).toEqual([]);
    }),
    { numRuns: 200 },
  );
});

/** Families in which every password has others that match, because blanks or character widths are ignored. */
const NEVER = [
  'better-auth',
  'flask-security',
  'lucia',
  'lucia-v1',
  'mysql323',
  'scram-passlib',
  'synapse',
  'wordpress-bcrypt',
  'wordpress-phpass',
];
/** Families that ignore letter case. */
const WITHOUT_LETTERS = ['lmhash', 'mssql2000', 'oracle10'];

it('all other families still upgrade usual passwords', () => {
  const kept = (password: string) =>
    NAMES.filter(isAvailable)
      .filter((name) => samplesOf(name).every((hash) => !hash.isOnlyPassword(Buffer.from(password))))
      .sort();
  expect(kept('hunter2')).toEqual([...NEVER, ...WITHOUT_LETTERS].sort());
  expect(kept('secret')).toEqual([...NEVER, ...WITHOUT_LETTERS].sort());
  expect(kept('7391042')).toEqual(NEVER);
});

it('recognises each character that is the normal form of others', () => {
  const missed: string[] = [];
  for (let code = 0x80; code <= 0x10ffff; code += 1) {
    if (code >= 0xd800 && code <= 0xdfff) continue;
    const text = String.fromCodePoint(code);
    for (const form of ['NFC', 'NFKC'] as const) {
      const normal = text.normalize(form);
      if (normal !== text && (isAlone(text, form) || isAlone(normal, form))) missed.push(text);
    }
    const upper = text.toUpperCase();
    if (upper !== text && UPPER_CASE.isOnly(Buffer.from(upper))) missed.push(text);
  }
  expect(missed).toEqual([]);
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FAMILIES } from '../../src/hashing/families.ts';
import { buildRegistry } from '../../src/hashing/registry.ts';
import type { HashVerifier } from '../../src/hashing/verifier.ts';
import { accepted, DEFAULT_LIMITS, isAvailable, secretsFor, vectorsOf } from '../support/vectors.ts';

const SECRETS = FAMILIES.flatMap(({ name, secret }) =>
  secret === undefined ? [] : secretsFor(name, Buffer.alloc(64, 7)),
);
/** Memory for one scrypt hash of the families with a fixed cost. */
const MEMORY_BYTES = 40 * 1024 * 1024;
const registry = buildRegistry({ ...DEFAULT_LIMITS, memoryBudgetBytes: MEMORY_BYTES }, SECRETS);
/** Runs of each property of each algorithm. RUNS sets another number. */
const RUNS = Number(process.env.RUNS ?? 16);
/** Costlier hashes are only parsed. */
const VERIFIED_MS = 2;
const password = Buffer.from('pässword');
/**
 * Maximum number of repairs of one string. The canonical form has many, each with another parameter or
 * reading of the salt. A request tries only as many as `withinBudget` allows.
 */
const MAX_REPAIRS = 12;

/** Returns whether the hash is accepted. If so, every other operation must succeed, too. */
async function holds(verifier: HashVerifier, encoded: string): Promise<boolean> {
  expect(verifier.repairs(encoded).length).toBeLessThanOrEqual(MAX_REPAIRS);
  const hash = accepted(verifier, encoded);
  if (hash === undefined) return false;
  expect(verifier.resembles(encoded)).toBe(true);
  expect(verifier.parse(hash.decoy()).decoy()).toBe(hash.decoy());
  expect(hash.cost.memoryBytes).toBeLessThanOrEqual(MEMORY_BYTES);
  if (hash.clearText === undefined) expect(Object.keys(hash.describe()).length).toBeGreaterThan(0);
  if (hash.cost.ms <= VERIFIED_MS) await hash.verify(password);
  return true;
}

const anyChar = fc.oneof(
  fc.constantFrom(...'$,=mtprsv0123456789AaZz./+-_', '\0', '\n', ' ', '\u2028', '\ud800', '٣', '😀'),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
);
const anyNumber = fc.oneof(
  fc.integer({ min: 0, max: 70 }).map(String),
  fc.bigInt({ min: -(2n ** 66n), max: 2n ** 66n }).map(String),
  fc.constantFrom('', '0', '04', '05', '+8', ' 8', '8.0', '8e0', '0x8', '4294967304', 'NaN', 'Infinity'),
);
const smallNumber = fc.integer({ min: 1, max: 5 }).map(String);
const likelyNumber = fc.oneof({ weight: 3, arbitrary: smallNumber }, { weight: 1, arbitrary: anyNumber });
/** Text that is a hash of a family without any marks, such as a tripcode. */
const MAY_BE_A_HASH = /^[./0-9A-Za-z]+$/;

const edit = fc.record({
  at: fc.nat(200),
  // Or all of the rest.
  remove: fc.oneof(fc.nat(3), fc.constant(5000)),
  insert: fc.array(anyChar, { maxLength: 3 }),
});

function validOf(verifier: HashVerifier) {
  const cheap = vectorsOf(verifier.algorithm).filter(({ hash }) => accepted(verifier, hash));
  return fc.constantFrom(...cheap.map(({ hash }) => hash));
}

function mutatedOf(verifier: HashVerifier) {
  return fc.tuple(validOf(verifier), fc.array(edit, { minLength: 1, maxLength: 3 })).map(([hash, edits]) =>
    edits.reduce((text, { at, remove, insert }) => {
      const start = at % (text.length + 1);
      return text.slice(0, start) + insert.join('') + text.slice(start + remove);
    }, hash),
  );
}

/** Returns a valid hash with changed numbers and letters. Such text is close to a hash of any algorithm. */
function respelledOf(verifier: HashVerifier) {
  const digit = fc.constantFrom(...'0123456789');
  const lower = fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz');
  const upper = lower.map((letter) => letter.toUpperCase());
  const change = fc.record({ at: fc.nat(200), digit, lower, upper, number: fc.option(likelyNumber) });
  return fc.tuple(validOf(verifier), fc.array(change, { maxLength: 4 })).map(([hash, changes]) =>
    changes.reduce((text, { at, number, ...others }) => {
      const start = at % text.length;
      const end = start + 1;
      const old = text.charAt(start);
      const run = /^[0-9]+/.exec(text.slice(start))?.[0] ?? '';
      if (number !== null && run !== '')
        return text.slice(0, start) + number + text.slice(start + run.length);
      if (/[0-9]/.test(old)) return text.slice(0, start) + others.digit + text.slice(end);
      if (/[a-z]/.test(old)) return text.slice(0, start) + others.lower + text.slice(end);
      return /[A-Z]/.test(old) ? text.slice(0, start) + others.upper + text.slice(end) : text;
    }, hash),
  );
}

describe.each(
  registry.all
    .map((verifier) => ({ name: verifier.algorithm, verifier }))
    .filter(({ name }) => isAvailable(name)),
)('$name', ({ verifier }) => {
  it('refuses any string', async () => {
    const anyString = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 200 }),
      fc.array(anyChar).map((all) => all.join('')),
    );
    await fc.assert(
      fc.asyncProperty(anyString, async (text) => {
        fc.pre(!MAY_BE_A_HASH.test(text));
        expect(await holds(verifier, text)).toBe(false);
      }),
      { numRuns: Math.ceil(RUNS / 2) },
    );
  });

  it('refuses a changed hash, or can verify it', async () => {
    await fc.assert(
      fc.asyncProperty(mutatedOf(verifier), async (text) => {
        await holds(verifier, text);
      }),
      { numRuns: Math.ceil(RUNS / 2) },
    );
  });

  it('refuses an almost valid hash, or can verify it', async () => {
    let taken = 0;
    await fc.assert(
      fc.asyncProperty(respelledOf(verifier), async (encoded) => {
        if (await holds(verifier, encoded)) taken += 1;
      }),
      { numRuns: RUNS },
    );
    expect(taken).toBeGreaterThan(0);
  });
});

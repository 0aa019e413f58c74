/**
 * A caller chooses a password and a hash, and learns whether they match. Therefore no answer may depend on
 * only a few bytes of a secret: the caller could guess them, and then the next few. These tests compute every
 * family that takes a secret with secrets that differ in one byte.
 */
import { describe, expect, it } from 'vitest';
import { FAMILIES } from '../../src/hashing/families.ts';
import type { Formula } from '../../src/hashing/form.ts';
import type { HashVerifier, ParsedHash } from '../../src/hashing/verifier.ts';
import { accepted, cheapened, vectorsOf, verifierOf, WIDEST_LIMITS } from '../support/vectors.ts';

const UNGUESSABLE_BYTES = 16;
/**
 * Hashes up to this cost are computed with passwords of many lengths. Others are computed only at lengths
 * where functions have bounds.
 */
const CHEAP_MS = 5;
/** Costlier hashes are left out. Each form has a cheaper one. */
const MAX_MS = 120;
/** Hashes up to this cost are computed with passwords of all lengths. */
const CHEAPEST_MS = 0.2;
const LETTER = 0x41;
/** A NUL byte ends a text in C, and a byte from 0x80 up is negative there. */
const FILLS = [0x00, 0xff];

/** A long secret, one that is consumed before it is unguessable, and one with high bytes only. */
const LONG_SECRET = Buffer.from(Array.from({ length: 64 }, (_, at) => (at * 37 + 11) % 256));
const SECRETS = [LONG_SECRET, Buffer.from('fifteen letters'), Buffer.alloc(20, 0xc3)];

/** Lengths around those at which a password and a secret fill a block, a salt or a limit of a function. */
const LENGTHS = [
  ...[0, 1, 2, 7, 8, 9, 14, 15, 16, 17, 31, 32, 47, 48, 49, 54, 55, 56, 57, 62, 63, 64, 65],
  ...[70, 71, 72, 73, 119, 120, 121, 127, 128, 129],
];

/** Lengths at which a password and a secret exceed what bcrypt and blocks of SHA-256 hold. */
const BOUNDS = [0, 8, 55, 56, 57, 64, 71, 72, 73];

/**
 * Returns the passwords to try: letters of many lengths with the long secret, otherwise at the bounds of
 * functions.
 */
function passwordsFor({ cost }: ParsedHash, secret: Buffer): Buffer[] {
  if (cost.ms > CHEAP_MS) return [Buffer.alloc(72, LETTER)];
  if (secret !== LONG_SECRET) return [55, 56, 57, 64, 71, 72].map((length) => Buffer.alloc(length, LETTER));
  const letters = (cost.ms > CHEAPEST_MS ? BOUNDS : LENGTHS).map((length) => Buffer.alloc(length, LETTER));
  const others = [8, 14, 57, 72].flatMap((length) => FILLS.map((fill) => Buffer.alloc(length, fill)));
  return [...letters, ...others];
}

const verifierWith = (algorithm: string, secret: Buffer): HashVerifier =>
  verifierOf(algorithm, WIDEST_LIMITS, secret);

/** The digest of external_scrypt is as long as the signer key. */
const withDigestOf = (secret: Buffer, hash: string) =>
  hash.replace(/^(\$f_scrypt\$)[^$]*/, (_, name) => name + Buffer.alloc(secret.length).toString('base64'));

/** Returns a hash of each formula and kind of the family. The digests are arbitrary. */
function formsOf(algorithm: string, secret: Buffer): ParsedHash[] {
  const formulas: Formula[] = [];
  const forms = new Map<string, ParsedHash>();
  for (const { hash } of vectorsOf(algorithm)) {
    const variants = /\$2[a-z]\$/.test(hash) ? ['x', 'a'] : [''];
    for (const variant of variants) {
      const text = withDigestOf(secret, hash).replace(/\$2[a-z]\$/, () => `$2${variant}$`);
      const read = accepted(verifierWith(algorithm, secret), text);
      const parsed = read && cheapened(read);
      if (parsed === undefined || parsed.cost.ms > MAX_MS) continue;
      const { saltBytes, userBytes, ...form } = parsed.describe();
      const { formula } = parsed.form;
      if (!formulas.includes(formula)) formulas.push(formula);
      forms.set(`${formulas.indexOf(formula)} ${JSON.stringify(form)}`, parsed);
    }
  }
  return [...forms.values()];
}

/**
 * Returns the positions of the secret to change, one at a time. For costly hashes, the first, middle and last
 * byte stand for the whole.
 */
const positionsIn = (secret: Buffer, { cost }: ParsedHash) =>
  cost.ms > CHEAP_MS ? [0, secret.length >> 1, secret.length - 1] : [...secret.keys()];

/**
 * Counts the bytes of the secret on which the digest depends, as far as needed. Returns undefined if no
 * password of these bytes can match.
 */
async function bytesRead(hash: ParsedHash, secret: Buffer, password: Buffer): Promise<number | undefined> {
  const digest = await hash.digestOf(password);
  if (digest === undefined) return undefined;
  let count = 0;
  for (const at of positionsIn(secret, hash)) {
    if (count === UNGUESSABLE_BYTES) return count;
    // The lowest bit, which is kept when bytes are read as seven bits or in upper case.
    const other = Buffer.from(secret);
    other[at] = (other[at] ?? 0) ^ 1;
    const otherHash = verifierWith(hash.algorithm, other).parse(hash.encoded);
    if ((await otherHash.digestOf(password))?.equals(digest) === false) count += 1;
  }
  return count;
}

/** Returns whether the digest depends on the secret at all. */
async function isRead({ verifier, encoded }: ParsedHash, secret: Buffer): Promise<boolean> {
  const digestWith = (bytes: Buffer) =>
    verifierWith(verifier.algorithm, bytes).parse(encoded).digestOf(Buffer.alloc(0));
  const other = await digestWith(Buffer.alloc(secret.length));
  return (await digestWith(secret))?.equals(other ?? Buffer.alloc(0)) === false;
}

const WITH_SECRET = FAMILIES.filter(({ secret }) => secret !== undefined);

describe.each(WITH_SECRET)('$name', ({ name, secret: use }) => {
  it.each(SECRETS.map((secret) => ({ secret })))(
    'depends on enough of a secret of $secret.length bytes, or on none of it',
    { timeout: 120_000 },
    async ({ secret }) => {
      const few: string[] = [];
      let forms = 0;
      for (const hash of formsOf(name, secret)) {
        // Long secrets are enough for a function that is costly.
        if (hash.cost.ms > CHEAP_MS && secret !== LONG_SECRET) continue;
        // Only some forms of these families use a secret.
        if (use === 'optional' && !(await isRead(hash, secret))) continue;
        forms += 1;
        for (const password of passwordsFor(hash, secret)) {
          const read = await bytesRead(hash, secret, password);
          if (read !== undefined && read < Math.min(positionsIn(secret, hash).length, UNGUESSABLE_BYTES)) {
            few.push(`${hash.encoded}: ${read} bytes at ${password.length} × ${password[0]}`);
          }
        }
      }
      expect(few).toEqual([]);
      expect(forms).toBeGreaterThan(0);
    },
  );

  it('compares digests that nobody can guess', () => {
    for (const secret of SECRETS) {
      for (const hash of formsOf(name, secret)) {
        expect(hash.digest?.length).toBeGreaterThanOrEqual(Math.min(secret.length, UNGUESSABLE_BYTES));
      }
    }
  });
});

import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addSlashes,
  escapeHtml,
  HTML_ESCAPED,
  SLASHED,
  stripSlashes,
  unescapeHtml,
} from '../../src/hashing/kdf/password-reading.ts';
import { isUpgradeDue } from '../../src/hashing/passwords.ts';
import { buildRegistry, newHashMaker } from '../../src/hashing/registry.ts';
import {
  CHEAP_LIMITS,
  DEFAULT_LIMITS,
  CHEAP_SETTINGS as settings,
  vector,
  verifierOf,
} from '../support/vectors.ts';

const hashOf = (algorithm: string, id: string) =>
  verifierOf(algorithm, DEFAULT_LIMITS).parse(vector(algorithm, id).hash);
const bytes = (text: string) => Buffer.from(text, 'utf8');

/** Hashes that WordPress makes of `it's`, by hashing `it\'s`. */
const OF_WORDPRESS = [
  ['phpass', 'wp61-quote'],
  ['wordpress-phpass', 'wp61-quote'],
  ['wordpress-bcrypt', 'wp71-quote'],
  ['wordpress-compat', 'md5-quote'],
  ['wordpress-compat', 'bcrypt-quote'],
  ['wordpress-compat', 'argon2-quote'],
] as const;

describe.each(OF_WORDPRESS)('%s (%s)', (algorithm, id) => {
  const hash = hashOf(algorithm, id);

  it('costs twice as much for a password with a quote, whether it matches or not, and no more for others', () => {
    for (const password of ["it's", 'say "hi"', 'a\\b', 'a\0b'])
      expect(hash.costOf(bytes(password))).toEqual({ ...hash.cost, ms: 2 * hash.cost.ms });
    for (const password of ['', 'its', 'pässwörd ✓', '`´’'])
      expect(hash.costOf(bytes(password))).toEqual(hash.cost);
  });

  it('has a decoy that costs as much', () => {
    const decoy = hash.verifier.parse(hash.decoy());
    expect(decoy.costOf(bytes("it's"))).toEqual(hash.costOf(bytes("it's")));
  });
});

it('a hash of phpBB 3.0 costs twice as much for a password with a character that HTML escapes', () => {
  const hash = hashOf('phpass', 'phpbb-html');
  for (const password of ['a&b', 'say "hi"', '<', '>'])
    expect(hash.costOf(bytes(password))).toEqual({ ...hash.cost, ms: 2 * hash.cost.ms });
  for (const password of ["it's", 'pässwörd ✓', 'a\\b'])
    expect(hash.costOf(bytes(password))).toEqual(hash.cost);
});

it('the second reading is not tried for hashes of programs that hash what is typed', () => {
  const phpbb = hashOf('phpass', 'phpbb-quote-not-slashed');
  expect(phpbb.costOf(bytes("it's"))).toEqual(phpbb.cost);
  expect(phpbb.verifier.parse(phpbb.decoy()).costOf(bytes("it's"))).toEqual(phpbb.cost);
});

it('the second reading is tried for a wrapped hash as well', async () => {
  const registry = buildRegistry(DEFAULT_LIMITS);
  const md5 = createHash('md5').update("it\\'s").digest('hex');
  const inner = registry.named('wordpress-compat')?.parse(md5);
  if (inner === undefined) throw new Error('not registered');
  const wrapping = await inner.wrapping();
  const outer = await newHashMaker({ algorithm: 'argon2', settings }, registry).make(
    wrapping?.digest ?? Buffer.alloc(0),
  );
  const encoded = wrapping?.around(outer.encoded) ?? '';
  const wrapped = registry.find('wrapped')?.parse(encoded);
  expect(await wrapped?.verify(bytes("it's"))).toBe(true);
  expect(await wrapped?.verify(bytes("it\\'s"))).toBe(true);
  expect(await wrapped?.verify(bytes('its'))).toBe(false);
});

describe('an upgrade', () => {
  const registry = buildRegistry(CHEAP_LIMITS);
  const { example } = newHashMaker({ algorithm: 'argon2', settings }, registry);
  const isDue = (password: string) =>
    isUpgradeDue('outdated', { hash: hashOf('phpass', 'wp61-quote'), password: bytes(password), example });

  it('hashes the password that was typed', () => {
    for (const password of ["it's", 'say "hi"', 'back\\slash', 'plain', "o'clock\\"])
      expect(isDue(password)).toBe(true);
  });

  it('is skipped for a password that may be the slashed form of another, whose owner would be locked out', () => {
    for (const password of ["it\\'s", 'say \\"hi\\"', 'a\\\\b']) expect(isDue(password)).toBe(false);
  });
});

describe('slashes', () => {
  it('are added as PHP adds them', () => {
    expect(addSlashes(bytes('a\'b"c\\d\0eü')).toString()).toBe('a\\\'b\\"c\\\\d\\0eü');
  });

  it('can be removed, which shows that the password may be another one', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom("'", '"', '\\', '\0', '0', 'a', 'ü') }), (text) => {
        const password = bytes(text);
        const slashed = addSlashes(password);
        expect(stripSlashes(slashed)).toEqual(password);
        expect(SLASHED.mayBeOfAnother(slashed)).toBe(!slashed.equals(password));
        expect(SLASHED.of(password) ?? password).toEqual(slashed);
        expect(SLASHED.mayDiffer(password)).toBe(!slashed.equals(password));
      }),
    );
  });
});

it('escapes for HTML as PHP does, and can be reversed, which shows that the password may be another one', () => {
  expect(escapeHtml(bytes('a&b"c<d>e\'fü')).toString()).toBe("a&amp;b&quot;c&lt;d&gt;e'fü");
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('&', '<', '>', '"', 'amp;', 'a', 'ü') }), (text) => {
      const password = bytes(text);
      const escaped = escapeHtml(password);
      expect(unescapeHtml(escaped)).toEqual(password);
      expect(HTML_ESCAPED.mayBeOfAnother(escaped)).toBe(!escaped.equals(password));
      expect(HTML_ESCAPED.of(password) ?? password).toEqual(escaped);
      expect(HTML_ESCAPED.mayDiffer(password)).toBe(!escaped.equals(password));
    }),
  );
});

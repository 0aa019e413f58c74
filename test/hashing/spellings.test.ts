import { describe, expect, it } from 'vitest';
import { FAMILIES } from '../../src/hashing/families.ts';
import type { ParsedHash } from '../../src/hashing/verifier.ts';
import {
  accepted,
  cheapened,
  DEFAULT_LIMITS,
  isAvailable,
  secretOf,
  vectorsOf,
  verifierOf,
} from '../support/vectors.ts';

const RUN = /[A-Za-z0-9+/_.-]{8,}={0,2}/g;
const unpadded = (text: string) => text.replaceAll('=', '');
const padded = (text: string) => {
  const digits = unpadded(text);
  return digits + '='.repeat((4 - (digits.length % 4)) % 4);
};
/** Ways to spell a part of a hash differently without changing its bytes. */
const PART_SPELLINGS: ((part: string) => string)[] = [
  unpadded,
  padded,
  (part) => part.replaceAll('+', '-').replaceAll('/', '_'),
  (part) => part.replaceAll('-', '+').replaceAll('_', '/'),
  (part) => part.replaceAll('+', '.'),
  (part) => part.replaceAll('.', '+'),
  (part) => part.toUpperCase(),
  (part) => part.toLowerCase(),
];
/** Parameters that may be omitted or written out. */
const DEFAULTS = ['rounds=5000$', 'v=16$', 'e=utf8', 'e=cp437', 'i=1', 'i=10', 'i=5000'];

/** Changes of user names. Some families ignore their case, or what follows the first letters. */
const USER_CHANGES: ((user: string) => string)[] = [
  (user) => user.replace(/[a-z]/g, (letter) => letter.toUpperCase()),
  (user) => user.replace(/[A-Z]/g, (letter) => letter.toLowerCase()),
  (user) => `${user}x`,
  (user) => user.slice(0, 4),
];
/** Changes of salts. Some families truncate or repeat salts, and PHP takes "0" for an empty salt. */
const SALT_CHANGES: ((salt: string) => string)[] = [
  (salt) => `${salt}x`,
  (salt) => salt + salt,
  (salt) => (salt === '0' ? '' : salt),
];

const reencoded = (text: string, change: (bytes: string) => string) =>
  Buffer.from(change(Buffer.from(text, 'base64').toString('latin1')), 'latin1').toString('base64');

function* spellingsOf(encoded: string): Generator<string> {
  for (const spell of PART_SPELLINGS) {
    yield encoded.replace(RUN, spell);
    for (const { 0: part, index } of encoded.matchAll(RUN))
      yield encoded.slice(0, index) + spell(part) + encoded.slice(index + part.length);
  }
  yield encoded.replace(/^\{[^}]*\}/, (scheme) => scheme.toLowerCase());
  yield encoded.replace(/^\{[^}]*\}/, (scheme) => scheme.toUpperCase());
  for (const text of DEFAULTS) {
    yield encoded.replace(text, '');
    yield encoded.replace(`,${text}`, '');
    yield encoded.replace(/^(\$[^$]*\$)/, (start) => start + text);
    yield encoded.replace(/^(\$[^$]*\$[^$]*)\$/, (_all, start: string) => `${start},${text}$`);
  }
  for (const variant of ['2a', '2b', '2y']) yield encoded.replace(/\$2[abxy]\$/, () => `$${variant}$`);
  for (const prefix of ['s2:', 'md5$$', 'DoubleBcrypt:']) {
    yield prefix + encoded;
    if (encoded.startsWith(prefix)) yield encoded.slice(prefix.length);
  }
  yield encoded.replace(/^\$([PH])\$/, (_all, letter) => (letter === 'P' ? '$H$' : '$P$'));
  // Parameters in another order.
  yield encoded.replace(
    /\$([^$]*,[^$]*)\$/,
    (_all, list: string) => `$${list.split(',').toReversed().join()}$`,
  );
  yield encoded.replace(
    /^\{SSHA\}(.*)$/,
    (_all, text) => `{SSHA.HEX}${Buffer.from(text, 'base64').toString('hex')}`,
  );
  for (const change of USER_CHANGES)
    yield encoded.replace(/(?<=\$u=)[^$,]+/, (user) => reencoded(user, change));
  for (const change of SALT_CHANGES) {
    yield encoded.replace(/(?<=^\$[^$]*\$[^$]*\$)[^$]+(?=\$[^$]*$)/, (salt) => reencoded(salt, change));
  }
  yield encoded.replace(
    /^(\{[A-Z-]*MD5\})([0-9a-f]{32})$/,
    (_all, scheme, digits) => scheme + Buffer.from(digits, 'hex').toString('base64'),
  );
  yield encoded.replace(/^(v1;.*?);?$/, (_all, text) => `${text};`);
  yield encoded.replace(/:2$/, ':3_32_2_67108864');
  yield `${encoded};`;
}

const PASSWORDS = ['Änother 1', 'another 1'].map((text) => Buffer.from(text));

/** Returns what distinguishes hashes: the digest, and the digest that they compute of a password. */
async function behaviourOf(hash: ParsedHash): Promise<string> {
  let computed: Buffer | undefined;
  // Some families refuse passwords beyond ASCII.
  for (const password of PASSWORDS) computed ??= await hash.digestOf(password);
  return `${hash.digest?.toString('hex')} ${computed?.toString('hex')}`;
}

const otherSpellings = ({ verifier, encoded }: ParsedHash): ParsedHash[] =>
  [...new Set(spellingsOf(encoded))]
    .filter((text) => text !== encoded)
    .flatMap((text) => accepted(verifier, text) ?? []);

/** Number of hashes of a family whose spellings are compared. */
const MAX_HASHES = 5;
/** Maximum cost of the hashes to compare, if a family has such hashes. Costlier hashes would take minutes. */
const CHEAP_MS = 1;
let compared = 0;

describe.each(FAMILIES.map(({ name }) => name))('%s', (name) => {
  it.skipIf(!isAvailable(name))(
    'has one identity for all spellings of a hash, and different ones for different hashes',
    async () => {
      const hashes = vectorsOf(name)
        .filter(({ expect, acceptable }) => expect === true && !acceptable)
        .map((vector) => verifierOf(name, DEFAULT_LIMITS, secretOf(vector)).parse(vector.hash));
      const byCost = hashes.map(cheapened).sort((a, b) => a.cost.ms - b.cost.ms);
      const cheap = byCost.filter(({ cost }) => cost.ms <= CHEAP_MS).slice(0, MAX_HASHES);
      for (const hash of cheap.length > 0 ? cheap : byCost.slice(0, 1)) {
        const others = otherSpellings(hash);
        const behaviour = others.length === 0 ? '' : await behaviourOf(hash);
        for (const other of others) {
          compared += 1;
          const isSame = (await behaviourOf(other)) === behaviour;
          expect(other.identity === hash.identity, `${hash.encoded} ${other.encoded}`).toBe(isSame);
        }
      }
      const identities = new Set(hashes.map(({ identity }) => identity));
      expect(identities.size).toBeGreaterThan(hashes.length / 3);
    },
  );
});

it('distinguishes bcrypt with the sign-extension bug from all others', () => {
  const parse = (variant: string) => verifierOf('bcrypt').parse(`$${variant}$04$${'.'.repeat(53)}`);
  expect(parse('2y').identity).toBe(parse('2a').identity);
  expect(parse('2x').identity).not.toBe(parse('2a').identity);
});

it('equals that of the inner hash, if the envelope adds nothing else', () => {
  const hash = `$2b$04$${'.'.repeat(53)}`;
  const identityOf = (name: string, text: string) => verifierOf(name).parse(text).identity;
  for (const [name, text] of [
    ['ldap-crypt', `{CRYPT}${hash}`],
    ['dovecot', `{BLF-CRYPT}${hash}`],
    ['spring-delegating', `{bcrypt}${hash}`],
    ['jenkins', `#jbcrypt:${hash}`],
  ] as const)
    expect(identityOf(name, text)).toBe(identityOf('bcrypt', hash));
  expect(identityOf('bcrypt-md5', hash)).not.toBe(identityOf('bcrypt', hash));
});

it("is the same for Dovecot's MD5 in hexadecimal digits and in base64", () => {
  const digest = Buffer.from('098f6bcd4621d373cade4e832627b4f6', 'hex');
  const texts = ['{MD5}', '{PLAIN-MD5}', '{LDAP-MD5}', '{MD5.hex}'].map(
    (scheme) => scheme + digest.toString('hex'),
  );
  const identities = [...texts, `{MD5}${digest.toString('base64')}`].map(
    (text) => verifierOf('dovecot').parse(text).identity,
  );
  expect(new Set(identities).size).toBe(1);
});

it('the tests above compare many hashes', () => expect(compared).toBeGreaterThan(500));

import { CRYPT_DIGITS, CRYPT64, cryptDigit } from '../encodings.ts';
import { Form, families } from '../family.ts';
import type { FormOptions, Formula } from '../form.ts';
import { number, part, refuseUnless } from '../form.ts';
import { DIGEST_BYTES } from '../kdf/digests.ts';
import { HTML_ESCAPED, PHP_TRIMMED, type SecondReading, SLASHED } from '../kdf/password-reading.ts';
import { roundHasher, roundMs } from '../kdf/round-hasher.ts';
import { HashRefused } from '../refused.ts';

interface Kind {
  digest: 'md5' | 'sha512';
  /** Digest that is applied to the password before the rounds, which receive its hexadecimal digits. */
  passwordDigest?: 'md5';
  /** Longer passwords never match, because the programs that write these hashes refuse them. */
  maxPasswordBytes: number;
}

/** Drupal cuts off SHA-512, so that a hash has 55 characters. The digest is therefore compared as text. */
const DIGEST_CHARACTERS = { md5: 22, sha512: 43 };
const MIN_LOG2 = 7;

const hexOf = (digest: Uint8Array) => Buffer.from(Buffer.from(digest).toString('hex'));

/** phpass's portable hashes and successors: digest(salt, password), then 2^cost times digest(last, password). */
const phpassFormula = (
  { digest, passwordDigest, maxPasswordBytes }: Kind,
  prefix: string,
  second: SecondReading | undefined,
): Formula => ({
  digestPart: 'digest',
  async of({ password: typed, salt, parts }) {
    const password = passwordDigest === undefined ? typed : hexOf((await roundHasher(passwordDigest))(typed));
    if (password.length > maxPasswordBytes) return undefined;
    const digestOf = await roundHasher(digest);
    let last = digestOf(salt, password);
    for (let round = 2 ** number(parts, 'log2Rounds'); round > 0; round -= 1) last = digestOf(last, password);
    return Buffer.from(CRYPT64.encode(Buffer.from(last)).slice(0, DIGEST_CHARACTERS[digest]));
  },
  // The cost is that of the longest password, because the length at a sign-in is not known beforehand.
  cost(parts) {
    const log2Rounds = number(parts, 'log2Rounds');
    refuseUnless(log2Rounds >= MIN_LOG2, `cost must be at least 2^${MIN_LOG2} rounds`);
    return {
      memoryBytes: 2 * maxPasswordBytes,
      ms: 2 ** log2Rounds * roundMs(digest, DIGEST_BYTES[digest] + maxPasswordBytes),
      runsOn: 'process',
    };
  },
  strength: 'legacy',
  time:
    digest === 'md5'
      ? '7.4 µs × 2^cost, for the longest password; 0.5 µs for usual ones; cost `B` (13): 61 ms'
      : '2.3 µs × 2^cost, for the longest password; 0.9 µs for usual ones; cost `D` (15): 75 ms',
  identity: (parts) => ({ kind: { digest, ...(passwordDigest && { passwordDigest }) }, ...parts }),
  describe: ({ log2Rounds, salt, ...parts }) => ({
    ...{ digest, passwordDigest, log2Rounds, salt, digestCharacters: part(parts, 'digest').length },
    ...(second && { readings: 2 }),
    ...(second === HTML_ESCAPED && { escapedFor: 'html' }),
  }),
  portable(parts) {
    if (digest !== 'md5' || passwordDigest !== undefined) return undefined;
    const cost = CRYPT_DIGITS.charAt(number(parts, 'log2Rounds'));
    return { kind: 'phpass', encoded: prefix + cost + part(parts, 'salt').text + part(parts, 'digest').text };
  },
});

export function phpass(prefix: string, kind: Kind, options: FormOptions = {}): Form {
  const characters = `<cost:word[./0-9A-Za-z]{1}><salt:text[./0-9A-Za-z]{8}><digest:text[./0-9A-Za-z]{${DIGEST_CHARACTERS[kind.digest]}}>`;
  return new Form(prefix + characters, phpassFormula(kind, prefix, options.second), {
    ...options,
    open({ cost, ...parts }) {
      const checked = kind.digest === 'md5' && CRYPT64.check(part(parts, 'digest').text);
      if (typeof checked === 'object') throw new HashRefused('format', `digest ${checked.problem}`);
      return { ...parts, log2Rounds: cryptDigit(String(cost)) };
    },
  });
}

export const PHPASS_MD5: Kind = { digest: 'md5', maxPasswordBytes: 4096 };
const LOOKS_LIKE = '`$P$<cost><salt><digest>` or `$H$…` (phpBB 3), 34 characters';
const DRUPAL = { maxPasswordBytes: 512 };

export const PHPASS_FAMILIES = families({
  /** Portable hashes of phpass. WordPress (up to 6.7), phpBB 3 and others write them. */
  phpass: {
    aliases: ['phpbb3', 'md5_phpass'],
    looksLike: LOOKS_LIKE,
    // WordPress ($P$) and phpBB ($H$) escape passwords in different ways before hashing them.
    forms: [
      phpass('$P$', PHPASS_MD5, { second: SLASHED }),
      phpass('$H$', PHPASS_MD5, { second: HTML_ESCAPED }),
    ],
  },
  /** WordPress trims the password before hashing it and at sign-in. */
  'wordpress-phpass': {
    looksLike: LOOKS_LIKE,
    byName: true,
    forms: [
      phpass('$P$', PHPASS_MD5, { second: SLASHED, reading: PHP_TRIMMED }),
      phpass('$H$', PHPASS_MD5, { second: HTML_ESCAPED, reading: PHP_TRIMMED }),
    ],
  },
  /** Drupal's upgrade from version 6 to 7 hashes each stored MD5 again and adds a `U` to the prefix. */
  drupal7: {
    looksLike: '`[U]$S$<cost><salt><digest>`, 55 characters and the `U`; `U$P$…`, 35 characters',
    mark: /^(?:U?\$S\$|U\$P\$)/,
    forms: [
      phpass('$S$', { digest: 'sha512', ...DRUPAL }),
      phpass('U$S$', { digest: 'sha512', passwordDigest: 'md5', ...DRUPAL }),
      phpass('U$P$', { digest: 'md5', passwordDigest: 'md5', ...DRUPAL }),
    ],
  },
});

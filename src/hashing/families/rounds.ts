import { CRYPT_DIGITS, CRYPT64, cryptDigit } from '../encodings.ts';
import { Form, families, type Row, type Spelling } from '../family.ts';
import { bytes, type FormOptions, type Formula, type Inputs, number, part, refuseUnless } from '../form.ts';
import { rounds, split } from '../formulas.ts';
import { DIGEST_BYTES, type DigestName, type DigestPart, digestOfSize } from '../kdf/digests.ts';
import {
  HTML_ESCAPED,
  inNormalForm,
  PHP_TRIMMED,
  type SecondReading,
  SLASHED,
} from '../kdf/password-reading.ts';
import { roundHasher, roundMs } from '../kdf/round-hasher.ts';
import { HashRefused } from '../refused.ts';

/** Repeated digest of a system that stores salt and digest in separate columns. */
const columns = (digest: DigestName, more: Row, defaultRounds?: number): Row => ({
  as: `@<${defaultRounds === undefined ? 'i' : 'i?'}=rounds:int>$<salt:b64*>$<hash:b64/${DIGEST_BYTES[digest]}>`,
  defaults: { digest, ...(defaultRounds !== undefined && { rounds: defaultRounds }) },
  ...more,
});

/**
 * Maximum bytes of a password in families whose rounds digest the password again. These rounds take longer for a longer
 * password, so the systems refuse long ones: Symfony above 4096 bytes, Devise by default above 128 characters,
 * restful-authentication above 40.
 */
const MAX_ROUND_PASSWORD_BYTES = 4096;

/** Returns whether PHP treats a salt as empty. It does so with the salt "0", too. */
const isNothing = (salt: Buffer) => salt.length === 0 || (salt.length === 1 && salt[0] === 0x30);
const inBraces = (password: Buffer, salt: Buffer): DigestPart[] =>
  isNothing(salt) ? [password] : [password, '{', salt, '}'];

const SYMFONY: Row = {
  identity: ({ salt, ...parts }) => (isNothing(bytes({ salt }, 'salt')) ? parts : { salt, ...parts }),
  check(parts) {
    const hasBraces = /[{}]/.test(bytes(parts, 'salt').toString('latin1'));
    refuseUnless(!hasBraces, 'salt must not contain braces, which Symfony puts around it');
  },
  formula: rounds({
    first: ({ password, salt }) => inBraces(password, salt),
    next: (last, { password, salt }) => [last, ...inBraces(password, salt)],
    maxPasswordBytes: MAX_ROUND_PASSWORD_BYTES,
    examples: '5000 with SHA-512: 59 ms for 4096 bytes, 5 ms for usual passwords',
  }),
};

/**
 * In version 1 of Authlogic, each round digests the previous result as text; in version 2, as bytes. Its SHA-1
 * provider joins its inputs with dashes and adds the salt in each round.
 */
const authlogic = (version: 1 | 2, digest: DigestName) =>
  columns(digest, {
    strength: 'broken',
    formula: rounds({
      first: ({ password, salt }) => (digest === 'sha1' ? [password, '--', salt] : [password, salt]),
      next: (last, { salt }) => (digest === 'sha1' ? [last, '--', salt] : [last]),
      inHex: version === 1,
      examples: '20 with SHA-512: 0.6 ms for the longest password',
    }),
  });

/** Formula of Devise and restful-authentication. The first round digests the secret in place of a previous digest. */
const peppered = (inputOf: (last: DigestPart, inputs: Inputs) => DigestPart[]) =>
  rounds({
    first: (inputs) => inputOf(inputs.secret, inputs),
    next: inputOf,
    inHex: true,
    maxPasswordBytes: MAX_ROUND_PASSWORD_BYTES,
    examples: '10 with SHA-1: 0.1 ms; 100,000 with SHA-512: 1266 ms, both for 4096 bytes',
  });

const DEVISE: Row = {
  strength: 'broken',
  secret: 'optional',
  formula: peppered((last, { password, salt, secret }) => [
    ...['--', salt, '--', last, '--', password, '--', secret, '--'],
  ]),
};

const RESTFUL_AUTH: Row = {
  strength: 'broken',
  secret: 'required',
  formula: peppered((last, { password, salt, secret }) => [last, '--', salt, '--', password, '--', secret]),
};

const saltFirst = (examples: string) => rounds({ first: ({ password, salt }) => [salt, password], examples });
const passwordFirst = (examples: string) =>
  rounds({ first: ({ password, salt }) => [password, salt], examples });

const FSHP_DIGESTS = ['sha1', 'sha256', 'sha384', 'sha512'] as const;

/** Row for Tomcat. Only Tomcat's configuration names the digest, but the length of the hash determines it. */
const TOMCAT: Row = {
  as: '<salt:HEX*>$<rounds:int>$<hash:HEX>',
  mark: /^(?:[0-9A-Fa-f]{2})*\$[1-9][0-9]*\$(?:[0-9A-Fa-f]{2}){16,64}$/,
  byName: true,
  open(parts) {
    const { length } = part(parts, 'hash');
    const digest = digestOfSize(length);
    refuseUnless(digest !== undefined, `hash has ${length} bytes, unlike any MD5 or SHA digest`);
    return { ...parts, digest };
  },
};
const TOMCAT_EXAMPLES = 'one round: below 1 ms for usual passwords';

/** Options for one of jasypt's two usual encryptors. */
const jasypt = (characters: number, digest: DigestName, count: number, saltBytes: number): Spelling => ({
  // A text of hexadecimal digits only is taken for another hash, because one in 10^19 hashes of jasypt has only such
  // digits.
  mark: new RegExp(`^(?![0-9a-f]+$)[A-Za-z0-9+/]{${characters}}$`),
  open(parts, packed) {
    const isHex = /^[0-9a-f]+$/.test(part(parts, 'packed').text);
    refuseUnless(!isHex, 'all characters are hexadecimal digits');
    return { digest, rounds: count, ...split(packed, saltBytes) };
  },
});

export const ROUNDS_FAMILIES = families({
  /** A secret is Shiro's `privateSalt`. The hash does not show whether it was made with one. */
  shiro1: {
    as: '$shiro1$<digest:MD5=md5|SHA-1=sha1|SHA-256=sha256|SHA-384=sha384|SHA-512=sha512>$<rounds:int>$<salt:pad64*>$<hash:pad64/digest>',
    mark: /^\$shiro1\$/,
    secret: 'optional',
    formula: rounds({
      first: ({ password, salt, secret }) => [secret, salt, password],
      examples: 'SHA-256, 500,000: 358 ms',
    }),
  },
  'symfony-sha512': {
    ...columns('sha512', SYMFONY, 5000),
    aliases: ['fosuserbundle', 'sylius', 'sha512_symfony'],
  },
  'symfony-sha256': columns('sha256', SYMFONY, 5000),
  'symfony-sha1': columns('sha1', SYMFONY, 5000),
  'symfony-md5': columns('md5', SYMFONY, 5000),
  jasypt: {
    looksLike: '32 or 64 characters of base64: salt (8 or 16 bytes) and digest (MD5 or SHA-256)',
    byName: true,
    reading: inNormalForm('NFC'),
    formula: saltFirst('64 characters (100,000): 72 ms'),
    as: {
      '<packed:pad64/24>': jasypt(32, 'md5', 1000, 8),
      '<packed:pad64/48>': jasypt(64, 'sha256', 100_000, 16),
    },
  },
  'authlogic-md5': authlogic(1, 'md5'),
  'authlogic-sha1': authlogic(1, 'sha1'),
  'authlogic-sha256': authlogic(1, 'sha256'),
  'authlogic-sha512': authlogic(1, 'sha512'),
  'authlogic2-md5': authlogic(2, 'md5'),
  'authlogic2-sha1': authlogic(2, 'sha1'),
  'authlogic2-sha256': authlogic(2, 'sha256'),
  'authlogic2-sha512': authlogic(2, 'sha512'),
  'devise-sha1': columns('sha1', DEVISE, 10),
  'devise-sha512': columns('sha512', DEVISE, 10),
  'restful-auth': columns('sha1', RESTFUL_AUTH, 10),
  'tomcat-digest': { ...TOMCAT, formula: saltFirst(TOMCAT_EXAMPLES) },
  /** Tomcat with `digestInRfc3112Order`, the default of newer versions. */
  'tomcat-digest-rfc3112': { ...TOMCAT, formula: passwordFirst(TOMCAT_EXAMPLES) },
  /** Fairly Secure Hashed Password: PBKDF1 (RFC 8018) with password and salt exchanged. */
  fshp: {
    as: '{FSHP<variant:0|1|2|3>|<saltBytes:int/0>|<rounds:int>}<packed:pad64>',
    mark: /^\{FSHP[0-9]\|/,
    open({ variant, saltBytes, rounds: count }, packed) {
      const digest = FSHP_DIGESTS[Number(variant)] ?? 'sha1';
      const size = Number(saltBytes) + DIGEST_BYTES[digest];
      refuseUnless(packed.length === size, `salt and hash must be ${size} bytes long, got ${packed.length}`);
      return { digest, rounds: count, ...split(packed, Number(saltBytes)) };
    },
    formula: saltFirst('SHA-512, 8192: 8 ms'),
  },
});

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

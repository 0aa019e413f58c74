import { type Encoding, TEXT } from '../encodings.ts';
import type { Spelling } from '../family.ts';
import { Form, families, named, within } from '../family.ts';
import type { FormOptions, Formula } from '../form.ts';
import { bytes, identityText, number, part, refuseLength, refuseUnless } from '../form.ts';
import { DIGEST_COST, digest, pbkdf2, saltedRounds, scrypt, split, withLog2N } from '../formulas.ts';
import type { DigestName } from '../kdf/digests.ts';
import { DIGEST_BYTES, digestFunction, hex, hmac, md5, sha1, sha256, sha512 } from '../kdf/digests.ts';
import { MD5_BLOCK_BYTES, md5State } from '../kdf/md4-and-md5.ts';
import { AS_PHPBB_READS, DECOMPOSED, isOnlyHmacKey, SLASHED } from '../kdf/password-reading.ts';
import { HashRefused } from '../refused.ts';
import type { Parts } from '../template.ts';
import { argon2, argon2Bytes, argon2Cost } from './argon2.ts';
import { BY_NAME, bcrypt, bcryptAs, bcryptWithSecret, digestText, PEPPERED, prefixed } from './bcrypt.ts';
import { CRYPT_FAMILIES } from './crypt.ts';
import { DIGEST_FAMILIES } from './digests.ts';
import { LOGIN_FAMILIES } from './logins.ts';
import { ofLength, PBKDF2_FAMILIES } from './pbkdf2.ts';
import { PHPASS_FAMILIES, PHPASS_MD5, phpass } from './rounds.ts';
import { SCRYPT_FAMILIES } from './scrypt.ts';

const OTHERS = [
  ...[bcrypt, argon2, ...DIGEST_FAMILIES, ...CRYPT_FAMILIES, ...PBKDF2_FAMILIES],
  ...[...SCRYPT_FAMILIES, ...PHPASS_FAMILIES, ...LOGIN_FAMILIES],
];
const formsOf = (name: string) => named(OTHERS, name).forms;
/** Returns the forms of other families with other text before them, and with these options. */
const others = (before: string, names: readonly string[], options: FormOptions = {}) =>
  names.flatMap((name) => within(before, [named(OTHERS, name)], options));

const text = (digits: string) => Buffer.from(digits, 'latin1');

/** Families that crypt(3) of some system verifies. DES comes last, because any word may look like such a hash. */
const CRYPT_STRINGS = [
  ...['bcrypt', 'md5-crypt', 'sha256-crypt', 'sha512-crypt', 'yescrypt', 'gost-yescrypt', 'scrypt-mcf7'],
  ...['sha1-crypt', 'sun-md5', 'bsd-nthash', 'bsdi-crypt', 'des-crypt'],
];

const passwordFirst = (name: DigestName) =>
  digest(({ password, salt }) => digestFunction(name)(password, salt));
const PBKDF2_SHA512: Spelling = { formula: pbkdf2(), defaults: { digest: 'sha512' } };
const saltFirst = (name: DigestName) => digest(({ password, salt }) => digestFunction(name)(salt, password));

/** A plain-text password, which some systems store for tests. It is hashed on import. */
const PLAIN_TEXT: Formula = {
  ...passwordFirst('sha256'),
  family: 'plain-text',
  // Digests are compared in place of the texts. They all have the same length, so the comparison takes the same time
  // for every password.
  digestPart: 'text',
  digest: (parts) => sha256(bytes(parts, 'text')),
  describe: () => ({}),
  clearText: (parts) => bytes(parts, 'text').toString('utf8'),
};
/**
 * Encoding of a plain-text password. Decoys have a fixed length, because they must not show the length of a user's
 * password.
 */
const ANY_TEXT: Encoding = { ...TEXT, encode: () => '0'.repeat(32) };
const plainText = (before: string) =>
  new Form(`${before}<text:anytext[^\\p{Cc}\\p{Cs}]*>`, PLAIN_TEXT, {
    encodings: { anytext: ANY_TEXT },
    check(parts) {
      const hasScheme = /^\{[^{}]*\}/.test(part(parts, 'text').text);
      refuseUnless(!hasScheme, 'expected the password, with no {scheme} in front');
    },
  });

/**
 * Returns the forms in the encodings that may follow the scheme of a Dovecot hash, as in `{MD5.HEX}`.
 * @param schemes alternatives, in any case
 * @param omitted beginning of the hashes that the encoded text does not contain
 */
const encoded = (schemes: string, members: readonly Form[], omitted = '') => [
  ...members.map((one) => one.encodedAs(`{<_:~${schemes}>.<_:~B64|BASE64>}`, 'pad64', { omitted })),
  ...members.map((one) => one.encodedAs(`{<_:~${schemes}>.<_:~HEX>}`, 'HEX', { omitted })),
];
const inEachEncoding = (schemes: string, names: readonly string[]) => [
  ...others(`{<_:~${schemes}>}`, names),
  ...encoded(schemes, others('', names)),
];

/**
 * Returns the forms of an unsalted digest: plain, and in the encodings that the scheme may name. `owner` has
 * the same digests, so equal ones have the same identity.
 */
const dovecotDigest = (schemes: string, name: DigestName, plain: 'hex' | 'HEX' | 'pad64', owner: string) => {
  const { formula, options } = formsOf(owner)[0] as Form;
  return [`>}<hash:${plain}`, '>.<_:~B64|BASE64>}<hash:pad64', '>.<_:~HEX>}<hash:HEX'].map((rest) => {
    const made = new Form(`{<_:~${schemes}${rest}/${DIGEST_BYTES[name]}>`, formula, {
      ...(owner.startsWith('ldap') && { defaults: { digest: name } }),
      ...(options.reading && { reading: options.reading }),
      isExact: true,
    });
    made.owner = owner;
    return made;
  });
};

const DOVECOT_SCRAM = formsOf('scram').slice(2);

/** Dovecot's CRAM-MD5: the states of HMAC-MD5's outer and inner digests after the key, before any message. */
const CRAM_MD5: Formula = {
  ...digest(({ password }) => {
    const block = Buffer.alloc(MD5_BLOCK_BYTES);
    (password.length > MD5_BLOCK_BYTES ? md5(password) : password).copy(block);
    const masked = (mask: number) => block.map((byte) => byte ^ mask);
    return Buffer.concat([md5State(masked(0x5c)), md5State(masked(0x36))]);
  }),
  family: 'cram-md5',
  isOnlyKey: (key) => isOnlyHmacKey('md5', key),
};

/** Dovecot's DIGEST-MD5 digests the user name, in which the realm follows the last `@`. */
const DIGEST_MD5: Formula = {
  ...digest(({ password, user }) => {
    const at = user.lastIndexOf('@');
    const [name, realm] = at === -1 ? [user, ''] : [user.subarray(0, at), user.subarray(at + 1)];
    return md5(name, ':', realm, ':', password);
  }),
  family: 'digest-md5',
};

/** MediaWiki treats a hash with the prefix `A` and a salt as one with the prefix `B`. */
const MEDIAWIKI_MD5: Formula = {
  ...digest(({ password, salt }) => md5(salt, '-', hex(md5(password)))),
  family: 'md5-of-md5',
};

const SPRING: FormOptions = { secret: 'optional', isExact: true };
/**
 * Spring Security's PBKDF2 hashes have salt and hash in one value. If the system has a secret, PBKDF2 gets the salt and
 * the secret after it; the value does not have the secret.
 */
const springPbkdf2 = (before: string, name: 'sha1' | 'sha256', options: FormOptions = {}) => {
  const [saltBytes, iterations] = name === 'sha1' ? [8, 185_000] : [16, 310_000];
  const formula = { ...pbkdf2(undefined, true), family: `pbkdf2-${name}` };
  const defaults = { digest: name, iterations };
  return new Form(`${before}<salt:hex/${saltBytes}><hash:hex/32>`, formula, {
    ...SPRING,
    defaults,
    ...options,
  });
};

/** Hashes of Spring's StandardPasswordEncoder. Its secret is digested between salt and password. */
const SPRING_STANDARD: Formula = {
  ...saltedRounds('sha256', ({ salt, secret, password }) => [salt, secret, password]),
  family: 'sha256-rounds',
  cost: () => ({ memoryBytes: DIGEST_COST.memoryBytes, ms: 1.1, runsOn: 'process' }),
  identity: ({ rounds: _, ...parts }) => parts,
};

const springDigest = (name: DigestName): Formula => ({
  ...digest(({ password, salt }) =>
    digestFunction(name)(password, ...(salt.length === 0 ? [] : ['{', salt, '}'])),
  ),
  family: name,
});

/** Maximum number of versions in a chain. No known chain of Magento has an algorithm twice. */
const MAX_VERSIONS = 4;
/** Parameters of Magento's version 2, libsodium's `INTERACTIVE`. Later versions write out their parameters. */
const INTERACTIVE = '3_32_2_67108864';

type Argon2Version = { name: string; bytes: number; iterations: number; memoryKb: number };
type Version = { name: string; bytes: number; digest: 'md5' | 'sha256' } | Argon2Version;

/** @throws {HashRefused} `format` */
function magentoVersion(stated: string): Version {
  if (stated === '0') return { name: '0', bytes: 16, digest: 'md5' };
  if (stated === '1') return { name: '1', bytes: 32, digest: 'sha256' };
  const [name = '', size, iterations, memoryBytes] = (stated === '2' ? INTERACTIVE : stated).split('_');
  // Magento's memory parameter is in bytes, and libsodium rounds it down to KiB.
  const memoryKb = Math.floor(Number(memoryBytes) / 1024);
  const version = { name, bytes: Number(size), iterations: Number(iterations), memoryKb };
  const isInRange = version.bytes >= 16 && version.bytes <= 128 && version.iterations >= 1 && memoryKb >= 8;
  const isKnown = name === '3' && isInRange;
  refuseUnless(isKnown, 'versions must be 0, 1, 2 or 3_<bytes>_<passes>_<memory in bytes>');
  return version;
}

const versionsOf = (parts: Parts) => String(parts.versions).split(':').map(magentoVersion);

/**
 * Formula of a chain of versions. To strengthen a stored hash, Magento applies a newer version to the old hash and
 * lists both versions.
 */
const MAGENTO: Formula = {
  async of({ password, salt, parts }) {
    let data = password;
    let last = password;
    for (const version of versionsOf(parts)) {
      if ('digest' in version) last = digestFunction(version.digest)(salt, data);
      else last = await magentoArgon2(version, salt, data);
      data = text(hex(last));
    }
    return last;
  },
  cost(parts) {
    const costs = versionsOf(parts).flatMap((one) =>
      'memoryKb' in one ? [argon2Cost({ ...one, parallelism: 1 })] : [],
    );
    if (costs.length === 0) return DIGEST_COST;
    return {
      memoryBytes: Math.max(...costs.map(({ memoryBytes }) => memoryBytes)),
      ms: costs.reduce((sum, { ms }) => sum + ms, 0),
    };
  },
  strength: (parts) => (versionsOf(parts).some((one) => 'memoryKb' in one) ? 'strong' : 'broken'),
  time: '0.05 ms; versions 2 and 3 as argon2',
  // Magento's version 2 equals version 3 with particular parameters, so both have the same identity.
  identity: (parts) => ({
    ...parts,
    versions: versionsOf(parts).map((one) => ('digest' in one ? { name: one.name, bytes: one.bytes } : one)),
  }),
  describe(parts) {
    const stated = String(parts.versions).replace(/3_[0-9_]+/g, '3');
    const argon2Version = versionsOf(parts).find((one) => 'memoryKb' in one);
    const { memoryKb, iterations } = argon2Version ?? {};
    return { ...parts, versions: stated, memoryKb, iterations };
  },
};

/** Computes argon2 as Magento does. The salt is cut or repeated to the length that libsodium requires. */
function magentoArgon2(version: Argon2Version, salt: Buffer, data: Buffer): Promise<Buffer> {
  const options = { hashLength: version.bytes, salt: Buffer.alloc(16, salt) };
  return argon2Bytes(data, { ...version, parallelism: 1 }, options);
}

/**
 * Options for Flask-Security. The inner hash is made of an HMAC-SHA-512 of the password in base64, whose key is the
 * secret.
 */
const FLASK: FormOptions = {
  key: { of: (password, secret) => Buffer.from(hmac('sha512', secret, password).toString('base64')) },
  secret: 'required',
  second: DECOMPOSED,
};

const PHPBB: FormOptions = {
  key: {
    of: (password) => AS_PHPBB_READS.of(password),
    isOnly(password, { isOnlyKey }) {
      const read = AS_PHPBB_READS.of(password);
      return read !== undefined && AS_PHPBB_READS.isOnly(password) && isOnlyKey(read);
    },
  },
};

const OF_MD5: FormOptions = { key: digestText('md5', 'hex') };
const OF_SHA256: FormOptions = { key: digestText('sha256', 'hex') };

const BARE_SHA1: Formula = {
  ...passwordFirst('sha1'),
  family: 'sha1',
  identity: ({ hash }) => ({ digest: hash }),
};

/**
 * Methods of TYPO3, by which its scheduler hashes stored MD5s again (prefix `M`), and an extension hashes plain
 * passwords (prefix `C`).
 */
const TYPO3 = ['bcrypt', 'argon2', 'md5-crypt', 'pbkdf2-passlib'];

/**
 * Formula of npm's password-hash. Each round computes an HMAC of the previous result in hexadecimal digits. The salt is
 * the key.
 */
const NODE_PASSWORD_HASH: Formula = {
  of({ password, salt, parts }) {
    let last: Buffer = password;
    for (let round = 0; round < number(parts, 'rounds'); round += 1)
      last = text(hex(hmac(parts.digest as DigestName, salt, last)));
    return Buffer.from(last.toString('latin1'), 'hex');
  },
  cost: (parts) => ({
    memoryBytes: DIGEST_COST.memoryBytes,
    // A longer salt takes longer, because it is the key of the HMAC in each round.
    ms: 0.05 + number(parts, 'rounds') * (0.006 + part(parts, 'salt').length * 0.000_004),
    runsOn: number(parts, 'rounds') > 10 ? 'process' : 'event-loop',
  }),
  strength: 'broken',
  time: '0.05 ms and 6 µs × rounds',
};

const WERKZEUG_DIGESTS =
  'md5|sha1|sha224|sha256|sha384|sha512|sha3_224=sha3-224|sha3_256=sha3-256|sha3_384=sha3-384|sha3_512=sha3-512';

/** Hashes before Werkzeug 0.15 omit the iterations. @throws {HashRefused} */
function refuseMissingIterations(): never {
  throw new HashRefused(
    'format',
    'the iterations are missing: add them after the digest, separated by a colon. The default was 1000000 in 3.1, 600000 in 2.3, 260000 in 2.0, 150000 in 0.15, 50000 before',
  );
}

/**
 * Returns the usual identity text as the only member of the identity, because stored fingerprints were made of such
 * identities.
 */
const asWerkzeug = (parts: Parts) => ({ hash: `werkzeug ${identityText(parts)}` });

/**
 * Request Tracker's first salted hashes: the beginning of the SHA-256 of a salt and the MD5 that older versions stored.
 */
const RT_SHA256 = digest(({ salt, password }) => sha256(salt, md5(password)).subarray(0, 26));

const OF_SHA512: FormOptions = { key: { of: (password) => sha512(password) } };
const METABASE: FormOptions = { key: prefixed((parts) => bytes(parts, 'prefix')) };
const SHA1_AFTER_USER = digest(({ user, password }) => sha1(user, ':', password));
const SHA1_AFTER_SALT = digest(({ salt, password }) => sha1(salt, ':', password));

/** Families of single systems, most of which put other families' hashes into a form of their own. */
export const SYSTEM_FAMILIES = families({
  'django-argon2': { looksLike: '`argon2$argon2id$…`', forms: others('argon2', ['argon2']) },
  'argon2-sha256': {
    aliases: ['meteor-argon2'],
    looksLike: '`$argon2<d|i|id>$…`, as argon2, of the hexadecimal SHA-256 of the password (Meteor 3)',
    byName: true,
    forms: others('', ['argon2'], OF_SHA256),
  },
  'argon2-md5': {
    looksLike: '`$argon2<d|i|id>$…`, as argon2, of the hexadecimal MD5 of the password',
    byName: true,
    forms: others('', ['argon2'], OF_MD5),
  },
  shiro2: {
    looksLike: '`$shiro2$argon2id$…`, `$shiro2$2y$…`',
    mark: /^\$shiro2\$/,
    forms: others('$shiro2', ['argon2', 'bcrypt']),
  },
  'flask-security': {
    looksLike: '`$2b$…`, `$argon2id$…` or `$pbkdf2-sha512$<iterations>$…`',
    byName: true,
    forms: others('', ['bcrypt', 'argon2', 'pbkdf2-passlib'], FLASK),
  },
  nextcloud: {
    aliases: ['owncloud'],
    looksLike: '`1|$2y$…`, `2|$argon2i$…`, `3|$argon2id$…`; by name `$2a$…` (with a secret) and bare SHA-1',
    mark: /^(?:1\|\$2|2\|\$argon2id?\$|3\|\$argon2id\$)/,
    forms: [
      ...others('1|', ['bcrypt']),
      // PHP's argon2id was in use before Nextcloud introduced version 3.
      ...others('<_:2|3>|', ['argon2']),
      bcryptWithSecret('', { key: { ...PEPPERED, number: 2 }, secret: 'required', ...BY_NAME }),
      new Form('<hash:hex/20>', BARE_SHA1, BY_NAME),
    ],
  },
  'wordpress-compat': {
    looksLike:
      '`$2y$…`, `$argon2id$…`, `<32 lower-case hex digits>`: what WordPress verifies besides its own',
    byName: true,
    // Suggested later than other families, because many other systems write hashes of the same form.
    rank: 1,
    forms: others('', ['bcrypt', 'argon2', 'hex-md5'], { second: SLASHED }),
  },
  phpbb: {
    looksLike: '`$2y$…`, `$argon2id$…`, `$H$…`: hashes of passwords that are escaped for HTML',
    byName: true,
    rank: 1,
    // phpBB writes no phpass hashes with the prefix `$P$`.
    forms: [...others('', ['bcrypt', 'argon2'], PHPBB), ...others('', ['phpass'], PHPBB).slice(1)],
  },
  'ldap-crypt': {
    looksLike: '`{CRYPT}<any hash of crypt(3)>`, the scheme in any case',
    mark: /^\{crypt\}/i,
    forms: others('{<_:~CRYPT>}', CRYPT_STRINGS),
  },
  /**
   * Django before 1.4 also writes the salt before the hash. crypt(3) uses only the first two characters of this salt.
   */
  'django-crypt': {
    looksLike: '`crypt$[<salt>]$<13 characters of DES crypt>`',
    forms: others('crypt$<before:text[./0-9A-Za-z]*>$', ['des-crypt'], {
      mark: /^crypt\$[./0-9A-Za-z]*\$[./0-9A-Za-z]{13}$/,
      decoy: { before: '' },
      check(parts) {
        const { text: before } = part(parts, 'before');
        const isSame = before === '' || before.slice(0, 2) === part(parts, 'salt').text;
        refuseUnless(isSame, 'does not have the form of django-crypt: its two salts differ');
      },
      identity: ({ salt, digest: own }) => ({ salt, digest: own }),
    }),
  },
  /** Hashes with a scheme of LDAP directories count as those of a directory, unless a request names Dovecot. */
  dovecot: {
    looksLike:
      '`{<scheme>}…`, `{<scheme.B64>}…`, `$dovecot$u=<user>$$<hash of DIGEST-MD5>`; some schemes only by name',
    strength: 'legacy',
    mark: /^(?:\{(?:(?:BLF|MD5|SHA256|SHA512|DES)-CRYPT|ARGON2(?:I|ID)?|PLAIN-MD[45]|(?:LDAP|CRAM|HMAC|DIGEST)-MD5|NTLM|SHA1|PLAIN|CLEAR|CLEARTEXT)[.}]|\{MD5\}\$1\$|\{(?:CRYPT|SCRAM-SHA-(?:1|256)|PBKDF2)\.|\{MD5\.(?:[Bb]64|BASE64|base64|HEX|hex)\}.{40}|\$dovecot\$)/,
    forms: [
      // crypt(3) detects the algorithm from the hash. It may be another one than the scheme says.
      ...inEachEncoding('CRYPT|BLF-CRYPT|SHA256-CRYPT|SHA512-CRYPT|DES-CRYPT', CRYPT_STRINGS),
      ...inEachEncoding('MD5-CRYPT|MD5', ['md5-crypt']),
      ...inEachEncoding('ARGON2|ARGON2I|ARGON2ID', ['argon2']),
      ...dovecotDigest('PLAIN-MD5|LDAP-MD5|MD5', 'md5', 'hex', 'ldap-md5'),
      ...dovecotDigest('PLAIN-MD5|LDAP-MD5', 'md5', 'pad64', 'ldap-md5'),
      ...dovecotDigest('PLAIN-MD4', 'md4', 'hex', 'hex-md4'),
      ...dovecotDigest('NTLM', 'md4', 'HEX', 'nthash'),
      ...dovecotDigest('SHA1', 'sha1', 'pad64', 'ldap-sha'),
      new Form('{<_:~CRAM-MD5|HMAC-MD5>}<hash:hex/32>', CRAM_MD5),
      new Form('{<_:~CRAM-MD5|HMAC-MD5>.<_:~B64|BASE64>}<hash:pad64/32>', CRAM_MD5),
      new Form('{<_:~CRAM-MD5|HMAC-MD5>.<_:~HEX>}<hash:HEX/32>', CRAM_MD5),
      new Form('$dovecot$<u=user:b64>$$<hash:b64/16>', DIGEST_MD5),
      plainText('{<_:~PLAIN|CLEAR|CLEARTEXT>}'),
      ...encoded('PLAIN|CLEAR|CLEARTEXT', [plainText('')]),
      ...formsOf('ldap-pbkdf2'),
      ...encoded('PBKDF2', formsOf('ldap-pbkdf2'), '{PBKDF2}'),
      ...DOVECOT_SCRAM,
      ...encoded('SCRAM-SHA-1', DOVECOT_SCRAM, '{SCRAM-SHA-1}'),
      ...encoded('SCRAM-SHA-256', DOVECOT_SCRAM, '{SCRAM-SHA-256}'),
      ...['ldap-md5', 'ldap-sha', 'ldap-ssha', 'ldap-smd5', 'ldap-sha2'].flatMap(formsOf),
    ],
  },
  /** MediaWiki's layered hashes, which hash an older hash with the parameters of both, are refused. */
  mediawiki: {
    looksLike:
      '`:pbkdf2:<digest>:<iterations>:<bytes>:<salt>:<hash>`, `:bcrypt:<cost>$<salt>$<digest>`, `:argon2:$argon2id$…`, `:B:<salt>:<hash>`, `:A:<hash>`',
    mark: /^:(?:[AB]|bcrypt|argon2|pbkdf2):/,
    strength: 'legacy',
    forms: [
      ...others(':A:', ['hex-md5']),
      new Form(':<_:B|A>:<salt:text>:<hash:hex/16>', MEDIAWIKI_MD5),
      bcryptAs(':bcrypt:<cost:word[1-9]{1}[0-9]{0,1}>$<salt:bcrypt64/16>$<digest:bcrypt64/23>', 'y'),
      ...others(':argon2:', ['argon2']),
      new Form(
        ':pbkdf2:<digest:md5|sha1|sha224|sha256|sha384|sha512>:<iterations:int>:<length:int>:<salt:pad64*>:<hash:pad64>',
        { ...pbkdf2(), family: 'pbkdf2' },
        { open: ofLength },
      ),
    ],
  },
  /** Spring Security's DelegatingPasswordEncoder. LDAP directories use some of the names, followed by base64. */
  'spring-delegating': {
    aliases: ['spring', 'spring-security', 'spring-pbkdf2'],
    looksLike: '`{<id>}…` of a `DelegatingPasswordEncoder`; by name also the digits of `{pbkdf2…}` alone',
    mark: /^\{(?:(?:bcrypt|noop|ldap|MD4|SHA-1|SHA-256|(?:pbkdf2|scrypt|argon2)(?:@SpringSecurity_v5_8)?)\}|sha256\}[0-9a-f]{80}$|MD5\}(?:\{|[0-9a-f]{32}$))/,
    forms: [
      ...others('{bcrypt}', ['bcrypt']),
      ...others('{argon2[@SpringSecurity_v5_8]}', ['argon2']),
      ...others('{scrypt[@SpringSecurity_v5_8]}', ['spring-scrypt']),
      springPbkdf2('{pbkdf2}', 'sha1'),
      springPbkdf2('', 'sha1', { byName: true }),
      springPbkdf2('{pbkdf2@SpringSecurity_v5_8}', 'sha256'),
      springPbkdf2('', 'sha256', { byName: true }),
      new Form('{sha256}<salt:hex/8><hash:hex/32>', SPRING_STANDARD, {
        ...SPRING,
        defaults: { rounds: 1024 },
      }),
      new Form('{MD4}[{<salt:text>}]<hash:hex/16>', springDigest('md4'), { isExact: true }),
      new Form('{MD5}[{<salt:text>}]<hash:hex/16>', springDigest('md5'), { isExact: true }),
      new Form('{SHA-1}[{<salt:text>}]<hash:hex/20>', springDigest('sha1'), { isExact: true }),
      new Form('{SHA-256}[{<salt:text>}]<hash:hex/32>', springDigest('sha256'), { isExact: true }),
      ...others('{ldap}', ['ldap-ssha', 'ldap-sha']),
      // Spring's LdapShaPasswordEncoder compares a text without a scheme with the password itself.
      plainText('{ldap}'),
      plainText('{noop}'),
    ],
  },
  magento2: {
    as: '<hash:hex>:<salt:text>:<versions:word[0-9_:]+>',
    looksLike:
      '`<lower-case hex>:<salt>:<version>[:<version>…]`, versions 0, 1, 2 and `3_<bytes>_<passes>_<memory>`',
    mark: /^(?:[0-9a-f]{2}){16,128}:[^:\p{Cc}\p{Cs}]+(?::[0-3](?:_[0-9]+_[0-9]+_[0-9]+)?)+$/u,
    strength: 'strong',
    check(parts) {
      const versions = versionsOf(parts);
      if (versions.length > MAX_VERSIONS)
        throw new HashRefused('cost', `${versions.length} versions are above the limit of ${MAX_VERSIONS}`);
      refuseLength(parts, versions.at(-1)?.bytes);
    },
    formula: MAGENTO,
  },
  // Werkzeug and Flask applications: PBKDF2 and, since version 2.3, mostly scrypt.
  werkzeug: {
    aliases: ['flask', 'superset', 'airflow', 'scrypt_werkzeug'],
    looksLike:
      '`scrypt:<N>:<r>:<p>$<salt>$<hash: hexadecimal>`, `pbkdf2:<digest>:<iterations>$<salt>$<hash: hexadecimal>`',
    mark: /^(?:scrypt(?::|\$[^$]+\$[0-9a-f]{128}$)|pbkdf2:)/,
    identity: asWerkzeug,
    formula: pbkdf2(),
    as: {
      'scrypt[:<N:int>:<r:int>:<p:int>]$<salt:text>$<hash:hex/64>': {
        formula: scrypt(),
        defaults: { N: 32_768, r: 8, p: 1 },
        open: withLog2N,
      },
      [`pbkdf2:<digest:${WERKZEUG_DIGESTS}>:<iterations:int>$<salt:text>$<hash:hex/digest>`]: {},
      [`pbkdf2:<digest:${WERKZEUG_DIGESTS}>$<salt:text>$<hash:hex>`]: { check: refuseMissingIterations },
    },
  },
  typo3: {
    looksLike: '`M$P$<cost><salt><digest>`, `M$2y$…`, `M$1$…` and others behind `M` or `C`',
    forms: [
      phpass('M$P$', { ...PHPASS_MD5, passwordDigest: 'md5' }),
      phpass('C$P$', PHPASS_MD5),
      ...others('M', TYPO3, OF_MD5),
      ...others('C', TYPO3),
    ],
  },
  'home-assistant': {
    looksLike: '80 characters of base64 that begin with `JDJ`: a bcrypt hash',
    forms: others('', ['bcrypt']).map((one) =>
      one.encodedAs('', 'pad64', { mark: /^JDJ[hi45][A-Za-z0-9+/]{76}$/ }),
    ),
  },
  'node-password-hash': {
    as: '<digest:md5|sha1|sha224|sha256|sha384|sha512>$<salt:text>$<rounds:int>$<hash:hex/digest>',
    isExact: true,
    formula: NODE_PASSWORD_HASH,
  },
  roundup: {
    looksLike: '`{PBKDF2S5}<rounds>$<salt>$<hash>`, `{SHA}<40 hex digits>`; also `{MD5}<32 hex digits>`',
    mark: /^(?:\{PBKDF2S5\}|\{SHA\}[0-9a-f]{40}$)/,
    formula: pbkdf2(),
    as: {
      '{PBKDF2S5}<iterations:int/1000>$<salt:ab64*>$<hash:ab64/64>': PBKDF2_SHA512,
      '{PBKDF2}<iterations:int/1000>$<salt:ab64*>$<hash:ab64/20>': { defaults: { digest: 'sha1' } },
    },
    forms: [...others('{SHA}', ['hex-sha1']), ...others('{MD5}', ['hex-md5']), ...formsOf('ldap-ssha')],
  },
  'plone-sha256': { as: '{SHA256}<hash:hex/32>', isExact: true, formula: passwordFirst('sha256') },
  'joomla-sha256': {
    as: '{SHA256}<hash:hex/32>:<salt:text[^:\\p{Cc}\\p{Cs}]+>',
    isExact: true,
    formula: passwordFirst('sha256'),
  },
  'zammad-sha2': { as: '{sha2}<hash:hex/32>', formula: passwordFirst('sha256') },
  'tt-rss': {
    mark: /^(?:\$ttrss-|SHA1:[0-9a-f]{40}$)/,
    formula: saltFirst('sha256'),
    as: {
      '$ttrss-mode2$$<salt:b64>$<hash:b64/32>': {},
      '$ttrss-ssha256$$<salt:b64>$<hash:b64/32>': {},
      '$ttrss-ssha512$$<salt:b64>$<hash:b64/64>': { formula: saltFirst('sha512') },
      '$ttrss-sha1x$<u=user:b64>$$<hash:b64/20>': { formula: SHA1_AFTER_USER },
      '$ttrss-sha1x$$<salt:b64>$<hash:b64/20>': { formula: SHA1_AFTER_SALT },
      '$ttrss-sha1$$$<hash:b64/20>': { formula: passwordFirst('sha1') },
    },
    forms: others('SHA1:', ['hex-sha1']),
  },
  'request-tracker': {
    looksLike: '`!bcrypt!<cost>!<salt><digest>`, `!sha512!<salt>!<digest>`; its older forms by name',
    mark: /^!(?:bcrypt|sha512)!/,
    rank: 2,
    forms: [
      bcryptAs('!bcrypt!<cost:word[0-9]{2}>!<salt:bcrypt64/16><digest:bcrypt64/23>', 'a', OF_SHA512),
      new Form('!sha512!<salt:text[A-Za-z0-9+/]+>!<hash:bare64/64>', saltFirst('sha512')),
      new Form('<packed:pad64/30>', RT_SHA256, { ...BY_NAME, open: (_parts, packed) => split(packed, 4) }),
      ...others('', ['hex-md5'], BY_NAME),
      new Form('<hash:bare64/16>', passwordFirst('md5'), BY_NAME),
      ...others('', ['des-crypt'], BY_NAME),
    ],
  },
  metabase: {
    looksLike: '`$metabase$s=<salt text in base64>$2a$10$…`',
    forms: [bcryptWithSecret('$metabase$s=<prefix:b64*>', METABASE)],
  },
  mosquitto: {
    isExact: true,
    as: {
      '$7$<iterations:int>$<salt:pad64>$<hash:pad64/64>': PBKDF2_SHA512,
      '$6$<salt:pad64>$<hash:pad64/64>': { formula: passwordFirst('sha512') },
    },
  },
  jellyfin: {
    formula: pbkdf2(),
    as: {
      '$PBKDF2-SHA512$iterations=<iterations:int>$<salt:HEX>$<hash:HEX/64>': PBKDF2_SHA512,
      '$PBKDF2[$iterations=<iterations:int>]$<salt:HEX>$<hash:HEX/32>': {
        isExact: true,
        defaults: { digest: 'sha1', iterations: 1000 },
      },
      '$MD5$[<salt:HEX>$]<hash:HEX/16>': { isExact: true, formula: passwordFirst('md5') },
      '$SHA1$[<salt:HEX>$]<hash:HEX/20>': { isExact: true, formula: passwordFirst('sha1') },
      '$SHA256$[<salt:HEX>$]<hash:HEX/32>': { isExact: true, formula: passwordFirst('sha256') },
      '$SHA384$[<salt:HEX>$]<hash:HEX/48>': { isExact: true, formula: passwordFirst('sha384') },
      '$SHA512$[<salt:HEX>$]<hash:HEX/64>': { isExact: true, formula: passwordFirst('sha512') },
    },
  },
});

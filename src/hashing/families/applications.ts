import { packedPart } from '../encodings.ts';
import { Form, families, type Row } from '../family.ts';
import { bytes, part, refuseLength, refuseUnless } from '../form.ts';
import { type DigestFormula, digest } from '../formulas.ts';
import type { DigestName } from '../kdf/digests.ts';
import {
  DIGEST_BYTES,
  digestFunction,
  hex,
  hmac,
  md5,
  PLAIN_DIGESTS,
  sha1,
  sha256,
  sha512,
} from '../kdf/digests.ts';
import { escapeHtml, escapeIpb, UTF16 } from '../kdf/password-reading.ts';
import type { OwnParts, Parts } from '../template.ts';

/** Row for systems that store salt and digest in separate columns. */
const columns = (size: number, of: DigestFormula, more: Row = {}): Row => ({
  as: `@$<salt:b64*>$<hash:b64/${size}>`,
  formula: digest(of),
  ...more,
});
/** Row for systems whose hashes have no salt, but share a secret. */
const peppered = (size: number, of: DigestFormula): Row => ({
  as: `@$$<hash:b64/${size}>`,
  formula: digest(of),
  secret: 'required',
});
/** Row whose hashes look like those of other families, so that requests must name it. */
const byName = (as: string, of: DigestFormula, more: Row = {}): Row => ({
  as,
  formula: digest(of),
  byName: true,
  isExact: true,
  ...more,
});

/**
 * Converts a name as PHP's strtolower does before version 8 in the locale C. Sites with another locale must send each
 * name in the form in which it was hashed.
 */
const asciiLowerCase = (name: Buffer) =>
  Buffer.from(name.map((byte) => (byte >= 0x41 && byte <= 0x5a ? byte + 32 : byte)));

/**
 * Row for a hash and a salt with a colon between them. The salt may be any text, including colons, but may not contain
 * a hash of the same form.
 */
const hashAndSalt = (of: DigestFormula, aliases: readonly string[] = []): Row =>
  byName('<hash:hex/16>:<salt:text>', of, {
    aliases,
    mark: /^[0-9a-f]{32}:(?!.*[0-9a-f]{32}:)[^\p{Cc}\p{Cs}]+$/u,
    check(parts) {
      const hasHash = /[0-9a-f]{32}:/.test(part(parts, 'salt').text);
      refuseUnless(!hasHash, 'salt contains a hash of the same form');
    },
  });

const HMAC_KEY_BYTES = 64;
/** Returns the salt repeated to the length of the key. An empty salt gives zeros. */
const repeated = (salt: Buffer) => Buffer.alloc(HMAC_KEY_BYTES, salt.length === 0 ? 0 : salt);

const SPRING = digest(({ password, salt, parts }) =>
  digestFunction(parts.digest as DigestName)(password, salt),
);
const [OPEN, CLOSE] = [Buffer.from('{'), Buffer.from('}')];

/** Adds the braces that Spring puts around a salt, unless the salt was cut from a stored hash and has them already. */
function braced(parts: OwnParts) {
  const salt = bytes(parts, 'salt');
  if (salt.length > 0 && !/^\{[^{}]*\}$/.test(salt.toString('latin1')))
    parts.salt = packedPart(Buffer.concat([OPEN, salt, CLOSE]));
  return parts;
}

/**
 * Forms in which Spring stores hashes. A digest of 16 bytes counts as MD5; Spring's separate MD4 needs the canonical
 * form.
 */
const SPRING_STORED = PLAIN_DIGESTS.flatMap((name) =>
  ['hex', 'pad64'].map(
    (encoding) =>
      new Form(`[{<salt:text*>}]<hash:${encoding}/${DIGEST_BYTES[name]}>`, SPRING, {
        isExact: true,
        open({ hash, salt }) {
          const own = salt === undefined ? [] : [OPEN, bytes({ salt }, 'salt'), CLOSE];
          return { digest: name, hash, salt: packedPart(Buffer.concat(own)) };
        },
      }),
  ),
);

const DIGESTS = PLAIN_DIGESTS.join('|');

/** Digests of single applications: forums, shops, frameworks and .NET. Salts of forum software are text. */
export const APPLICATION_FAMILIES = families({
  vbulletin: columns(16, ({ password, salt }) => md5(hex(md5(password)), salt)),
  mybb: columns(16, ({ password, salt }) => md5(hex(md5(salt)), hex(md5(password)))),
  ipb2: columns(16, ({ password, salt }) => md5(hex(md5(salt)), hex(md5(escapeIpb(password)))), {
    aliases: ['ipb3'],
  }),
  smf1: {
    as: '@<u=user:b64>$$<hash:b64/20>',
    identity: ({ hash, ...parts }) => ({ user: asciiLowerCase(bytes(parts, 'user')), hash }),
    formula: digest(({ password, user }) => sha1(asciiLowerCase(user), password)),
  },
  punbb: columns(20, ({ password, salt }) => sha1(salt, hex(sha1(password))), { aliases: ['fluxbb'] }),
  wbb3: columns(20, ({ password, salt }) => sha1(salt, hex(sha1(salt, hex(sha1(password)))))),
  'xenforo-sha256': columns(32, ({ password, salt }) => sha256(hex(sha256(password)), salt)),
  'xenforo-sha1': columns(20, ({ password, salt }) => sha1(hex(sha1(password)), salt)),
  authme: {
    as: '$SHA$<salt:text>$<hash:hex/32>',
    isExact: true,
    formula: digest(({ password, salt }) => sha256(hex(sha256(password)), salt)),
  },
  'joomla-md5': hashAndSalt(({ password, salt }) => md5(password, salt)),
  oscommerce: hashAndSalt(({ password, salt }) => md5(salt, password), ['xtcommerce', 'zencart']),
  magento1: hashAndSalt(({ password, salt }) => md5(salt, password)),
  // OpenCart up to 3.0 applied htmlspecialchars to all its input. Later versions make other hashes.
  opencart: columns(20, ({ password, salt }) => sha1(salt, hex(sha1(salt, hex(sha1(escapeHtml(password))))))),
  prestashop: peppered(16, ({ password, secret }) => md5(secret, password)),
  // Requests must name this family, because Werkzeug writes HMACs in the same form.
  'django-salted-md5': byName('md5$<salt:text*>$<hash:hex/16>', ({ password, salt }) => md5(salt, password)),
  // Django accepts MD5 hashes with or without the prefix, and SHA-1 only with it.
  'django-unsalted-md5': byName('[md5$$]<hash:hex/16>', ({ password }) => md5(password)),
  'django-salted-sha1': byName('sha1$<salt:text*>$<hash:hex/20>', ({ password, salt }) =>
    sha1(salt, password),
  ),
  'django-unsalted-sha1': byName('sha1$$<hash:hex/20>', ({ password }) => sha1(password)),
  redmine: columns(20, ({ password, salt }) => sha1(salt, hex(sha1(password)))),
  'casdoor-sha512': columns(64, ({ password, salt }) => sha512(hex(sha512(password)), salt)),
  'clearance-sha1': columns(20, ({ password, salt }) => sha1('--', salt, '--', password, '--')),
  'cakephp-sha1': peppered(20, ({ password, secret }) => sha1(secret, password)),
  'moodle-md5': peppered(16, ({ password, secret }) => md5(password, secret)),
  'acegi-sha256': byName('<salt:text[A-Za-z0-9]+>:<hash:hex/32>', ({ password, salt }) =>
    sha256(password, '{', salt, '}'),
  ),
  hmailserver: byName('<salt:text[0-9a-f]{6}><hash:hex/32>', ({ password, salt }) => sha256(salt, password)),
  /** Hashes of Spring Security's MessageDigestPasswordEncoder and Md4PasswordEncoder. */
  'spring-messagedigest': {
    byName: true,
    as: `@<d=digest:md4|${DIGESTS}>$<salt:b64*>$<hash:b64/digest>`,
    open: braced,
    formula: SPRING,
    forms: SPRING_STORED,
  },
  /** Digests that the machineKey of a site may name. */
  'aspnet-membership': {
    as: '@<d=digest:sha1|sha256|sha512|hmacsha256>$<salt:b64*>$<hash:b64>',
    check: (parts: Parts) =>
      refuseLength(parts, DIGEST_BYTES[String(parts.digest).replace('hmac', '') as DigestName]),
    reading: UTF16,
    // Different salts may fill the key of HMAC-SHA-256 with the same bytes, so the key identifies the hash.
    identity: (parts) =>
      parts.digest === 'hmacsha256' ? { ...parts, salt: repeated(bytes(parts, 'salt')) } : parts,
    formula: digest(({ password, salt, parts }) =>
      parts.digest === 'hmacsha256'
        ? hmac('sha256', repeated(salt), password)
        : digestFunction(parts.digest as DigestName)(salt, password),
    ),
  },
  // Umbraco's password is both key and message of the HMAC. Two passwords with equivalent keys are different messages,
  // so that their HMACs differ.
  'umbraco-hmacsha1': byName('<hash:pad64/20>', ({ password }) => hmac('sha1', password, password), {
    reading: UTF16,
  }),
  peoplesoft: byName('<hash:pad64/20>', ({ password }) => sha1(password), { reading: UTF16 }),
  /**
   * Single digests of Werkzeug before 2.3, which are HMACs if there is a salt. Django's salted digests look the same
   * but are no HMACs.
   */
  'werkzeug-legacy': byName(
    `<digest:${DIGESTS}>$<salt:text*>$<hash:hex/digest>`,
    ({ password, salt, parts }) =>
      salt.length === 0
        ? digestFunction(parts.digest as DigestName)(password)
        : hmac(parts.digest as DigestName, salt, password),
  ),
});

import { type Encoding, HEX, PADDED_BASE64 } from '../encodings.ts';
import { Form, families, type Row } from '../family.ts';
import { bytes, part, refuseUnless } from '../form.ts';
import { digest, plainDigest, saltedRounds, split } from '../formulas.ts';
import type { DigestName } from '../kdf/digests.ts';
import { DIGEST_BYTES, digestFunction, hex, hmac, md5, PLAIN_DIGESTS } from '../kdf/digests.ts';
import { md4 } from '../kdf/md4-and-md5.ts';
import { AS_LATIN1, BYTES, isOnlyHmacKey, UTF16, WIDENED } from '../kdf/password-reading.ts';
import type { RoundDigest } from '../kdf/round-hasher.ts';
import { HashRefused } from '../refused.ts';
import type { Parts } from '../template.ts';

const encoded = ({ encoding }: Parts) => (encoding === 'utf16le' ? UTF16 : BYTES);

/** @param order `sp`, `ps` or `sps`: a letter for each of the inputs */
const inOrder = (order: string, salt: Buffer, password: Buffer) =>
  [...order].map((letter) => (letter === 's' ? salt : password));

/** Digest of salt and password in a stated order. */
const salted = (name: RoundDigest): Row => ({
  as: `@<o=order:sp|ps|sps,i?=rounds:int,e?=encoding:utf8|utf16le,x?=between:hex|base64>$<salt:b64*>$<hash:b64/${DIGEST_BYTES[name]}>`,
  defaults: { rounds: 1, encoding: 'utf8' },
  reading: encoded,
  formula: saltedRounds(name, ({ parts, salt, password }) => inOrder(String(parts.order), salt, password)),
});

/** HMAC of salt and password. The hash says which of them is the key. */
const hmacOf = (name: DigestName): Row => ({
  as: `@<k=key:salt|password,e?=encoding:utf8|utf16le>$<salt:b64*>$<hash:b64/${DIGEST_BYTES[name]}>`,
  defaults: { encoding: 'utf8' },
  reading: encoded,
  formula: {
    ...digest(({ parts, salt, password }) =>
      parts.key === 'salt' ? hmac(name, salt, password) : hmac(name, password, salt),
    ),
    portable(parts) {
      if (parts.key === 'password') return undefined;
      return { kind: 'hmac', digest: name, key: bytes(parts, 'salt'), hash: bytes(parts, 'hash') };
    },
    isOnlyKey: (key, parts, isUtf16) => parts.key === 'salt' || isOnlyHmacKey(name, key, isUtf16),
  },
});

/** Row for an unsalted digest in hexadecimal digits, which do not show their family. */
const hexOf = (name: DigestName): Row => ({
  as: `<hash:hex/${DIGEST_BYTES[name]}>`,
  byName: true,
  formula: digest(
    ({ password }) => digestFunction(name)(password),
    (parts) => (name === 'md4' ? undefined : plainDigest(name, true, parts)),
  ),
});

const HOLES = /\{SALT\}|\{PASSWORD\}/g;
/** Kratos has no limit on placeholders, but 300 of them would turn a long password into megabytes. */
const MAX_HOLES = 8;

/** Format of Kratos, such as {SALT}{PASSWORD}. Decoys have another format of the same length. */
const FORMAT: Encoding = { ...PADDED_BASE64, filler: (length) => btoa('{PASSWORD}'.padEnd(length, '0')) };

function checkFormat(parts: Parts): void {
  if (parts.format === undefined) return;
  const holes: readonly string[] = bytes(parts, 'format').toString('latin1').match(HOLES) ?? [];
  // Every password would match the hashes of a format without the placeholder {PASSWORD}.
  refuseUnless(holes.includes('{PASSWORD}'), 'pf does not have {PASSWORD}');
  if (holes.length > MAX_HOLES)
    throw new HashRefused('cost', `pf has ${holes.length} placeholders, above the limit of ${MAX_HOLES}`);
}

/** @see ory/kratos hash/hash_comparator.go */
const kratosFormat: Row = {
  formula: digest(({ password, salt, parts }) => {
    const format = parts.format === undefined ? '{PASSWORD}' : bytes(parts, 'format').toString('latin1');
    const filled = format.replace(HOLES, (hole) => (hole === '{SALT}' ? salt : password).toString('latin1'));
    return digestFunction(parts.digest as DigestName)(Buffer.from(filled, 'latin1'));
  }),
  encodings: { format: FORMAT },
  defaults: { digest: 'md5' },
  isExact: true,
  check: checkFormat,
};

/** Base64 of hexadecimal digits. Kratos compares the digits as text. */
const BASE64_OF_HEX: Encoding = {
  ...PADDED_BASE64,
  check(text) {
    const length = PADDED_BASE64.check(text);
    if (typeof length === 'number' && typeof HEX.check(atob(text)) === 'number') return length;
    return { problem: 'is not base64 of lower-case hex' };
  },
  filler: (length) => btoa('0'.repeat(length)),
};

const LDAP = digest(
  ({ password, salt, parts }) => digestFunction(parts.digest as DigestName)(password, salt),
  (parts) => plainDigest(parts.digest as DigestName, false, parts),
);

/** Excludes hashes of AIX, which uses some of the scheme names. They have a `$` near the start, and base64 has none. */
const NOT_AIX = '(?!.{0,8}\\$)';
/** Excludes md5-crypt, which Dovecot also calls `MD5`. Its values are longer than a hexadecimal MD5. */
const NOT_CRYPT = '(?!.{40})';

/**
 * A scheme of LDAP (RFC 2307): a name in braces, in any case, and digest and 4 to 64 bytes of salt in one value.
 * Dovecot may name the encoding. The length of an unsalted value distinguishes it from other systems' hashes.
 */
function ldap(scheme: string, name: DigestName, isSalted = false) {
  const size = DIGEST_BYTES[name];
  const open = (_parts: Parts, packed: Buffer) => {
    const [min, max] = isSalted ? [size + 4, size + 64] : [size, size];
    const expected = isSalted ? `${size} bytes of digest and 4 to 64 of salt` : `${size} bytes`;
    const isInRange = packed.length >= min && packed.length <= max;
    refuseUnless(isInRange, `expected ${expected}, got ${packed.length} in all`);
    const { hash, salt } = split(packed, size, 'hash', 'salt');
    return isSalted ? { digest: name, hash, salt } : { digest: name, hash };
  };
  const bare = isSalted ? NOT_AIX : `${PADDED_BASE64.sourceOf(size)}$`;
  const named = isSalted ? NOT_AIX : name === 'md5' ? NOT_CRYPT : '';
  return [
    new Form(`{<_:~${scheme}>[.<_:~B64|BASE64>]}<packed:pad64*>`, LDAP, {
      mark: new RegExp(`^\\{${scheme}(?:\\.(?:B64|BASE64)\\}${named}|\\}${bare})`, 'i'),
      open,
    }),
    new Form(`{<_:~${scheme}>.<_:~HEX>}<packed:HEX>`, LDAP, {
      mark: new RegExp(`^\\{${scheme}\\.HEX\\}${named}`, 'i'),
      open,
    }),
  ];
}

/** Returns a row for each digest, named as in `salted-md5`. */
const forEachDigest = (prefix: string, make: (name: (typeof PLAIN_DIGESTS)[number]) => Row) =>
  Object.fromEntries(PLAIN_DIGESTS.map((name) => [`${prefix}-${name}`, make(name)]));

export const DIGEST_FAMILIES = families({
  ...forEachDigest('salted', salted),
  ...forEachDigest('hmac', hmacOf),
  // The next four were defined by Ory Kratos and zitadel/passwap for importing hashes of other systems.
  'hmac-kratos': {
    as: '$hmac-<digest:md4|md5|sha1|sha224|sha256|sha384|sha512>$<hash:base64ofhex>$<salt:pad64>',
    looksLike: '`$hmac-<md4|md5|sha1|sha224|sha256|sha384|sha512>$<base64 of hex>$<key>`',
    encodings: { base64ofhex: BASE64_OF_HEX },
    isExact: true,
    check(parts) {
      const expected = 2 * DIGEST_BYTES[parts.digest as DigestName];
      const isWhole = part(parts, 'hash').length === expected;
      refuseUnless(isWhole, `hash must be base64 of ${expected} hexadecimal digits`);
    },
    formula: digest(
      ({ password, salt, parts }) => Buffer.from(hex(hmac(parts.digest as DigestName, salt, password))),
      ({ digest: name, ...parts }) => {
        if (name === 'md4') return undefined;
        const hash = Buffer.from(bytes(parts, 'hash').toString('latin1'), 'hex');
        return { kind: 'hmac', digest: name as DigestName, key: bytes(parts, 'salt'), hash };
      },
    ),
  },
  'md5-kratos': {
    ...kratosFormat,
    as: { '$md5$pf=<format:format>$<salt:pad64*>$<hash:pad64/16>': {}, '$md5$<hash:pad64/16>': {} },
  },
  'sha-kratos': {
    ...kratosFormat,
    as: '$<digest:sha1|sha256|sha512>$pf=<format:format>$<salt:pad64*>$<hash:pad64/digest>',
  },
  // passwap's salt is base64, and its characters are digested without decoding.
  'md5salted-passwap': {
    as: '$md5salted-<order:prefix|suffix>$<salt:text[A-Za-z0-9+/=_.-]*>$<hash:pad64/16>',
    identity: ({ order, salt, hash }) => ({ first: order === 'prefix', salt, hash }),
    formula: digest(({ password, salt, parts }) =>
      parts.order === 'prefix' ? md5(salt, password) : md5(password, salt),
    ),
  },
  'hex-md5': hexOf('md5'),
  'hex-sha1': hexOf('sha1'),
  'hex-sha256': hexOf('sha256'),
  'hex-sha512': hexOf('sha512'),
  'hex-md4': hexOf('md4'),
  /** Samba and most tools write NT hashes in upper case, others in lower case. */
  nthash: {
    as: '<hash:HEX/16>',
    byName: true,
    reading: UTF16,
    formula: digest(({ password }) => md4(password)),
  },
  'bsd-nthash': {
    as: '$3$$<hash:hex/16>',
    isExact: true,
    reading: WIDENED,
    second: AS_LATIN1,
    formula: digest(({ password }) => md4(password)),
  },
  'ldap-sha': { forms: ldap('SHA', 'sha1') },
  'ldap-ssha': { aliases: ['ldap_ssha'], forms: ldap('SSHA', 'sha1', true) },
  'ldap-md5': { forms: ldap('MD5', 'md5') },
  'ldap-smd5': { forms: ldap('SMD5', 'md5', true) },
  'ldap-sha2': {
    aliases: ['ldap-ssha256', 'ldap-ssha512'],
    forms: (['sha256', 'sha384', 'sha512'] as const).flatMap((name) => [
      ...ldap(name.toUpperCase(), name),
      ...ldap(`S${name.toUpperCase()}`, name, true),
    ]),
  },
});

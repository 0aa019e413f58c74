import { partOf, TEXT } from '../encodings.ts';
import { familiesOf } from '../family.ts';
import { part, refuseLength, refuseUnless } from '../form.ts';
import { pbkdf2, split } from '../formulas.ts';
import { DIGEST_BYTES, type DigestName, hmac } from '../kdf/digests.ts';
import { md4 } from '../kdf/md4-and-md5.ts';
import { atMostBytes, inTurn, type PasswordReading, UTF16 } from '../kdf/password-reading.ts';
import type { Parts } from '../template.ts';

const SHAS = 'sha224|sha256|sha384|sha512';

const withoutLength = ({ length: _, ...parts }: Parts) => parts;

/**
 * Checks the length that a hash states.
 * @throws {HashRefused} `format` if the hash states another length than it has
 */
export function ofLength(parts: Parts): Parts {
  refuseLength(parts, parts.length);
  return withoutLength(parts);
}

/**
 * Checks the length, if a hash states one.
 * @throws {HashRefused} `format` if the hash states another length than it has
 */
function openCanonical(parts: Parts): Parts {
  const { length } = part(parts, 'hash');
  refuseUnless(
    parts.length === undefined || parts.length === length,
    `l is ${parts.length}, but the hash has ${length} bytes (name pbkdf2-kratos if it is of Ory Kratos, which ignores l)`,
  );
  return withoutLength(parts);
}

function unpackForgeRock({ packed: _, ...parts }: Parts, packed: Buffer): Parts {
  const hashBytes = DIGEST_BYTES[parts.digest as DigestName];
  refuseUnless(
    packed.length > hashBytes && packed.length <= hashBytes + 64,
    `expected ${hashBytes + 1} to ${hashBytes + 64} bytes of base64, got ${packed.length}`,
  );
  return { ...parts, ...split(packed, hashBytes, 'hash', 'salt') };
}

/**
 * The salt of a `$p5k2$` hash is the whole text before its digest, including the number of iterations. Dwayne
 * Litzenberger's module omits 400 iterations (190 in hexadecimal digits), and no other number.
 */
function openDlitz({ number, salt, hash }: Parts) {
  refuseUnless(!/^(?:190$|0)/.test(String(number)), 'iterations are not written as in this format');
  const text = `$p5k2$${number}$${part({ salt }, 'salt').text}`;
  const iterations = number === '' ? 400 : Number.parseInt(String(number), 16);
  return { digest: 'sha1', iterations, salt: partOf('salt', text, TEXT), hash };
}

function openPassword4j({ code, numbers, salt, hash }: Parts) {
  const value = BigInt(String(numbers));
  refuseLength({ hash }, Number(value & 0xffffffffn) / 8);
  const digest = PASSWORD4J_DIGESTS[Number(code) - 1];
  return { digest, iterations: atLeastOne(Number(value >> 32n)), salt, hash };
}

const IDENTITY_DIGESTS = ['sha1', 'sha256', 'sha512'];
/** Minimum length of salt and hash, in bytes. ASP.NET Core refuses shorter ones, too. */
const IDENTITY_LEAST_BYTES = 16;

/**
 * Unpacks ASP.NET Core Identity. Version 2: a byte 0, salt, hash. Version 3: a byte 1; then the number of the digest,
 * the iterations and the length of the salt with 32 bits each; then salt and hash.
 */
function unpackIdentity(_parts: Parts, packed: Buffer) {
  if (packed[0] === 0 && packed.length === 49)
    return { form: 'version 2', digest: 'sha1', iterations: 1000, ...split(packed.subarray(1), 16) };
  refuseUnless(
    packed[0] === 1 && packed.length >= 13,
    'the first byte is neither 0 with 48 bytes behind it, nor 1 with 12 or more',
  );
  const digest = IDENTITY_DIGESTS[packed.readUInt32BE(1)];
  refuseUnless(digest !== undefined, 'the number of the digest is not 0, 1 or 2');
  const saltBytes = packed.readUInt32BE(9);
  const isLong = Math.min(saltBytes, packed.length - 13 - saltBytes) >= IDENTITY_LEAST_BYTES;
  refuseUnless(isLong, `salt and hash must be at least ${IDENTITY_LEAST_BYTES} bytes long`);
  const iterations = atLeastOne(packed.readUInt32BE(5));
  return { form: 'version 3', digest, iterations, ...split(packed.subarray(13), saltBytes) };
}

function atLeastOne(iterations: number): number {
  refuseUnless(iterations > 0, 'iterations must be at least 1');
  return iterations;
}

/** Unpacks Liferay: the hash length in bits and the iterations, with 32 bits each, then salt and hash. */
function unpackLiferay({ digest, bits: stated, iterations: statedIterations }: Parts, packed: Buffer) {
  const bits = packed.length < 8 ? 0 : packed.readUInt32BE(0);
  const saltBytes = packed.length - 8 - bits / 8;
  refuseUnless(
    bits % 8 === 0 && bits >= 128 && bits <= 1024 && saltBytes >= 8,
    'the length of the hash in bits does not match the length of the base64',
  );
  const iterations = packed.readUInt32BE(4);
  refuseUnless(
    stated === undefined || (stated === bits && statedIterations === iterations),
    'bits or iterations in braces differ from those in the base64',
  );
  return { digest, iterations: atLeastOne(iterations), ...split(packed.subarray(8), saltBytes) };
}

/** Unpacks 389 DS: the iterations with 32 bits, a salt of 64 bytes, and the hash. */
function unpack389(_parts: Parts, packed: Buffer): Parts {
  const iterations = atLeastOne(packed.readUInt32BE(0));
  return { form: '389 DS', digest: 'sha256', iterations, ...split(packed.subarray(4), 64) };
}

/** Replaces a password in UTF-16 by its NT hash, in upper-case hexadecimal digits in UTF-16. */
const NT_HASH_TEXT: PasswordReading = {
  of: (utf16) => Buffer.from(md4(utf16).toString('hex').toUpperCase(), 'utf16le'),
  isOnly: () => true,
};

const PASSWORD4J_DIGESTS = ['sha1', 'sha224', 'sha256', 'sha384', 'sha512'];

/** Removes the part `form`, which is only for descriptions: the same hash may be written in another form. */
const withoutForm = ({ form: _, ...parts }: Parts) => parts;

const SHA512 = { digest: 'sha512' };
const SHA1 = { digest: 'sha1' };

/** All families of PBKDF2 hashes. The first has the canonical syntax. */
export const PBKDF2_FAMILIES = familiesOf(pbkdf2(), {
  pbkdf2: {
    aliases: ['keycloak', 'discourse', 'grafana', 'passport-local', 'pbkdf2-raw'],
    as: `$pbkdf2-<digest:md5|sha1|${SHAS}>$<i=iterations:int,l?=length:int>$<salt:b64*>$<hash:b64>`,
    open: openCanonical,
  },
  'pbkdf2-kratos': {
    // Kratos uses SHA-3 for two of the digest names, and takes the length of the hash instead of `l`
    // (hash/hash_comparator.go).
    as: '$pbkdf2-<digest:sha1|sha224=sha3-224|sha256|sha384=sha3-384|sha512>$<i=iterations:int,l?=length:word[0-9]+>$<salt:b64*>$<hash:b64>',
    byName: true,
    open: withoutLength,
  },
  'mattermost-pbkdf2': {
    as: '$pbkdf2$f=<digest:SHA256=sha256|SHA512=sha512>,w=<iterations:int>,l=<length:int>$<salt:bare64>$<hash:bare64>',
    open: ofLength,
    // Mattermost has kept the limit of bcrypt, which it used before.
    reading: atMostBytes(72),
  },
  'pbkdf2-passlib': {
    aliases: ['odoo', 'authelia', 'pbkdf2-elixir'],
    as: `$pbkdf2[-<digest:${SHAS}>]$<iterations:int>$<salt:ab64*>$<hash:ab64/digest>`,
    mark: /^\$pbkdf2(?:-sha224|-sha256|-sha384|-sha512)?\$[0-9]+\$(?!.*=)/s,
    defaults: SHA1,
  },
  /** Hashes of Pow (Elixir): as those of passlib, but in standard base64 with padding. */
  pow: {
    as: `$pbkdf2-<digest:sha=sha1|sha1|${SHAS}>$<iterations:int>$<salt:pad64>$<hash:pad64>`,
    mark: /^\$pbkdf2-sha(?:1|224|256|384|512)?\$[0-9]+\$(?=.*=)/s,
  },
  'django-pbkdf2': {
    aliases: ['pbkdf2_sha256_django', 'authentik'],
    as: 'pbkdf2_<digest:sha256|sha1>$<iterations:int>$<salt:text*>$<hash:pad64/digest>',
  },
  web2py: {
    as: `pbkdf2(<iterations:int>,<length:int>,<digest:md5|sha1|${SHAS}>)$<salt:text*>$<hash:hex>`,
    open: ofLength,
  },
  'pbkdf2-cta': {
    as: '$p5k2$<iterations:hexint>$<salt:url64*>$<hash:url64/20>',
    isExact: true,
    defaults: SHA1,
  },
  'pbkdf2-dlitz': {
    as: '$p5k2$<number:word[0-9a-f]{0,8}>$<salt:text[./0-9A-Za-z]*>$<hash:ab64/24>',
    looksLike: '`$p5k2$[<iterations: hexadecimal>]$<salt>$<32 characters>`; 400 iterations are left out',
    isExact: true,
    open: openDlitz,
  },
  'aspnet-identity': {
    aliases: ['aspnetcore-identity', 'duende', 'abp'],
    as: '<packed:pad64>',
    looksLike:
      'base64 that begins with `AQAAAA` (version 3), or 68 characters that begin with `A` (version 2)',
    mark: /^(?:AQAAAA[A-L]|A[A-P][A-Za-z0-9+/]{63}[AQgw]==$)/,
    byName: true,
    open: unpackIdentity,
    identity: withoutForm,
  },
  'atlassian-pbkdf2': {
    aliases: ['crowd', 'jira', 'confluence'],
    as: '{PKCS5S2}<packed:pad64/48>',
    open: (_parts, packed) => ({ digest: 'sha1', iterations: 10_000, ...split(packed, 16) }),
  },
  'liferay-pbkdf2': {
    looksLike: '`{PBKDF2WithHmacSHA1[/<bits>/<iterations>]}<base64>`; without the braces it must be named',
    mark: /^\{PBKDF2WithHmacSHA[0-9]+(?:\/[0-9]+\/[0-9]+)?\}AAA[A-E]/,
    defaults: SHA1,
    open: unpackLiferay,
    as: {
      '{PBKDF2WithHmac<digest:SHA1=sha1|SHA224=sha224|SHA256=sha256|SHA384=sha384|SHA512=sha512>[/<bits:int>/<iterations:int>]}<packed:pad64>':
        {},
      '<packed:pad64>': { mark: /^AAA[A-E][A-Za-z0-9+/]{30,}={0,2}$/, byName: true },
    },
  },
  'jenkins-pbkdf2': { as: '$PBKDF2$HMACSHA512:<iterations:int>:<salt:hex>$<hash:hex/64>', defaults: SHA512 },
  'tomcat-pbkdf2': { as: '<salt:HEX>$<iterations:int>$<hash:HEX>', byName: true, defaults: SHA1 },
  // FusionAuth's own PBKDF2 schemes belong to the family `pbkdf2`. This scheme is one of its example plugins for
  // older systems.
  'fusionauth-pbkdf2-hmac-sha1': {
    as: '@i=<iterations:int>$<salt:b64*>$<hash:b64/20>',
    defaults: SHA1,
    formula: pbkdf2({ keyBytes: 64, of: (key, password) => hmac('sha1', key, password) }),
  },
  'ldap-pbkdf2': {
    aliases: ['389ds', 'openldap-pbkdf2'],
    mark: /^\{PBKDF2(?:_SHA256\}|(?:-SHA1|-SHA256|-SHA512)?\}[0-9]+\$|\}\$1\$)/,
    identity: withoutForm,
    as: {
      '{PBKDF2[-<digest:SHA1=sha1|SHA256=sha256|SHA512=sha512>]}<iterations:int>$<salt:ab64*>$<hash:ab64/digest>':
        { defaults: { ...SHA1, form: 'OpenLDAP' } },
      '{PBKDF2}$1$<salt:text*>$<iterations:int>$<hash:hex/20>': { defaults: { ...SHA1, form: 'Dovecot' } },
      // Hashes of 389 DS have eight PBKDF2 blocks, although the first would suffice.
      '{PBKDF2_SHA256}<packed:pad64/324>': { open: unpack389 },
    },
  },
  'forgerock-pbkdf2': {
    as: '{PBKDF2[-HMAC-<digest:SHA256=sha256|SHA512=sha512>]}<iterations:int>:<packed:pad64>',
    looksLike: '`{PBKDF2[-HMAC-SHA256|-HMAC-SHA512]}<iterations>:<base64 of hash and salt>`',
    mark: /^\{PBKDF2(?:-HMAC-SHA256|-HMAC-SHA512)?\}[0-9]+:/,
    defaults: SHA1,
    open: unpackForgeRock,
  },
  'macos-pbkdf2': {
    as: {
      '$ml$<iterations:int>$<salt:hex/32>$<hash:hex/128>': {},
      '$ml$<iterations:int>$<salt:hex/32>$<hash:hex/64>': {},
    },
    defaults: SHA512,
  },
  // grub-mkpasswd writes hexadecimal digits in upper case. The boot loader accepts either case and any length.
  grub: {
    aliases: ['pbkdf2-grub'],
    as: 'grub.pbkdf2.sha512.<iterations:int>.<salt:HEX*>.<hash:HEX>',
    defaults: SHA512,
  },
  'cisco-8': {
    as: '$8$<salt:text[./0-9A-Za-z]{14}>$<hash:crypt64big/32>',
    defaults: { digest: 'sha256', iterations: 20_000 },
  },
  'azuread-sync': {
    as: 'v1;PPH1_MD4,<salt:hex/10>,<iterations:int>,<hash:hex/32>[;]',
    strength: 'broken',
    defaults: { digest: 'sha256' },
    reading: inTurn(UTF16, NT_HASH_TEXT),
  },
  'hashcat-pbkdf2': {
    as: '<digest:md5|sha1|sha256|sha512>:<iterations:int>:<salt:pad64*>:<hash:pad64>',
    byName: true,
  },
  'pbkdf2-password4j': {
    as: '$<code:1|2|3|4|5>$<numbers:word[1-9]{1}[0-9]{9,18}>$<salt:pad64>$<hash:pad64>',
    looksLike: '`$<1|2|3|4|5>$<iterations × 2^32 + bits>$<salt>$<hash>`',
    // Hashes of md5-crypt, bsd-nthash and sha256-crypt begin with the same numbers (`$1$`, `$3$`, `$5$`).
    isExact: true,
    byName: true,
    open: openPassword4j,
  },
});

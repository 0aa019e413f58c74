import { createCipheriv } from 'node:crypto';
import { decodeBase64 } from '../../lib/text/base64.ts';
import { cryptNumber, packedPart } from '../encodings.ts';
import { type Family, familiesOf, family, type Row } from '../family.ts';
import { bytes, number, part, refuseUnless } from '../form.ts';
import { maxLog2N, scrypt, scryptCost, scryptKey, withLog2N } from '../formulas.ts';
import { hmac, sha256 } from '../kdf/digests.ts';
import { inNormalForm, isOnlyHmacKey } from '../kdf/password-reading.ts';
import type { PossibleRepair } from '../mistakes.ts';
import { HashRefused } from '../refused.ts';
import { type Parts, rememberLast } from '../template.ts';

/** Defaults of Node.js's `crypto.scrypt`. */
const NODE_COSTS = { log2N: 14, r: 8, p: 1 };
const BLOCKS_OF_16 = { log2N: 14, r: 16, p: 1 };

const columns = (name: string, first: string, salt = 'b64*', hash = 'b64') =>
  `$${name}$<${first},r=r:int,p=p:int>$<salt:${salt}>$<hash:${hash}>`;

/**
 * Row for hashes of JavaScript programs. Some of them use the hexadecimal digits of a salt as text, without decoding
 * them.
 */
const byName = (as: string, defaults: Parts, form?: 'NFKC'): Row => ({
  as,
  defaults,
  byName: true,
  ...(form && { reading: inNormalForm(form) }),
});

/** Spring Security writes the scrypt costs as one number: log2 N × 65536 + r × 256 + p. */
function springCosts(costs: Parts[string]) {
  const value = Number.parseInt(String(costs), 16);
  return positive({ log2N: value >> 16, r: (value >> 8) & 255, p: value & 255 });
}

/** Scrypt costs of a `$7$` hash: one digit of log2 N, five digits of r and five of p. */
const mcf7Costs = rememberLast((text) => ({
  log2N: cryptNumber(text.slice(0, 1)),
  r: cryptNumber(text.slice(1, 6)),
  p: cryptNumber(text.slice(6)),
}));

/** @throws {HashRefused} `format` */
function positive<Costs extends { log2N: number; r: number; p: number }>(costs: Costs): Costs {
  const zero = Object.entries(costs).find(([, value]) => value < 1);
  refuseUnless(zero === undefined, `${zero?.[0]} must be at least 1`);
  return costs;
}

function withoutLength({ length, ...parts }: Parts): Parts {
  const { length: bytesOfHash } = part(parts, 'hash');
  refuseUnless(bytesOfHash === length, `the hash has ${bytesOfHash} bytes, which is not the stated length`);
  return parts;
}

const MAGIC = Buffer.from('scrypt\0', 'latin1');
const [SALT_AT, CHECKSUM_AT, HMAC_AT, LENGTH] = [16, 48, 64, 96];
const checksum = (packed: Buffer) => sha256(packed).subarray(0, 16);

/** Reads the header of a file encrypted with the scrypt utility (Tarsnap), which scrypt-kdf stores as a hash. */
function openFile(_parts: Parts, packed: Buffer) {
  refuseUnless(
    packed.length === LENGTH && packed.subarray(0, MAGIC.length).equals(MAGIC),
    `hash must have ${LENGTH} bytes that begin with scrypt and a zero byte`,
  );
  const isIntact = checksum(packed.subarray(0, CHECKSUM_AT)).equals(packed.subarray(CHECKSUM_AT, HMAC_AT));
  refuseUnless(isIntact, 'the checksum of its parameters and salt is wrong');
  return {
    ...positive({ log2N: packed.readUInt8(7), r: packed.readUInt32BE(8), p: packed.readUInt32BE(12) }),
    salt: packedPart(packed.subarray(SALT_AT, CHECKSUM_AT)),
    hash: packedPart(packed.subarray(HMAC_AT)),
  };
}

/** Returns the beginning of a scrypt-kdf hash, which the HMAC at its end covers. */
function headOf(parts: Parts): Buffer {
  const costs = Buffer.alloc(9);
  costs.writeUInt8(number(parts, 'log2N'), 0);
  costs.writeUInt32BE(number(parts, 'r'), 1);
  costs.writeUInt32BE(number(parts, 'p'), 5);
  const head = Buffer.concat([MAGIC, costs, bytes(parts, 'salt')]);
  return Buffer.concat([head, checksum(head)]);
}

/** All families of scrypt hashes. The first has the canonical syntax. */
export const SCRYPT_FAMILIES = familiesOf(scrypt(), {
  scrypt: {
    aliases: ['scrypt-phc', 'scrypt-raw'],
    as: columns('scrypt', 'ln=log2N:int'),
    mark: /^\$scrypt\$(?!(?:[^$]*,)?(?:n=|ln=(?:3[2-9]|[4-9][0-9]|[0-9]{3})))/,
  },
  'scrypt-kratos': {
    as: columns('scrypt', 'ln=N:int/32'),
    looksLike: '`$scrypt$ln=<N>,r=<r>,p=<p>$<salt>$<hash>`, N from 32',
    mark: /^\$scrypt\$(?:[^$]*,)?ln=(?:3[2-9]|[4-9][0-9]|[0-9]{3})/,
    open: withLog2N,
  },
  'scrypt-adonis': {
    as: columns('scrypt', 'n=N:int', 'b64'),
    mark: /^\$scrypt\$(?:[^$]*,)?n=/,
    open: withLog2N,
  },
  'better-auth': byName('<salt:text[0-9a-f]{32}>:<hash:hex/64>', BLOCKS_OF_16, 'NFKC'),
  lucia: {
    aliases: ['lucia-v2', 'lucia-v3'],
    looksLike: '`s2:<salt>:<128 hexadecimal digits>`; without `s2:` it must be named',
    mark: /^s2:[0-9A-Za-z]{8,64}:[0-9a-f]{128}$/,
    as: { '[s2:]<salt:text[0-9A-Za-z]{8,64}>:<hash:hex/64>': {} },
    defaults: BLOCKS_OF_16,
    reading: inNormalForm('NFKC'),
  },
  'lucia-v1': byName('<salt:text[0-9A-Za-z]{8,64}>:<hash:hex/64>', NODE_COSTS, 'NFKC'),
  'node-scrypt-salt-hash': byName('<salt:text[0-9a-f]{16,128}>:<hash:hex/64>', NODE_COSTS),
  'node-scrypt-hash-dot-salt': byName('<hash:hex/64>.<salt:text[0-9a-f]{16,128}>', NODE_COSTS),
  'scrypt-kdf': {
    as: '<packed:pad64>',
    looksLike: '`c2NyeXB0A…`: base64 of 96 bytes that begin with `scrypt` and a zero',
    mark: /^c2NyeXB0A/,
    open: openFile,
    sealPacked: (packed) => void checksum(packed.subarray(0, CHECKSUM_AT)).copy(packed, CHECKSUM_AT),
    formula: scrypt({ keyBytes: 64, of: (key, parts) => hmac('sha256', key.subarray(32), headOf(parts)) }),
  },
  redwood: {
    as: columns('redwood', 'ln=log2N:int', 'b64*', 'b64/32'),
    reading: inNormalForm('NFC'),
  },
  'django-scrypt': {
    mark: /^scrypt\$(?:[^$]*\$){4,5}[^$]*$/,
    as: {
      // Django's own hashes have N first; those of the package django-scrypt have the salt first, and a length.
      'scrypt$<N:int>$<salt:text>$<r:int>$<p:int>$<hash:pad64/64>': { open: withLog2N },
      'scrypt$<salt:text>$<log2N:int>$<r:int>$<p:int>$<length:int>$<hash:pad64>': { open: withoutLength },
    },
  },
  'spring-scrypt': {
    aliases: ['scrypt-spring'],
    as: '$<costs:word[0-9a-f]{5,6}>$<salt:pad64>$<hash:pad64>',
    looksLike: '`$<log2 N, r and p: hexadecimal>$<salt>$<hash>`',
    isExact: true,
    byName: true,
    open: ({ costs, salt, hash }) => ({ salt, hash, ...springCosts(costs) }),
  },
  'scrypt-mcf7': {
    as: '$7$<costs:word[./0-9A-Za-z]{11}><salt:text[./0-9A-Za-z]*>$<hash:crypt64/32>',
    looksLike: '`$7$<N><r><p><salt>$<hash>` (libsodium, crypt)',
    // Excludes Mosquitto's `$7$`, which has a number before the next `$`, and ends with padded base64.
    mark: /^\$7\$(?!.*=$)/s,
    open: ({ costs, salt, hash }) => ({ salt, hash, ...positive(mcf7Costs(String(costs))) }),
  },
  'hashcat-scrypt': { as: 'SCRYPT:<N:int>:<r:int>:<p:int>:<salt:pad64*>:<hash:pad64>', open: withLog2N },
  'cisco-9': {
    as: '$9$<salt:text[./0-9A-Za-z]{14}>$<hash:crypt64big/32>',
    // Excludes Juniper's `$9$`, which is encrypted text and has no second `$` at this position.
    isExact: true,
    strength: 'legacy',
    defaults: { log2N: 14, r: 1, p: 1 },
  },
});

const costsOf = (parts: Parts) => ({ log2N: number(parts, 'memCost'), r: number(parts, 'rounds'), p: 1 });
const saltOf = (parts: Parts) => Buffer.concat([bytes(parts, 'salt'), bytes(parts, 'separator')]);

/**
 * Firebase's scrypt. The digest is the signer key, encrypted with a key that scrypt derives from the
 * password.
 */
export const externalScrypt: Family = family('external_scrypt', {
  title: 'External SCrypt',
  aliases: ['firebase_scrypt'],
  superTokensName: 'firebase_scrypt',
  as: '$f_scrypt$<digest:b64>$<salt:b64>$<m=memCost:int$r=rounds:int$s=separator:b64*>',
  looksLike:
    "`$f_scrypt$<hash>$<salt>$m=<mem_cost>$r=<rounds>$s=<salt separator>`; needs the exporter's signer key",
  mark: /^\$f_scrypt\$/,
  secret: 'required',
  check(parts) {
    const { log2N, r } = costsOf(parts);
    refuseUnless(log2N <= maxLog2N(r), 'm must be less than 16 times r');
  },
  checkSecret: checkKey,
  formula: {
    digestPart: 'digest',
    async of({ password, secret, parts }) {
      const derived = await scryptKey(password, { ...costsOf(parts), salt: saltOf(parts), length: 64 });
      return createCipheriv('aes-256-ctr', derived.subarray(0, 32), Buffer.alloc(16)).update(secret);
    },
    cost: (parts) =>
      scryptCost(costsOf(parts), part(parts, 'salt').length + part(parts, 'separator').length, 64),
    strength: 'strong',
    time: '0.3 µs × 2^`m` × `r`',
    isOnlyKey: (key) => isOnlyHmacKey('sha256', key),
    // The separator follows the salt in scrypt's salt, so only their concatenation matters.
    identity: ({ memCost, rounds, digest, ...parts }) => ({ memCost, rounds, salt: saltOf(parts), digest }),
    portable: (parts) => ({
      ...{ kind: 'firebase-scrypt', memCost: number(parts, 'memCost'), rounds: number(parts, 'rounds') },
      ...{ salt: bytes(parts, 'salt'), separator: bytes(parts, 'separator'), hash: bytes(parts, 'digest') },
    }),
    describe: ({ memCost, rounds, salt, separator, digest }) => ({
      ...{ memCost, rounds, salt, saltSeparator: separator, digest },
    }),
  },
  repairs,
});

/** @throws {HashRefused} if the signer key is missing or has the wrong length */
function checkKey(parts: Parts, signerKey: Uint8Array | undefined): void {
  if (signerKey === undefined)
    throw new HashRefused('signer-key-missing', 'external_password_hashing_signer_key is not configured');
  const { length } = part(parts, 'digest');
  refuseUnless(
    length === signerKey.length,
    `digest is ${length} bytes but the signer key is ${signerKey.length} bytes: wrong key?`,
  );
}

/**
 * Minimum number of bytes to compare if the digest or the key is cut off. The digest is the encrypted signer key. If
 * fewer bytes were compared, a caller could send made-up hashes and find out the key byte by byte.
 */
const MIN_SHARED_BYTES = 16;

function repairs(encoded: string, signerKey: Uint8Array | undefined): PossibleRepair[] {
  const [, before = '', digest = '', after = ''] =
    /^(\$f_scrypt\$)([^$]*)((?:\$[^$]*){4})$/.exec(encoded) ?? [];
  const shared = sharedPart(digest, signerKey);
  if (shared === undefined) return [];
  return [{ mistake: 'SIGNER_KEY_LENGTH', encoded: before + shared.digest + after, secret: shared.key }];
}

/**
 * Cuts the longer one of digest and key to the length of the other. A stream cipher encrypts each byte separately, so a
 * shortened digest still matches the shortened key.
 */
function sharedPart(text: string, signerKey: Uint8Array | undefined) {
  const digest = decodeBase64(text, 'lenient');
  if (signerKey === undefined || 'problem' in digest || digest.length === signerKey.length) return undefined;
  const length = Math.min(digest.length, signerKey.length);
  if (length < MIN_SHARED_BYTES) return undefined;
  return { digest: digest.subarray(0, length).toString('base64'), key: signerKey.subarray(0, length) };
}

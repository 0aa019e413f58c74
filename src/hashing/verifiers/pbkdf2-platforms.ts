import { createHmac } from 'node:crypto';
import { ANY_HEX, BASE64, HEX } from '../formats/encodings.ts';
import type { Groups } from '../formats/hash-pattern.ts';
import type { Pbkdf2Digest } from '../kdf/pbkdf2.ts';
import { HashRefused } from '../verifier.ts';
import { definePbkdf2 } from './define-pbkdf2.ts';
import { digestNamed, packedSpelling, sizeOf, spelling, type Unpacked } from './pbkdf2-spelling.ts';

const IDENTITY_DIGESTS: readonly Pbkdf2Digest[] = ['sha1', 'sha256', 'sha512'];
/** Minimum length of salt and hash, in bytes. ASP.NET Core refuses shorter ones, too. */
const IDENTITY_LEAST_BYTES = 16;
const IDENTITY_V2 = { saltBytes: 16, hashBytes: 32, iterations: 1000 };

const LIFERAY = packedSpelling(
  /(?:\{PBKDF2WithHmac(?<digest>SHA1|SHA224|SHA256|SHA384|SHA512)(?:\/(?<bits>[1-9][0-9]*)\/(?<iterations>[1-9][0-9]*))?\})?(?<packed>[^{}:]+)/,
  {
    looksLike: '{PBKDF2WithHmacSHA1[/<bits>/<iterations>]}<base64>, or the base64 alone',
    unpack: unpackLiferay,
  },
);

export const PBKDF2_OF_PLATFORMS = [
  definePbkdf2({
    name: 'aspnet-identity',
    aliases: ['aspnetcore-identity', 'duende', 'abp'],
    displayName: 'ASP.NET Identity',
    looksLike:
      'base64 that begins with `AQAAAA` (version 3), or 68 characters that begin with `A` (version 2)',
    shape: /^(?:AQAAAA[A-L]|A[A-P][A-Za-z0-9+/]{63}[AQgw]==$)/,
    byNameOnly: true,
    ...packedSpelling(/(?<packed>[^$:{}]+)/, { looksLike: 'base64', unpack: unpackIdentity }),
  }),
  definePbkdf2({
    name: 'atlassian-pbkdf2',
    aliases: ['crowd', 'jira', 'confluence'],
    displayName: 'Atlassian PBKDF2',
    looksLike: '`{PKCS5S2}<64 characters of base64>`',
    shape: /^\{PKCS5S2\}/,
    ...packedSpelling(/\{PKCS5S2\}(?<packed>[^$]+)/, {
      looksLike: '{PKCS5S2}<base64>',
      unpack(bytes) {
        if (bytes.length !== 48)
          throw new HashRefused('format', `expected 48 bytes of base64, got ${bytes.length}`);
        return { digest: 'sha1', iterations: 10_000, salt: bytes.subarray(0, 16), hash: bytes.subarray(16) };
      },
    }),
  }),
  definePbkdf2({
    name: 'liferay-pbkdf2',
    displayName: 'Liferay PBKDF2',
    looksLike: '`{PBKDF2WithHmacSHA1[/<bits>/<iterations>]}<base64>`; without the braces it must be named',
    shape: /^\{PBKDF2WithHmacSHA[0-9]+(?:\/[0-9]+\/[0-9]+)?\}AAA[A-E]/,
    shapeByName: /^AAA[A-E][A-Za-z0-9+/]{30,}={0,2}$/,
    ...LIFERAY,
    decoy: (encoded) =>
      LIFERAY.decoy(encoded).replace(/^(?:\{(PBKDF2WithHmacSHA[0-9]+)[^}]*\})?/, liferayPrefix),
  }),
  definePbkdf2({
    name: 'jenkins-pbkdf2',
    displayName: 'Jenkins PBKDF2',
    looksLike: '`$PBKDF2$HMACSHA512:<iterations>:<salt: hexadecimal>$<hash: 128 hexadecimal digits>`',
    shape: /^\$PBKDF2\$HMACSHA512:/,
    ...spelling(/\$PBKDF2\$HMACSHA512:(?<iterations>[0-9]+):(?<salt>[0-9a-f]+)\$(?<hash>[0-9a-f]+)/, {
      looksLike: '$PBKDF2$HMACSHA512:<iterations>:<salt>$<hash>',
      salt: HEX,
      hash: HEX,
      digest: 'sha512',
      hashBytes: sizeOf,
    }),
  }),
  definePbkdf2({
    name: 'tomcat-pbkdf2',
    displayName: 'Tomcat PBKDF2',
    looksLike: '`<salt: hexadecimal>$<iterations>$<hash: hexadecimal>`',
    shape: /^(?:[0-9A-Fa-f]{2})+\$[1-9][0-9]*\$(?:[0-9A-Fa-f]{2})+$/,
    byNameOnly: true,
    // Tomcat compares hashes without regard to upper and lower case.
    ...spelling(/(?<salt>[0-9A-Fa-f]+)\$(?<iterations>[0-9]+)\$(?<hash>[0-9A-Fa-f]+)/, {
      looksLike: '<salt>$<iterations>$<hash>, both in hexadecimal digits',
      salt: ANY_HEX,
      hash: ANY_HEX,
      digest: 'sha1',
    }),
  }),
  definePbkdf2({
    name: 'fusionauth-pbkdf2-hmac-sha1',
    displayName: 'FusionAuth PBKDF2 and HMAC-SHA-1',
    looksLike: '`$fusionauth-pbkdf2-hmac-sha1$i=<iterations>$<salt>$<hash>`',
    shape: /^\$fusionauth-pbkdf2-hmac-sha1\$/,
    // FusionAuth's own PBKDF2 schemes belong to the family `pbkdf2`. This scheme is one of its example
    // plugins for older systems.
    seal: { keyBytes: 64, of: (key, password) => createHmac('sha1', key).update(password).digest() },
    ...spelling(/\$fusionauth-pbkdf2-hmac-sha1\$i=(?<iterations>[0-9]+)\$(?<salt>[^$]*)\$(?<hash>[^$]+)/, {
      looksLike: '$fusionauth-pbkdf2-hmac-sha1$i=<iterations>$<salt>$<hash>',
      salt: BASE64,
      hash: BASE64,
      digest: 'sha1',
      hashBytes: sizeOf,
    }),
  }),
];

/**
 * Unpacks ASP.NET Core Identity. Version 2: a zero byte, salt, hash. Version 3: a one byte; then digest
 * number, iterations and salt length with 32 bits each; then salt and hash.
 */
function unpackIdentity(bytes: Buffer): Unpacked {
  if (bytes[0] === 0) {
    const { saltBytes, hashBytes, iterations } = IDENTITY_V2;
    const expected = 1 + saltBytes + hashBytes;
    if (bytes.length !== expected)
      throw new HashRefused('format', `expected ${expected} bytes in version 2, got ${bytes.length}`);
    const [salt, hash] = [bytes.subarray(1, 1 + saltBytes), bytes.subarray(1 + saltBytes)];
    return { digest: 'sha1', iterations, salt, hash, form: 'version 2' };
  }
  if (bytes[0] !== 1) throw new HashRefused('format', 'the first byte is neither 0 nor 1');
  if (bytes.length < 13) throw new HashRefused('format', 'version 3 is cut off');
  const digest = IDENTITY_DIGESTS[bytes.readUInt32BE(1)];
  if (digest === undefined) throw new HashRefused('format', 'the number of the digest is not 0, 1 or 2');
  const saltBytes = bytes.readUInt32BE(9);
  const hashBytes = bytes.length - 13 - saltBytes;
  if (saltBytes < IDENTITY_LEAST_BYTES || hashBytes < IDENTITY_LEAST_BYTES) {
    throw new HashRefused('format', `salt and hash must be at least ${IDENTITY_LEAST_BYTES} bytes long`);
  }
  const [salt, hash] = [bytes.subarray(13, 13 + saltBytes), bytes.subarray(13 + saltBytes)];
  return { digest, iterations: bytes.readUInt32BE(5), salt, hash, form: 'version 3' };
}

/** Unpacks Liferay: the hash length in bits and the iterations, with 32 bits each, then salt and hash. */
function unpackLiferay(bytes: Buffer, groups: Groups): Unpacked {
  const bits = bytes.length < 8 ? 0 : bytes.readUInt32BE(0);
  const saltBytes = bytes.length - 8 - bits / 8;
  if (bits % 8 !== 0 || bits < 128 || bits > 1024 || saltBytes < 8)
    throw new HashRefused('format', 'the length of the hash in bits does not match the length of the base64');
  const iterations = bytes.readUInt32BE(4);
  if (groups.bits !== undefined && (groups.bits !== `${bits}` || groups.iterations !== `${iterations}`))
    throw new HashRefused('format', 'bits or iterations in braces differ from those in the base64');
  const [salt, hash] = [bytes.subarray(8, 8 + saltBytes), bytes.subarray(8 + saltBytes)];
  return { digest: digestNamed(groups), iterations, salt, hash };
}

/** The base64 contains the numbers of a Liferay prefix, too. A hash without a prefix is PBKDF2 with SHA-1. */
const liferayPrefix = (_all: string, scheme = 'PBKDF2WithHmacSHA1') => `{${scheme}}`;

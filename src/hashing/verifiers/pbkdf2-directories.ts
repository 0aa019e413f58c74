import { AB64, HEX, TEXT } from '../formats/encodings.ts';
import { HashRefused } from '../verifier.ts';
import { definePbkdf2 } from './define-pbkdf2.ts';
import { digestNamed, packedSpelling, sizeOf, spelling } from './pbkdf2-spelling.ts';

const OPENLDAP = spelling(
  /\{PBKDF2(?:-(?<digest>SHA1|SHA256|SHA512))?\}(?<iterations>[0-9]+)\$(?<salt>[^$]*)\$(?<hash>[^$]+)/,
  {
    looksLike: '{PBKDF2[-SHA1|-SHA256|-SHA512]}<iterations>$<salt>$<hash>',
    salt: AB64,
    hash: AB64,
    digest: digestNamed,
    hashBytes: sizeOf,
  },
);

const DOVECOT = spelling(/\{PBKDF2\}\$1\$(?<salt>[^$]*)\$(?<iterations>[0-9]+)\$(?<hash>[0-9a-f]{40})/, {
  looksLike: '{PBKDF2}$1$<salt>$<iterations>$<40 hexadecimal digits>',
  salt: TEXT,
  hash: HEX,
  digest: 'sha1',
});

/** Lengths in bytes. Hashes of 389 DS have eight PBKDF2 blocks, although the first would suffice. */
const DS_SALT_BYTES = 64;
const DS_HASH_BYTES = 256;

const DS_389 = packedSpelling(/\{PBKDF2_SHA256\}(?<packed>[^$]+)/, {
  looksLike: '{PBKDF2_SHA256}<base64>',
  unpack(bytes) {
    const expected = 4 + DS_SALT_BYTES + DS_HASH_BYTES;
    if (bytes.length !== expected)
      throw new HashRefused('format', `expected ${expected} bytes of base64, got ${bytes.length}`);
    return {
      digest: 'sha256',
      iterations: bytes.readUInt32BE(0),
      salt: bytes.subarray(4, 4 + DS_SALT_BYTES),
      hash: bytes.subarray(4 + DS_SALT_BYTES),
    };
  },
});

/** Dovecot and OpenLDAP share a scheme name, and differ in the character after it. */
function ldapSpelling(encoded: string) {
  if (encoded.startsWith('{PBKDF2_SHA256}')) return DS_389;
  return encoded.startsWith('{PBKDF2}$') ? DOVECOT : OPENLDAP;
}

const [readOpenLdap, readDovecot, read389] = [OPENLDAP.reader(), DOVECOT.reader(), DS_389.reader()];

const FORGEROCK_SALT_BYTES = { min: 1, max: 64 };

const FORGEROCK = packedSpelling(
  /\{PBKDF2(?:-HMAC-(?<digest>SHA256|SHA512))?\}(?<iterations>[0-9]+):(?<packed>[^:]+)/,
  {
    looksLike: '{PBKDF2-HMAC-SHA256}<iterations>:<base64>',
    unpack(bytes, groups) {
      const digest = digestNamed(groups);
      const hashBytes = sizeOf(digest);
      const saltBytes = bytes.length - hashBytes;
      const { min, max } = FORGEROCK_SALT_BYTES;
      if (saltBytes < min || saltBytes > max) {
        const expected = `${hashBytes + min} to ${hashBytes + max}`;
        throw new HashRefused('format', `expected ${expected} bytes of base64, got ${bytes.length}`);
      }
      const { iterations = '' } = groups;
      return { digest, iterations, hash: bytes.subarray(0, hashBytes), salt: bytes.subarray(hashBytes) };
    },
  },
);

export const PBKDF2_OF_DIRECTORIES = [
  definePbkdf2({
    name: 'ldap-pbkdf2',
    aliases: ['389ds', 'openldap-pbkdf2'],
    displayName: 'LDAP PBKDF2',
    looksLike:
      '`{PBKDF2[-SHA1|-SHA256|-SHA512]}<iterations>$<salt>$<hash>`, `{PBKDF2_SHA256}<base64>`, `{PBKDF2}$1$<salt>$<iterations>$<hash: hexadecimal>`',
    shape: /^\{PBKDF2(?:_SHA256\}|(?:-SHA1|-SHA256|-SHA512)?\}[0-9]+\$|\}\$1\$)/,
    reader: () => (encoded) => {
      const spelled = ldapSpelling(encoded);
      if (spelled === DS_389) return { ...read389(encoded), form: '389 DS' };
      if (spelled === DOVECOT) return { ...readDovecot(encoded), form: 'Dovecot' };
      return { ...readOpenLdap(encoded), form: 'OpenLDAP' };
    },
    decoy: (encoded) => ldapSpelling(encoded).decoy(encoded).replace('{PBKDF2-SHA1}', '{PBKDF2}'),
    repairs: (encoded) => ldapSpelling(encoded).repairs(encoded),
  }),
  definePbkdf2({
    name: 'forgerock-pbkdf2',
    displayName: 'ForgeRock PBKDF2',
    looksLike: '`{PBKDF2[-HMAC-SHA256|-HMAC-SHA512]}<iterations>:<base64 of hash and salt>`',
    shape: /^\{PBKDF2(?:-HMAC-SHA256|-HMAC-SHA512)?\}[0-9]+:/,
    ...FORGEROCK,
  }),
];

import { isAscii } from 'node:buffer';
import type { CanonicalMistakes } from '../diagnose/canonical-repairs.ts';
import { canonicalReader, emptyCanonical } from '../formats/canonical.ts';
import {
  canonicalShape,
  type DigestSpelling,
  type DigestText,
  patternSpelling,
  sized,
} from '../formats/digest-spelling.ts';
import { ANY_HEX, HEX } from '../formats/encodings.ts';
import { bytesOf } from '../formats/hash-part.ts';
import { requiredField } from '../formats/named-fields.ts';
import { oneOf } from '../formats/one-of.ts';
import { DIGEST_BYTES, type DigestName, digestFunction, hmac } from '../kdf/digests.ts';
import { MD4_BYTES, md4 } from '../kdf/md4.ts';
import {
  BYTES,
  hmacKey,
  PASSWORD_ENCODINGS,
  type PasswordEncoding,
  type PasswordReading,
  type SecondReading,
  UTF16,
} from '../kdf/password-reading.ts';
import { textOf } from '../kdf/password-text.ts';
import { defineSaltedDigest } from './define-salted-digest.ts';

interface HmacHash extends DigestText {
  key: keyof typeof KEYS;
  encoding: PasswordEncoding;
}

const KEYS = {
  salt: (digest: DigestName, salt: Buffer, password: Buffer) => hmac(digest, salt, password),
  password: (digest: DigestName, salt: Buffer, password: Buffer) => hmac(digest, password, salt),
} as const;

function hmacSpelling(name: string, digest: DigestName): DigestSpelling<HmacHash> {
  const read = canonicalReader(name, ['k', 'e']);
  return {
    looksLike: `\`$${name}$k=<salt|password>[,e=utf16le]$<salt>$<hash>\``,
    shape: canonicalShape(name),
    read(encoded) {
      const { fields, salt, hash } = read(encoded);
      return {
        key: oneOf('k', requiredField(fields, 'k'), KEYS),
        encoding: oneOf('e', fields.get('e') ?? 'utf8', PASSWORD_ENCODINGS),
        salt,
        hash: sized('hash', hash, DIGEST_BYTES[digest]),
      };
    },
    decoy: ({ key, encoding, salt, hash }) => emptyCanonical(name, { k: key, e: encoding, salt, hash }),
  };
}

const HMAC_FAMILIES: readonly [name: string, digest: DigestName][] = [
  ['hmac-md5', 'md5'],
  ['hmac-sha1', 'sha1'],
  ['hmac-sha224', 'sha224'],
  ['hmac-sha256', 'sha256'],
  ['hmac-sha384', 'sha384'],
  ['hmac-sha512', 'sha512'],
];

const HMAC_MISTAKES: CanonicalMistakes = {
  order: true,
  salt: true,
  encoding: true,
  digests: Object.fromEntries(HMAC_FAMILIES.map(([name, digest]) => [name, DIGEST_BYTES[digest]])),
};

/** HMAC of salt and password. The parameter `k` of each hash says which of them is the key. */
export const HMACS = HMAC_FAMILIES.map(([name, digest]) =>
  defineSaltedDigest<HmacHash>({
    name,
    spelling: hmacSpelling(name, digest),
    mistakes: HMAC_MISTAKES,
    password: ({ key, encoding }) => {
      const reading = PASSWORD_ENCODINGS[encoding];
      return key === 'password' ? hmacKey(digest, reading) : reading;
    },
    digest: ({ password, salt }, { key }) => KEYS[key](digest, salt, password),
    portable: ({ key, encoding, salt, hash }) =>
      key === 'salt' && encoding === 'utf8'
        ? {
            kind: 'hmac',
            digest,
            key: salt === undefined ? Buffer.alloc(0) : bytesOf(salt),
            hash: bytesOf(hash),
          }
        : undefined,
    describe: ({ key, encoding }) => ({ key, encoding }),
  }),
);

const hexSpelling = (bytes: number) =>
  patternSpelling(new RegExp(`(?<hash>[0-9a-f]{${2 * bytes}})`), {
    looksLike: `\`<${2 * bytes} lower-case hex digits>\``,
    hash: HEX,
    bytes,
  });

/** Samba and most tools write NT hashes in upper case, others in lower case. */
const anyHexSpelling = (bytes: number) =>
  patternSpelling(new RegExp(`(?<hash>[0-9a-f]{${2 * bytes}}|[0-9A-F]{${2 * bytes}})`), {
    looksLike: `\`<${2 * bytes} hex digits>\``,
    hash: ANY_HEX,
    bytes,
  });

/**
 * FreeBSD and libxcrypt digest each byte followed by a zero, which is UTF-16 only if the password is ASCII.
 */
const WIDENED: PasswordReading = {
  of: (password) => Buffer.from(password.toString('latin1'), 'utf16le'),
  isOnly: () => true,
};

/**
 * crypt(3) widens each byte to two, which turns Latin-1 into UTF-16. passlib hashes the password in UTF-16.
 */
const AS_LATIN1: SecondReading = {
  mayDiffer: (password) => !isAscii(password),
  of(password) {
    const text = isAscii(password) ? undefined : textOf(password);
    return text === undefined || /[^\0-\xff]/.test(text) ? undefined : Buffer.from(text, 'latin1');
  },
  mayBeOfAnother: (password) => !isAscii(password),
};

const hexDigest = (name: string, digest: DigestName) =>
  defineSaltedDigest({
    name,
    spelling: hexSpelling(DIGEST_BYTES[digest]),
    byNameOnly: true,
    password: BYTES,
    digest: ({ password }) => digestFunction(digest)(password),
    portable: ({ hash }) => ({
      ...{ kind: 'digest', digest, isSaltFirst: true },
      ...{ salt: Buffer.alloc(0), hash: bytesOf(hash) },
    }),
  });

/** Unsalted digests in hexadecimal digits, which do not show their family. */
export const HEX_DIGESTS = [
  hexDigest('hex-md5', 'md5'),
  hexDigest('hex-sha1', 'sha1'),
  hexDigest('hex-sha256', 'sha256'),
  hexDigest('hex-sha512', 'sha512'),
  defineSaltedDigest({
    name: 'hex-md4',
    spelling: hexSpelling(MD4_BYTES),
    byNameOnly: true,
    password: BYTES,
    digest: ({ password }) => md4(password),
  }),
  defineSaltedDigest({
    name: 'nthash',
    displayName: 'NT hash',
    spelling: anyHexSpelling(MD4_BYTES),
    byNameOnly: true,
    password: UTF16,
    digest: ({ password }) => md4(password),
  }),
  defineSaltedDigest({
    name: 'bsd-nthash',
    displayName: 'FreeBSD NT hash',
    spelling: patternSpelling(/\$3\$\$(?<hash>[0-9a-f]{32})/, {
      looksLike: '`$3$$<32 lower-case hex digits>`',
      hash: HEX,
      bytes: MD4_BYTES,
    }),
    password: WIDENED,
    secondReading: () => AS_LATIN1,
    digest: ({ password }) => md4(password),
  }),
];

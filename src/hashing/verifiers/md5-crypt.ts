import { defineAlgorithm, type HashAlgorithm, type ReferenceTime } from '../algorithm.ts';
import { CRYPT64, TEXT } from '../formats/encodings.ts';
import { bytesOf, type HashPart } from '../formats/hash-part.ts';
import { HashPattern } from '../formats/hash-pattern.ts';
import { md5Crypt } from '../kdf/md5-crypt.ts';
import type { PasswordReading } from '../kdf/password-reading.ts';
import { C_STRING, WHOLE_PASSWORD } from './crypt-password.ts';

/** Milliseconds for the longest password, because the length at a sign-in is not known beforehand. */
export const MD5_CRYPT_MS = 2.5;
export const MD5_CRYPT_MEMORY_BYTES = 64 * 1024;

interface Md5CryptHash {
  salt: HashPart;
  digest: HashPart;
}

const REFERENCE: ReferenceTime = {
  formula: '2.5 ms for the longest password, 0.6 ms for usual ones',
  examples: '2.5 ms',
  measured: '2.1 ms for 511 bytes, 0.5 ms for 24',
};

function defineMd5Crypt(row: {
  name: string;
  displayName: string;
  prefix: string;
  /** Text that md5-crypt digests, too: the prefix, except in Kratos' hashes, which have another prefix. */
  magic: string;
  reading: PasswordReading;
}): HashAlgorithm<never, never> {
  const { name, displayName, prefix, magic, reading } = row;
  const escaped = prefix.replaceAll('$', '\\$');
  const pattern = new HashPattern(
    new RegExp(`${escaped}(?<salt>[./0-9A-Za-z]{0,8})\\$(?<digest>[./0-9A-Za-z]{22})`),
    { parts: { salt: TEXT, digest: CRYPT64 }, looksLike: `${prefix}<salt, up to 8>$<digest, 22>` },
  );
  return defineAlgorithm<Md5CryptHash>({
    name,
    displayName,
    looksLike: `\`${prefix}<salt>$<digest>\`, both of \`./0-9A-Za-z\``,
    strength: 'legacy',
    reference: REFERENCE,
    shape: new RegExp(`^${escaped}`),
    parser: () => (encoded) => {
      const groups = pattern.read(encoded);
      return { salt: pattern.part(groups, 'salt'), digest: pattern.part(groups, 'digest') };
    },
    cost: () => ({ memoryBytes: MD5_CRYPT_MEMORY_BYTES, ms: MD5_CRYPT_MS, runsOn: 'worker' }),
    decoy: (_parsed, encoded) => pattern.zeroed(encoded),
    password: () => reading,
    portable: (_parsed, encoded) =>
      magic === '$1$' ? { kind: 'crypt', prefix: magic, rest: encoded.slice(prefix.length) } : undefined,
    compute: {
      digest: ({ digest }) => bytesOf(digest),
      of: ({ salt }, password) => md5Crypt(password, bytesOf(salt), magic),
    },
  });
}

export const MD5_CRYPT = [
  defineMd5Crypt({
    name: 'md5-crypt',
    displayName: 'MD5 crypt',
    prefix: '$1$',
    magic: '$1$',
    reading: C_STRING,
  }),
  defineMd5Crypt({
    name: 'apr1',
    displayName: 'Apache MD5',
    prefix: '$apr1$',
    magic: '$apr1$',
    reading: C_STRING,
  }),
  defineMd5Crypt({
    name: 'md5-crypt-kratos',
    displayName: 'Kratos MD5 crypt',
    prefix: '$md5-crypt$',
    magic: '$1$',
    reading: WHOLE_PASSWORD,
  }),
];

import { bytesOf } from '../../fields/bytes.ts';
import {
  firebaseHash,
  invalidHash,
  pbkdf2Hash,
  unknownAlgorithm,
  unsupportedAlgorithm,
} from '../../fields/hashes.ts';
import { flagOf } from '../../fields/values.ts';
import type { Settings } from '../../source.ts';
import type { SourcePassword } from '../../source-user.ts';

/** Clerk's hashers whose digests need no change. */
const AS_IT_IS: Readonly<Record<string, string>> = {
  bcrypt: 'bcrypt',
  argon2i: 'argon2',
  argon2d: 'argon2',
  argon2id: 'argon2',
  bcrypt_sha256_django: 'django-bcrypt-sha256',
  pbkdf2_sha256_django: 'django-pbkdf2',
  scrypt_werkzeug: 'werkzeug',
  phpass: 'phpass',
  md5_phpass: 'phpass',
  ldap_ssha: 'ldap-ssha',
};

/** Clerk does not document how these hashers combine salt, password and key. Their hashes are refused. */
const UNCLEAR = new Set(['md5_salted', 'sha256_salted', 'hmac_sha256_utf16_b64']);

/**
 * Converts a digest by the name of Clerk's hasher. Source: clerk/javascript, documentation of
 * `passwordHasher`.
 */
export function hashOf(digest: string, hasher: string, settings: Settings): SourcePassword | undefined {
  const algorithm = Object.hasOwn(AS_IT_IS, hasher) ? AS_IT_IS[hasher] : undefined;
  if (algorithm !== undefined) return { encoded: digest, algorithm };
  switch (hasher) {
    case 'awscognito':
      return undefined;
    case 'md5':
    case 'sha256':
      return { encoded: digest.toLowerCase(), algorithm: `hex-${hasher}` };
    case 'bcrypt_peppered':
      return pepperedOf(digest, settings);
    case 'scrypt_firebase':
      return firebaseOf(digest.split('$'));
    case 'sha512_symfony':
      return symfonyOf(digest.split('$'));
    case 'pbkdf2_sha1':
    case 'pbkdf2_sha256':
    case 'pbkdf2_sha512':
    case 'pbkdf2_sha512_hex':
      return pbkdf2Of(digest.split('$'), hasher);
    default:
      return UNCLEAR.has(hasher)
        ? unsupportedAlgorithm('the digests of this password_hasher are not taken')
        : unknownAlgorithm('password_hasher is none that is known');
  }
}

const BCRYPT_LENGTH = 60;

/** Splits Clerk's `<bcrypt>$<pepper>`. The pepper must never be stored with a hash. */
const pepperedOf = (digest: string, { pepper }: Settings): SourcePassword =>
  flagOf(pepper) === true
    ? { encoded: digest.slice(0, BCRYPT_LENGTH), algorithm: 'bcrypt-pepper' }
    : unsupportedAlgorithm('bcrypt with a pepper needs the pepper as a hashing secret, and --set pepper=yes');

function firebaseOf([
  hash,
  salt,
  signerKey,
  saltSeparator,
  rounds,
  memCost,
]: readonly string[]): SourcePassword {
  if (!hash || !salt || !signerKey || saltSeparator === undefined || !rounds || !memCost) {
    return invalidHash(
      'expected hash, salt, signer key, separator, rounds and memory cost with $ between them',
    );
  }
  return firebaseHash({ hash, salt, memCost, rounds, saltSeparator, signerKey });
}

function symfonyOf([, rounds, salt, hash]: readonly string[]): SourcePassword {
  if (!rounds || salt === undefined || !hash)
    return invalidHash('expected rounds, salt and hash with $ between them');
  const encoded = `$symfony-sha512$i=${rounds}$${Buffer.from(salt, 'utf8').toString('base64')}$${hash}`;
  return { encoded, algorithm: 'symfony-sha512' };
}

/** Encodings of salt and hash in Clerk's PBKDF2 hashes. */
const PBKDF2 = {
  // `orText`: a salt that is not hexadecimal is text.
  pbkdf2_sha1: { digest: 'sha1', salt: 'hex', orText: true, hash: 'hex' },
  pbkdf2_sha256: { digest: 'sha256', salt: 'base64', orText: false, hash: 'base64' },
  pbkdf2_sha512: { digest: 'sha512', salt: 'utf8', orText: false, hash: 'hex' },
  pbkdf2_sha512_hex: { digest: 'sha512', salt: 'hex', orText: false, hash: 'hex' },
} as const;

function pbkdf2Of(
  [, rounds, saltText, hashText]: readonly string[],
  hasher: keyof typeof PBKDF2,
): SourcePassword {
  const spelling = PBKDF2[hasher];
  const salt = bytesOf(saltText, spelling.salt) ?? (spelling.orText ? bytesOf(saltText, 'utf8') : undefined);
  const hash = bytesOf(hashText, spelling.hash);
  const iterations = Number(rounds);
  if (salt === undefined || hash === undefined || !Number.isSafeInteger(iterations)) {
    return invalidHash('expected iterations, salt and hash of this password_hasher with $ between them');
  }
  return pbkdf2Hash({ digest: spelling.digest, iterations, salt, hash });
}

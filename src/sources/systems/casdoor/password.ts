import { bytesOf } from '../../fields/bytes.ts';
import { invalidHash, pbkdf2Hash, unknownAlgorithm, unsupportedAlgorithm } from '../../fields/hashes.ts';
import type { SourcePassword } from '../../source-user.ts';

/**
 * Algorithms by Casdoor's password type. `salted` digests the hexadecimal digest of the password followed
 * by the salt.
 */
const DIGESTS: Readonly<Record<string, { salted: string; bare: string }>> = {
  salt: { salted: 'xenforo-sha256', bare: 'hex-sha256' },
  'sha512-salt': { salted: 'casdoor-sha512', bare: 'hex-sha512' },
  'md5-salt': { salted: 'vbulletin', bare: 'hex-md5' },
};

/** `type` and `salt` are those of the Casdoor user, or else those of the organisation. */
export interface StoredPassword {
  encoded: string;
  type: string | undefined;
  salt: string | undefined;
}

/** Converts a stored password of Casdoor. Source: casdoor/casdoor@e6b2338f:cred */
export function passwordOf({ encoded, type, salt }: StoredPassword): SourcePassword {
  if (encoded === '***') return { problem: 'HASH_REDACTED', message: 'the API of Casdoor hides all hashes' };
  if (type === undefined)
    return unknownAlgorithm('neither the user nor the organisation has a password type');
  if (type === 'plain') return { plainText: encoded };
  if (type === 'bcrypt') return { encoded, algorithm: 'bcrypt' };
  if (type === 'argon2id') return { encoded, algorithm: 'argon2' };
  if (type === 'pbkdf2-django') return { encoded, algorithm: 'django-pbkdf2' };
  if (type === 'pbkdf2-salt') {
    return pbkdf2Hash({ digest: 'sha256', iterations: 27_500, salt: saltBytes(salt ?? ''), hash: encoded });
  }
  const digest = Object.hasOwn(DIGESTS, type) ? DIGESTS[type] : undefined;
  if (digest === undefined) return unsupportedAlgorithm('no family has hashes of this password type');
  if (salt === undefined) return { encoded, algorithm: digest.bare };
  const hash = bytesOf(encoded, 'hex');
  if (hash === undefined) return invalidHash('the digest is not in hexadecimal digits');
  return {
    encoded: `$${digest.salted}$$${Buffer.from(salt).toString('base64')}$${hash.toString('base64')}`,
    algorithm: digest.salted,
  };
}

/** Casdoor decodes a salt in base64 up to the first invalid group, and uses the bytes decoded by then. */
const saltBytes = (salt: string): Buffer =>
  Buffer.from(
    /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?/.exec(salt)?.[0] ?? '',
    'base64',
  );

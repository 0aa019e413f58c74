import type { SourcePassword } from '../../source-user.ts';

const MD5 = /^[0-9a-f]{32}$/;

/** Algorithms by the first word of a Django hash, which remains a part of the hash. */
const FAMILIES: Readonly<Record<string, string>> = {
  pbkdf2_sha256: 'django-pbkdf2',
  pbkdf2_sha1: 'django-pbkdf2',
  argon2: 'django-argon2',
  bcrypt: 'django-bcrypt',
  bcrypt_sha256: 'django-bcrypt-sha256',
  scrypt: 'django-scrypt',
  md5: 'django-salted-md5',
  sha1: 'django-salted-sha1',
  unsalted_md5: 'django-unsalted-md5',
  crypt: 'django-crypt',
};

/** Source: django/contrib/auth/hashers.py */
export function passwordOf(encoded: string | undefined): SourcePassword | undefined {
  // An exclamation mark means that the Django user cannot sign in with a password.
  if (encoded === undefined || encoded.startsWith('!')) return undefined;
  if (encoded.startsWith('md5$$')) return { encoded, algorithm: 'django-unsalted-md5' };
  if (encoded.startsWith('sha1$$')) return { encoded, algorithm: 'django-unsalted-sha1' };
  const dollar = encoded.indexOf('$');
  if (dollar <= 0) return MD5.test(encoded) ? { encoded, algorithm: 'django-unsalted-md5' } : { encoded };
  const word = encoded.slice(0, dollar);
  return { encoded, algorithm: Object.hasOwn(FAMILIES, word) ? FAMILIES[word] : undefined };
}

import type { SourcePassword } from '../source-user.ts';

const ALGORITHMS = [
  ['$6$', 'sha512-crypt'],
  ['$y$', 'yescrypt'],
  ['$5$', 'sha256-crypt'],
  ['$1$', 'md5-crypt'],
  ['$apr1$', 'apr1'],
  ['$2', 'bcrypt'],
  ['$gy$', 'gost-yescrypt'],
  ['$7$', 'scrypt-mcf7'],
  ['$sha1$', 'sha1-crypt'],
  ['$md5', 'sun-md5'],
  ['$3$', 'bsd-nthash'],
] as const;
const DES = /^[./0-9A-Za-z]{13}$/;
const BSDI = /^_[./0-9A-Za-z]{19}$/;

/** Prefixes that lock the hash of an account in /etc/shadow. Solaris writes `*LK*`, FreeBSD `*LOCKED*`. */
const LOCK = /^(?:\*LK\*|\*LOCKED\*|[!*])+/;
const NONE = new Set(['', 'x', 'NP', 'UP']);

/** Hash in the password field of /etc/shadow, without the prefix that locks the account. */
export interface LockableHash {
  hash: string | undefined;
  isLocked: boolean;
}

export function lockableHash(field: string): LockableHash {
  const hash = field.replace(LOCK, '');
  if (NONE.has(hash)) return { hash: undefined, isLocked: false };
  return { hash, isLocked: hash !== field };
}

/** Returns a crypt(3) hash. If its prefix is unknown, the service identifies the hash. */
export function cryptPassword(encoded: string): SourcePassword {
  for (const [prefix, algorithm] of ALGORITHMS) if (encoded.startsWith(prefix)) return { encoded, algorithm };
  if (DES.test(encoded)) return { encoded, algorithm: 'des-crypt' };
  return BSDI.test(encoded) ? { encoded, algorithm: 'bsdi-crypt' } : { encoded };
}

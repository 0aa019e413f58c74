import type { SourcePassword } from '../source-user.ts';

/** What crypt(3) goes by, and what others put where it has its hashes. */
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

/** Before a hash it locks it. Solaris writes `*LK*`, FreeBSD `*LOCKED*`. */
const LOCK = /^(?:\*LK\*|\*LOCKED\*|[!*])+/;
/** In place of a hash: nobody signs in so. `NP` and `UP` are of Solaris. */
const NONE = new Set(['', 'x', 'NP', 'UP']);

/** The hash in a field, without what locks it; undefined where there is none. */
export interface LockableHash {
  hash: string | undefined;
  isLocked: boolean;
}

export function lockableHash(field: string): LockableHash {
  const hash = field.replace(LOCK, '');
  if (NONE.has(hash)) return { hash: undefined, isLocked: false };
  return { hash, isLocked: hash !== field };
}

/** A hash of crypt(3). What looks like none is left to the service to recognise. */
export function cryptPassword(encoded: string): SourcePassword {
  for (const [prefix, algorithm] of ALGORITHMS) if (encoded.startsWith(prefix)) return { encoded, algorithm };
  if (DES.test(encoded)) return { encoded, algorithm: 'des-crypt' };
  return BSDI.test(encoded) ? { encoded, algorithm: 'bsdi-crypt' } : { encoded };
}

import { cryptPassword, lockableHash } from '../fields/unix-account.ts';
import { textOf } from '../fields/values.ts';
import type { SourcePassword } from '../source-user.ts';
import { system } from './declare.ts';

/** Patterns by which DokuWiki recognises its hashes (PassHash::verify_hash). Others name their algorithm. */
const LOOKS: readonly (readonly [RegExp, string])[] = [
  [/^\$P\$|^\$H\$/, 'phpass'],
  [/^\$S\$/, 'drupal7'],
  [/^\$argon2/, 'argon2'],
  [/^sha1\$/, 'django-salted-sha1'],
  [/^md5\$/, 'django-salted-md5'],
  [/^:B:/, 'mediawiki'],
  [/^\{SSHA\}/, 'ldap-ssha'],
  [/^[0-9a-f]{40}$/, 'hex-sha1'],
  [/^[0-9a-f]{32}$/, 'hex-md5'],
  [/^[0-9a-f]{16}$/, 'mysql323'],
  [/^\*[0-9A-Fa-f]{40}$/, 'mysql41'],
];
const MYSQL_41 = /^\*[0-9A-Fa-f]{40}$/;

/** A hash of MySQL begins with an asterisk, which locks others. */
function lockable(cell: unknown) {
  const field = textOf(cell) ?? '';
  return MYSQL_41.test(field) ? { hash: field, isLocked: false } : lockableHash(field);
}

/** `conf/users.auth.php`, the file of DokuWiki's plain authentication. */
export const dokuwiki = system('dokuwiki', 'DokuWiki', {
  forms: { dokuwiki: 'dokuwiki' },
  has: '',
  id: 'login',
  email: 'mail',
  hash: ({ record }) => passwordOf(lockable(record.hash).hash),
  metadata: 'name username=login',
  state: ({ record }) => (lockable(record.hash).isLocked ? 'DISABLED' : undefined),
  roles: ({ record }) => textOf(record.groups) !== undefined,
  reads: 'hash groups',
});

function passwordOf(encoded: string | undefined): SourcePassword | undefined {
  if (encoded === undefined) return undefined;
  const algorithm = LOOKS.find(([look]) => look.test(encoded))?.[1];
  return algorithm === undefined ? cryptPassword(encoded) : { encoded, algorithm };
}

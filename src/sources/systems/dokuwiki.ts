import type { SourceRecord } from '../containers/table.ts';
import { cryptPassword, lockableHash } from '../fields/crypt-password.ts';
import { metadataOf, textOf } from '../fields/values.ts';
import type { ReadContext, Source } from '../source.ts';
import type { SourcePassword, SourceUser } from '../source-user.ts';

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

/** `conf/users.auth.php`, the file of DokuWiki's plain authentication. */
export const dokuwiki: Source = {
  name: 'dokuwiki',
  title: 'DokuWiki',
  forms: [{ name: 'dokuwiki', isUsers: ({ container }) => container === 'dokuwiki', read }],
};

function read(record: SourceRecord, { drop }: ReadContext): SourceUser {
  const login = textOf(record.login);
  if (textOf(record.groups) !== undefined) drop('roles');
  const field = textOf(record.hash) ?? '';
  const { hash, isLocked } = MYSQL_41.test(field) ? { hash: field, isLocked: false } : lockableHash(field);
  return {
    externalUserId: login,
    email: textOf(record.mail),
    password: hash === undefined ? undefined : passwordOf(hash),
    metadata: metadataOf({ name: record.name, username: login }),
    state: isLocked ? 'DISABLED' : undefined,
  };
}

function passwordOf(encoded: string): SourcePassword {
  const algorithm = LOOKS.find(([look]) => look.test(encoded))?.[1];
  return algorithm === undefined ? cryptPassword(encoded) : { encoded, algorithm };
}

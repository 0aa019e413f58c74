import type { SourceRecord } from '../containers/table.ts';
import { digestHash, ofUser } from '../fields/hashes.ts';
import { cryptPassword, lockableHash } from '../fields/unix-account.ts';
import { textOf } from '../fields/values.ts';
import type { SourcePassword } from '../source-user.ts';
import { system, type Users } from './declare.ts';

/** Files with a line for each user. A mark before the hash locks the user. */
const lines = (
  title: string,
  hashOf: (hash: string, record: SourceRecord) => SourcePassword | undefined,
): Omit<Users, 'forms'> => ({
  has: '',
  id: 'name',
  hash: ({ record }) => {
    const { hash } = lockableHash(textOf(record.hash) ?? '');
    return hash === undefined ? undefined : hashOf(hash, record);
  },
  state: ({ record }) => (lockableHash(textOf(record.hash) ?? '').isLocked ? 'DISABLED' : undefined),
  loginName: { column: 'name', of: title },
  reads: 'hash',
});

/** Files of Apache's htdigest, which hashes the user name and the realm together with the password. */
export const htdigest = system('htdigest', 'htdigest (Apache)', {
  ...lines('a file of htdigest', (hash, { name, realm: salt }) =>
    digestHash({ algorithm: 'htdigest', parameters: ofUser(textOf(name) ?? ''), salt, hash }),
  ),
  forms: { htdigest: 'htdigest' },
  // A user may occur once for each realm, with different hashes and perhaps different passwords.
  realms: { title: 'realms', column: 'realm' },
});

const PLAIN = '{PLAIN}';

/**
 * Apache and nginx ignore a third field, and some people write there who must not sign in. It is no declared column, so
 * that the import asks what it means.
 */
export const htpasswd = system('htpasswd', '.htpasswd (Apache, nginx)', {
  ...lines('.htpasswd', passwordOf),
  forms: { htpasswd: 'htpasswd' },
});

function passwordOf(hash: string): SourcePassword {
  if (hash.startsWith('{SHA}')) return { encoded: hash, algorithm: 'ldap-sha' };
  if (hash.startsWith('{SSHA}')) return { encoded: hash, algorithm: 'ldap-ssha' };
  if (hash.startsWith(PLAIN)) return { plainText: hash.slice(PLAIN.length) };
  return cryptPassword(hash);
}

import { addressOf, domainAdvice, EMAIL_DOMAIN } from '../fields/login-address.ts';
import { cryptPassword, lockableHash } from '../fields/unix-account.ts';
import { textOf } from '../fields/values.ts';
import type { SourcePassword } from '../source-user.ts';
import { system } from './declare.ts';

const PLAIN = '{PLAIN}';

/**
 * Apache and nginx ignore a third field, and some people write there who must not sign in. It is no declared column, so
 * that the import asks what it means.
 */
export const htpasswd = system(
  { name: 'htpasswd', title: '.htpasswd (Apache, nginx)', settings: EMAIL_DOMAIN },
  {
    forms: { htpasswd: 'htpasswd' },
    has: '',
    id: 'name',
    hash: ({ record }) => {
      const { hash } = lockableHash(textOf(record.hash) ?? '');
      return hash === undefined ? undefined : passwordOf(hash);
    },
    state: ({ record }) => (lockableHash(textOf(record.hash) ?? '').isLocked ? 'DISABLED' : undefined),
    user: ({ record, settings }) => addressOf(textOf(record.name), settings),
    reads: 'hash',
    advice: ({ tables, settings }) => domainAdvice('.htpasswd', tables, 'name', settings),
  },
);

function passwordOf(hash: string): SourcePassword {
  if (hash.startsWith('{SHA}')) return { encoded: hash, algorithm: 'ldap-sha' };
  if (hash.startsWith('{SSHA}')) return { encoded: hash, algorithm: 'ldap-ssha' };
  if (hash.startsWith(PLAIN)) return { plainText: hash.slice(PLAIN.length) };
  return cryptPassword(hash);
}

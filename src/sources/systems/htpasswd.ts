import type { SourceRecord } from '../containers/table.ts';
import { cryptPassword, lockableHash } from '../fields/crypt-password.ts';
import { addressOf, domainAdvice, EMAIL_DOMAIN } from '../fields/login-address.ts';
import { textOf } from '../fields/values.ts';
import type { ReadContext, Source } from '../source.ts';
import type { SourcePassword, SourceUser } from '../source-user.ts';

const PLAIN = '{PLAIN}';

/** `.htpasswd` of Apache and nginx. */
export const htpasswd: Source = {
  name: 'htpasswd',
  title: '.htpasswd (Apache, nginx)',
  settings: EMAIL_DOMAIN,
  forms: [
    {
      name: 'htpasswd',
      isUsers: ({ container }) => container === 'htpasswd',
      read,
      advice: ({ tables, settings }) =>
        domainAdvice(
          '.htpasswd',
          tables.filter(({ container }) => container === 'htpasswd'),
          'name',
          settings,
        ),
    },
  ],
};

function read(record: SourceRecord, { settings }: ReadContext): SourceUser {
  const name = textOf(record.name);
  const { hash, isLocked } = lockableHash(textOf(record.hash) ?? '');
  return {
    externalUserId: name,
    ...addressOf(name, settings),
    password: hash === undefined ? undefined : passwordOf(hash),
    state: isLocked ? 'DISABLED' : undefined,
  };
}

function passwordOf(hash: string): SourcePassword {
  if (hash.startsWith('{SHA}')) return { encoded: hash, algorithm: 'ldap-sha' };
  if (hash.startsWith('{SSHA}')) return { encoded: hash, algorithm: 'ldap-ssha' };
  if (hash.startsWith(PLAIN)) return { plainText: hash.slice(PLAIN.length) };
  return cryptPassword(hash);
}

import type { SourceRecord } from '../containers/table.ts';
import { cryptPassword, lockableHash } from '../fields/crypt-password.ts';
import { addressOf, domainAdvice, EMAIL_DOMAIN } from '../fields/login-address.ts';
import { looksLikeSecret } from '../fields/looks-like-secret.ts';
import { stateWordOf } from '../fields/state-words.ts';
import { timeOf } from '../fields/time.ts';
import { flagOf, textOf } from '../fields/values.ts';
import type { ReadContext, Source } from '../source.ts';
import type { SourcePassword, SourceUser } from '../source-user.ts';

const PLAIN = '{PLAIN}';

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

/**
 * Returns whether the third field of `.htpasswd` is a comment: not a state, a flag, a number, a time, a
 * secret or a setting.
 */
const isComment = (text: string) =>
  /\p{L}{2}/u.test(text) &&
  !/[=|{}]/.test(text) &&
  stateWordOf(text) === undefined &&
  flagOf(text) === undefined &&
  timeOf(text) === undefined &&
  !looksLikeSecret(text);

function read(record: SourceRecord, { settings, drop }: ReadContext): SourceUser {
  const name = textOf(record.name);
  const comment = textOf(record.comment)?.trim();
  if (comment !== undefined && comment !== '' && !isComment(comment))
    drop('third fields that are not a comment');
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

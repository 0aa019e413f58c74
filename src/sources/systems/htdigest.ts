import { digestHash, ofUser } from '../fields/hashes.ts';
import { addressOf, domainAdvice, EMAIL_DOMAIN } from '../fields/login-address.ts';
import { REALM } from '../fields/realms.ts';
import { lockableHash } from '../fields/unix-account.ts';
import { textOf } from '../fields/values.ts';
import { system } from './declare.ts';

/** Files of Apache's htdigest, which hashes the user name and the realm together with the password. */
export const htdigest = system(
  { name: 'htdigest', title: 'htdigest (Apache)', settings: { ...EMAIL_DOMAIN, ...REALM } },
  {
    forms: { htdigest: 'htdigest' },
    has: '',
    // A user may occur once for each realm, with different hashes and perhaps different passwords.
    realms: { title: 'realms', column: 'realm' },
    id: 'name',
    hash: ({ record }) => {
      const { hash } = lockableHash(textOf(record.hash) ?? '');
      const parameters = ofUser(textOf(record.name) ?? '');
      return digestHash({ algorithm: 'htdigest', parameters, salt: record.realm, hash });
    },
    state: ({ record }) => (lockableHash(textOf(record.hash) ?? '').isLocked ? 'DISABLED' : undefined),
    user: ({ record, settings }) => addressOf(textOf(record.name), settings),
    reads: 'hash',
    advice: ({ tables, settings }) => domainAdvice('a file of htdigest', tables, 'name', settings),
  },
);

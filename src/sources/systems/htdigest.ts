import type { SourceRecord } from '../containers/table.ts';
import { lockableHash } from '../fields/crypt-password.ts';
import { userBoundHash } from '../fields/hashes.ts';
import { addressOf, domainAdvice, EMAIL_DOMAIN } from '../fields/login-address.ts';
import { REALM, realmsInColumn } from '../fields/realms.ts';
import { textOf } from '../fields/values.ts';
import type { ReadContext, Source } from '../source.ts';
import type { SourceUser } from '../source-user.ts';

/** Files of Apache's htdigest, which hashes the user name and the realm together with the password. */
export const htdigest: Source = {
  name: 'htdigest',
  title: 'htdigest (Apache)',
  settings: { ...EMAIL_DOMAIN, ...REALM },
  forms: [
    {
      name: 'htdigest',
      isUsers: ({ container }) => container === 'htdigest',
      // A user may occur once for each realm, with different hashes and perhaps different
      // passwords.
      realms: realmsInColumn('realms', 'realm'),
      read,
      advice: ({ tables, settings }) =>
        domainAdvice(
          'a file of htdigest',
          tables.filter(({ container }) => container === 'htdigest'),
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
    password:
      hash === undefined
        ? undefined
        : userBoundHash({ algorithm: 'htdigest', user: name ?? '', salt: textOf(record.realm) ?? '', hash }),
    state: isLocked ? 'DISABLED' : undefined,
  };
}

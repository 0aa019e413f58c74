import type { SourceRecord } from '../containers/table.ts';
import { lockableHash } from '../fields/crypt-password.ts';
import { userBoundHash } from '../fields/hashes.ts';
import { addressOf, domainAdvice, EMAIL_DOMAIN } from '../fields/login-address.ts';
import { textOf } from '../fields/values.ts';
import type { Advice, ReadContext, Source } from '../source.ts';
import type { SourceUser } from '../source-user.ts';

const SAME_USER: Advice = {
  level: 'note',
  text: 'A name may stand once for each realm, with another password. The first is imported; the others are conflicts.',
};

/** Files of Apache's htdigest. The name and realm are hashed together with the password. */
export const htdigest: Source = {
  name: 'htdigest',
  title: 'htdigest (Apache)',
  settings: EMAIL_DOMAIN,
  forms: [
    {
      name: 'htdigest',
      isUsers: ({ container }) => container === 'htdigest',
      read,
      advice({ tables, settings }) {
        const users = tables.filter(({ container }) => container === 'htdigest');
        const realms = new Set(users.flatMap(({ first }) => first.map(({ realm }) => realm)));
        const advice = domainAdvice('a file of htdigest', users, 'name', settings);
        return realms.size > 1 ? [...advice, SAME_USER] : advice;
      },
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

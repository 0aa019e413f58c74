import type { SourceRecord } from '../../containers/table.ts';
import { firstUsers } from '../../fields/first-users.ts';
import { stateOfFlag } from '../../fields/read-state.ts';
import { totpOfBase32 } from '../../fields/totp.ts';
import { flagOf, listOf, objectOf, objectsOf, textOf } from '../../fields/values.ts';
import type { Advice, Form, ReadContext } from '../../source.ts';
import type { SourceUser } from '../../source-user.ts';
import { customHash } from './custom-hash.ts';
import { bcryptOf } from './password-export.ts';
import { profileOf } from './profile.ts';

/** Files for Auth0's bulk import, made by somebody who moved to Auth0. */
export const importSchema: Form = {
  name: 'auth0-import-schema',
  isUsers: ({ container, columns, first }) =>
    container === 'json' &&
    columns.has('email') &&
    (columns.has('custom_password_hash') ||
      (columns.has('password_hash') &&
        ['email_verified', 'user_metadata', 'app_metadata'].some((name) => columns.has(name)) &&
        first.every(
          ({ password_hash: hash }) => hash === undefined || /^\$2[aby]\$/.test(textOf(hash) ?? ''),
        ))),
  read,
  advice(seen) {
    const { users, withHash } = firstUsers(importSchema, seen);
    const otherText = seen.tables.some(({ first }) => first.some(hasOtherEncoding));
    return [
      ...(users.length > 0 && withHash === 0 ? [NO_HASHES] : []),
      ...(otherText ? [OTHER_ENCODING] : []),
    ];
  },
};

function read(record: SourceRecord, { settings, drop }: ReadContext): SourceUser {
  const custom = record.custom_password_hash;
  if (textOf(record.phone_number) !== undefined) drop('phone numbers', [record.phone_number]);
  const factors = objectsOf(record.mfa_factors);
  if (listOf(record.mfa_factors).length > 0)
    drop(
      'mfa',
      factors.flatMap(({ totp }) => totpOfBase32(objectOf(totp)?.secret)),
    );
  const phones = factors.flatMap(({ phone }) => textOf(objectOf(phone)?.value) ?? []);
  if (phones.length > 0 && textOf(record.phone_number) === undefined) drop('phone numbers', phones);
  return {
    externalUserId: textOf(record.user_id),
    email: textOf(record.email),
    isVerified: flagOf(record.email_verified),
    password:
      custom === undefined || custom === null ? bcryptOf(record.password_hash) : customHash(objectOf(custom)),
    metadata: profileOf(record),
    state: stateOfFlag('blocked', record.blocked, true, settings),
    hasPhone: textOf(record.phone_number) !== undefined,
  };
}

const hasOtherEncoding = ({ custom_password_hash: custom }: SourceRecord): boolean => {
  const encoding = textOf(objectOf(objectOf(custom)?.password)?.encoding);
  return encoding === 'latin1' || encoding === 'binary' || encoding === 'ascii';
};

const NO_HASHES: Advice = {
  level: 'warn',
  text: 'The first users have neither password_hash nor custom_password_hash.',
};
const OTHER_ENCODING: Advice = {
  level: 'warn',
  text: 'These passwords were hashed in another encoding than UTF-8. Users whose passwords go beyond ASCII need a new one.',
};

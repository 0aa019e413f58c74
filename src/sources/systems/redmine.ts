import type { SourceRecord } from '../containers/table.ts';
import { digestHash } from '../fields/hashes.ts';
import { byWord } from '../fields/states.ts';
import { totpOfBase32 } from '../fields/totp.ts';
import { flagOf, isSet } from '../fields/values.ts';
import { type Address, type Row, system } from './declare.ts';

/** The default address, and then the others. */
function addressesOf({ record, joined }: Row): Address[] {
  const isDefault = (one: SourceRecord) => Number(flagOf(one.is_default) === true);
  const found = joined('addresses').toSorted((one, other) => isDefault(other) - isDefault(one));
  return found.length > 0 ? found.map(({ address }) => ({ email: address })) : [{ email: record.mail }];
}

/** Redmine from version 1.2 on, whose hashes have a salt. Schema: redmine/redmine: db/migrate (6.1) */
export const redmine = system(
  { name: 'redmine', title: 'Redmine' },
  {
    forms: { sql: 'redmine-sql', csv: 'redmine-csv', json: 'redmine-json' },
    has: 'id login hashed_password status type auth_source_id',
    joins: {
      addresses: {
        has: 'user_id address is_default',
        keep: 'address is_default',
        unused: 'id notify created_on updated_on',
      },
    },
    unusedTables: `auth_sources changesets groups_users imports journals members queries reactions time_entries tokens user_preferences
      watchers webhooks`,
    id: 'id',
    // Before Redmine 3, the address is in the table of users.
    addresses: addressesOf,
    joined: 'created_on',
    // A Redmine user of LDAP may have an old hash, with which nobody can sign in.
    hash: ({ record: { auth_source_id, hashed_password: hash, salt } }) =>
      isSet(auth_source_id) ? undefined : digestHash({ algorithm: 'redmine', salt, hash }),
    metadata: 'username=login firstname lastname',
    states: {
      // The table of users also contains groups.
      type: byWord({
        ACTIVE: 'user',
        ANONYMOUS: 'anonymoususer',
        SERVICE_ACCOUNT: 'group groupbuiltin groupanonymous groupnonmember',
      }),
      // Principal::STATUS_ANONYMOUS, ACTIVE, REGISTERED (awaits activation) and LOCKED.
      status: { 0: 'DISABLED', 1: 'ACTIVE', 2: 'DISABLED', 3: 'DISABLED' },
    },
    // With Redmine's `database_cipher_key`, the TOTP secret is encrypted and cannot be kept.
    factors: ({ record }) => isSet(record.twofa_scheme) && totpOfBase32(record.twofa_totp_key),
    roles: 'admin',
    drops: { 'forced password changes': 'must_change_passwd' },
    reads: 'salt mail twofa_scheme twofa_totp_key',
    unused:
      'mail_notification last_login_on language updated_on identity_url passwd_changed_on twofa_totp_last_used_at twofa_required',
    advice: [
      {
        level: 'stop',
        text: 'Table email_addresses is missing, and no user has an address without it. Export both: mysqldump redmine users email_addresses > dump.sql.',
        when: ({ tables }) =>
          tables.some(({ columns }) => columns.has('hashed_password') && !columns.has('mail')) &&
          !tables.some(({ columns }) => columns.has('address') && columns.has('is_default')),
      },
    ],
  },
);

import type { SourceRecord, TableHead } from '../containers/table.ts';
import { invalidHash } from '../fields/hashes.ts';
import { formsOf, hasAnyColumn, hasColumns } from '../fields/tables.ts';
import { timeOf } from '../fields/time.ts';
import { totpOfBase32 } from '../fields/totp.ts';
import { flagOf, isSet, metadataOf, severalOf, textOf } from '../fields/values.ts';
import type { Detail, ReadContext, Source } from '../source.ts';
import type { SourcePassword, SourceUser, UserState } from '../source-user.ts';

/** Redmine's Principal::STATUS_ACTIVE. 2 awaits activation, 3 is locked, 0 is the anonymous visitor. */
const ACTIVE = '1';
const SHA1 = /^[0-9a-f]{40}$/;

const addresses: Detail = {
  fits: (table) => hasColumns(table, 'user_id', 'address', 'is_default'),
  keyOf: ({ user_id }) => textOf(user_id),
  keep: ({ address, is_default }) => ({ address, isDefault: flagOf(is_default) === true }),
};

const isUsers = (table: TableHead) =>
  hasColumns(table, 'id', 'login', 'hashed_password', 'status', 'type', 'auth_source_id');

/** Redmine from version 1.2 on, whose hashes have a salt. The table of users also contains groups. */
export const redmine: Source = {
  name: 'redmine',
  title: 'Redmine',
  forms: formsOf(
    { sql: 'redmine-sql', csv: 'redmine-csv', json: 'redmine-json' },
    {
      isUsers,
      details: { addresses },
      keyOf: ({ id }) => textOf(id),
      read,
      advice: ({ tables }) =>
        // Before Redmine 3, the address is in the table of users.
        tables.some((table) => isUsers(table) && !hasAnyColumn(table, 'mail')) &&
        !tables.some((table) => addresses.fits(table))
          ? [
              {
                level: 'stop',
                text: 'Table email_addresses is missing, and no user has an address without it. Export both: mysqldump redmine users email_addresses > dump.sql.',
              },
            ]
          : [],
    },
  ),
};

function read(record: SourceRecord, { details, drop }: ReadContext): SourceUser {
  const id = textOf(record.id);
  const rows = id === undefined ? [] : details('addresses', id);
  const sorted = rows.toSorted((one, other) => Number(other.isDefault) - Number(one.isDefault));
  const emails = sorted.flatMap(({ address }) => textOf(address) ?? []);
  const state = stateOf(record);
  if (state === undefined) {
    // With Redmine's `database_cipher_key`, the TOTP secret is encrypted and cannot be kept.
    if (isSet(record.twofa_scheme)) drop('mfa', totpOfBase32(record.twofa_totp_key));
    if (flagOf(record.must_change_passwd) === true) drop('forced password changes');
    if (flagOf(record.admin) === true) drop('roles');
  }
  return {
    externalUserId: id,
    email: emails[0] ?? textOf(record.mail),
    emails: severalOf(emails),
    timeJoinedMs: timeOf(record.created_on),
    // A Redmine user of LDAP may have an old hash, with which nobody can sign in.
    password: isSet(record.auth_source_id) ? undefined : passwordOf(record),
    metadata: metadataOf({
      username: record.login,
      firstname: record.firstname,
      lastname: record.lastname,
    }),
    state,
  };
}

function stateOf({ type, status }: SourceRecord): UserState | undefined {
  if (type === 'AnonymousUser') return 'ANONYMOUS';
  if (type !== 'User') return 'SERVICE_ACCOUNT';
  return textOf(status) === ACTIVE ? undefined : 'DISABLED';
}

function passwordOf({ hashed_password, salt }: SourceRecord): SourcePassword | undefined {
  const digits = textOf(hashed_password);
  if (digits === undefined) return undefined;
  if (!SHA1.test(digits)) return invalidHash('hashed_password has not the 40 digits of a SHA-1');
  const base64 = (text: string, encoding: 'utf8' | 'hex') => Buffer.from(text, encoding).toString('base64');
  return {
    encoded: `$redmine$$${base64(textOf(salt) ?? '', 'utf8')}$${base64(digits, 'hex')}`,
    algorithm: 'redmine',
  };
}

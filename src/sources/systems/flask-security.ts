import type { SourceRecord, TableHead } from '../containers/table.ts';
import { selfDescribingHash } from '../fields/self-describing.ts';
import { formsOf, hasColumns } from '../fields/tables.ts';
import { timeOf } from '../fields/time.ts';
import { firstOf, flagOf, isSet, metadataOf, textOf } from '../fields/values.ts';
import type { Detail, DetectionContext, ReadContext, Settings, Source } from '../source.ts';
import type { SourcePassword, SourceUser } from '../source-user.ts';

/**
 * `fs_uniquifier` exists since Flask-Security 4, in no other system. Earlier tables look like those of many
 * systems.
 */
const isUsers = (table: TableHead, _settings: Settings, around?: DetectionContext) =>
  hasColumns(table, 'email', 'password', 'active') &&
  (table.columns.has('fs_uniquifier') || around?.isNamed === true);

const SECOND_FACTORS = ['tf_primary_method', 'tf_totp_secret', 'us_totp_secrets', 'mf_recovery_codes'];
const PHONES = ['us_phone_number', 'tf_phone_number'];

const roles: Detail = {
  fits: (table) => hasColumns(table, 'user_id', 'role_id'),
  keyOf: ({ user_id }) => textOf(user_id),
  keep: () => ({}),
};

/** Passkeys of Flask-Security, which may be the first factor or the second. */
const passkeys: Detail = {
  fits: (table) => hasColumns(table, 'user_id', 'credential_id', 'sign_count', 'usage'),
  keyOf: ({ user_id }) => textOf(user_id),
  keep: () => ({}),
};

function read(record: SourceRecord, { settings, details, drop }: ReadContext): SourceUser {
  const id = textOf(record.id);
  const has = (name: 'roles' | 'passkeys') => id !== undefined && details(name, id).length > 0;
  const hasPhone = PHONES.some((name) => isSet(record[name]));
  if (hasPhone) drop('phone numbers');
  if (has('passkeys') || SECOND_FACTORS.some((name) => isSet(record[name]))) drop('mfa');
  if (has('roles')) drop('roles');
  const { confirmed_at } = record;
  return {
    externalUserId: id,
    email: textOf(record.email),
    // Without the column `confirmed_at`, Flask-Security does not confirm addresses at all.
    isVerified: confirmed_at === undefined ? undefined : isSet(confirmed_at),
    timeJoinedMs: timeOf(firstOf(record, ['create_datetime', 'created_at'])),
    password: passwordOf(textOf(record.password), settings),
    metadata: metadataOf({
      username: record.username,
      name: record.name,
      first_name: record.first_name,
      last_name: record.last_name,
    }),
    state: flagOf(record.active) === true ? undefined : 'DISABLED',
    hasPhone,
  };
}

/**
 * Schemes of Flask-Security that always hash the password itself, whatever SECURITY_PASSWORD_SINGLE_HASH
 * says.
 */
const DJANGO = /^(?:argon2|bcrypt|bcrypt_sha256|pbkdf2_sha1|pbkdf2_sha256|sha1|md5)\$/;

function passwordOf(encoded: string | undefined, { singleHash }: Settings): SourcePassword | undefined {
  if (encoded === undefined) return undefined;
  return flagOf(singleHash) === true || DJANGO.test(encoded)
    ? selfDescribingHash(encoded)
    : { encoded, algorithm: 'flask-security' };
}

const SALT =
  'Every password was hashed with SECURITY_PASSWORD_SALT: put it into hashing_secrets of the service as the default of algorithm flask-security, or name it with --hashing-secret-id ID. If SECURITY_PASSWORD_SINGLE_HASH is set to True, add --set singleHash=yes instead. Prove one password first.';

/** Schema: pallets-eco/flask-security: flask_security/models/fsqla.py, utils.py */
export const flaskSecurity: Source = {
  name: 'flask-security',
  title: 'Flask-Security',
  settings: {
    singleHash: 'yes: SECURITY_PASSWORD_SINGLE_HASH is True, so that SECURITY_PASSWORD_SALT is in no hash',
  },
  forms: formsOf(
    { sql: 'flask-security-sql', csv: 'flask-security-csv', json: 'flask-security-json' },
    {
      isUsers,
      ownStates: ['active'],
      details: { roles, passkeys },
      read,
      advice: ({ settings, hasSecret }) =>
        flagOf(settings.singleHash) === true || hasSecret ? [] : [{ level: 'warn', text: SALT }],
    },
  ),
};

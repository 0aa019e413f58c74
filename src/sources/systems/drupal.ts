import type { SourceRecord } from '../containers/table.ts';
import { type ReadState, stateOfFlag } from '../fields/read-state.ts';
import { selfDescribingHash } from '../fields/self-describing.ts';
import { baseName, formsOf, hasColumns, mayBePrefixed } from '../fields/tables.ts';
import { timeOf } from '../fields/time.ts';
import { flagOf, metadataOf, textOf } from '../fields/values.ts';
import type { Detail, ReadContext, Settings, Source } from '../source.ts';
import type { SourcePassword, SourceUser } from '../source-user.ts';

const MD5 = /^[0-9a-f]{32}$/;
const ROLES = ['user__roles', 'users_roles'];

/** Second factors of Drupal: rows of the module `tfa` in the table `users_data`. */
const factors: Detail = {
  fits: (table) => mayBePrefixed(table, 'users_data') && hasColumns(table, 'uid', 'module', 'name', 'value'),
  keyOf: ({ uid }) => textOf(uid),
  keep: ({ module, name }) =>
    textOf(module) === 'tfa' && textOf(name) !== 'tfa_user_settings' ? {} : undefined,
};

/**
 * From Drupal 8 on, the table is `users_field_data`, because `users` has no addresses. Code:
 * drupal/core@401b0999:lib/Drupal/Core/Password/PhpassHashedPasswordBase.php
 */
export const drupal: Source = {
  name: 'drupal',
  title: 'Drupal',
  forms: formsOf(
    { sql: 'drupal-mysqldump', csv: 'drupal-csv', json: 'drupal-json' },
    {
      isUsers: (table) =>
        (mayBePrefixed(table, 'users_field_data') || mayBePrefixed(table, 'users')) &&
        hasColumns(table, 'uid', 'name', 'pass', 'mail', 'status'),
      details: { factors },
      keyOf: ({ uid }) => textOf(uid),
      read,
      advice: ({ tables }) => [
        ...(tables.some((table) => ROLES.some((name) => baseName(table).endsWith(name)))
          ? [{ level: 'note' as const, text: 'Roles are not imported, because this service has none.' }]
          : []),
        {
          level: 'note',
          text: 'Drupal signs in by name and keeps no flag for verified addresses: users sign in by their address here.',
        },
      ],
    },
  ),
};

function read(record: SourceRecord, { settings, details, drop }: ReadContext): SourceUser | undefined {
  // A Drupal user has a row for each language, with the same account data.
  if (flagOf(record.default_langcode) === false && textOf(record.default_langcode) !== undefined)
    return undefined;
  const uid = textOf(record.uid);
  if (uid !== undefined && details('factors', uid).length > 0) drop('mfa');
  return {
    externalUserId: uid,
    email: textOf(record.mail),
    timeJoinedMs: timeOf(record.created),
    password: passwordOf(record.pass),
    metadata: metadataOf({ name: record.name }),
    state: stateOf(record, settings),
  };
}

function stateOf(record: SourceRecord, settings: Settings): ReadState {
  // Drupal's user with id 0 stands for guests.
  if (textOf(record.uid) === '0') return 'ANONYMOUS';
  return stateOfFlag('status', record.status, false, settings);
}

function passwordOf(value: unknown): SourcePassword | undefined {
  const encoded = textOf(value);
  if (encoded === undefined) return undefined;
  // Drupal 6 stored MD5. Hashes of many systems have this form, so the algorithm is named.
  if (MD5.test(encoded)) return { encoded, algorithm: 'hex-md5' };
  if (encoded.startsWith('$S$') || encoded.startsWith('U$S$') || encoded.startsWith('U$P$'))
    return { encoded, algorithm: 'drupal7' };
  // A migration from Drupal 6 hashes each stored MD5 again with bcrypt, and marks the result by `U`.
  if (encoded.startsWith('U$2')) return { encoded: encoded.slice(1), algorithm: 'bcrypt-md5' };
  if (encoded.startsWith('$P$') || encoded.startsWith('$H$')) return { encoded, algorithm: 'phpass' };
  return selfDescribingHash(encoded);
}

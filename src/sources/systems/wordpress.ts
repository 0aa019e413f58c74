import type { JsonObject } from '../../lib/json/json-object.ts';
import type { SourceRecord, TableHead } from '../containers/table.ts';
import { gravestState, readState } from '../fields/read-state.ts';
import { isDemanded } from '../fields/second-factors.ts';
import { timeOf } from '../fields/time.ts';
import { metadataOf, textOf } from '../fields/values.ts';
import type { Advice, Detail, DetectionContext, Form, ReadContext, Source } from '../source.ts';
import type { SourcePassword, SourceUser } from '../source-user.ts';

/**
 * Keys of WordPress' `usermeta` that are kept. Keys of plugins are not known, and capabilities are
 * serialised PHP.
 */
const META_KEYS = new Set(['first_name', 'last_name', 'nickname']);

const META_COLUMNS = ['user_id', 'meta_key', 'meta_value'];

const usermeta: Detail = {
  fits: ({ name, columns }) =>
    META_COLUMNS.every((column) => columns.has(column)) && (name === '' || /usermeta$/i.test(name)),
  keyOf: (record) => textOf(record.user_id),
  keep({ meta_key: key, meta_value: value }) {
    const name = textOf(key);
    const text = textOf(value);
    if (name === undefined || text === undefined) return undefined;
    if (FACTOR_KEY.test(name)) return isDemanded(text) ? { [HAS_FACTOR]: true } : undefined;
    return META_KEYS.has(name) ? { [name]: text } : undefined;
  },
};

/**
 * Second factors in `usermeta` of the plugins Two Factor, WP 2FA, Wordfence, Solid Security, Two Factor
 * Authentication, Google Authenticator and Ultimate Member.
 */
const FACTOR_KEY =
  /^(?:_two_factor_(?:enabled_providers|provider|totp_key)|wp_2fa_(?:enabled_methods|totp_key|backup_methods_enabled)|wfls-\w*secret|itsec_two_factor_(?:enabled_providers|totp_key)|tfa_(?:enable_tfa|priv_key_64)|googleauthenticator_(?:enabled|secret)|mo2f_\w*(?:method|enabled|secret)|_webauthn_\w+|wp_passkeys?\w*)$/;
const HAS_FACTOR = 'hasSecondFactor';

const idOf = (record: SourceRecord) => textOf(record.ID) ?? textOf(record.id);

function read(record: SourceRecord, context: ReadContext): SourceUser {
  const { details, drop } = context;
  const id = idOf(record);
  const { [HAS_FACTOR]: hasFactor, ...meta }: JsonObject = Object.assign(
    {},
    ...(id === undefined ? [] : details('usermeta', id)),
  );
  if (hasFactor === true) drop('mfa');
  if (textOf(record.roles) !== undefined) drop('roles');
  return {
    externalUserId: id,
    email: textOf(record.user_email),
    timeJoinedMs: timeOf(record.user_registered),
    password: passwordOf(textOf(record.user_pass)),
    metadata: metadataOf({
      user_login: record.user_login,
      display_name: record.display_name,
      first_name: record.first_name,
      last_name: record.last_name,
      ...meta,
    }),
    state: gravestState([
      readState(record.deleted, { name: 'deleted', kind: 'deleted' }, context),
      readState(record.spam, { name: 'spam', kind: 'disabled' }, context),
    ]),
  };
}

function passwordOf(encoded: string | undefined): SourcePassword | undefined {
  if (encoded === undefined) return undefined;
  if (encoded.startsWith('$wp$2')) return { encoded, algorithm: 'wordpress-bcrypt' };
  // Not `wordpress-phpass`, which trims the entered password: plugins and other systems also stored
  // hashes of untrimmed passwords.
  if (encoded.startsWith('$P$') || encoded.startsWith('$H$')) return { encoded, algorithm: 'phpass' };
  // WordPress has hashes of other kinds from plugins, from old versions, and from the filter
  // `wp_hash_password_algorithm`.
  if (/^(?:\$2|\$argon2|[0-9a-f]{32}$)/.test(encoded)) return { encoded, algorithm: 'wordpress-compat' };
  return { encoded };
}

const hasColumns = ({ columns }: TableHead, around?: DetectionContext): boolean =>
  columns.has('user_email') &&
  (columns.has('user_login') || around?.isNamed === true) &&
  ['user_pass', 'user_registered', 'display_name', 'roles'].some((name) => columns.has(name));

const COMMAND =
  'wp user list --fields=ID,user_login,user_email,user_pass,user_registered,display_name --format=json > users.json';

const NO_HASHES: Advice = {
  level: 'warn',
  text: `There are no hashes here: wp user list leaves out user_pass unless it is asked for. Run: ${COMMAND}`,
};

const NO_USERMETA: Advice = {
  level: 'warn',
  text: 'The table wp_usermeta is missing: it tells which users have a second factor of a plugin, and their first and last names. Dump both tables: mysqldump DATABASE wp_users wp_usermeta > dump.sql',
};

const formOf = (name: string, fits: (table: TableHead) => boolean): Form => {
  const isUsers = (table: TableHead, around?: DetectionContext) => hasColumns(table, around) && fits(table);
  return {
    name,
    isUsers: (table, _settings, around) => isUsers(table, around),
    details: { usermeta },
    keyOf: idOf,
    read,
    advice: ({ tables }) => [
      ...(tables.some((table) => isUsers(table) && !table.columns.has('user_pass')) ? [NO_HASHES] : []),
      ...(tables.some((table) => isUsers(table) && table.container === 'sql') && !tables.some(usermeta.fits)
        ? [NO_USERMETA]
        : []),
    ],
  };
};

/** Columns in the order of `SHOW CREATE TABLE wp_users`. Only multisite tables have the last two. */
const COLUMNS = [
  'ID',
  'user_login',
  'user_pass',
  'user_nicename',
  'user_email',
  'user_url',
  'user_registered',
  'user_activation_key',
  'user_status',
  'display_name',
  'spam',
  'deleted',
];

const TIME = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/;
const HASH = /^(?:\$|[0-9a-f]{32}$|$)/;

/** CSV file of phpMyAdmin, which has no header unless its option is ticked. */
const headerless: Form = {
  name: 'wordpress-phpmyadmin-csv',
  isUsers: ({ container, cells, columns, first }) =>
    container === 'csv' &&
    columns.size === 0 &&
    (cells === 10 || cells === 12) &&
    first.every(
      (cell) =>
        /^\d+$/.test(textOf(cell['0']) ?? '') &&
        HASH.test(textOf(cell['2']) ?? '') &&
        TIME.test(textOf(cell['6']) ?? '') &&
        /^-?\d+$/.test(textOf(cell['8']) ?? ''),
    ),
  details: { usermeta },
  keyOf: (record) => textOf(record['0']),
  read: (record, context) =>
    read(Object.fromEntries(COLUMNS.map((name, cell) => [name, record[`${cell}`]])), context),
};

export const wordpress: Source = {
  name: 'wordpress',
  title: 'WordPress',
  forms: [
    formOf(
      'wordpress-mysqldump',
      ({ container, columns }) => container === 'sql' && columns.has('user_pass'),
    ),
    formOf(
      'wordpress-phpmyadmin-json',
      ({ container, name }) => container === 'json' && /users$/i.test(name),
    ),
    formOf('wordpress-wp-cli-json', ({ container }) => container === 'json'),
    formOf('wordpress-wp-cli-csv', ({ container }) => container === 'csv'),
    headerless,
  ],
};

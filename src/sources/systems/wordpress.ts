import type { JsonObject } from '../../lib/json/json-object.ts';
import { isDemanded } from '../fields/second-factors.ts';
import { textOf } from '../fields/values.ts';
import { type Join, type Row, system, type Users, words } from './declare.ts';

/** Keys of WordPress' `usermeta` that are kept. */
const KEPT = new Set(['first_name', 'last_name', 'nickname']);

/** Further keys of WordPress itself, without the prefix of the site's tables. */
const OWN = new Set(
  words(`description rich_editing syntax_highlighting comment_shortcuts admin_color use_ssl show_admin_bar_front
    show_admin_bar_admin locale dismissed_wp_pointers show_welcome_panel session_tokens default_password_nag
    source_domain primary_blog nav_menu_recently_edited _application_passwords community-events-location _new_email
    enable_custom_fields show_try_gutenberg_panel aim yim jabber`),
);
const OWN_WITH_PREFIX =
  /^\w*?(?:capabilities|user_level|user-settings|user-settings-time|dashboard_quick_press_last_post_id|media_library_mode|persisted_preferences|autosave_draft_ids|usersettings|usersettingstime)$/;
/** Keys for the boxes and columns that a user sees in the administration. */
const OF_SCREENS =
  /^(?:(?:closedpostboxes|metaboxhidden|meta-box-order|screen_layout)_[\w-]+|manage[\w-]+columnshidden|[\w-]+_per_page)$/;

/**
 * Second factors in `usermeta` of the plugins Two Factor, WP 2FA, Wordfence, Solid Security, Two Factor
 * Authentication, Google Authenticator and Ultimate Member.
 */
const FACTOR_KEY =
  /^(?:_two_factor_(?:enabled_providers|provider|totp_key)|wp_2fa_(?:enabled_methods|totp_key|backup_methods_enabled)|wfls-\w*secret|itsec_two_factor_(?:enabled_providers|totp_key)|tfa_(?:enable_tfa|priv_key_64)|googleauthenticator_(?:enabled|secret)|mo2f_\w*(?:method|enabled|secret)|_webauthn_\w+|wp_passkeys?\w*)$/;

const usermeta: Join = {
  has: 'user_id meta_key meta_value',
  keep: ({ meta_key, meta_value }) => {
    const [key, value] = [textOf(meta_key), textOf(meta_value)];
    if (key === undefined || value === undefined) return undefined;
    if (FACTOR_KEY.test(key)) return isDemanded(value) ? { isFactor: true } : undefined;
    return KEPT.has(key) ? { meta: { [key]: value } } : undefined;
  },
  // Plugins store here who must not sign in, for example as account_status, pw_user_status or ja_disable_user.
  keys: {
    key: 'meta_key',
    value: 'meta_value',
    known: (key) =>
      [KEPT, OWN].some((keys) => keys.has(key)) ||
      [OWN_WITH_PREFIX, OF_SCREENS, FACTOR_KEY].some((pattern) => pattern.test(key)),
  },
  unused: 'umeta_id',
  decides: 'states',
  missing:
    'Plugins keep in it who was rejected or disabled, and who has a second factor; WordPress keeps first and last names. Dump both tables: mysqldump DATABASE wp_users wp_usermeta > dump.sql.',
};

const metaOf = ({ joined }: Row): JsonObject =>
  Object.assign({}, ...joined('usermeta').map(({ meta }) => meta));

/**
 * Families of hashes. Old versions, plugins and the filter `wp_hash_password_algorithm` made other than WordPress'
 * own.
 */
const FAMILIES =
  // `phpass` is used instead of `wordpress-phpass`, which trims the entered password: plugins and other systems also
  // stored hashes of untrimmed passwords.
  'wordpress-bcrypt phpass wordpress-compat';

/** Meanings of `user_status`. BuddyPress sets it for sign-ups that are not activated, and early multisites for spam. */
const STATUSES = { 0: 'ACTIVE' } as const;

const USERS = {
  isPrefixed: true,
  joins: { usermeta },
  families: FAMILIES,
  factors: ({ joined }) => joined('usermeta').some(({ isFactor }) => isFactor === true),
  unusedTables: 'comments registration_log signups',
} as const satisfies Partial<Users>;

const NAMED = {
  ...USERS,
  has: 'user_email user_pass|user_registered|display_name|roles',
  proof: 'user_login',
  id: 'ID|id',
  email: 'user_email',
  joined: 'user_registered',
  hash: 'user_pass',
  metadata: (row) => {
    const { user_login, display_name, first_name, last_name } = row.record;
    return { user_login, display_name, first_name, last_name, ...metaOf(row) };
  },
  states: { user_status: STATUSES, spam: 'disabled', deleted: 'deleted' },
  mayLack: {
    user_status: 'wp user list leaves it out unless it is named',
    spam: 'of multisites',
    deleted: 'of multisites',
  },
  roles: ({ record }) => textOf(record.roles) !== undefined,
  reads: 'user_login display_name first_name last_name roles',
  unused: 'user_nicename user_url user_activation_key caps cap_key allcaps filter url',
  warning: {
    text: 'There are no hashes here: wp user list leaves out user_pass unless it is asked for. Run: wp user list --fields=ID,user_login,user_email,user_pass,user_registered,display_name --format=json > users.json',
    when: ({ tables }) =>
      tables.some(({ columns }) => columns.has('user_email')) &&
      !tables.some(({ columns }) => columns.has('user_pass')),
  },
} as const satisfies Omit<Users, 'forms'>;

const TIME = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/;
const HASH = /^(?:\$|[0-9a-f]{32}$|$)/;

/** Schema: WordPress/WordPress: wp-admin/includes/schema.php, wp-includes/user.php (6.8) */
export const wordpress = system('wordpress', 'WordPress', [
  { ...NAMED, forms: { sql: 'wordpress-mysqldump' }, has: 'user_email user_pass' },
  { ...NAMED, forms: { json: 'wordpress-phpmyadmin-json' }, only: ({ name }) => /users$/i.test(name) },
  { ...NAMED, forms: { json: 'wordpress-wp-cli-json', csv: 'wordpress-wp-cli-csv' } },
  {
    // CSV file of phpMyAdmin, which has no header unless its option is ticked. The columns are in the order of
    // `SHOW CREATE TABLE wp_users`.
    ...USERS,
    forms: { csv: 'wordpress-phpmyadmin-csv' },
    has: '',
    only: ({ cells, columns, first }) =>
      columns.size === 0 &&
      (cells === 10 || cells === 12) &&
      first.every(
        (cell) =>
          /^\d+$/.test(textOf(cell['0']) ?? '') &&
          HASH.test(textOf(cell['2']) ?? '') &&
          TIME.test(textOf(cell['6']) ?? '') &&
          /^-?\d+$/.test(textOf(cell['8']) ?? ''),
      ),
    id: '0',
    email: '4',
    joined: '6',
    hash: '2',
    metadata: (row) => ({ user_login: row.record['1'], display_name: row.record['9'], ...metaOf(row) }),
    states: { 8: STATUSES, 10: 'disabled', 11: 'deleted' },
    mayLack: { 10: 'of multisites', 11: 'of multisites' },
    reads: '1 9',
    unused: '3 5 7',
  },
]);

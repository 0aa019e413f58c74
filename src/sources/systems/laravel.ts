import type { TableHead } from '../containers/table.ts';
import { baseName, hasColumns, isOfDatabase } from '../fields/tables.ts';
import { textOf } from '../fields/values.ts';
import type { Settings } from '../source.ts';
import { type Identity, type Row, type Seen, system, type Users } from './declare.ts';

/** Custom guards of Laravel apps, such as one for admins, have tables whose ids overlap with those of users. */
const isStaff = (table: TableHead) => baseName(table).toLowerCase().startsWith('admin');

/** The `user_id` of accounts is the id of another model, if the users are customers or sellers. */
const isUsers = (table: TableHead) => !isOfDatabase(table) || baseName(table).toLowerCase() === 'users';

const socialColumns = ({ socialColumns = '' }: Settings): string[] =>
  socialColumns.split(',').flatMap((column) => textOf(column.trim()) ?? []);

/**
 * Identities in a table, and in columns that the operator named (`--set socialColumns`). The provider of `google_id` is
 * Google; that of `provider_id` is in the column `provider`.
 */
function identitiesOf({ table, record, settings, joined }: Row): Identity[] {
  const ofColumns = socialColumns(settings).map((name) => ({
    provider: name === 'provider_id' ? record.provider : name.replace(/_id$/, ''),
    id: record[name],
  }));
  return [...(isUsers(table) ? joined('accounts') : []), ...ofColumns].flatMap(({ provider, id }) =>
    textOf(id) === undefined ? [] : { provider, userId: id },
  );
}

const SOCIAL_COLUMNS = [
  'google_id',
  'facebook_id',
  'github_id',
  'twitter_id',
  'apple_id',
  'linkedin_id',
  'provider_id',
];

const socialColumnsIn = ({ tables }: Seen): string[] => {
  const users = tables.filter((table) => hasColumns(table, 'email', 'password') && !isStaff(table));
  return SOCIAL_COLUMNS.filter((column) => users.some(({ columns }) => columns.has(column)));
};

const users: Omit<Users, 'forms'> = {
  has: 'email password',
  proof: 'remember_token',
  only: (table) => !isStaff(table),
  joins: {
    // `connected_accounts` of Socialstream, and tables that Laravel apps create for Socialite.
    accounts: {
      has: 'user_id provider provider_id|provider_user_id',
      keep: 'provider id=provider_id|provider_user_id',
      unused:
        'id name nickname email telephone avatar avatar_path token secret refresh_token expires_at created_at updated_at',
    },
  },
  unusedTables:
    'activity_log:causer_type audits:auditable_type authentication_log:authenticatable_type media:collection_name model_has_permissions:model_type model_has_roles:model_type notifications:notifiable_type oauth_access_tokens oauth_auth_codes oauth_clients oauth_device_codes password_reset_tokens password_resets personal_access_tokens sessions:payload subscriptions:stripe_id|paddle_id|billable_id team_invitations team_user:team_id teams:personal_team|is_personal',
  id: 'id',
  email: 'email',
  verified: 'email_verified_at',
  joined: 'created_at',
  hash: 'password',
  identities: identitiesOf,
  metadata: 'name username',
  states: { deleted_at: 'deleted', banned_at: 'disabled' },
  mayLack: { deleted_at: 'of models with SoftDeletes', banned_at: 'of the package laravel-ban' },
  factors: 'two_factor_secret',
  reads: (settings) =>
    socialColumns(settings)
      .flatMap((name) => (name === 'provider_id' ? [name, 'provider'] : name))
      .join(' '),
  unused:
    'remember_token updated_at two_factor_recovery_codes two_factor_confirmed_at current_team_id profile_photo_path current_connected_account_id stripe_id pm_type pm_last_four trial_ends_at',
  note: 'created_at is in the time zone of the application (config/app.php), and is read as UTC, which it mostly is.',
  warning: {
    text: (seen) =>
      `There are columns that may hold ids of social accounts. If they do, add --set socialColumns=${socialColumnsIn(seen).join(',')}. Without it these users cannot sign in as they did.`,
    when: (seen) => seen.settings.socialColumns === undefined && socialColumnsIn(seen).length > 0,
  },
};

/**
 * Laravel with the columns of its starter kits, of Fortify, Jetstream, Socialstream, Cashier and soft deletion, and
 * `banned_at` of laravel-ban. Schema: laravel/laravel: database/migrations/0001_01_01_000000_create_users_table.php
 */
export const laravel = system('laravel', 'Laravel', [
  {
    settings: {
      socialColumns: 'columns of the users with ids of social accounts: google_id,provider_id',
    },
    ...users,
    forms: { sql: 'laravel-pg_dump' },
    // Dumps of pg_dump have names with a schema.
    only: (table) => !isStaff(table) && table.name.includes('.'),
  },
  { ...users, forms: { sql: 'laravel-mysqldump', csv: 'laravel-csv', json: 'laravel-json' } },
]);

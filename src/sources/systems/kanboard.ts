import { selfDescribingHash } from '../fields/hashes.ts';
import { lacksServers } from '../fields/providers.ts';
import { isSet, mayBeYes, textOf } from '../fields/values.ts';
import { system } from './declare.ts';

/** Schema: kanboard/kanboard: app/Schema/Mysql.php (schema 139), app/Auth/DatabaseAuth.php */
export const kanboard = system('kanboard', 'Kanboard', {
  table: 'users',
  has: 'id username password is_ldap_user disable_login_form twofactor_activated twofactor_secret',
  email: 'email',
  username: 'username',
  // For users of LDAP or a reverse proxy, Kanboard does not verify hashes. They may have one from an earlier time.
  hash: ({ record }) =>
    mayBeYes(record.is_ldap_user) || mayBeYes(record.disable_login_form)
      ? undefined
      : selfDescribingHash(record.password),
  joins: {
    // Plugins for GitHub and GitLab may use a private server.
    settings: {
      table: 'settings',
      has: 'option value',
      on: ({ option }) => /^(github|gitlab)_(?:api|authorize)_url$/.exec(textOf(option) ?? '')?.[1],
      keep: 'value',
      unused: '*',
      missing: lacksServers('settings'),
    },
  },
  identities: ({ record, joined }) =>
    ['google', 'github', 'gitlab'].flatMap((provider) => {
      const servers = joined('settings', provider).map(({ value }) => value);
      const userId = record[`${provider}_id`];
      return isSet(userId) ? { provider, userId, servers } : [];
    }),
  unusedTables: `
      comments custom_filters group_has_users invites last_logins password_reset project_activities project_has_files
      project_has_users projects remember_me subtask_time_tracking subtasks task_has_files transitions
      user_has_notification_types user_has_notifications user_has_unread_notifications`,
  metadata: 'username name',
  states: { is_active: 'active' },
  lockedUntil: 'lock_expiration_date',
  factors: 'twofactor_activated',
  totp: 'twofactor_secret',
  roles: ({ record }) => textOf(record.role) !== undefined && record.role !== 'app-user',
  reads: 'role google_id github_id gitlab_id',
  unused:
    'notifications_enabled timezone language disable_login_form token notifications_filter nb_failed_login avatar_path api_access_token filter theme is_admin is_project_admin default_project_id',
});

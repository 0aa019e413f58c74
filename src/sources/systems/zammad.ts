import { system } from './declare.ts';

/** Schema: zammad/zammad: db/migrate/20120101000001_create_base.rb and later migrations (6.5), lib/password_hash.rb */
export const zammad = system(
  { name: 'zammad', title: 'Zammad' },
  {
    forms: { sql: 'zammad-sql', csv: 'zammad-csv', json: 'zammad-json' },
    table: 'users',
    has: 'id login firstname lastname email password active verified',
    joins: {
      authorizations: {
        table: 'authorizations',
        has: 'provider uid user_id',
        identity: { provider: 'provider', userId: 'uid' },
        unused: 'id token secret username created_at updated_at',
        missing: 'Without the table authorizations, nobody has a social login. Dump it, too.',
      },
      user_two_factor_preferences: {
        table: 'user_two_factor_preferences',
        has: 'user_id method configuration',
        keep: 'method',
        unused: 'id created_by_id updated_by_id created_at updated_at',
        decides: 'factors',
        missing: 'Dump users, authorizations and user_two_factor_preferences.',
      },
    },
    unusedTables:
      'active_job_locks activity_streams avatars chat_agents cti_caller_ids cti_logs data_privacy_tasks external_credentials groups_users ' +
      'karma_activities karma_users link_requests mentions online_notifications organizations_users overviews_users recent_views ' +
      'roles_users sessions taskbars tickets ticket_articles ticket_shared_draft_starts ticket_shared_draft_zooms tokens ' +
      'user_devices user_overview_sortings users_groups macros_users recent_closes checklists',
    id: 'id',
    email: 'email',
    verified: 'verified',
    joined: 'created_at',
    hash: 'password',
    families: 'argon2 zammad-sha2',
    metadata:
      'username=login first_name=firstname last_name=lastname web department street zip city country address',
    states: { active: 'active' },
    factors: ({ joined }) => joined('user_two_factor_preferences').length > 0 && [],
    phone: 'mobile|phone',
    state: ({ record }) => (record.login === '-' ? 'SERVICE_ACCOUNT' : undefined),
    unused:
      'organization_id image image_source fax vip note last_login source login_failed out_of_office out_of_office_start_at ' +
      'out_of_office_end_at out_of_office_replacement_id preferences updated_by_id created_by_id updated_at',
  },
);

import { chosenProvider, lacksServers } from '../fields/providers.ts';
import { flagOf, textOf } from '../fields/values.ts';
import { system } from './declare.ts';

/** Hashes of passlib, which is all that Frappe takes. */
const FAMILIES = ['pbkdf2-passlib', 'argon2', 'bcrypt'];

/** Logs, settings, mail and permissions of Frappe, and links of ERPNext to users: employees, projects and tills. */
const UNUSED =
  '__UserSettings, __global_search, API Request Log, Access Log, Activity Log, Assignment Rule, Assignment Rule User, Auto Repeat User, Block Module, ' +
  'Blogger, Comment, Communication, Contact, Contact Email, Dashboard Settings, DefaultValue, DocShare, Document Follow, ' +
  'Email Account, Email Group Member, Email Queue, Email Queue Recipient, Email Unsubscribe, Energy Point Log, Google Calendar, ' +
  'Google Contacts, Has Role, List Filter, Note Seen By, Notification Log, Notification Settings, OAuth Authorization Code, ' +
  'OAuth Bearer Token, OAuth Client, Permission Log, Personal Data Download Request, Reminder, Route History, Sessions, ToDo, ' +
  'Token Cache, User Email, User Group Member, User Invitation, User Permission, User Role Profile, User Type, View Log, ' +
  'Webhook Request Log, Workflow Action, Workspace, Employee, Issue, Lead, POS Closing Entry, POS Opening Entry, ' +
  'POS Profile User, Portal User, Project User';

/** Schema: frappe/frappe: frappe/core/doctype/user/user.json (15), frappe/utils/password.py, frappe/database/mariadb/framework_mariadb.sql */
export const frappe = system('frappe', 'Frappe and ERPNext', {
  table: 'tabUser',
  has: 'name creation enabled email user_type',
  joins: {
    // Encrypted rows hold other secrets.
    passwords: {
      table: '__Auth',
      has: 'doctype name fieldname password encrypted',
      on: ({ doctype, fieldname, name, encrypted }) =>
        doctype === 'User' && fieldname === 'password' && flagOf(encrypted) === false
          ? textOf(name)
          : undefined,
      keep: 'password',
      missing: 'Without the table __Auth, nobody has a password. Dump it, too: bench --site SITE backup.',
    },
    accounts: {
      has: 'parent parenttype provider userid',
      // Frappe itself is a provider in this table, with a random id.
      on: ({ parent, parenttype, provider }) =>
        parenttype === 'User' && provider !== 'frappe' ? textOf(parent) : undefined,
      keep: 'provider userid',
      unused: 'name creation modified modified_by owner docstatus idx parentfield username',
      missing: 'Without the table tabUser Social Login, nobody has a social login. Dump it, too.',
    },
    // Sites choose the names of keys, and GitHub's may be of a server of one's own.
    keys: {
      has: 'name social_login_provider base_url',
      on: 'name',
      keep: 'social_login_provider base_url',
      unused: '*',
      missing: lacksServers('tabSocial Login Key'),
    },
  },
  // Sign-in reads tabUser alone: frappe/auth.py. Other names of tables may be those of an app.
  unusedTables: UNUSED.split(', ').flatMap((name) => (name.startsWith('__') ? name : `tab${name}`)),
  id: 'name',
  email: 'email',
  joined: 'creation',
  hash: ({ joined }) => {
    const encoded = textOf(joined('passwords')[0]?.password);
    return encoded === undefined ? undefined : { encoded, families: FAMILIES };
  },
  identities: ({ joined }) =>
    joined('accounts').map(({ provider, userid: userId }) => {
      const name = textOf(provider) ?? 'unknown';
      const [key] = joined('keys', name);
      return key?.social_login_provider === 'Custom'
        ? { ...chosenProvider(name), userId }
        : { provider: name, userId, servers: [key?.base_url] };
    }),
  metadata: 'username first_name middle_name last_name full_name language time_zone location bio',
  states: { enabled: 'active' },
  state: ({ record }) => (textOf(record.name) === 'Guest' ? 'SERVICE_ACCOUNT' : undefined),
  phone: 'mobile_no|phone',
  unused:
    'modified modified_by owner docstatus idx user_type send_welcome_email unsubscribed user_image role_profile_name gender birth_date ' +
    'interest banner_image desk_theme mute_sounds new_password logout_all_sessions reset_password_key ' +
    'last_reset_password_key_generated_on last_password_reset_date redirect_url document_follow_notify document_follow_frequency ' +
    'follow_created_documents follow_commented_documents follow_liked_documents follow_assigned_documents follow_shared_documents ' +
    'email_signature thread_notify send_me_a_copy allowed_in_mentions module_profile home_settings simultaneous_sessions ' +
    'restrict_ip last_ip login_after login_before last_active bypass_restrict_ip_check_if_2fa_enabled last_login last_known_versions ' +
    'api_key api_secret onboarding_status default_workspace default_app show_absolute_datetime_in_timeline code_editor_type ' +
    'search_bar notifications list_sidebar bulk_actions view_switcher form_sidebar timeline dashboard background_image ' +
    'background_style github_userid github_username google_userid fb_userid fb_username frappe_userid ' +
    '_user_tags _comments _assign _liked_by _seen',
  note: 'Whether people need a second factor is a setting of the whole site (System Settings, Two Factor Authentication), and is not in this table.',
});

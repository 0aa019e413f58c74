import type { SourceRecord } from '../containers/table.ts';
import {
  argon2Hash,
  hashText,
  PLAIN_TEXT_PASSWORDS,
  pbkdf2Hash,
  scryptHash,
  unknownAlgorithm,
} from '../fields/hashes.ts';
import { looksLikeHash } from '../fields/looks-like-hash.ts';
import { chosenProvider, knownThirdPartyId, lacksServers } from '../fields/providers.ts';
import { byWord } from '../fields/states.ts';
import { timeOf } from '../fields/time.ts';
import { cryptPassword, lockableHash } from '../fields/unix-account.ts';
import { bytesOf, flagOf, isSameAddress, listOf, objectOf, textOf } from '../fields/values.ts';
import type { Settings } from '../source.ts';
import type { SourcePassword } from '../source-user.ts';
import { type Address, type Row, system } from './declare.ts';

// PostfixAdmin

const MD5 = /^[0-9a-f]{32}$/;
/** Hash of crypt(3) in base64, as written with `sha512.b64` in PostfixAdmin's configuration. */
const CRYPT_IN_BASE64 = /^(?<scheme>\{[A-Z0-9]+-CRYPT)\.B64\}(?<text>[A-Za-z0-9+/]+=*)$/;
/** Scheme before a hash of Dovecot or courier-authlib: `{SHA512-CRYPT}`, `{SHA}`. */
const SCHEME = /^\{[A-Za-z0-9.-]+\}/;
/** Date that means "never" in PostfixAdmin. */
const NEVER = /^2000-01-01/;

/** Whether a stored password may be a hash. It is then never read as a plain-text password. */
const isHash = (stored: string) => looksLikeHash(stored) || SCHEME.test(stored) || /^[!*]+\$/.test(stored);

function readPassword(
  { password }: SourceRecord,
  { plainTextPasswords }: Settings,
): { password?: SourcePassword | undefined; isLocked: boolean } {
  const stored = textOf(password) ?? '';
  if (flagOf(plainTextPasswords) === true && stored !== '' && !isHash(stored))
    return { password: { plainText: stored }, isLocked: false };
  const { hash, isLocked } = lockableHash(stored);
  return { password: hash === undefined ? undefined : hashOf(hash), isLocked };
}

function hashOf(encoded: string): SourcePassword {
  if (MD5.test(encoded)) return { encoded, algorithm: 'hex-md5' };
  if (!encoded.startsWith('{')) return cryptPassword(encoded);
  const { scheme, text } = CRYPT_IN_BASE64.exec(encoded)?.groups ?? {};
  if (scheme === undefined || text === undefined) return { encoded, algorithm: 'dovecot' };
  return { encoded: `${scheme}}${Buffer.from(text, 'base64').toString()}`, algorithm: 'dovecot' };
}

function isExpired(expiry: unknown, nowMs: number): boolean {
  const endMs = NEVER.test(textOf(expiry) ?? '') ? undefined : timeOf(expiry);
  return endMs !== undefined && endMs <= nowMs;
}

const domainOf = ({ domain }: SourceRecord) => textOf(domain)?.toLowerCase();

/**
 * Mailboxes of PostfixAdmin. Its administrators are in a separate table, which is not read. Schema:
 * postfixadmin/postfixadmin: public/upgrade.php (4.0)
 */
export const postfixadmin = system('postfixadmin', 'PostfixAdmin', {
  settings: PLAIN_TEXT_PASSWORDS,

  isPrefixed: true,
  has: 'username password maildir quota domain active',
  joins: {
    domain: {
      has: 'domain backupmx active',
      on: domainOf,
      keep: 'active',
      unused: 'description aliases mailboxes maxquota quota transport created modified password_expiry',
      of: 'every',
      decides: 'states',
      missing: 'Domains may be switched off. Export it, too: mysqldump postfix mailbox domain > dump.sql.',
    },
  },
  unusedTables: `
      admin alias alias_domain domain_admins fetchmail log mailbox_app_password quota quota2 totp_exception_address
      vacation vacation_notification`,
  id: 'username',
  key: domainOf,
  email: 'username',
  joined: 'created',
  hash: ({ record, settings }) => readPassword(record, settings).password,
  metadata: 'name email_other',
  states: { active: 'active' },
  state: ({ record, settings, joined }) => {
    const isOff = joined('domain').some(({ active }) => flagOf(active) !== true);
    return isOff || readPassword(record, settings).isLocked ? 'DISABLED' : undefined;
  },
  phone: 'phone',
  totp: 'totp_secret',
  drops: { 'forced password changes': ({ record, nowMs }) => isExpired(record.password_expiry, nowMs) },
  reads: 'password_expiry',
  unused: 'local_part modified token token_validity smtp_active',
});

// Gitea and Forgejo

/** Values of `login_type` for which Gitea verifies the password itself: none, plain, and OAuth 2.0. */
const OWN_LOGINS = ['0', '1', '6'];

/** Returns the user's own address, and all activated ones. */
const addressesOf = ({ record, joined }: Row): Address[] =>
  joined('email_address')
    .filter(
      ({ email, is_activated }) =>
        flagOf(is_activated) === true || isSameAddress(textOf(email) ?? '', textOf(record.email) ?? ''),
    )
    .map(({ email, is_activated }) => ({ email, isVerified: is_activated }));

/** Schema: go-gitea/gitea 1.27: models/user/user.go, modules/auth/password/hash, and Forgejo 12 */
export const gitea = system('gitea', 'Gitea and Forgejo', {
  table: 'user',
  has: 'id lower_name email passwd passwd_hash_algo rands salt prohibit_login is_active type',
  joins: {
    email_address: {
      table: 'email_address',
      has: 'uid email is_activated',
      keep: 'email is_activated',
      unused: 'id lower_email is_primary',
      missing:
        'Without the table email_address, only the address of each user is known. Dump the whole database.',
    },
    external_login_user: {
      table: 'external_login_user',
      has: 'user_id external_id login_source_id',
      keep: 'provider userId=external_id email login_source_id',
      unused:
        'raw_data name first_name last_name nick_name description avatar_url location access_token ' +
        'access_token_secret refresh_token expires_at',
      missing: 'Without the table external_login_user, nobody has a social login. Dump the whole database.',
    },
    login_source: {
      table: 'login_source',
      has: 'id type name cfg',
      keep: ({ cfg, is_active }) => {
        const { Provider: kind, CustomURLMapping, OpenIDConnectAutoDiscoveryURL } = objectOf(cfg) ?? {};
        const { AuthURL, ProfileURL } = objectOf(CustomURLMapping) ?? {};
        const servers = [AuthURL, ProfileURL, OpenIDConnectAutoDiscoveryURL];
        return { kind, servers, isOff: flagOf(is_active) === false };
      },
      unused: '*',
      missing: lacksServers('login_source'),
    },
    two_factor: {
      table: 'two_factor',
      has: 'uid scratch_salt scratch_hash',
      are: 'factors',
      unused: 'id secret scratch_token last_used_passcode created_unix updated_unix',
      missing: 'Dump the whole database.',
    },
  },
  unusedTables:
    'abuse_report access access_token action action_run action_run_attempt action_schedule auth_token collaboration email_hash federated_user follow forgejo_auth_token ' +
    'forgejo_blocked_user forgejo_user_activity issue_dependency issue_user issue_watch notification oauth2_application ' +
    'oauth2_authorization_code oauth2_grant org_user package_property quota_group_mapping reaction remember_me_token review_state session star stopwatch ' +
    'team_invite team_user tracked_time user_badge user_blocking user_open_id user_redirect user_setting watch',
  email: 'email',
  addresses: addressesOf,
  verified: ({ record }) => flagOf(record.is_active),
  joined: 'created_unix',
  hash: ({ record }) =>
    OWN_LOGINS.includes(textOf(record.login_type) ?? '0') ? passwordOf(record) : undefined,
  identities: ({ joined }) =>
    joined('external_login_user').flatMap(({ provider, userId, email, login_source_id }) => {
      // The source of an account says what kind of provider it is. If it was deleted, only the account's name is known.
      const [source] = joined('login_source', textOf(login_source_id) ?? '');
      if (source === undefined) return { provider, userId, email };
      if (source.isOff === true) return [];
      const kind = source.kind === 'gplus' ? 'google' : (textOf(source.kind) ?? '');
      return knownThirdPartyId(kind) === undefined
        ? { ...chosenProvider(textOf(provider) ?? 'unknown'), userId, email }
        : { provider: kind, userId, email, servers: listOf(source.servers) };
    }),
  metadata: 'username=name name=full_name location website language',
  states: {
    is_active: 'active',
    prohibit_login: 'disabled',
    // 0: persons. 1: organisations. 2: reserved names of persons. 3: reserved names of organisations. 4: bots.
    // 5: people of other servers.
    type: byWord({ ACTIVE: '0', DISABLED: '2 5', SERVICE_ACCOUNT: '1 3 4' }),
  },
  // Users of a disabled source cannot sign in, not even with a password: services/auth/signin.go.
  state: ({ record, joined }) =>
    joined('login_source', textOf(record.login_source) ?? '').some(({ isOff }) => isOff === true)
      ? 'DISABLED'
      : undefined,
  roles: 'is_admin',
  drops: { 'forced password changes': 'must_change_password' },
  reads: 'login_type',
  unused:
    'name full_name keep_email_private email_notifications_preference login_source login_name description updated_unix last_login_unix ' +
    'last_repo_visibility max_repo_creation is_restricted allow_git_hook allow_import_local allow_create_organization avatar ' +
    'avatar_email use_custom_avatar num_followers num_following num_stars num_repos num_teams num_members visibility ' +
    'repo_admin_change_team_access diff_view_style theme keep_activity_private pronouns keep_pronouns_private ' +
    'enable_repo_unit_hints normalized_federated_uri',
});

/** Default parameters, for hashes whose `passwd_hash_algo` has no parameters. */
const DEFAULTS: Readonly<Record<string, string>> = {
  pbkdf2: '10000$50',
  argon2: '2$65536$8$50',
  scrypt: '65536$16$2$50',
};
/** Length of salts that are text. Longer ones are in hexadecimal digits. */
const TEXT_SALT = 10;

/** Reads a digest in hexadecimal digits with its algorithm, such as `pbkdf2$50000$50` (rounds, bytes). */
function passwordOf(record: SourceRecord): SourcePassword | undefined {
  const [encoded, spec] = [hashText(record.passwd), textOf(record.passwd_hash_algo)];
  const text = textOf(record.salt) ?? '';
  if (encoded === undefined || spec === undefined) return undefined;
  const [name = '', ...given] = spec.split('$');
  if (name === 'bcrypt') return { encoded, algorithm: 'bcrypt' };
  const parameters = given.length > 0 ? given : (DEFAULTS[name]?.split('$') ?? []);
  const [first, second, third] = parameters;
  const salt = text === '' ? Buffer.alloc(0) : bytesOf(text, text.length === TEXT_SALT ? 'utf8' : 'hex');
  const hash = bytesOf(encoded, 'hex');
  switch (name) {
    case 'pbkdf2':
      return pbkdf2Hash({ digest: 'sha256', iterations: first, salt, hash });
    case 'argon2':
      return argon2Hash({ variant: 'argon2id', passes: first, memoryKiB: second, lanes: third, salt, hash });
    case 'scrypt':
      return scryptHash({ cost: first, blockSize: second, parallelization: third, salt, hash });
    default:
      return unknownAlgorithm('passwd_hash_algo is none that is known');
  }
}

// Frappe

/** Families of passlib, the only ones that Frappe accepts. */
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
    // The table also has other secrets, which are encrypted.
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
      // The table also has a random id for each user, with the provider `frappe`.
      on: ({ parent, parenttype, provider }) =>
        parenttype === 'User' && provider !== 'frappe' ? textOf(parent) : undefined,
      keep: 'provider userid',
      unused: 'name creation modified modified_by owner docstatus idx parentfield username',
      missing: 'Without the table tabUser Social Login, nobody has a social login. Dump it, too.',
    },
    // Sites choose the names of these keys, and one for GitHub may be for a private server.
    keys: {
      has: 'name social_login_provider base_url',
      keep: 'social_login_provider base_url',
      unused: '*',
      missing: lacksServers('tabSocial Login Key'),
    },
  },
  // Only tabUser decides who may sign in: frappe/auth.py. Tables with other names may belong to an app.
  unusedTables: UNUSED.split(', ').flatMap((name) => (name.startsWith('__') ? name : `tab${name}`)),
  id: 'name',
  joined: 'creation',
  hash: ({ joined }) => {
    const encoded = hashText(joined('passwords')[0]?.password);
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
  unused: `
    modified modified_by owner docstatus idx user_type send_welcome_email unsubscribed user_image
    role_profile_name gender birth_date interest banner_image desk_theme mute_sounds new_password
    logout_all_sessions reset_password_key last_reset_password_key_generated_on last_password_reset_date
    redirect_url document_follow_frequency document_follow_notify follow_assigned_documents
    follow_commented_documents follow_created_documents follow_liked_documents follow_shared_documents
    email_signature thread_notify send_me_a_copy allowed_in_mentions module_profile home_settings
    simultaneous_sessions restrict_ip last_ip login_after login_before last_active
    bypass_restrict_ip_check_if_2fa_enabled last_login last_known_versions api_key api_secret
    onboarding_status default_workspace default_app show_absolute_datetime_in_timeline code_editor_type
    search_bar notifications list_sidebar bulk_actions view_switcher form_sidebar timeline dashboard
    background_image background_style github_userid github_username google_userid fb_userid fb_username
    frappe_userid _user_tags _comments _assign _liked_by _seen`,
  note: 'Whether people need a second factor is a setting of the whole site (System Settings, Two Factor Authentication), and is not in this table.',
});

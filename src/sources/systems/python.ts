import type { JsonObject } from '../../lib/json/json-object.ts';
import type { SourceRecord, TableHead } from '../containers/table.ts';
import { hashText, selfDescribingHash } from '../fields/hashes.ts';
import { addressOf, EMAIL_DOMAIN } from '../fields/login-address.ts';
import { secondFactors } from '../fields/second-factors.ts';
import { byWord, stateOf } from '../fields/states.ts';
import { timeOf, timeOfObjectId } from '../fields/time.ts';
import { flagOf, listOf, objectOf, objectsOf, textInBytes, textOf } from '../fields/values.ts';
import type { Settings } from '../source.ts';
import type { SourcePassword } from '../source-user.ts';
import { cellOf, hashOf, type Join, type Row, system, type Users, words } from './declare.ts';

// Django

const naturalKey = (key: string) => `natural:${key}`;

/** Returns the key of a record's user: the id, or the natural key, which is a list in fixtures of --natural-foreign. */
function userOf(record: SourceRecord): string | undefined {
  const user = cellOf(record, 'user_id|user');
  if (!Array.isArray(user)) return textOf(user);
  const key = user.length === 1 ? textOf(user[0]) : undefined;
  return key === undefined ? undefined : naturalKey(key);
}

/** Returns the id of a user. It is `pk` in fixtures, and missing in those made with --natural-primary. */
function idOf(record: SourceRecord): string | undefined {
  const id = textOf(record.pk) ?? textOf(record.id);
  // Ids of Django users are numbers. The text `t` is the id 1, which a CSV export has converted to true.
  return id === 't' && record.is_superuser !== undefined && typeof record.id === 'string' ? '1' : id;
}

/** Returns the natural key, Django's USERNAME_FIELD: the user name, or the address if the model has no user names. */
function naturalKeyOf(record: SourceRecord): string | undefined {
  const key = textOf(record.username === undefined ? record.email : record.username);
  return key === undefined ? undefined : naturalKey(key);
}

/** Returns the user's records in a joined table, found by id or by natural key. */
function foundFor({ record, joined }: Row, name: string): readonly JsonObject[] {
  return [idOf(record), naturalKeyOf(record)].flatMap((key) => (key === undefined ? [] : joined(name, key)));
}

const isSso = (provider: unknown) => ['saml', 'openid_connect', 'oidc'].includes(textOf(provider) ?? '');

const joins: Readonly<Record<string, Join>> = {
  addresses: {
    table: 'account_emailaddress emailaddress',
    has: 'user_id|user email verified primary',
    on: userOf,
    keep: 'email verified primary',
    unused: 'id pk',
  },
  // python-social-auth has the same columns, but `created` instead of `date_joined`.
  accounts: {
    table: 'socialaccount_socialaccount socialaccount',
    has: 'user_id|user provider uid extra_data date_joined',
    on: userOf,
    keep: ({ provider, uid, extra_data }) => {
      const data = objectOf(extra_data);
      const isVerified = flagOf(data?.email_verified) ?? flagOf(data?.verified_email);
      // These are URLs of the server (`html_url` of GitHub, `web_url` of GitLab), which may be a private one.
      const servers = [data?.iss, objectOf(data?.id_token)?.iss, data?.html_url, data?.web_url];
      return { provider, userId: uid, email: data?.email, isVerified, servers, isSso: isSso(provider) };
    },
    unused: 'id pk last_login',
  },
  socialAuth: {
    table: 'social_auth_usersocialauth usersocialauth',
    has: 'user_id|user provider uid extra_data created',
    on: userOf,
    // By default, python-social-auth stores addresses instead of ids of accounts at Google and Microsoft.
    keep: ({ provider, uid }) => ({
      provider: textOf(provider)?.replace(/^(google|linkedin)-.*|^(apple)-id$/, '$1$2'),
      userId: textOf(uid)?.includes('@') ? undefined : textOf(uid),
      isSso: isSso(provider),
    }),
    unused: 'id pk id_key modified',
  },
  // Second factors of allauth (`authenticator`), and of django-otp and django-two-factor-auth.
  factors: {
    table:
      'mfa_authenticator authenticator otp_totp_totpdevice totpdevice otp_hotp_hotpdevice hotpdevice otp_static_staticdevice staticdevice otp_email_emaildevice emaildevice two_factor_phonedevice phonedevice',
    has: 'user_id|user data|name type|confirmed',
    on: userOf,
    keep: secondFactors.keep,
    reads: 'key step tolerance digits data name type confirmed',
    unused:
      'id pk created_at last_used_at throttling_failure_count t0 drift last_t counter throttling_failure_timestamp last_generated_timestamp email token valid_until number method',
  },
};

/** Source: django/contrib/auth/hashers.py */
const FAMILIES = words(
  `django-pbkdf2 django-argon2 django-bcrypt django-bcrypt-sha256 django-scrypt django-unsalted-md5 django-salted-md5
  django-unsalted-sha1 django-salted-sha1 django-crypt`,
);

const USERS = {
  joins,
  // Metabase has `password_salt`, and Zulip `delivery_email`. Otherwise, their tables have all columns of Django.
  hasNot: 'password_salt delivery_email',
  id: 'pk|id',
  key: (record) => idOf(record) ?? naturalKeyOf(record),
  email: 'email',
  username: 'username',
  // Users sign in with the address in their own row. allauth's table says whether it is verified, and has other
  // addresses.
  addresses: (row) =>
    foundFor(row, 'addresses').map(({ email, verified, primary }) => ({
      ...{ email, isVerified: verified, isPrimary: flagOf(primary) === true },
    })),
  joined: 'date_joined',
  // An exclamation mark means that the Django user cannot sign in with a password.
  hash: ({ record }) => {
    const encoded = hashText(record.password);
    return encoded === undefined || encoded.startsWith('!') ? undefined : { encoded, families: FAMILIES };
  },
  identities: (row) => ['accounts', 'socialAuth'].flatMap((name) => foundFor(row, name)),
  metadata: 'username first_name last_name',
  // A model may lack `is_active`. If its value is null, the user cannot sign in.
  states: { is_active: 'active' },
  factors: (row) => {
    const devices = foundFor(row, 'factors');
    return devices.length > 0 && devices.flatMap(({ totp }) => objectsOf(totp));
  },
  // A fixture made with --natural-foreign has names of groups in place of ids.
  roles: ({ record }) => {
    const groups = listOf(record.groups);
    const names = groups.flatMap((group) => (Array.isArray(group) ? group.slice(0, 1) : []));
    return names.length > 0 ? names : groups.length > 0;
  },
  user: (row) => ({ externalUserId: idOf(row.record) }),
  reads: 'is_superuser groups',
  unused: 'last_login is_staff user_permissions',
  unusedTables:
    '*_groups *_user_permissions auditlog_logentry axes_* defender_accessattempt django_admin_log easyaudit_* filer_* guardian_userobjectpermission impersonate_impersonationlog logentry authtoken_token token:key reversion_revision user_sessions_session usersessions_usersession usersession socialaccount_socialtoken social_auth_code social_auth_partial token_blacklist_outstandingtoken outstandingtoken knox_authtoken oauth2_provider_application oauth2_provider_devicegrant oauth2_provider_grant oauth2_provider_accesstoken oauth2_provider_refreshtoken oauth2_provider_idtoken',
  warning: {
    text: 'These users have no ids: the fixture was made with --natural-primary. Leave that out, so that your tables still find their users: python manage.py dumpdata auth.user account.emailaddress socialaccount.socialaccount -o users.json',
    when: ({ tables }) =>
      tables
        .filter((table) => isFixture(table) || isTable(table))
        .some(({ first }) => first.some((record) => idOf(record) === undefined)),
  },
  note: {
    text: 'There are no social accounts here. Where the site has django-allauth, export them, too: python manage.py dumpdata auth.user account.emailaddress socialaccount.socialaccount -o users.json',
    when: ({ tables }) => !tables.some(({ columns }) => columns.has('uid') && columns.has('extra_data')),
  },
} as const satisfies Partial<Users>;

const isTable = ({ columns }: TableHead) =>
  ['password', 'last_login', 'is_superuser'].every((name) => columns.has(name));

/** Whether a table is a fixture of users: named `app.model`, with the fields of all user models, and `pk` for `id`. */
const isFixture = ({ name, columns }: TableHead) =>
  /^[a-z_]\w*\.[a-z_]\w*$/i.test(name) &&
  ['password', 'last_login'].every((column) => columns.has(column)) &&
  (columns.has('pk') || !columns.has('id'));

/**
 * Django, with the tables of django-allauth, python-social-auth and django-otp. Schema: django/django:
 * django/contrib/auth/models.py (5.2); pennersr/django-allauth: allauth/account, socialaccount and mfa (65);
 * python-social-auth/social-app-django: social_django/models.py
 */
export const django = system('django', 'Django', [
  {
    ...USERS,
    forms: { json: 'django-dumpdata' },
    has: 'password email|username',
    proof: 'password last_login',
    only: isFixture,
  },
  {
    ...USERS,
    // In JSON: Django's `User.objects.values()`, or `json_agg` of psql. `is_superuser`, which Django's permissions add,
    // distinguishes the users from other models of an app.

    has: 'password email|username',
    proof: 'password last_login is_superuser',
  },
]);

// FastAPI Users

/** Prefix of Google ids in FastAPI Users, which are of the People API. The rest is the id in Google's tokens. */
const PEOPLE = 'people/';

function identityOf({ oauth_name, account_id, account_email }: JsonObject) {
  const id = textOf(account_id);
  const isOfGoogle = oauth_name === 'google' && id?.startsWith(PEOPLE);
  return {
    provider: oauth_name,
    userId: isOfGoogle ? id?.slice(PEOPLE.length) : id,
    email: account_email,
  };
}

/**
 * FastAPI Users with SQLAlchemy or Beanie. Schema: fastapi-users/fastapi-users-db-sqlalchemy:
 * fastapi_users_db_sqlalchemy/__init__.py and access_token.py (7.0)
 */
export const fastapiUsers = system('fastapi-users', 'FastAPI Users', {
  // Django has `is_superuser` and `is_active`, too, but calls the hash `password`.
  has: 'email hashed_password is_active is_superuser is_verified',
  joins: {
    accounts: {
      has: 'user_id oauth_name account_id account_email',
      are: 'accounts',
      keep: identityOf,
      unused: 'id access_token expires_at refresh_token',
    },
  },
  unusedTables: 'accesstoken',
  id: 'id|_id',
  verified: 'is_verified',
  joined: ({ record }) => timeOf(record.created_at) ?? timeOfObjectId(textOf(record._id) ?? ''),
  hash: 'hashed_password',
  // With the database library Beanie, FastAPI Users stores accounts within the user.
  identities: ({ record }) => objectsOf(record.oauth_accounts).map(identityOf),
  metadata: 'username name=full_name|name first_name last_name',
  states: { is_active: 'active' },
  roles: 'is_superuser',
  reads: 'created_at oauth_accounts',
  warning: {
    text: 'The ids of Microsoft accounts are those of Microsoft Graph, which the tokens that apps get by OpenID Connect have as oid, and not as sub. Look which one is the id here, before you import.',
    when: ({ tables }) =>
      tables.some(({ first }) => first.some(({ oauth_name }) => oauth_name === 'microsoft')),
  },
});

// Flask-Security

/**
 * Schemes of Flask-Security that always hash the password itself, whatever SECURITY_PASSWORD_SINGLE_HASH
 * says.
 */
const DJANGO = /^(?:argon2|bcrypt|bcrypt_sha256|pbkdf2_sha1|pbkdf2_sha256|sha1|md5)\$/;

function passwordOf(encoded: string | undefined, { singleHash }: Settings): SourcePassword | undefined {
  const isSingle = flagOf(singleHash) === true || DJANGO.test(encoded ?? '');
  return isSingle ? selfDescribingHash(encoded) : hashOf('flask-security', encoded);
}

/** Schema: pallets-eco/flask-security: flask_security/models/fsqla.py to fsqla_v4.py, utils.py (5.7) */
export const flaskSecurity = system('flask-security', 'Flask-Security', {
  settings: {
    singleHash: 'yes: SECURITY_PASSWORD_SINGLE_HASH is True, so that SECURITY_PASSWORD_SALT is in no hash',
  },

  has: 'email password active',
  // Exists since Flask-Security 4. Earlier tables look like those of many systems.
  proof: 'fs_uniquifier',
  joins: {
    roles: { has: 'user_id role_id', are: 'roles' },
    // Passkeys may be the first factor or the second.
    passkeys: {
      has: 'user_id credential_id sign_count usage',
      are: 'factors',
      unused:
        'id public_key transports backup_state device_type extensions create_datetime lastuse_datetime name',
    },
  },
  // Without this column, the app does not confirm addresses.
  verified: 'confirmed_at',
  joined: 'create_datetime|created_at',
  hash: ({ record, settings }) => passwordOf(hashText(record.password), settings),
  metadata: 'username name first_name last_name',
  states: { active: 'active' },
  phone: 'us_phone_number|tf_phone_number',
  factors: 'tf_primary_method tf_totp_secret us_totp_secrets mf_recovery_codes',
  unused:
    'fs_token_uniquifier fs_webauthn_user_handle last_login_at current_login_at last_login_ip current_login_ip login_count update_datetime',
  warning: {
    text: 'Every password was hashed with SECURITY_PASSWORD_SALT: put it into hashing_secrets of the service as the default of algorithm flask-security, or name it with --hashing-secret-id ID. If SECURITY_PASSWORD_SINGLE_HASH is set to True, add --set singleHash=yes instead. Prove one password first.',
    when: ({ settings, hasSecret }) => flagOf(settings.singleHash) !== true && hasSecret !== true,
  },
});

// Flask-AppBuilder

/** Domain of addresses that Flask-AppBuilder invents for users whose directory or provider has none. */
const NO_ADDRESS = '@email.notfound';

/**
 * Superset and Airflow store their users in Flask-AppBuilder. Schema: dpgaspar/Flask-AppBuilder:
 * flask_appbuilder/security/sqla/models.py (5.0); apache/superset: superset/models (tables that refer to users)
 */
export const flaskAppBuilder = system('flask-appbuilder', 'Flask-AppBuilder (Superset, Airflow)', {
  table: 'ab_user',
  has: 'username password active email login_count fail_login_count',
  email: ({ record }) => (textOf(record.email)?.endsWith(NO_ADDRESS) ? undefined : record.email),
  username: 'username',
  joined: 'created_on',
  hash: ({ record }) => hashOf('werkzeug', record.password),
  metadata: 'username first_name last_name',
  states: { active: 'active' },
  unused: 'last_login changed_on created_by_fk changed_by_fk',
  unusedTables:
    'ab_user_role ab_user_group ab_api_key ab_register_user cache_keys dag_run_note dashboard_user database_user_oauth2_tokens favstar keyvalue logs query report_schedule_user saved_query sl_dataset_users slice_user slices:last_saved_by_fk sqlatable_user tab_state tagged_object task_instance_note task_subscribers user_attribute user_favorite_tag',
  note: 'Roles (ab_user_role) are not imported. Users of OAuth, LDAP or REMOTE_USER have no hash, or that of an empty or random password, and no id of their account: they need a new password.',
});

// JupyterHub

/**
 * JupyterHub with NativeAuthenticator. Schema: jupyterhub/nativeauthenticator: nativeauthenticator/orm.py (1.3);
 * jupyterhub/jupyterhub: jupyterhub/orm.py (5.4)
 */
export const jupyterhub = system('jupyterhub', 'JupyterHub (NativeAuthenticator)', {
  table: 'users_info',
  settings: EMAIL_DOMAIN,
  has: 'username password is_authorized email has_2fa otp_secret',
  joins: {
    // Users of the hub itself, without hashes. The user name is the only id that both tables have.
    hubUsers: {
      table: 'users',
      has: 'name admin created cookie_id',
      by: 'username',
      keep: 'admin created',
      unused: 'id user_info last_activity state encrypted_auth_state auth_token _server_id',
      missing:
        'The table users of the hub is missing, so it is not known when anybody joined: pg_dump --data-only -t users_info -t users jupyterhub > dump.sql.',
    },
  },
  unusedTables:
    'api_tokens oauth_access_tokens oauth_codes services share_codes shares spawners user_group_map user_role_map',
  joined: ({ joined }) => timeOf(joined('hubUsers')[0]?.created),
  hash: ({ record }) => selfDescribingHash(textInBytes(record.password) ?? record.password),
  metadata: 'username',
  // JupyterHub users can sign in only after an admin, or a link in an e-mail, has authorised them.
  states: { is_authorized: 'active' },
  // Every user has a secret, even without a second factor.
  factors: ({ record }) => flagOf(record.has_2fa) !== false,
  totp: 'otp_secret',
  roles: ({ joined }) => flagOf(joined('hubUsers')[0]?.admin) === true,
  username: 'username',
  // Most JupyterHubs do not ask for an address. A user name with an `@` counts as one only if the operator says so.
  user: ({ record: { email, username }, settings }) =>
    textOf(email) === undefined && textOf(username)?.includes('@') === false
      ? addressOf(textOf(username), settings)
      : {},
  unused: 'login_email_sent',
});

// web2py and py4web

/** States by py4web's `action_token`, without the secret that may follow its first colon. */
const ACTIONS = byWord({
  ACTIVE: 'reset-password-request',
  DISABLED: 'pending-registration pending-approval account-blocked',
});

/** Schema: web2py/web2py: gluon/tools.py (auth_user), web2py/py4web: py4web/utils/auth.py */
export const web2py = system('web2py', 'web2py and py4web', {
  table: 'auth_user',
  has: 'id email password first_name last_name registration_key|action_token',
  hasNot: 'is_staff is_superuser date_joined',
  joined: 'created_on',
  hash: 'password',
  families: 'web2py',
  // web2py's registration_id is not read: it may be an address at another provider, and does not name the provider.
  identities: ({ record }) => {
    const [, provider, userId] = /^([^:]+):(.+)$/s.exec(textOf(record.sso_id) ?? '') ?? [];
    return provider === undefined ? [] : [{ provider, userId }];
  },
  metadata: 'username first_name last_name',
  states: { is_active: 'active' },
  mayLack: { is_active: 'of tables with record versioning' },
  state: (row) => {
    const { registration_key, action_token } = row.record;
    // web2py: pending, blocked, disabled, or the token that confirms a registration.
    if ((textOf(registration_key) ?? '').trim() !== '') return 'DISABLED';
    return stateOf('action_token', textOf(action_token)?.split(':', 1)[0], ACTIONS, row);
  },
  phone: 'phone_number',
  reads: 'sso_id registration_key action_token',
  unused:
    'registration_id reset_password_key last_password_change past_passwords_hash created_by modified_on modified_by',
  unusedTables:
    'auth_membership auth_event auth_cas auth_permission auth_user_archive auth_user_tag_groups auth_api_token auth_simple_token py4web_session',
});

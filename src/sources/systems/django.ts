import type { JsonObject } from '../../lib/json/json-object.ts';
import type { SourceRecord, TableHead } from '../containers/table.ts';
import { secondFactors } from '../fields/second-factors.ts';

import { flagOf, listOf, objectOf, objectsOf, textOf } from '../fields/values.ts';

import { cellOf, type Identity, type Join, type Row, system, type Users, words } from './declare.ts';

const naturalKey = (key: string) => `natural:${key}`;

/** Key of the user of a record: the id, or the natural key, which fixtures made with --natural-foreign have as a list. */
function userOf(record: SourceRecord): string | undefined {
  const user = cellOf(record, 'user_id|user');
  if (!Array.isArray(user)) return textOf(user);
  const key = user.length === 1 ? textOf(user[0]) : undefined;
  return key === undefined ? undefined : naturalKey(key);
}

/** A fixture has `pk`; one made with --natural-primary has no ids. */
function idOf(record: SourceRecord): string | undefined {
  const id = textOf(record.pk) ?? textOf(record.id);
  // Ids of Django users are numbers. `t` is the number 1, which a CSV export converted to true.
  return id === 't' && record.is_superuser !== undefined && typeof record.id === 'string' ? '1' : id;
}

/** The natural key is USERNAME_FIELD, which is never an address where the model has user names. */
function naturalKeyOf(record: SourceRecord): string | undefined {
  const key = textOf(record.username === undefined ? record.email : record.username);
  return key === undefined ? undefined : naturalKey(key);
}

/** The user's records in a joined table, by id or by natural key. */
function foundFor({ record, joined }: Row, name: string): readonly JsonObject[] {
  return [idOf(record), naturalKeyOf(record)].flatMap((key) => (key === undefined ? [] : joined(name, key)));
}

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
      // The profile of GitHub has `html_url`, and that of GitLab `web_url`. GITHUB_URL and GITLAB_URL may be other servers.
      const servers = [data?.iss, objectOf(data?.id_token)?.iss, data?.html_url, data?.web_url];
      return { provider, userId: textOf(uid), email: textOf(data?.email), isVerified, servers };
    },
    unused: 'id pk last_login',
  },
  socialAuth: {
    table: 'social_auth_usersocialauth usersocialauth',
    has: 'user_id|user provider uid extra_data created',
    on: userOf,
    keep: ({ provider, uid }) => ({ provider, uid: textOf(uid) }),
    unused: 'id pk id_key modified',
  },
  // allauth's authenticators, and the devices of django-otp and django-two-factor-auth.
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

const SSO = new Set(['saml', 'openid_connect', 'oidc']);

function identitiesOf(row: Row): Identity[] {
  const ofAllauth = foundFor(row, 'accounts').map(({ provider, ...rest }) => ({
    provider,
    userId: rest.userId,
    email: rest.email,
    isVerified: rest.isVerified,
    servers: listOf(rest.servers),
    isSso: SSO.has(textOf(provider) ?? ''),
  }));
  // python-social-auth by default takes addresses for ids of accounts at Google and Microsoft.
  const ofSocialAuth = foundFor(row, 'socialAuth').map(({ provider, uid }) => ({
    provider: textOf(provider)?.replace(/^(google|linkedin)-.*|^(apple)-id$/, '$1$2'),
    userId: textOf(uid)?.includes('@') ? undefined : uid,
    isSso: SSO.has(textOf(provider) ?? ''),
  }));
  return [...ofAllauth, ...ofSocialAuth];
}

const USERS = {
  joins,
  // Metabase's salts, and Zulip's addresses to write to. Their tables have all columns of Django's otherwise.
  hasNot: 'password_salt delivery_email',
  id: 'pk|id',
  key: (record) => idOf(record) ?? naturalKeyOf(record),
  email: 'email',
  username: 'username',
  // The address of the user's own row is the one to sign in with; allauth knows whether it is verified, and others.
  addresses: (row) =>
    foundFor(row, 'addresses').map(({ email, verified, primary }) => ({
      ...{ email, isVerified: verified, isPrimary: flagOf(primary) === true },
    })),
  joined: 'date_joined',
  // An exclamation mark means that the Django user cannot sign in with a password.
  hash: ({ record }) => {
    const encoded = textOf(record.password);
    return encoded === undefined || encoded.startsWith('!') ? undefined : { encoded, families: FAMILIES };
  },
  identities: identitiesOf,
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

/** Records of `app.model` with the fields of all user models, which do not include `id`. */
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
    // In JSON: Django's `User.objects.values()`, or `json_agg` of psql. A model of the app counts only with
    // `is_superuser`, which Django's permissions add.

    has: 'password email|username',
    proof: 'password last_login is_superuser',
  },
]);

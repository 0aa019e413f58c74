import type { JsonObject } from '../../lib/json/json-object.ts';
import type { TableHead } from '../containers/table.ts';
import {
  digestHash,
  hashText,
  pbkdf2Hash,
  unknownAlgorithm,
  unsupportedAlgorithm,
} from '../fields/hashes.ts';
import { mayBePrefixed, oncePerName } from '../fields/tables.ts';
import { totpOfBase32 } from '../fields/totp.ts';
import { flagOf, listOf, objectOf, textInBytes, textOf } from '../fields/values.ts';
import { listedNames } from '../mapping/column.ts';
import type { AdviceContext } from '../source.ts';
import type { SourcePassword } from '../source-user.ts';
import { cellOf, type Identity, type Row, system, type Users, words } from './declare.ts';

/** Casdoor's columns that contain the user's id at a provider. */
const PROVIDERS =
  'github google qq wechat facebook dingtalk weibo gitee linkedin wecom lark gitlab adfs baidu alipay casdoor infoflow apple azuread azureadb2c slack steam bilibili okta douyin kwai line amazon auth0 battlenet bitbucket box cloudfoundry dailymotion deezer digitalocean discord dropbox eveonline fitbit gitea heroku influxcloud instagram intercom kakao lastfm mailru meetup microsoftonline naver nextcloud onedrive oura patreon paypal salesforce shopify soundcloud spotify strava stripe telegram tiktok tumblr twitch twitter typetalk uber vk wepay xero yahoo yammer yandex zoom metamask web3onboard custom custom2 custom3 custom4 custom5 custom6 custom7 custom8 custom9 custom10';

/** Columns of the table of users, of all versions. */
const COLUMNS = `owner name created_time updated_time deleted_time id external_id type password password_salt password_type display_name first_name last_name avatar avatar_type permanent_avatar email email_verified phone country_code region location address addresses affiliation title id_card_type id_card real_name is_verified homepage bio tag language gender birthday education score karma ranking balance balance_credit currency balance_currency is_default_avatar is_online is_admin is_global_admin is_forbidden is_deleted signup_application hash pre_hash register_type register_source access_token original_token original_refresh_token created_ip last_signin_time last_signin_ip ${PROVIDERS} webauthn_credentials preferred_mfa_type recovery_codes totp_secret mfa_phone_enabled mfa_email_enabled mfa_radius_enabled mfa_radius_username mfa_radius_provider mfa_push_enabled mfa_push_receiver mfa_push_provider multi_factor_auths invitation invitation_code face_ids cart ldap uid_number properties third_party_links roles permissions groups last_change_password_time last_signin_wrong_time signin_wrong_times managed_accounts mfa_accounts mfa_items mfa_remember_deadline need_update_password ip_whitelist application_scopes`;

const OF_ORGANIZATIONS =
  'owner created_time display_name website_url logo logo_dark favicon has_privilege_consent password_options password_obfuscator_type password_obfuscator_key password_expire_days token_retention_days record_retention_days country_codes phone_prefix default_avatar use_permanent_avatar default_application default_token_format user_types tags languages theme_data master_password default_password master_verification_code ip_whitelist init_score enable_soft_deletion is_profile_public use_email_as_username enable_tour ip_restriction nav_items user_nav_items widget_items mfa_items mfa_remember_in_hours account_menu account_items dcr_policy ldap_attributes kerberos_realm kerberos_kdc_host kerberos_keytab kerberos_service_name org_balance user_balance balance_credit balance_currency';

/** Returns names of columns as in Casdoor's tables, and as in its JSON, in camel case: `is_admin|isAdmin`. */
const spelled = (names: string): string =>
  names
    .split(' ')
    .map((name) => `${name}|${name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())}`)
    .join(' ');

const spelledOnce = oncePerName(spelled);
const cell = ({ record }: Pick<Row, 'record'>, name: string): unknown => cellOf(record, spelledOnce(name));

/**
 * Algorithms by Casdoor's password type: with a salt (`salted`) and without (`bare`). `salted` digests the
 * password's hexadecimal digest with the salt after it.
 */
const DIGESTS: Readonly<Record<string, { salted: string; bare: string }>> = {
  salt: { salted: 'xenforo-sha256', bare: 'hex-sha256' },
  'sha512-salt': { salted: 'casdoor-sha512', bare: 'hex-sha512' },
  'md5-salt': { salted: 'vbulletin', bare: 'hex-md5' },
};

/** A stored password. `type` and `salt` are those of the user, or else those of the organisation. */
export interface StoredPassword {
  encoded: string;
  type: string | undefined;
  salt: string | undefined;
}

/** Converts a stored password of Casdoor. */
export function passwordOf({ encoded, type, salt }: StoredPassword): SourcePassword | undefined {
  if (encoded === '***') return { problem: 'HASH_REDACTED', message: 'the API of Casdoor hides all hashes' };
  if (type === undefined)
    return unknownAlgorithm('neither the user nor the organisation has a password type');
  if (type === 'plain') return { plainText: encoded };
  if (type === 'bcrypt') return { encoded, algorithm: 'bcrypt' };
  if (type === 'argon2id') return { encoded, algorithm: 'argon2' };
  if (type === 'pbkdf2-django') return { encoded, algorithm: 'django-pbkdf2' };
  if (type === 'pbkdf2-salt')
    return pbkdf2Hash({ digest: 'sha256', iterations: 27_500, salt: saltBytes(salt ?? ''), hash: encoded });
  const digest = Object.hasOwn(DIGESTS, type) ? DIGESTS[type] : undefined;
  if (digest === undefined) return unsupportedAlgorithm('no family has hashes of this password type');
  if (salt === undefined) return { encoded, algorithm: digest.bare };
  return digestHash({ algorithm: digest.salted, salt, hash: encoded });
}

/** Decodes a salt as Casdoor does: from base64, up to the first invalid group of characters. */
const saltBytes = (salt: string): Buffer =>
  Buffer.from(
    /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?/.exec(salt)?.[0] ?? '',
    'base64',
  );

/** Reads the password. Users of an LDAP directory have none here: the directory verifies their passwords. */
function hashOf(row: Row): SourcePassword | undefined {
  const encoded = hashText(row.record.password);
  if (encoded === undefined || textOf(row.record.ldap) !== undefined) return undefined;
  const { password_type, password_salt } = row.joined('organization')[0] ?? {};
  return passwordOf({
    encoded,
    type: textOf(cell(row, 'password_type')) ?? textOf(password_type),
    salt: textOf(cell(row, 'password_salt')) ?? textOf(password_salt),
  });
}

/** Returns the accounts in the columns of providers. LDAP counts as a provider that the operator must map. */
function identitiesOf({ record }: Row): Identity[] {
  const addresses = addressesOf(objectOf(record.properties));
  const ofColumns = words(PROVIDERS).map((provider) => ({
    ...{ provider, userId: record[provider], email: addresses.get(provider) },
  }));
  return [...ofColumns, { provider: 'ldap', userId: record.ldap, isSso: true }].filter(
    ({ userId }) => textOf(userId) !== undefined,
  );
}

/** Returns addresses by provider, from properties such as `{"oauth_GitHub_email":"ada@example.org"}`. */
function addressesOf(properties: JsonObject | undefined): Map<string, string> {
  const addresses = new Map<string, string>();
  for (const [name, value] of Object.entries(properties ?? {})) {
    const provider = /^oauth_(.+)_email$/.exec(name)?.[1]?.toLowerCase();
    const address = textOf(value);
    if (provider !== undefined && address !== undefined) addresses.set(provider, address);
  }
  return addresses;
}

/** Columns that show a second factor by a text, a flag, or a list in JSON. */
const SECOND_FACTORS = words(
  'preferred_mfa_type totp_secret mfa_phone_enabled mfa_email_enabled mfa_radius_enabled mfa_push_enabled',
);

function factorsOf(row: Row): readonly JsonObject[] | false {
  const keys = cell(row, 'webauthn_credentials');
  const hasFactor =
    listOf(textInBytes(keys) ?? keys).length > 0 ||
    SECOND_FACTORS.some((name) => {
      const value = cell(row, name);
      return flagOf(value) ?? textOf(value) !== undefined;
    });
  return hasFactor && totpOfBase32(cell(row, 'totp_secret'));
}

/** Guests of Casdoor have a random name and password, with which nobody must sign in after the import. */
const GUEST = 'guest-user';

const users: Omit<Users, 'forms' | 'has'> = {
  joins: {
    organization: {
      has: `name ${spelled('password_type password_salt master_password')}`,
      by: 'owner',
      keep: spelled('password_type password_salt'),
      states: { [spelled('disable_signin')]: 'disabled' },
      unused: spelled(OF_ORGANIZATIONS),
      of: 'one',
      decides: 'states',
      missing:
        'It says which organisations may sign in, and has the password type and salt of users who have none of their own. Dump it, too: pg_dump -t user -t organization -t third_party_link.',
    },
    links: {
      has: `owner ${spelled('user_name provider_name provider_id')}`,
      on: (record) => `${textOf(record.owner)}/${textOf(cell({ record }, 'user_name'))}`,
      keep: `provider=${spelled('provider_name')} userId=${spelled('provider_id')}`,
      are: 'accounts',
      unused: spelled('created_time'),
    },
  },
  unusedTables:
    'adapter cert coupon coupon_usage group invitation key ldap order payment permission radius_accounting record resource role session subscription syncer ticket token transaction verification_record webhook_event adapters certs coupons groups invitations keys ldaps orders payments permissions records resources roles sessions subscriptions syncers tickets tokens transactions',
  realms: { title: 'organisations', column: 'owner' },
  // The id is empty in rows that an old version of Casdoor created.
  key: (record) => `${textOf(record.owner)}/${textOf(record.name)}`,
  email: 'email',
  verified: spelled('email_verified'),
  joined: spelled('created_time'),
  hash: hashOf,
  identities: identitiesOf,
  metadata: `owner name displayName=${spelled('display_name')} firstName=${spelled('first_name')} lastName=${spelled('last_name')} avatar affiliation title homepage bio tag language`,
  states: { [spelled('is_deleted')]: 'deleted', [spelled('is_forbidden')]: 'disabled' },
  stateReads: 'tag',
  state: (row) => {
    if (row.record.tag === GUEST) return 'ANONYMOUS';
    // Casdoor refuses sign-ins of users whose organisation does not exist.
    return row.hasDetail('organization') && row.joined('organization').length === 0 ? 'DISABLED' : undefined;
  },
  phone: 'phone',
  factors: factorsOf,
  drops: { 'forced password changes': (row) => flagOf(cell(row, 'need_update_password')) === true },
  roles: (row) => listOf(row.record.groups).length > 0 || flagOf(cell(row, 'is_admin')) === true,
  user: ({ record: { id, owner, name } }) =>
    textOf(id) === undefined ? { externalUserId: `${textOf(owner) ?? ''}/${textOf(name) ?? ''}` } : {},
  unused: spelled(COLUMNS),
};

/** Whether a table has permissions that restrict who may sign in to an application. `built-in` is Casdoor's own. */
const restricts = (table: TableHead) =>
  mayBePrefixed(table, 'permission') &&
  table.first.some(
    (record) =>
      record.owner !== 'built-in' &&
      cellOf(record, spelledOnce('resource_type')) === 'Application' &&
      flagOf(cellOf(record, spelledOnce('is_enabled'))) !== false,
  );

/**
 * Casdoor's tables, and the output of `casdoor -export`, which has the same members as the API, and the hashes as well.
 * Sign-in checks `is_deleted`, `is_forbidden`, guests, and `disable_signin` of the organisation.
 * Schema: casdoor/casdoor (2026-08): object/user.go, object/organization.go, object/third_party_link.go; sign-in: object/check.go,
 * controllers/auth.go; passwords: cred
 */
export const casdoor = system('casdoor', 'Casdoor', [
  {
    ...users,
    forms: { sql: 'casdoor-tables', csv: 'casdoor-csv', json: 'casdoor-json' },
    table: 'user',
    isPrefixed: true,
    has: 'owner name password_type is_forbidden signup_application',
    stop: {
      text: 'The table permission has permissions for applications. Casdoor signs nobody in whom they deny an application, or whom none of those for it allows, so nobody is imported. Disable those who must stay out in Casdoor and dump it again, or, if nobody must: --ignore-table permission',
      question: { code: 'TABLES_UNREAD', flag: '--ignore-table', tables: ['permission'] },
      when: ({ tables, settings: { ignoreTable, ignoreRest } }) =>
        flagOf(ignoreRest) !== true && !listedNames(ignoreTable).has('permission') && tables.some(restricts),
    },
  },
  {
    ...users,
    forms: { json: 'casdoor-export' },
    has: 'owner name passwordType isForbidden signupApplication',
    hasPages: true,
    warning: {
      text: 'The API of Casdoor hides all hashes. Export them on the server: ./casdoor -export -exportPath users.json, or dump the tables: pg_dump -t user -t organization -t third_party_link casdoor',
      when: ({ tables }: AdviceContext) =>
        tables.some(({ first }) => first.some(({ password }) => password === '***')),
    },
  },
]);

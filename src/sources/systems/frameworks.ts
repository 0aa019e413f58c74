import type { SourceRecord, TableHead } from '../containers/table.ts';
import { digestHash, hashText, selfDescribingHash } from '../fields/hashes.ts';
import type { Meaning } from '../fields/states.ts';
import { baseName, hasColumns, isOfDatabase } from '../fields/tables.ts';
import { timeOf } from '../fields/time.ts';
import { flagOf, isSet, listOf, objectOf, objectsOf, textOf } from '../fields/values.ts';
import type { AdviceContext, DetectionContext, Settings } from '../source.ts';
import type { SourcePassword, UserState } from '../source-user.ts';
import {
  cellOf,
  hasAll,
  hashOf,
  type Identity,
  LONGEST_LOCK_MS,
  type Row,
  type Seen,
  system,
  type Users,
  words,
} from './declare.ts';

// ASP.NET Identity

/** Returns names of columns as Entity Framework writes them, as JSON of .NET does, and in the snake case of Npgsql. */
const spelled = (names: string): string =>
  names
    .split(' ')
    .map((name) => {
      const camel = name[0]?.toLowerCase() + name.slice(1);
      return `${name}|${camel}|${camel.replace(/[A-Z]/g, '_$&').toLowerCase()}`;
    })
    .join(' ');

const PASSWORD_HASH = spelled('PasswordHash');
const USER_ID = spelled('UserId');
/** End of a lock. The last name is that of ASP.NET Identity 2, before .NET Core. */
const LOCKOUT_END = `${spelled('LockoutEnd')}|LockoutEndDateUtc`;
const LOCKOUT_ENABLED = spelled('LockoutEnabled');
const TWO_FACTOR = spelled('TwoFactorEnabled');
const ROLES = spelled('Roles');
const LOGINS = spelled('Logins');
const PROVIDER = spelled('LoginProvider');
const PROVIDER_KEY = spelled('ProviderKey');

/** Times before the year 2000, such as .NET's empty date. They count as past. */
const OLD = /^[01]\d{3}-/;
const TICKS_UNTIL_1970_MS = 62_135_596_800_000;

/** Returns the remaining time of a lock in milliseconds: zero or negative if the user is not locked. */
function lockedForMs({ record, nowMs }: Row): number {
  const end = cellOf(record, LOCKOUT_END);
  if (!isSet(end) || flagOf(cellOf(record, LOCKOUT_ENABLED)) === false) return 0;
  const endMs = timeOf(end) ?? timeOfTicks(end) ?? (OLD.test(textOf(end) ?? '') ? 0 : undefined);
  // A time that cannot be parsed counts as a lock that never ends.
  return (endMs ?? Number.POSITIVE_INFINITY) - nowMs;
}

/**
 * Parses a time as .NET's driver of MongoDB writes it: `[ticks, minutes]` or `{ Ticks, Offset }`, 100 ns since year
 * 1.
 */
function timeOfTicks(value: unknown): number | undefined {
  const ticks = textOf(Array.isArray(value) ? value[0] : objectOf(value)?.Ticks) ?? '';
  return /^(?:0|\d{17,19})$/.test(ticks) ? Number(ticks) / 10_000 - TICKS_UNTIL_1970_MS : undefined;
}

/** Returns the identities, from the table of logins, or from the user's document in MongoDB. */
function identitiesOfAspNet({ record, joined }: Row): Identity[] {
  const ofDocument = objectsOf(cellOf(record, LOGINS)).map((login) => ({
    provider: cellOf(login, PROVIDER),
    userId: cellOf(login, PROVIDER_KEY),
  }));
  return [...joined('logins'), ...ofDocument].flatMap(({ provider, userId }) =>
    textOf(userId) === undefined ? [] : { provider, userId },
  );
}

/**
 * Tables of ASP.NET Identity and of the framework ABP, and documents of AspNetCore.Identity.Mongo.
 * Schema: dotnet/aspnetcore: src/Identity/Extensions.Stores/src/IdentityUser.cs; abpframework/abp:
 * modules/identity/src/Volo.Abp.Identity.Domain/Volo/Abp/Identity/IdentityUser.cs
 */
export const aspnetIdentity = system('aspnet-identity', 'ASP.NET Identity', {
  has: `${spelled('Id')}|_id ${spelled('Email')} ${PASSWORD_HASH}`,
  // ASP.NET Identity 2 has no column for a normalised address.
  proof: `${spelled('SecurityStamp')} ${spelled('NormalizedEmail')}|LockoutEndDateUtc`,
  joins: {
    logins: {
      has: `${USER_ID} ${PROVIDER} ${PROVIDER_KEY}`,
      keep: `provider=${PROVIDER} userId=${PROVIDER_KEY}`,
      unused: spelled('ProviderDisplayName TenantId Id'),
      missing: 'AspNetUserLogins is missing. Without it social logins are lost: export that table, too.',
    },
    roles: {
      has: `${USER_ID} ${spelled('RoleId')}`,
      are: 'roles',
      unused: `${spelled('TenantId')} Discriminator`,
    },
  },
  unusedTables:
    'AspNetUserClaims AspNetUserTokens asp_net_user_claims asp_net_user_tokens user_claims user_tokens AbpUserClaims AbpUserTokens AbpUserOrganizationUnits AbpUserPasswordHistories AbpUserDelegations AbpEntityChanges AbpLinkUsers AbpSecurityLogs AbpSessions AbpAuditLogs AbpNotificationSubscriptions AbpUserNotifications',
  realms: { title: 'tenants', column: spelled('TenantId') },
  id: `${spelled('Id')}|_id`,
  email: spelled('Email'),
  verified: spelled('EmailConfirmed'),
  joined: `CreationTime|CreatedAt|createdAt|created_at|CreatedOn|CreatedDate`,
  // Most ASP.NET apps that have their own hasher use bcrypt.
  hash: ({ record }) => {
    const encoded = hashText(cellOf(record, PASSWORD_HASH));
    return encoded?.startsWith('$') ? selfDescribingHash(encoded) : hashOf('aspnet-identity', encoded);
  },
  identities: identitiesOfAspNet,
  metadata: `userName=${spelled('UserName')}`,
  states: { [spelled('IsDeleted')]: 'deleted', [spelled('IsActive')]: 'active', Leaved: 'disabled' },
  mayLack: {
    [spelled('IsDeleted')]: 'the framework ABP and apps add it',
    [spelled('IsActive')]: 'the framework ABP and apps add it',
    Leaved: 'the framework ABP adds it',
  },
  stateReads: LOCKOUT_END,
  state: (row) => (lockedForMs(row) > LONGEST_LOCK_MS ? 'DISABLED' : undefined),
  phone: spelled('PhoneNumber'),
  factors: TWO_FACTOR,
  roles: ({ record }) => listOf(cellOf(record, ROLES)).length > 0,
  drops: {
    'forced password changes': ({ record }) => flagOf(record.ShouldChangePasswordOnNextLogin) === true,
    'temporary locks': (row) => {
      const ms = lockedForMs(row);
      return ms > 0 && ms <= LONGEST_LOCK_MS;
    },
  },
  reads: `${LOCKOUT_ENABLED} ${ROLES} ${LOGINS}`,
  unused: `${spelled('NormalizedUserName NormalizedEmail SecurityStamp ConcurrencyStamp PhoneNumberConfirmed AccessFailedCount Claims Tokens Version')} Discriminator RecoveryCodes AuthenticatorKey LockoutEndDateUtc Name Surname DeleterId DeletionTime CreatorId LastModifierId LastModificationTime ExtraProperties IsExternal ShouldChangePasswordOnNextLogin LastPasswordChangeTime EntityVersion LastSignInTime`,
  note: [
    'ASP.NET Identity keeps no time of creation. LockoutEnd counts as disabled where it is more than 30 days ahead.',
    'Management Studio saves NULL as text in CSV: it is read as no value. Old Membership tables (aspnet_Membership) are another system.',
  ],
});

// Spring Security

/** Returns names of columns as they are, and in upper case, as H2 and Oracle write them. */
const either = (names: string) =>
  words(names)
    .map((name) => `${name}|${name.toUpperCase()}`)
    .join(' ');

const inBothCases = (names: string, meaning: Meaning) =>
  Object.fromEntries(words(either(names)).map((column) => [column, meaning]));

const OF_QUERY = {
  ...inBothCases('account_non_locked account_non_expired credentials_non_expired', 'active'),
  ...inBothCases(
    'acc_locked acc_expired creds_expired account_locked account_expired credentials_expired',
    'disabled',
  ),
};

const USERNAME = either('username');
const PASSWORD = either('password');
const ENABLED = either('enabled');
const EMAIL = either('email');

/** Whether a table is Spring's. The default schema has three columns. Others need a hash of Spring or `authorities`. */
function isOfSpring(table: TableHead, _settings: Settings, around?: DetectionContext): boolean {
  if (around?.isNamed === true) return true;
  if (table.container === 'sql' && baseName(table).toLowerCase() !== 'users') return false;
  if (table.columns.size === 3) return true;
  return (
    around?.tables.some(isAuthorities) === true ||
    table.first.some((record) => hasPrefix(cellOf(record, PASSWORD)))
  );
}

/** Tables by which Spring grants authorities to users, and to groups if `enableGroups` is set. */
const GRANTS = ['authorities', 'group_members'];
const DUMP =
  'Nobody without an authority can sign in. Dump it, too: pg_dump -t users -t authorities -t group_members.';

/** Whether a user has no authorities. JdbcDaoImpl.loadUserByUsername() refuses such users. */
const lacksAuthority = ({ hasDetail, joined }: Row) =>
  GRANTS.some(hasDetail) && GRANTS.every((name) => joined(name).length === 0);

const isAuthorities = (table: TableHead) =>
  (table.container !== 'sql' || baseName(table).toLowerCase() === 'authorities') &&
  hasAll(table, either('username authority'));

const hasPrefix = (password: unknown) =>
  /^\{(?:bcrypt|(?:pbkdf2|scrypt|argon2)(?:@SpringSecurity_v5_8)?)\}/.test(textOf(password) ?? '');

/** Prefix of Spring's LdapShaPasswordEncoder within the delegating encoder: `{ldap}{SSHA}…`. */
const OF_DIRECTORIES = /^(?:\{ldap\})?(?=\{(?:S?SHA|CRYPT)\})/i;

function passwordOfSpring(encoded: string | undefined): SourcePassword | undefined {
  if (encoded === undefined || !encoded.startsWith('{')) return selfDescribingHash(encoded);
  return OF_DIRECTORIES.test(encoded)
    ? { encoded: encoded.replace(OF_DIRECTORIES, '') }
    : { encoded, algorithm: 'spring-delegating' };
}

/**
 * Schema: spring-projects/spring-security:
 * core/src/main/resources/org/springframework/security/core/userdetails/jdbc/users.ddl (6.5), JdbcUserDetailsManager
 */
export const springSecurity = system('spring-security', 'Spring Security', {
  forms: { sql: 'spring-security-tables', csv: 'spring-security-csv', json: 'spring-security-json' },
  has: `${USERNAME} ${PASSWORD} ${ENABLED}`,
  only: isOfSpring,
  joins: {
    // Spring refers to users by their names.
    authorities: {
      table: 'authorities AUTHORITIES',
      are: 'roles',
      has: either('username authority'),
      unused: either('id'),
      decides: 'states',
      missing: DUMP,
    },
    group_members: {
      table: 'group_members GROUP_MEMBERS',
      has: either('username group_id'),
      unused: either('id'),
    },
  },
  // Passkeys (`user_credentials`) are another way to sign in, and not second factors.
  unusedTables: 'acl_sid one_time_tokens:token_value persistent_logins user_credentials:user_entity_user_id',
  id: `id|ID|${USERNAME}`,
  key: (record) => textOf(cellOf(record, USERNAME)),
  email: EMAIL,
  username: USERNAME,
  hash: ({ record }) => passwordOfSpring(hashText(cellOf(record, PASSWORD))),
  metadata: `username=${USERNAME}`,
  // Flags of the default schema, and of the query that JdbcUserDetailsManager uses in its place. Spring also refuses
  // users whose credentials have expired.
  states: { [ENABLED]: 'active', ...OF_QUERY },
  mayLack: Object.fromEntries(
    Object.keys(OF_QUERY).map((column) => [column, 'of the query that an app sets']),
  ),
  state: (row) => (cellOf(row.record, ENABLED) === undefined || lacksAuthority(row) ? 'DISABLED' : undefined),
  stateReason: (row) => (lacksAuthority(row) ? 'has no authorities' : undefined),
  warning: {
    text: 'The table users has no addresses, but user names. If these are addresses, add --set usernameIsEmail=yes.',
    when: ({ tables, settings }) =>
      flagOf(settings.usernameIsEmail) !== true &&
      tables.some((table) => hasAll(table, ENABLED) && !hasAll(table, EMAIL)),
  },
});

// Laravel

/**
 * Whether a table is for administrators. Their ids overlap with those of users, because they are users of another
 * guard.
 */
const isStaff = (table: TableHead) => baseName(table).toLowerCase().startsWith('admin');

/** Whether `user_id` of accounts refers to this table. It does not if the table is one of customers or sellers. */
const isUsers = (table: TableHead) => !isOfDatabase(table) || baseName(table).toLowerCase() === 'users';

const socialColumns = ({ socialColumns = '' }: Settings): string[] =>
  socialColumns.split(',').flatMap((column) => textOf(column.trim()) ?? []);

/**
 * Returns the identities in the table of accounts, and in columns that the operator named (`--set socialColumns`). The
 * provider of `google_id` is `google`; the provider of `provider_id` is in the column `provider`.
 */
function identitiesOfLaravel({ table, record, settings, joined }: Row): Identity[] {
  const ofColumns = socialColumns(settings).map((name) => ({
    provider: name === 'provider_id' ? record.provider : name.replace(/_id$/, ''),
    id: record[name],
  }));
  return [...(isUsers(table) ? joined('accounts') : []), ...ofColumns].flatMap(({ provider, id }) =>
    textOf(id) === undefined ? [] : { provider, userId: id },
  );
}

const SOCIAL_COLUMNS = words('google_id facebook_id github_id twitter_id apple_id linkedin_id provider_id');

const socialColumnsIn = ({ tables }: Seen): string[] => {
  const users = tables.filter((table) => hasColumns(table, 'email', 'password') && !isStaff(table));
  return SOCIAL_COLUMNS.filter((column) => users.some(({ columns }) => columns.has(column)));
};

const users: Omit<Users, 'forms'> = {
  has: 'email password',
  proof: 'remember_token',
  only: (table) => !isStaff(table),
  joins: {
    // The table is `connected_accounts` of Socialstream, or a table that an app created for Socialite.
    accounts: {
      has: 'user_id provider provider_id|provider_user_id',
      keep: 'provider id=provider_id|provider_user_id',
      unused:
        'id name nickname email telephone avatar avatar_path token secret refresh_token expires_at created_at updated_at',
    },
  },
  unusedTables:
    'activity_log:causer_type audits:auditable_type authentication_log:authenticatable_type media:collection_name model_has_permissions:model_type model_has_roles:model_type notifications:notifiable_type oauth_access_tokens oauth_auth_codes oauth_clients oauth_device_codes password_reset_tokens password_resets personal_access_tokens sessions:payload subscriptions:stripe_id|paddle_id|billable_id team_invitations team_user:team_id teams:personal_team|is_personal',
  verified: 'email_verified_at',
  joined: 'created_at',
  hash: 'password',
  identities: identitiesOfLaravel,
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
    // Only pg_dump writes names of tables with a schema.
    only: (table) => !isStaff(table) && table.name.includes('.'),
  },
  { ...users, forms: { sql: 'laravel-mysqldump', csv: 'laravel-csv', json: 'laravel-json' } },
]);

// Devise

const isMastodon = (table: TableHead) => hasAll(table, 'account_id disabled approved');

const SHA1_DIGITS = 40;
const SHA512_DIGITS = 128;

function passwordOfDevise(record: SourceRecord, settings: Settings): SourcePassword | undefined {
  const encoded = hashText(record.encrypted_password);
  if (encoded === undefined) return undefined;
  const salt = textOf(record.password_salt);
  if (salt !== undefined && !encoded.startsWith('$')) return encryptable(encoded, salt, settings);
  return flagOf(settings.pepper) === true ? { encoded, algorithm: 'devise' } : selfDescribingHash(encoded);
}

/** Reads a hash of the gem devise-encryptable: SHA-1 or SHA-512, repeated `stretches` times. */
function encryptable(digits: string, salt: string, { stretches = '10' }: Settings) {
  if (digits.length !== SHA1_DIGITS && digits.length !== SHA512_DIGITS) return { encoded: digits };
  const algorithm = digits.length === SHA1_DIGITS ? 'devise-sha1' : 'devise-sha512';
  return digestHash({ algorithm, parameters: `i=${stretches}`, salt, hash: digits });
}

/** Returns `DISABLED` for people who have not accepted an invitation (devise_invitable), and for expired accounts. */
function stateOf(record: SourceRecord, nowMs: number): UserState | undefined {
  if (textOf(record.invitation_token) !== undefined && !isSet(record.invitation_accepted_at))
    return 'DISABLED';
  if (!isSet(record.expired_at)) return undefined;
  const expiredMs = timeOf(record.expired_at);
  return expiredMs === undefined || expiredMs <= nowMs ? 'DISABLED' : undefined;
}

const usersIn = ({ tables }: AdviceContext) =>
  tables.filter((table) => table.columns.has('encrypted_password') && !isStaff(table));

/**
 * Tables of Devise, with the columns of its modules, and of devise_invitable, devise-two-factor, devise-security,
 * devise-encryptable and devise_token_auth. Locks are temporary (config.unlock_in).
 * Schema: heartcombo/devise: lib/generators/active_record/devise_generator.rb, lib/devise/models
 */
export const devise = system('devise', 'Rails Devise', {
  settings: {
    pepper: 'yes: the hashes were made with config.pepper, which is a hashing secret of the service',
    stretches: 'config.stretches of devise-encryptable; 10 if it was never set',
  },

  has: 'id email encrypted_password',
  proof:
    'reset_password_token|reset_password_sent_at|remember_created_at|sign_in_count|unconfirmed_email|failed_attempts',
  // GoTrue (Supabase) has a column `encrypted_password`, too.
  hasNot: 'raw_user_meta_data instance_id',
  only: (table) => !isStaff(table) && !isMastodon(table),
  joins: {
    // Apps call the table `identities` or `authentications`.
    identities: {
      has: 'user_id provider uid|extern_uid',
      keep: 'provider uid=uid|extern_uid',
      unused: 'id created_at updated_at',
    },
  },
  unusedTables: 'allowlisted_jwts',
  // Without the column, the app does not use Devise's module for confirmations.
  verified: 'confirmed_at',
  joined: 'created_at',
  hash: ({ record, settings }) => passwordOfDevise(record, settings),
  identities: ({ table, record, joined }) =>
    [
      { provider: record.provider, uid: textOf(record.uid) },
      ...(isUsers(table) ? joined('identities') : []),
    ].flatMap(({ provider, uid }) => (textOf(uid) === undefined ? [] : { provider, userId: uid })),
  metadata: 'name username first_name last_name',
  states: { deleted_at: 'deleted', discarded_at: 'deleted' },
  mayLack: { deleted_at: 'of the gem paranoia', discarded_at: 'of the gem discard' },
  state: ({ record, nowMs }) => stateOf(record, nowMs),
  factors: 'otp_required_for_login',
  drops: { 'temporary locks': ({ record }) => isSet(record.locked_at) },
  reads:
    'encrypted_password password_salt provider uid locked_at invitation_token invitation_accepted_at expired_at',
  unused:
    'reset_password_token reset_password_sent_at remember_created_at remember_token sign_in_count current_sign_in_at last_sign_in_at current_sign_in_ip last_sign_in_ip confirmation_token confirmation_sent_at unconfirmed_email failed_attempts unlock_token updated_at invitation_created_at invitation_sent_at invitation_limit invited_by_type invited_by_id invitations_count otp_secret encrypted_otp_secret encrypted_otp_secret_iv encrypted_otp_secret_salt consumed_timestep otp_backup_codes authentication_token jti tokens allow_password_change nickname image password_changed_at unique_session_id last_activity_at security_question_id security_question_answer',
  note: [
    {
      text: 'If config.pepper is set in config/initializers/devise.rb, it was hashed with each password, and nothing in the data shows it. Prove one password first. With a pepper: put it into hashing_secrets of the service and add --set pepper=yes.',
      when: ({ settings }) => settings.pepper === undefined,
    },
    {
      text: 'Users who came through omniauth often have a random password, which is imported without harm.',
      when: (seen) => usersIn(seen).some(({ columns }) => columns.has('provider')),
    },
    {
      text: 'There is no column confirmed_at, so whether an address was ever confirmed is not known.',
      when: (seen) => usersIn(seen).some(({ columns }) => !columns.has('confirmed_at')),
    },
  ],
});

// Rails

/**
 * Tables of Rails apps with `has_secure_password`, such as those of the generator of Rails 8. Any app may have such
 * columns, so the operator must name the system. Rails confirms no addresses and disables nobody. If the app does, the
 * import asks about its columns. Schema: rails/rails: railties/lib/rails/generators/rails/authentication
 */
export const rails = system('rails', 'Rails has_secure_password', {
  has: 'id email_address|email password_digest',
  only: (_table, _settings, around) => around?.isNamed === true,
  email: 'email_address|email',
  joined: 'created_at',
  hash: 'password_digest',
  metadata: 'name username first_name last_name',
  unused: 'updated_at',
  unusedTables: 'action_text_rich_texts active_storage_attachments sessions',
});

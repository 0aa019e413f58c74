import type { SourceRecord, TableHead } from '../containers/table.ts';
import { gravestState, type ReadState, readState, stateOfFlag } from '../fields/read-state.ts';
import { REALM, realmsInColumn } from '../fields/realms.ts';
import { selfDescribingHash } from '../fields/self-describing.ts';
import { baseName, formsOf, hasAnyColumn, hasColumns } from '../fields/tables.ts';
import { timeOf } from '../fields/time.ts';
import { firstOf, flagOf, isSet, metadataOf, textOf } from '../fields/values.ts';
import type { Advice, Detail, DetectionContext, ReadContext, Settings, Source } from '../source.ts';
import type { SourceIdentity, SourcePassword, SourceUser } from '../source-user.ts';

/** Columns of ASP.NET Identity in Entity Framework, in JSON of .NET, and in the snake case of Npgsql. */
const ID = ['Id', 'id'];
const USER_ID = ['UserId', 'userId', 'user_id'];
const EMAIL = ['Email', 'email'];
const NORMALIZED_EMAIL = ['NormalizedEmail', 'normalizedEmail', 'normalized_email'];
const SECURITY_STAMP = ['SecurityStamp', 'securityStamp', 'security_stamp'];
const PASSWORD_HASH = ['PasswordHash', 'passwordHash', 'password_hash'];
const EMAIL_CONFIRMED = ['EmailConfirmed', 'emailConfirmed', 'email_confirmed'];
const USER_NAME = ['UserName', 'userName', 'user_name'];
const PHONE_NUMBER = ['PhoneNumber', 'phoneNumber', 'phone_number'];
const TWO_FACTOR = ['TwoFactorEnabled', 'twoFactorEnabled', 'two_factor_enabled'];
/** The last name is from ASP.NET Identity 2, before .NET Core. */
const LOCKOUT_END = ['LockoutEnd', 'lockoutEnd', 'lockout_end', 'LockoutEndDateUtc'];
const LOCKOUT_ENABLED = ['LockoutEnabled', 'lockoutEnabled', 'lockout_enabled'];
const PROVIDER = ['LoginProvider', 'loginProvider', 'login_provider'];
const PROVIDER_KEY = ['ProviderKey', 'providerKey', 'provider_key'];
const ROLE_ID = ['RoleId', 'roleId', 'role_id'];
/** Columns that apps, or the framework ABP, add to ASP.NET Identity's tables. */
const IS_DELETED = ['IsDeleted', 'isDeleted', 'is_deleted'];
const IS_ACTIVE = ['IsActive', 'isActive', 'is_active'];
const TENANT_ID = ['TenantId', 'tenantId', 'tenant_id'] as const;
const CREATED = ['CreationTime', 'CreatedAt', 'createdAt', 'created_at', 'CreatedOn', 'CreatedDate'];

function isUsers(table: TableHead, _settings: Settings, around?: DetectionContext): boolean {
  if (!hasAnyColumn(table, ...PASSWORD_HASH) || !hasAnyColumn(table, ...EMAIL)) return false;
  if (baseName(table).toLowerCase() === 'aspnetusers' || around?.isNamed === true) return true;
  // The name of the table is unknown in CSV. ASP.NET Identity 2 has no column for a normalised
  // address, so two other columns identify it.
  return (
    hasAnyColumn(table, ...SECURITY_STAMP) &&
    (hasAnyColumn(table, ...NORMALIZED_EMAIL) || hasColumns(table, 'AccessFailedCount', 'LockoutEndDateUtc'))
  );
}

const logins: Detail = {
  fits: (table) =>
    hasAnyColumn(table, ...PROVIDER) &&
    hasAnyColumn(table, ...PROVIDER_KEY) &&
    hasAnyColumn(table, ...USER_ID),
  keyOf: (record) => textOf(firstOf(record, USER_ID)),
  keep: (record) => ({ provider: firstOf(record, PROVIDER), userId: firstOf(record, PROVIDER_KEY) }),
  missing: 'AspNetUserLogins is missing. Without it social logins are lost: export that table, too.',
};

const roles: Detail = {
  fits: (table) =>
    table.columns.size === 2 && hasAnyColumn(table, ...USER_ID) && hasAnyColumn(table, ...ROLE_ID),
  keyOf: (record) => textOf(firstOf(record, USER_ID)),
  keep: () => ({}),
};

function read(record: SourceRecord, { nowMs, settings, details, drop }: ReadContext): SourceUser {
  const id = textOf(firstOf(record, ID));
  const lockedForMs = lockoutOf(record, nowMs);
  const hasPhone = textOf(firstOf(record, PHONE_NUMBER)) !== undefined;
  if (hasPhone) drop('phone numbers', [firstOf(record, PHONE_NUMBER)]);
  if (flagOf(firstOf(record, TWO_FACTOR)) === true) drop('mfa');
  if (id !== undefined && details('roles', id).length > 0) drop('roles');
  if (lockedForMs > 0 && lockedForMs <= LONGEST_LOCK_MS) drop('temporary locks');
  return {
    externalUserId: id,
    email: textOf(firstOf(record, EMAIL)),
    isVerified: flagOf(firstOf(record, EMAIL_CONFIRMED)),
    timeJoinedMs: timeOf(firstOf(record, CREATED)),
    password: passwordOf(textOf(firstOf(record, PASSWORD_HASH))),
    identities: id === undefined ? [] : details('logins', id).flatMap(identityOf),
    metadata: metadataOf({ userName: firstOf(record, USER_NAME) }),
    state: stateOf(record, lockedForMs, settings),
    hasPhone,
  };
}

/**
 * Too many failed sign-ins lock an ASP.NET account for five minutes by default. A longer lock was set on
 * purpose, so the user is imported as disabled.
 */
const LONGEST_LOCK_MS = 30 * 24 * 3600 * 1000;

function stateOf(record: SourceRecord, lockedForMs: number, settings: Settings): ReadState {
  const deleted = readState(
    firstOf(record, IS_DELETED),
    { name: 'IsDeleted', kind: 'deleted' },
    { settings, nowMs: 0 },
  );
  const inactive = stateOfFlag('IsActive', firstOf(record, IS_ACTIVE), false, settings);
  return gravestState([deleted, inactive, lockedForMs > LONGEST_LOCK_MS ? 'DISABLED' : undefined]);
}

const OLD = /^[01]\d{3}-/;

/** Remaining time of the lock in milliseconds; zero or negative if the user is not locked. */
function lockoutOf(record: SourceRecord, nowMs: number): number {
  const end = firstOf(record, LOCKOUT_END);
  if (!isSet(end) || flagOf(firstOf(record, LOCKOUT_ENABLED)) === false) return 0;
  // A year before 2000 is .NET's empty date, so the user is not locked. A time that cannot be parsed
  // counts as a lock that never ends.
  return (timeOf(end) ?? (OLD.test(textOf(end) ?? '') ? 0 : Number.POSITIVE_INFINITY)) - nowMs;
}

function passwordOf(encoded: string | undefined): SourcePassword | undefined {
  if (encoded === undefined) return undefined;
  // In most ASP.NET apps with a hasher of their own, the hash is bcrypt.
  return encoded.startsWith('$') ? selfDescribingHash(encoded) : { encoded, algorithm: 'aspnet-identity' };
}

function identityOf(login: SourceRecord): SourceIdentity[] {
  const [provider, userId] = [textOf(login.provider), textOf(login.userId)];
  return provider === undefined || userId === undefined ? [] : [{ provider, userId }];
}

function advice(): Advice[] {
  return [
    {
      level: 'note',
      text: 'ASP.NET Identity keeps no time of creation. LockoutEnd counts as disabled where it is more than 30 days ahead.',
    },
    {
      level: 'note',
      text: 'Management Studio saves NULL as text in CSV: it is read as no value. Old Membership tables (aspnet_Membership) are another system.',
    },
  ];
}

export const aspnetIdentity: Source = {
  name: 'aspnet-identity',
  title: 'ASP.NET Identity',
  settings: REALM,
  forms: formsOf(
    { csv: 'aspnet-identity-csv', sql: 'aspnet-identity-sql', json: 'aspnet-identity-json' },
    {
      isUsers,
      details: { logins, roles },
      ownStates: [...IS_DELETED, ...IS_ACTIVE],
      realms: realmsInColumn('tenants', ...TENANT_ID),
      read,
      advice,
    },
  ),
};

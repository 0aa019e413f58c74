import { selfDescribingHash } from '../fields/hashes.ts';
import { timeOf } from '../fields/time.ts';
import { flagOf, isSet, listOf, objectOf, objectsOf, textOf } from '../fields/values.ts';
import { cellOf, hashOf, type Identity, LONGEST_LOCK_MS, type Row, system } from './declare.ts';

/** Columns of ASP.NET Identity in Entity Framework, in JSON of .NET, and in the snake case of Npgsql. */
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
/** The last name is from ASP.NET Identity 2, before .NET Core. */
const LOCKOUT_END = `${spelled('LockoutEnd')}|LockoutEndDateUtc`;
const LOCKOUT_ENABLED = spelled('LockoutEnabled');
const TWO_FACTOR = spelled('TwoFactorEnabled');
const ROLES = spelled('Roles');
const LOGINS = spelled('Logins');
const PROVIDER = spelled('LoginProvider');
const PROVIDER_KEY = spelled('ProviderKey');

/** A year before 2000 is .NET's empty date. */
const OLD = /^[01]\d{3}-/;
const TICKS_UNTIL_1970_MS = 62_135_596_800_000;

/** Remaining time of the lock in milliseconds; zero or negative if the user is not locked. */
function lockedForMs({ record, nowMs }: Row): number {
  const end = cellOf(record, LOCKOUT_END);
  if (!isSet(end) || flagOf(cellOf(record, LOCKOUT_ENABLED)) === false) return 0;
  const endMs = timeOf(end) ?? timeOfTicks(end) ?? (OLD.test(textOf(end) ?? '') ? 0 : undefined);
  // A time that cannot be parsed counts as a lock that never ends.
  return (endMs ?? Number.POSITIVE_INFINITY) - nowMs;
}

/** The driver of MongoDB writes a time as `[ticks, minutes]` or `{ Ticks, Offset }`, in 100 ns since the year 1. */
function timeOfTicks(value: unknown): number | undefined {
  const ticks = textOf(Array.isArray(value) ? value[0] : objectOf(value)?.Ticks) ?? '';
  return /^(?:0|\d{17,19})$/.test(ticks) ? Number(ticks) / 10_000 - TICKS_UNTIL_1970_MS : undefined;
}

/** Logins in a table of their own, or in each document of MongoDB. */
function identitiesOf({ record, joined }: Row): Identity[] {
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
      has: `${PROVIDER} ${PROVIDER_KEY} ${USER_ID}`,
      on: USER_ID,
      keep: `provider=${PROVIDER} userId=${PROVIDER_KEY}`,
      unused: spelled('ProviderDisplayName TenantId Id'),
      missing: 'AspNetUserLogins is missing. Without it social logins are lost: export that table, too.',
    },
    roles: {
      has: `${USER_ID} ${spelled('RoleId')}`,
      on: USER_ID,
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
  // In most ASP.NET apps with a hasher of their own, the hash is bcrypt.
  hash: ({ record }) => {
    const encoded = textOf(cellOf(record, PASSWORD_HASH));
    return encoded?.startsWith('$') ? selfDescribingHash(encoded) : hashOf('aspnet-identity', encoded);
  },
  identities: identitiesOf,
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

import type { JsonObject } from '../../lib/json/json-object.ts';
import type { SourceRecord, TableHead } from '../containers/table.ts';
import {
  DIGESTS,
  hashObject,
  hashText,
  invalidHash,
  isGiven,
  pbkdf2Hash,
  selfDescribingHash,
  unknownAlgorithm,
} from '../fields/hashes.ts';
import { isDemanded } from '../fields/second-factors.ts';
import { byWord, type ReadState, stateOf } from '../fields/states.ts';
import { baseName, hasAnyColumn, hasColumns, holdsFlags } from '../fields/tables.ts';
import { timeOf, timeOfObjectId } from '../fields/time.ts';
import { bytesOf, flagOf, listOf, objectOf, objectsOf, textOf } from '../fields/values.ts';
import type { DetectionContext, Settings } from '../source.ts';
import type { SourcePassword, SourceUser } from '../source-user.ts';
import {
  type Address,
  cellOf,
  hasAll,
  hashOf,
  type Identity,
  type Row,
  system,
  type Users,
  words,
} from './declare.ts';
import { isPayloadCollection } from './headless.ts';

// Auth.js

/** Names of password columns that apps add. Auth.js itself has none. */
const PASSWORD = 'password|hashedPassword|passwordHash|hashed_password|password_hash';
const ACCOUNTS_OF_AUTHJS = 'userId|user_id provider providerAccountId|provider_account_id';
/** Types of Auth.js accounts that are no identities: their id is the user's own id or an address. */
const NO_IDENTITY = new Set(['credentials', 'email']);

/** Whether a table is Better Auth's: `emailVerified` is a boolean there, and a time or null in Auth.js. */
const isFlag = (table: TableHead) =>
  ['emailVerified', 'email_verified'].some((name) => holdsFlags(table, name) === true);

/**
 * Auth.js, formerly NextAuth. Its tables of users say nothing about who may sign in.
 * Schema: nextauthjs/next-auth: packages/adapter-pg/schema.sql, packages/core/src/adapters.ts
 */
export const authjs = system('authjs', 'Auth.js', {
  has: 'id|_id email emailVerified|email_verified',
  only: (table, _settings, around) =>
    !isFlag(table) &&
    (around?.isNamed === true ||
      around?.tables.some((one) => hasAll(one, ACCOUNTS_OF_AUTHJS)) === true ||
      hasAll(table, 'emailVerified image')),
  joins: {
    accounts: {
      has: ACCOUNTS_OF_AUTHJS,
      are: 'accounts',
      keep: (record) => {
        const isIdentity = [record.provider, record.type].every((one) => !NO_IDENTITY.has(textOf(one) ?? ''));
        const userId = cellOf(record, 'providerAccountId|provider_account_id');
        return isIdentity ? { provider: record.provider, userId } : undefined;
      },
      reads: 'type',
      unused:
        'id _id providerType provider_type providerId provider_id compoundId compound_id refresh_token refreshToken access_token accessToken expires_at expiresAt accessTokenExpires access_token_expires token_type tokenType scope id_token idToken session_state sessionState refresh_token_expires_in oauth_token oauth_token_secret createdAt created_at updatedAt updated_at',
      missing:
        'The accounts are missing (Account, accounts). Without them social logins are lost: export that table, too.',
    },
  },
  unusedTables: `Authenticator authenticator authenticators Session:sessionToken session:sessionToken|session_token
      sessions:sessionToken|session_token|sessiontoken VerificationRequest
      verification_requests VerificationToken verificationToken verification_token verification_tokens`,
  id: 'id|_id',
  verified: 'emailVerified|email_verified',
  joined: 'createdAt|created_at',
  hash: PASSWORD,
  metadata: 'name image',
  unused: 'updatedAt updated_at',
  note: {
    text: 'No column with password hashes was found. Auth.js has none of its own; if the app added one, export it under the name password: select *, pw as password. Users of magic links need none: they can come in by a reset (--without-password keep).',
    when: ({ tables }) =>
      !tables
        .filter((table) => hasAll(table, 'email emailVerified|email_verified'))
        .some((table) => hasAnyColumn(table, ...PASSWORD.split('|'))),
  },
});

// Better Auth

const ACCOUNTS_OF_BETTER_AUTH = 'userId|user_id accountId|account_id providerId|provider_id';
/** Better Auth's provider of accounts with a password. */
const CREDENTIAL = 'credential';
/** Role that Better Auth's plugin `admin` gives to every user. It is not counted as lost. */
const NO_ROLE = 'user';

/** Whether a table is Better Auth's. In Auth.js, `emailVerified` is a time instead of a boolean. */
function isOwn(table: TableHead, _settings: Settings, around?: DetectionContext): boolean {
  const column = table.columns.has('emailVerified') ? 'emailVerified' : 'email_verified';
  const areFlags = holdsFlags(table, column);
  if (areFlags === false) return false;
  if (around?.isNamed === true) return true;
  if (!hasAll(table, 'createdAt|created_at') || hasAnyColumn(table, 'password', 'passwordHash', 'objectId'))
    return false;
  if (areFlags === undefined && table.first.length > 0) return false;
  return (
    hasAll(table, 'name image updatedAt|updated_at') ||
    around?.tables.some((one) => hasAll(one, ACCOUNTS_OF_BETTER_AUTH)) === true
  );
}

function passwordOfBetterAuth(accounts: readonly JsonObject[]): SourcePassword | undefined {
  const encoded = hashText(accounts.find(({ password }) => isGiven(password))?.password) ?? '';
  // Custom hashers of Better Auth mostly use bcrypt or argon2. A colon in the hash shows the built-in hasher.
  return encoded.includes(':') && !encoded.startsWith('$')
    ? hashOf('better-auth', encoded)
    : selfDescribingHash(encoded);
}

/** Reads whether a user is banned. Better Auth leaves the flag set after the end of a ban, so the end is compared. */
function banOf({ record, nowMs, ruled }: Row): ReadState {
  const untilMs = timeOf(cellOf(record, 'banExpires|ban_expires'));
  const state = stateOf('banned', record.banned, 'disabled', { nowMs, ruled });
  return state === 'DISABLED' && untilMs !== undefined && untilMs <= nowMs ? undefined : state;
}

/**
 * Better Auth uses camel case; database adapters such as Drizzle often have snake case. MongoDB calls the id `_id`.
 * Schema: better-auth/better-auth: packages/better-auth/src/db/schema.ts and plugins/<name>/schema.ts, 1.0 to 1.7
 */
export const betterAuth = system('better-auth', 'Better Auth', {
  has: 'id|_id email emailVerified|email_verified',
  only: isOwn,
  joins: {
    accounts: {
      has: ACCOUNTS_OF_BETTER_AUTH,
      are: 'accounts',
      keep: (record) => {
        const [provider, userId] = ['providerId|provider_id', 'accountId|account_id'].map((name) =>
          textOf(cellOf(record, name)),
        );
        if (provider === CREDENTIAL) return { password: record.password };
        return userId === undefined ? undefined : { provider, userId };
      },
      reads: 'password',
      unused:
        'id _id accessToken access_token refreshToken refresh_token idToken id_token accessTokenExpiresAt access_token_expires_at refreshTokenExpiresAt refresh_token_expires_at expiresAt expires_at scope createdAt created_at updatedAt updated_at',
      missing:
        'The table account is missing. All password hashes and social logins stand in it, so nobody can be imported without it. Export both: pg_dump --data-only -t user -t account DATABASE > dump.sql',
    },
  },
  unusedTables:
    'session:token sessions:token apikey:key api_key:key member:organizationId|organization_id members:organizationId|organization_id invitation:organizationId|organization_id invitations:organizationId|organization_id teamMember team_member:teamId|team_id oauthApplication oauth_application oauthClient oauth_client oauthAccessToken oauth_access_token oauthRefreshToken oauth_refresh_token oauthConsent oauth_consent ssoProvider sso_provider scimProvider scim_provider walletAddress wallet_address deviceCode device_code subscription:referenceId|reference_id verification:identifier verifications:identifier',
  id: 'id|_id',
  verified: 'emailVerified|email_verified',
  joined: 'createdAt|created_at',
  hash: ({ joined }) => passwordOfBetterAuth(joined('accounts')),
  metadata: 'name image username',
  states: { 'isAnonymous|is_anonymous': 'anonymous' },
  mayLack: { 'isAnonymous|is_anonymous': 'the plugin anonymous adds it, as the plugin admin adds banned' },
  state: banOf,
  phone: 'phoneNumber|phone_number',
  factors: 'twoFactorEnabled|two_factor_enabled',
  roles: ({ record: { role } }) => textOf(role) !== undefined && role !== NO_ROLE && [role],
  reads: 'banned banExpires ban_expires role',
  unused:
    'updatedAt updated_at banReason ban_reason displayUsername display_username phoneNumberVerified phone_number_verified lastLoginMethod last_login_method stripeCustomerId stripe_customer_id',
});

// Lucia

const HASH = 'hashed_password|hashedPassword|password_hash|passwordHash';
const USER_ID = 'user_id|userId';
const TWO_FACTOR = 'two_factor_secret|twoFactorSecret|totp_key|totpKey|totp_secret';
const KEYS = `${USER_ID} id|_id hashed_password|hashedPassword`;

/**
 * Whether a table has the keys of Lucia 1 and 2 (`user_key`, `auth_key`), such as `email:ada@example.com`,
 * `github:123`.
 */
const isKeys = (table: TableHead) =>
  hasAll(table, KEYS) &&
  table.first.length > 0 &&
  table.first.every((record) => (textOf(cellOf(record, 'id|_id')) ?? '').includes(':'));

const USER_TABLES = ['auth_user', 'user', 'users'];

/** Whether a table has a name that Lucia gives to its users. Files with a single table do not contain the name. */
const isNamedAsUsers = (table: TableHead) =>
  USER_TABLES.includes(baseName(table).toLowerCase()) || (table.container !== 'sql' && table.name === '');

const S2 = /^s2:[0-9A-Za-z]{8,64}:[0-9a-f]{128}$/;

/**
 * Columns of users in FastAPI Users, Django or Nhost. Their databases may have a table of sessions like Lucia's, too.
 */
const OF_OTHERS = ['is_superuser', 'is_active', 'default_role'];

/** Whether a table has users of Lucia 3. Their hashes are in the table of users, in a column that the app named. */
function hasHashOfLucia(table: TableHead, around: DetectionContext | undefined): boolean {
  if (around?.isNamed === true) return true;
  if (table.columns.has('email') && table.first.some((record) => S2.test(textOf(cellOf(record, HASH)) ?? '')))
    return true;
  return (
    isNamedAsUsers(table) &&
    !hasAnyColumn(table, ...OF_OTHERS) &&
    around?.tables.some((one) => isSessions(one) || isAccountsOfGuides(one)) === true
  );
}

const SESSION_TABLES = 'session sessions user_session auth_session';

/**
 * Whether a table has sessions of Lucia 3, with exactly three columns. Sessions of other systems have tokens or data.
 */
const isSessions = (table: TableHead) =>
  SESSION_TABLES.split(' ').includes(baseName(table).toLowerCase()) &&
  table.columns.size === 3 &&
  hasAll(table, `id ${USER_ID} expires_at|expiresAt`);

/** Whether a table has accounts as in the guides to Lucia 3, with exactly three columns. */
const isAccountsOfGuides = (table: TableHead) =>
  table.columns.size === 3 && hasColumns(table, 'provider_id', 'provider_user_id', 'user_id');

/** Prefixes of Lucia's keys that look like providers but are not accounts at third parties. */
const OWN_KEYS = new Set(['email', 'username', 'phone', 'phone_number']);

/** A key such as `email:ada@example.com`, which may have a hash, or `github:123`. */
function keptKey(record: SourceRecord): JsonObject {
  const [, provider = '', userId] = /^([^:]+):(.+)$/s.exec(textOf(cellOf(record, 'id|_id')) ?? '') ?? [];
  const hash = cellOf(record, HASH);
  return isGiven(hash) || OWN_KEYS.has(provider)
    ? { hash, email: provider === 'email' ? userId : undefined }
    : { provider, userId };
}

function passwordOfLucia(row: Row): SourcePassword | undefined {
  const ofKey = hashText(row.joined('keys').find(({ hash }) => isGiven(hash))?.hash);
  if (ofKey !== undefined) return familyOf(ofKey, 'lucia-v1');
  const own = hashText(cellOf(row.record, HASH));
  // Unlike the hashes of Lucia 2, those of version 3 have no prefix `s2:`.
  return own === undefined ? undefined : familyOf(own, 'lucia');
}

function familyOf(encoded: string, withoutMark: 'lucia' | 'lucia-v1'): SourcePassword | undefined {
  if (encoded.startsWith('s2:')) return hashOf('lucia', encoded);
  return encoded.includes(':') && !encoded.startsWith('$')
    ? hashOf(withoutMark, encoded)
    : selfDescribingHash(encoded);
}

const users: Omit<Users, 'forms' | 'has' | 'only'> = {
  joins: {
    keys: {
      has: KEYS,
      are: 'accounts',
      keep: keptKey,
      reads: HASH,
      unused: 'primary_key primaryKey expires',
    },
    // Table `oauth_account` of the guides to Lucia 3.
    accounts: {
      has: `${USER_ID} provider_id|providerId|provider provider_user_id|providerUserId`,
      keep: 'provider=provider_id|providerId|provider userId=provider_user_id|providerUserId',
      are: 'accounts',
      unused: 'id _id created_at createdAt updated_at updatedAt',
    },
  },
  unusedTables: `${SESSION_TABLES} email_verification_code email_verification_token email_verification_request password_reset_token password_reset_session`,
  id: 'id|_id',
  email: (row) =>
    textOf(row.record.email) ?? row.joined('keys').find(({ email }) => email !== undefined)?.email,
  verified: 'email_verified|emailVerified',
  joined: 'created_at|createdAt',
  hash: passwordOfLucia,
  metadata: 'username name',
  factors: TWO_FACTOR,
  reads: `email ${HASH}`,
  unused: 'updated_at updatedAt',
};

/**
 * Lucia. The app chooses the columns of its users, so the import asks about all except those of Lucia's guides.
 * Schema: lucia-auth/lucia: documentation/content/reference and the guides, versions 1 to 3
 */
export const lucia = system('lucia', 'Lucia', [
  {
    ...users,

    has: 'id|_id',
    // Django has a table `auth_user`, too.
    hasNot: 'user_id userId is_superuser',
    // Users of any system may look like this, so the export must also have a table of keys.
    only: (table, _settings, around) => isNamedAsUsers(table) && around?.tables.some(isKeys) === true,
  },
  {
    ...users,
    forms: { csv: 'lucia-v3-csv', sql: 'lucia-v3-sql', json: 'lucia-v3-json' },
    has: `id|_id ${HASH}`,
    hasNot: 'user_id userId',
    only: (table, _settings, around) => hasHashOfLucia(table, around),
  },
]);

// Feathers

/** Providers of the columns with identities, such as `googleId`. Other columns that end in `Id` refer to tables. */
const PROVIDERS =
  'google github facebook apple twitter linkedin discord gitlab bitbucket microsoft azure okta'.split(' ');

/**
 * Feathers. The app chooses the columns; those of the generator and of feathers-authentication-management are known.
 * A table without columns of the latter could belong to any system. Schema: feathersjs/feathers:
 * packages/authentication-local,
 * packages/authentication-oauth; feathersjs-ecosystem/feathers-authentication-management
 */
export const feathers = system('feathers', 'Feathers', {
  has: 'id|_id email password',
  proof: 'verifyShortToken verifyChanges resetShortToken',
  id: 'id|_id',
  verified: 'isVerified',
  joined: 'createdAt|created_at',
  hash: 'password',
  identities: Object.fromEntries(PROVIDERS.map((provider) => [`${provider}Id`, provider])),
  metadata: 'name username firstName lastName',
  unused: 'verifyToken verifyExpires resetToken resetExpires resetAttempts updatedAt updated_at avatar __v',
});

// passport-local-mongoose

/** Defaults of passport-local-mongoose. The MongoDB collection does not record its options. */
const DEFAULTS = { digest: 'sha256', iterations: 25_000 } as const;
const DEFAULT_HASH_BYTES = 512;
const DEFAULT_SALT_BYTES = 32;

/**
 * Whether a table is one of passport-local-mongoose, by the lengths of hash and salt: many applications have both
 * columns, but no other system has values of these lengths.
 */
function isOfPassport(table: TableHead, settings: Settings, around?: DetectionContext): boolean {
  if (around?.isNamed !== true && isPayloadCollection(table)) return false;
  const isTold =
    around?.isNamed === true ||
    ['digest', 'iterations', 'keylen'].some((name) => settings[name] !== undefined);
  return table.first.some(({ hash, salt }) => {
    if (typeof hash !== 'string' || typeof salt !== 'string') return false;
    const [hashBytes, saltBytes] = [decode(hash), decode(salt)];
    if (hashBytes === undefined || saltBytes === undefined) return false;
    if (isTold || hashBytes.length === DEFAULT_HASH_BYTES) return true;
    return saltBytes.length === DEFAULT_SALT_BYTES && hasAll(table, '_id __v');
  });
}

/** Base64 as Node writes it, padded and in the standard alphabet. Other hashes rarely look like that. */
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Decodes a hash from the encoding of the plug-in's option `encoding`: `hex`, the default, or `base64`. */
const decode = (text: string): Buffer | undefined =>
  bytesOf(text, 'hex') ?? (BASE64.test(text) ? bytesOf(text, 'base64') : undefined);

function passwordOfPassport({ hash, salt }: SourceRecord, settings: Settings): SourcePassword | undefined {
  const digits = hashText(hash);
  if (digits === undefined) return undefined;
  const parameters = parametersOf(settings);
  if (typeof parameters === 'string') return invalidHash(parameters);
  const { digest, iterations, keylen } = parameters;
  const bytes = decode(digits);
  if (keylen !== undefined && bytes?.length !== Number(keylen))
    return invalidHash(`the hash has not the ${keylen} bytes of keylen`);
  // passport-local-mongoose uses the characters of the salt as text, rather than the bytes that they encode.
  return pbkdf2Hash({ digest, iterations, salt: bytesOf(salt, 'utf8'), hash: bytes });
}

/** Returns the parameters of all hashes, or the problem in the options that name them. */
function parametersOf(settings: Settings) {
  const { iterations = String(DEFAULTS.iterations), keylen } = settings;
  const wanted = settings.digest?.toLowerCase().replace('-', '') ?? DEFAULTS.digest;
  const digest = DIGESTS.find((name) => name === wanted);
  if (digest === undefined) return `the setting digest is none of ${DIGESTS.join(', ')}`;
  if (!isCount(iterations)) return 'the setting iterations is no whole number above 0';
  if (keylen !== undefined && !isCount(keylen)) return 'the setting keylen is no whole number above 0';
  return { digest, iterations, keylen };
}

const isCount = (text: string) => /^[1-9]\d{0,8}$/.test(text);

/** Returns the address. Simple applications use the address as the user name; it then counts as unverified. */
function addressOf({ record }: Row): Partial<SourceUser> {
  const [email, username] = [textOf(record.email), textOf(record.username)];
  if (email !== undefined || username?.includes('@') !== true) return { email };
  return { email: username, emailFromName: username };
}

/** Schema: saintedlama/passport-local-mongoose@ed72cd67: src/index.ts, src/lib/pbkdf2.ts (9) */
export const passportLocalMongoose = system('passport-local-mongoose', 'passport-local-mongoose', {
  settings: {
    digest: `digestAlgorithm of the plug-in, one of ${DIGESTS.join(', ')}; ${DEFAULTS.digest} if left out`,
    iterations: `iterations of the plug-in; ${DEFAULTS.iterations} if left out`,
    keylen: 'keylen of the plug-in, in bytes; if left out, the length of each hash is taken',
  },
  forms: { json: 'passport-local-mongoose', csv: 'passport-local-mongoose-csv' },
  has: 'hash salt username|email',
  only: isOfPassport,
  id: '_id|id',
  verified: '_verified',
  joined: ({ record }) => timeOf(record.createdAt) ?? timeOfObjectId(textOf(record._id ?? record.id) ?? ''),
  hash: ({ record, settings }) => passwordOfPassport(record, settings),
  metadata: 'username',
  user: addressOf,
  reads: 'email createdAt',
  // The plug-in counts failed attempts for a while; everything else is the application's own.
  unused: '__v attempts last updatedAt',
  warning: {
    text: ({ settings: { digest = DEFAULTS.digest, iterations = DEFAULTS.iterations } }) =>
      `The collection does not say how the hashes were made: ${digest.toLowerCase().replace('-', '')} and ${iterations} iterations are taken. Prove one password before you import. If it does not match, look at the options of the plug-in: --set digest=… --set iterations=… (old versions: sha1).`,
    when: ({ settings }) => typeof parametersOf(settings) === 'object',
  },
  stop: {
    text: ({ settings }) => `No hash can be read: ${parametersOf(settings)}.`,
    when: ({ settings }) => typeof parametersOf(settings) === 'string',
  },
});

// Meteor

/** Members of Meteor's `services` that are not accounts at third parties. */
const OWN_SERVICES = new Set(
  words('password resume email emailCode passwordless twoFactorAuthentication totp email2fa webauthn'),
);
const ENTERPRISE = new Set(['ldap', 'saml', 'cas']);

function hasMeteorService(services: JsonObject | undefined): boolean {
  if (services === undefined) return false;
  if (services.resume !== undefined) return true;
  const password = objectOf(services.password) ?? {};
  return ['bcrypt', 'argon2', 'srp'].some((name) => password[name] !== undefined);
}

/** Members of `services` with second factors. Rocket.Chat keeps disabled ones there, with `enabled` false. */
const FACTORS = ['twoFactorAuthentication', 'totp', 'email2fa', 'webauthn'];
const isFactor = (service: unknown) => isDemanded(service) && flagOf(objectOf(service)?.enabled) !== false;

const servicesOf = ({ record }: Row): JsonObject => objectOf(record.services) ?? {};

/** Meteor users may have no address of their own, so the first one of a third-party account is taken. */
function addressesOf(row: Row): readonly Address[] {
  const own = objectsOf(row.record.emails).filter(({ address }) => textOf(address) !== undefined);
  if (own.length > 0) return own.map(({ address, verified }) => ({ email: address, isVerified: verified }));
  const ofAccount = identitiesOf(row).find(({ userId, email }) => textOf(userId) && textOf(email));
  return ofAccount === undefined ? [] : [{ email: ofAccount.email, isVerified: ofAccount.isVerified }];
}

const identitiesOf = (row: Row): Identity[] =>
  Object.entries(servicesOf(row)).flatMap(([provider, value]) => {
    const service = OWN_SERVICES.has(provider) ? undefined : objectOf(value);
    if (service === undefined) return [];
    return [
      {
        provider,
        userId: service.id,
        email: service.email,
        isVerified: service.verified_email ?? service.email_verified,
        ...(ENTERPRISE.has(provider) && { isSso: true }),
      },
    ];
  });

function passwordOfMeteor(password: JsonObject | undefined): SourcePassword | undefined {
  if (password === undefined) return undefined;
  const encoded = hashText(password.bcrypt);
  if (encoded !== undefined) return { encoded, algorithm: 'bcrypt-sha256' };
  const argon2 = hashText(password.argon2);
  if (argon2 !== undefined) return { encoded: argon2, algorithm: 'argon2-sha256' };
  if (password.srp !== undefined)
    return unknownAlgorithm(
      'SRP, as Meteor used it before 2014, cannot be verified: a new password is needed',
    );
  return undefined;
}

function isOfMeteor(table: TableHead, _settings: Settings, around?: DetectionContext): boolean {
  return around?.isNamed === true || table.first.some(({ services }) => hasMeteorService(objectOf(services)));
}

const USERS = {
  only: isOfMeteor,
  id: '_id',
  addresses: addressesOf,
  joined: 'createdAt',
  hash: (row) => passwordOfMeteor(hashObject(hashObject(row.record.services)?.password)),
  identities: identitiesOf,
  metadata: 'profile{} username name',
  factors: (row) => FACTORS.some((name) => isFactor(servicesOf(row)[name])),
  roles: ({ record }) => listOf(record.roles).length > 0,
  reads: 'services emails roles',
  note: 'Meteor hashes the hexadecimal SHA-256 of the password: the hashes look like bcrypt and are imported as bcrypt-sha256.',
} as const satisfies Partial<Users>;

/**
 * Meteor, and Rocket.Chat, which is built on it: the collection `users`. Schema:
 * meteor/meteor@02406112: packages/accounts-base and accounts-password/password_server.js;
 * RocketChat/Rocket.Chat: packages/core-typings/src/IUser.ts, ILivechatAgent.ts (8)
 */
export const meteor = system('meteor', 'Meteor', [
  {
    ...USERS,
    forms: { json: 'rocketchat-mongoexport' },
    // Only users of Rocket.Chat have a type.
    has: '_id services type active emails|username|profile|createdAt',
    states: {
      active: 'active',
      type: byWord({ ACTIVE: 'user', SERVICE_ACCOUNT: 'bot app unknown', ANONYMOUS: 'visitor' }),
      // Users with this flag are people of other servers.
      federated: 'disabled',
    },
    drops: { 'forced password changes': 'requirePasswordChange' },
    reads: `${USERS.reads} requirePasswordChange`,
    // `status` says whether the user is online.
    unused: `_updatedAt __rooms _pendingAvatarUrl abacAttributes avatarETag avatarOrigin avatarUrl banners bio
      canViewAllInfo customFields defaultRoom e2e extension federation freeSwitchExtension importIds inactiveReason
      inviteToken language lastLogin ldap livechat livechatCount livechatStatusSystemModified maxNumberSimultaneousChat
      nickname oauth openBusinessHours operator phone phones previousState providerId reason requirePasswordChangeReason
      roomRolePriorities settings sidebarCategories status statusConnection statusDefault statusExpiresAt statusId
      statusLivechat statusSource statusText utcOffset`,
  },
  { ...USERS, forms: { json: 'meteor-mongoexport' }, has: '_id services emails|username|profile|createdAt' },
]);

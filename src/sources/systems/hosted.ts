import type { JsonObject } from '../../lib/json/json-object.ts';
import type { SourceRecord, TableHead } from '../containers/table.ts';
import {
  bcryptHash,
  hashObject,
  hashText,
  invalidHash,
  pbkdf2Hash,
  saltedDigest,
  unknownAlgorithm,
  unsupportedAlgorithm,
} from '../fields/hashes.ts';
import { knownThirdPartyId } from '../fields/providers.ts';
import { isDemanded } from '../fields/second-factors.ts';
import { byWord } from '../fields/states.ts';
import {
  bytesOf,
  flagOf,
  listOf,
  mayBeYes,
  metadataOf,
  objectOf,
  objectsOf,
  textOf,
} from '../fields/values.ts';
import type { SourcePassword, SourceUser } from '../source-user.ts';
import { FIRST_SIGN_IN, type Identity, type Row, system, type Users } from './declare.ts';

// Okta

const credentialOf = (record: JsonObject): JsonObject | undefined =>
  objectOf(objectOf(record.credentials)?.password);

const isOkta = ({ first }: TableHead): boolean => {
  const own = first.filter(({ profile }) => textOf(objectOf(profile)?.login) !== undefined);
  return own.length > 0 && own.length * 2 >= first.length;
};

const hasPasswords = ({ first }: TableHead): boolean =>
  first.some((record) => {
    const credential = credentialOf(record);
    return credential?.hash !== undefined || credential?.value !== undefined;
  });

/** Members of the profile that do not become metadata. */
const NOT_METADATA = new Set(['email', 'mobilePhone', 'primaryPhone', 'secondEmail']);

const profileOf = ({ record }: Row): JsonObject => objectOf(record.profile) ?? {};
const statusOf = ({ record }: Row) => textOf(record.status);

/** Bodies of Okta's API call that creates users, made by someone who moved to Okta. */
const importBody: Users = {
  forms: { json: 'okta-import' },
  has: 'profile credentials',
  only: (table) => isOkta(table) && hasPasswords(table),
  id: 'id',
  email: (row) => profileOf(row).email,
  // The second address is for recovery only.
  addresses: (row) =>
    textOf(profileOf(row).email) === undefined ? [] : [{ email: profileOf(row).secondEmail }],
  joined: 'created',
  hash: ({ record }) => passwordOf(credentialOf(record)),
  metadata: (row) => ({
    profile: metadataOf(
      Object.fromEntries(Object.entries(profileOf(row)).filter(([name]) => !NOT_METADATA.has(name))),
    ),
  }),
  states: {
    status: byWord({
      ACTIVE: 'active locked_out password_expired provisioned recovery staged',
      DISABLED: 'deprovisioned suspended',
    }),
  },
  drops: {
    'temporary locks': (row) => statusOf(row) === 'LOCKED_OUT',
    'forced password changes': (row) => ['PASSWORD_EXPIRED', 'RECOVERY'].includes(statusOf(row) ?? ''),
    groups: ({ record }) => Array.isArray(record.groupIds) && record.groupIds.length > 0,
  },
  phone: (row) => ['mobilePhone', 'primaryPhone'].some((name) => textOf(profileOf(row)[name]) !== undefined),
  reads: 'groupIds',
  unused:
    'activated statusChanged lastLogin lastUpdated passwordChanged type transitioningToStatus realmId orgId _links _embedded',
};

const users: Users = {
  ...importBody,
  forms: { json: 'okta-users' },
  only: isOkta,
  hasPages: true,
  warning: `No hashes leave Okta. If Okta was filled from another system, its export still has them. Otherwise, these users are skipped. ${FIRST_SIGN_IN}`,
};

const DIGESTS = new Map([
  ['SHA-512', 'sha512'],
  ['SHA-256', 'sha256'],
  ['SHA-1', 'sha1'],
  ['MD5', 'md5'],
] as const);

/** In all exports of Okta itself, `credentials.password` is an empty object. */
function passwordOf(credential: JsonObject | undefined): SourcePassword | undefined {
  const hash = hashObject(credential?.hash);
  if (hash === undefined) {
    const plainText = hashText(credential?.value);
    return plainText === undefined ? undefined : { plainText };
  }
  const algorithm = textOf(hash.algorithm)?.toUpperCase() ?? '';
  if (algorithm === 'BCRYPT') return bcryptOf(hash);
  const digest = DIGESTS.get(algorithm as 'MD5');
  if (digest === undefined && algorithm !== 'PBKDF2') {
    return unknownAlgorithm('the algorithm of the hash is none that Okta takes');
  }
  const bytes = bytesOf(hash.value, 'base64');
  const salt =
    hash.salt === undefined && digest !== undefined ? Buffer.alloc(0) : bytesOf(hash.salt, 'base64');
  if (bytes === undefined || salt === undefined) return invalidHash('value or salt is not base64');
  if (digest === undefined) return pbkdf2Of(hash, { salt, hash: bytes });
  const order = textOf(hash.saltOrder)?.toUpperCase() === 'POSTFIX' ? 'ps' : 'sp';
  return saltedDigest({ digest, order, salt, hash: bytes });
}

function bcryptOf({ workFactor, salt, value }: JsonObject): SourcePassword {
  const [cost, saltText, digest] = [textOf(workFactor), textOf(salt), textOf(value)];
  if (cost === undefined || saltText === undefined || digest === undefined) {
    return invalidHash('workFactor, salt or value is missing');
  }
  return bcryptHash({ cost, salt: saltText, digest });
}

function pbkdf2Of(
  { digestAlgorithm, iterationCount, keySize }: JsonObject,
  bytes: { salt: Uint8Array; hash: Uint8Array },
): SourcePassword {
  const name = textOf(digestAlgorithm)?.toUpperCase();
  if (name !== 'SHA256_HMAC' && name !== 'SHA512_HMAC') {
    return unsupportedAlgorithm('digestAlgorithm is neither SHA256_HMAC nor SHA512_HMAC');
  }
  const iterations = Number(textOf(iterationCount));
  if (!Number.isSafeInteger(iterations)) return invalidHash('iterationCount is no whole number');
  if (keySize !== undefined && Number(textOf(keySize)) !== bytes.hash.length) {
    return invalidHash('keySize is not the length of the value');
  }
  return pbkdf2Hash({ digest: name === 'SHA256_HMAC' ? 'sha256' : 'sha512', iterations, ...bytes });
}

/** Schema: okta/okta-sdk-golang: okta/model_user.go */
export const okta = system('okta', 'Okta', [importBody, users]);

// Stytch

/** Role of every Stytch user, which is therefore no loss. */
const NO_ROLE = 'stytch_user';
const SECOND_FACTORS = ['totps', 'webauthn_registrations', 'biometric_registrations'];

/** Users of Stytch's consumer product, as listed by `POST /v1/users/search`: stytch.com/docs/api/user-object. */
export const stytch = system('stytch', 'Stytch', {
  forms: { json: 'stytch-users' },
  hasPages: true,
  has: 'user_id emails providers|webauthn_registrations|crypto_wallets|untrusted_metadata',
  id: 'user_id',
  // Stytch marks no address as the primary one, so a verified one is preferred.
  addresses: ({ record }) =>
    objectsOf(record.emails).map(({ email, verified }) => ({
      ...{ email, isVerified: verified, isPrimary: flagOf(verified) === true },
    })),
  joined: 'created_at',
  identities: ({ record }) =>
    objectsOf(record.providers)
      .filter(({ provider_subject }) => textOf(provider_subject) !== undefined)
      .map(({ provider_type, provider_subject }) => ({
        provider: provider_type,
        userId: provider_subject,
      })),
  metadata: 'name{} external_id trusted_metadata{} untrusted_metadata{}',
  states: { status: { active: 'ACTIVE', deleted: 'DELETED', pending: 'ACTIVE' } },
  factors: ({ record }) => SECOND_FACTORS.some((name) => listOf(record[name]).length > 0),
  roles: ({ record }) => listOf(record.roles).filter((role) => role !== NO_ROLE),
  drops: { 'temporary locks': 'is_locked' },
  phone: ({ record }) => listOf(record.phone_numbers).length > 0,
  reads: `emails providers ${SECOND_FACTORS.join(' ')} roles phone_numbers`,
  unused: 'crypto_wallets password lock_created_at lock_expires_at',
  warning: `The API of Stytch gives no password hashes: ask its support for them. Without them, users who have no social login are skipped. ${FIRST_SIGN_IN}`,
});

// WorkOS

const isUser = ({ object, id }: SourceRecord) =>
  object === 'user' && textOf(id)?.startsWith('user_') === true;

/** Users of WorkOS' User Management, as listed by the API: workos.com/docs/reference/authkit/user. */
export const workos = system('workos', 'WorkOS', {
  forms: { json: 'workos-users' },
  hasPages: true,
  has: 'id email email_verified',
  // Clerk also writes `"object":"user"`, but has a list of addresses.
  hasNot: 'email_addresses identities',
  only: ({ first }, _settings, around) =>
    around?.isNamed === true || (first.length > 0 && first.every(isUser)),
  id: 'id',
  email: 'email',
  verified: 'email_verified',
  joined: 'created_at',
  metadata: 'first_name last_name external_id metadata{}',
  unused: 'object profile_picture_url last_sign_in_at updated_at locale',
  warning: `WorkOS gives neither password hashes nor the ids of social accounts in its list of users. Ask its support for the hashes. Without them, these users are skipped. ${FIRST_SIGN_IN}`,
});

// Descope

const loginIdsOf = ({ record }: Row): string[] =>
  listOf(record.loginIds).filter((id) => typeof id === 'string');

/**
 * Descope's `OAuth` names the providers without ids. One id may be found in a login id such as `google-1105…`, which
 * Descope does not document.
 */
function identitiesOfDescope(row: Row): Identity[] {
  const used = Object.entries(objectOf(row.record.OAuth) ?? {}).filter(([, isUsed]) => isUsed === true);
  return used.map(([provider]) => {
    const start = `${provider}-`;
    const userId = loginIdsOf(row)
      .find((id) => id.startsWith(start))
      ?.slice(start.length);
    return { provider, userId };
  });
}

/** Users as listed by Descope's management API: docs.descope.com, "Search Users". */
export const descope = system('descope', 'Descope', {
  forms: { json: 'descope-users' },
  hasPages: true,
  has: 'loginIds userId|verifiedEmail|userTenants|createdTime',
  id: 'userId',
  email: (row) => textOf(row.record.email) ?? loginIdsOf(row).find((id) => id.includes('@')),
  verified: 'verifiedEmail',
  joined: 'createdTime',
  identities: identitiesOfDescope,
  metadata: 'name customAttributes{}',
  states: { status: { disabled: 'DISABLED', enabled: 'ACTIVE', invited: 'ACTIVE' } },
  phone: 'phone',
  factors: ({ record }) => mayBeYes(record.TOTP) || mayBeYes(record.webauthn),
  roles: ({ record }) => listOf(record.roleNames),
  drops: { organisations: ({ record }) => listOf(record.userTenants).length > 0 },
  reads: 'email OAuth TOTP webauthn roleNames',
  unused:
    'givenName middleName familyName verifiedPhone picture test SAML SCIM push password ssoAppIds editable externalIds recoveryEmail recoveryPhone verifiedRecoveryEmail verifiedRecoveryPhone hasTOTPSeed modifiedTime lastLogin permissions',
  warning: `Descope gives no password hashes in its list of users. Social accounts are imported if their id stands in a login id (google-…); try one of them first. Other users are skipped. ${FIRST_SIGN_IN}`,
});

// Amazon Cognito

/** Standard attributes of a user pool, which are also columns of the template for Cognito's own import. */
const ATTRIBUTES =
  'sub name given_name family_name middle_name nickname preferred_username profile picture website email email_verified ' +
  'gender birthdate zoneinfo locale phone_number phone_number_verified address updated_at identities';
/** Attributes that are read separately, or that do not describe the person. */
const NOT_KEPT_OF_COGNITO: ReadonlySet<string> = new Set([
  'sub',
  'email',
  'email_verified',
  'phone_number',
  'phone_number_verified',
  'identities',
  'updated_at',
  'cognito:username',
  'cognito:mfa_enabled',
  'cognito:user_status',
]);

function userOf(attributes: JsonObject, username: string | undefined, { drop }: Row): Partial<SourceUser> {
  const hasPhone = textOf(attributes.phone_number) !== undefined;
  if (hasPhone) drop('phone numbers', [attributes.phone_number]);
  return {
    externalUserId: textOf(attributes.sub) ?? username,
    email: textOf(attributes.email),
    isVerified: flagOf(attributes.email_verified),
    hasPhone,
  };
}

/** Attributes of the person, with those that the app defines, such as `custom:plan`. */
function keptAttributes(attributes: JsonObject, username: string | undefined) {
  const metadata: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(attributes))
    if (!NOT_KEPT_OF_COGNITO.has(name)) metadata[name] = textOf(value);
  return textOf(attributes.sub) === username ? metadata : { username, ...metadata };
}

/**
 * Cognito's attribute `identities` has the provider's user id as the provider writes it; the user name may
 * have it in lower case.
 */
const identitiesOfCognito = (list: unknown): Identity[] =>
  objectsOf(list).map(({ userId, providerName, providerType }) => {
    const type = textOf(providerType);
    const isKnown = type !== undefined && knownThirdPartyId(type) !== undefined;
    const provider = isKnown ? type : (textOf(providerName) ?? type ?? 'unknown');
    return { provider, userId, isSso: type === 'SAML' || type === 'OIDC' };
  });

function attributesOf({ record }: Row): JsonObject {
  const pairs = objectsOf(record.Attributes ?? record.UserAttributes).flatMap(({ Name, Value }) =>
    typeof Name === 'string' && Name !== '__proto__' ? [[Name, Value] as const] : [],
  );
  return Object.fromEntries(pairs);
}

const NO_HASHES = `Cognito never gives hashes away. Users without a social login are skipped. ${FIRST_SIGN_IN}`;

/** Output of `aws cognito-idp list-users`. `UserAttributes` of `admin-get-user` are read, too. */
const listUsers: Users = {
  forms: { json: 'cognito-list-users' },
  has: 'Username Attributes|UserAttributes UserStatus|UserCreateDate',
  hasPages: true,
  id: 'Username',
  joined: 'UserCreateDate',
  states: {
    Enabled: 'active',
    UserStatus: byWord({
      ACTIVE: 'confirmed external_provider force_change_password reset_required unconfirmed',
      DISABLED: 'archived compromised',
    }),
  },
  identities: (row) => identitiesOfCognito(attributesOf(row).identities),
  metadata: (row) => keptAttributes(attributesOf(row), textOf(row.record.Username)),
  factors: ({ record }) =>
    [record.MFAOptions, record.UserMFASettingList, record.PreferredMfaSetting].some(isDemanded),
  drops: {
    'forced password changes': ({ record }) =>
      ['FORCE_CHANGE_PASSWORD', 'RESET_REQUIRED'].includes(textOf(record.UserStatus) ?? ''),
  },
  user: (row) => userOf(attributesOf(row), textOf(row.record.Username), row),
  reads: 'MFAOptions UserMFASettingList PreferredMfaSetting',
  unused: 'UserLastModifiedDate ResponseMetadata',
  warning: NO_HASHES,
};

/** CSV in the form of the template for Cognito's own import. */
const csv: Users = {
  forms: { csv: 'cognito-csv' },
  has: 'cognito:username',
  hasPages: true,
  id: 'sub|cognito:username',
  identities: ({ record }) => identitiesOfCognito(record.identities),
  metadata: ({ record }) => keptAttributes(record, textOf(record['cognito:username'])),
  factors: ({ record }) => mayBeYes(record['cognito:mfa_enabled']),
  user: (row) => userOf(row.record, textOf(row.record['cognito:username']), row),
  reads: `${ATTRIBUTES} cognito:mfa_enabled`,
  unused: 'cognito:user_status',
  warning: NO_HASHES,
};

/** Schema: aws/aws-sdk-go-v2: service/cognitoidentityprovider/types/types.go (UserType), and Cognito's CSV header */
export const cognito = system('cognito', 'Amazon Cognito', [listUsers, csv]);

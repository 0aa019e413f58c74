import type { JsonObject } from '../../lib/json/json-object.ts';
import type { SourceRecord, TableHead } from '../containers/table.ts';
import {
  bcryptHash,
  hashObject,
  hashText,
  invalidHash,
  isDigest,
  pbkdf2Hash,
  saltedDigest,
  unknownAlgorithm,
  unsupportedAlgorithm,
} from '../fields/hashes.ts';
import { knownThirdPartyId } from '../fields/providers.ts';
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
import type { SourcePassword } from '../source-user.ts';
import { type Identity, type Row, system, type Users, words } from './declare.ts';

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

/** Bodies of Okta's API call that creates users, as made by someone who once moved to Okta. */
const importBody: Users = {
  forms: { json: 'okta-import' },
  has: 'profile credentials',
  only: (table) => isOkta(table) && hasPasswords(table),
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
  warning: 'No hashes leave Okta. If Okta was filled from another system, its export still has them.',
};

const DIGESTS = new Map([
  ['SHA-512', 'sha512'],
  ['SHA-256', 'sha256'],
  ['SHA-1', 'sha1'],
  ['MD5', 'md5'],
] as const);

/** Reads the password of an import body. In all exports of Okta itself, `credentials.password` is an empty object. */
function passwordOf(credential: JsonObject | undefined): SourcePassword | undefined {
  const hash = hashObject(credential?.hash);
  if (hash === undefined) {
    const plainText = hashText(credential?.value);
    return plainText === undefined ? undefined : { plainText };
  }
  const algorithm = textOf(hash.algorithm)?.toUpperCase() ?? '';
  if (algorithm === 'BCRYPT')
    return bcryptHash({ cost: hash.workFactor, salt: hash.salt, digest: hash.value });
  const digest = DIGESTS.get(algorithm as 'MD5');
  if (digest === undefined && algorithm !== 'PBKDF2') {
    return unknownAlgorithm('the algorithm of the hash is none that Okta takes');
  }
  const value = bytesOf(hash.value, 'base64');
  const salt =
    hash.salt === undefined && digest !== undefined ? Buffer.alloc(0) : bytesOf(hash.salt, 'base64');
  if (value === undefined || salt === undefined) return invalidHash('value or salt is not base64');
  if (digest === undefined) return pbkdf2Of(hash, { salt, hash: value });
  const order = textOf(hash.saltOrder)?.toUpperCase() === 'POSTFIX' ? 'ps' : 'sp';
  return saltedDigest({ digest, order, salt, hash: value });
}

function pbkdf2Of(
  { digestAlgorithm, iterationCount: iterations, keySize }: JsonObject,
  bytes: { salt: Buffer; hash: Buffer },
): SourcePassword {
  const [, digest] = /^(SHA256|SHA512)_HMAC$/.exec(textOf(digestAlgorithm)?.toUpperCase() ?? '') ?? [];
  const name = digest?.toLowerCase();
  if (!isDigest(name)) return unsupportedAlgorithm('digestAlgorithm is neither SHA256_HMAC nor SHA512_HMAC');
  if (keySize !== undefined && Number(textOf(keySize)) !== bytes.hash.length)
    return invalidHash('keySize is not the length of the value');
  return pbkdf2Hash({ digest: name, iterations, ...bytes });
}

/** Schema: okta/okta-sdk-golang: okta/model_user.go */
export const okta = system('okta', 'Okta', [importBody, users]);

// Stytch

/** Role that every Stytch user has. It is not counted as lost. */
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
  warning: 'The API of Stytch gives no password hashes: ask its support for them.',
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
  verified: 'email_verified',
  joined: 'created_at',
  metadata: 'first_name last_name external_id metadata{}',
  unused: 'object profile_picture_url last_sign_in_at updated_at locale',
  warning:
    'WorkOS gives neither password hashes nor the ids of social accounts in its list of users. Ask its support for the hashes.',
});

// Descope

const loginIdsOf = ({ record }: Row): string[] =>
  listOf(record.loginIds).filter((id) => typeof id === 'string');

/**
 * Returns the identities. Descope's `OAuth` has the names of providers without ids. The id may be in a login id such as
 * `google-1105…`, although Descope does not document this.
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
  warning:
    'Descope gives no password hashes in its list of users. Social accounts are imported if their id stands in a login id (google-…); try one of them first.',
});

// Amazon Cognito

/** Standard attributes of a user pool, which are also columns of the template for Cognito's own import. */
const ATTRIBUTES =
  'sub name given_name family_name middle_name nickname preferred_username profile picture website email email_verified ' +
  'gender birthdate zoneinfo locale phone_number phone_number_verified address updated_at identities';
/** Attributes that do not become metadata, because they are read separately or do not describe the person. */
const NOT_KEPT_OF_COGNITO = new Set(
  words(`sub email email_verified phone_number phone_number_verified identities updated_at cognito:username
    cognito:mfa_enabled cognito:user_status Enabled UserStatus UserCreateDate MFAOptions UserMFASettingList
    PreferredMfaSetting`),
);

/** Returns the attributes for the metadata, including those that the app defines, such as `custom:plan`. */
function keptAttributes({ record }: Row) {
  const username = textOf(record['cognito:username']);
  const kept = Object.entries(record).filter(([name]) => !NOT_KEPT_OF_COGNITO.has(name));
  const metadata = Object.fromEntries(kept.map(([name, value]) => [name, textOf(value)]));
  return textOf(record.sub) === username ? metadata : { username, ...metadata };
}

/**
 * Reads Cognito's attribute `identities`. It has the user id at the provider unchanged, unlike the user name, which may
 * have it in lower case.
 */
const identitiesOfCognito = (list: unknown): Identity[] =>
  objectsOf(list).map(({ userId, providerName, providerType }) => {
    const type = textOf(providerType);
    const isKnown = type !== undefined && knownThirdPartyId(type) !== undefined;
    const provider = isKnown ? type : (textOf(providerName) ?? type ?? 'unknown');
    return { provider, userId, isSso: type === 'SAML' || type === 'OIDC' };
  });

/** Returns the attributes of a user, under the names in the template for Cognito's own import. */
function attributesOf({ record }: Pick<Row, 'record'>): SourceRecord {
  const pairs = objectsOf(record.Attributes ?? record.UserAttributes).flatMap(({ Name, Value }) =>
    typeof Name === 'string' && Name !== '__proto__' ? [[Name, Value] as const] : [],
  );
  return { ...Object.fromEntries(pairs), 'cognito:username': record.Username };
}

const ofPool = {
  hasPages: true,
  email: ({ record }) => textOf(record.email),
  verified: ({ record }) => flagOf(record.email_verified),
  identities: ({ record }) => identitiesOfCognito(record.identities),
  metadata: keptAttributes,
  phone: 'phone_number',
  warning: 'Cognito never gives hashes away.',
} as const satisfies Partial<Users>;

const OF_USERS = 'Enabled UserStatus UserCreateDate MFAOptions UserMFASettingList PreferredMfaSetting';

const FORCED = ['FORCE_CHANGE_PASSWORD', 'RESET_REQUIRED'];

/** Output of `aws cognito-idp list-users`, or of `admin-get-user`, in which the attributes are `UserAttributes`. */
const listUsers: Users = {
  ...ofPool,
  forms: { json: 'cognito-list-users' },
  has: 'Username Attributes|UserAttributes UserStatus|UserCreateDate',
  as: ({ record }) => ({
    ...attributesOf({ record }),
    ...Object.fromEntries(words(OF_USERS).map((name) => [name, record[name]])),
  }),
  id: (record) => textOf(attributesOf({ record }).sub) ?? textOf(record.Username),
  joined: 'UserCreateDate',
  states: {
    Enabled: 'active',
    UserStatus: byWord({
      ACTIVE: 'confirmed external_provider force_change_password reset_required unconfirmed',
      DISABLED: 'archived compromised',
    }),
  },
  stateReads: 'Enabled UserStatus',
  factors: 'MFAOptions UserMFASettingList PreferredMfaSetting',
  drops: {
    'forced password changes': ({ record }) => FORCED.includes(textOf(record.UserStatus) ?? ''),
  },
  // If a user with identities does not have this status, the user also has a password, which Cognito does not export.
  user: ({ record: { UserStatus: status, identities } }) =>
    objectsOf(identities).length > 0 && !/^external_provider$/i.test(textOf(status) ?? '')
      ? { hasHiddenPassword: true }
      : {},
  reads: OF_USERS,
  unused: 'UserLastModifiedDate ResponseMetadata',
  note: {
    text: 'The output of list-users does not say who has an authenticator app (TOTP) as a second factor: these users come in, and sign in with their password only. Outputs of admin-get-user say it (UserMFASettingList), and can be imported instead.',
    when: ({ has }) => has('Attributes') && !has('UserMFASettingList'),
  },
};

/** CSV with the columns of the template for Cognito's own import. */
const csv: Users = {
  ...ofPool,
  forms: { csv: 'cognito-csv' },
  has: 'cognito:username',
  id: 'sub|cognito:username',
  factors: 'cognito:mfa_enabled',
  reads: ATTRIBUTES,
  unused: 'cognito:user_status',
};

/** Schema: aws/aws-sdk-go-v2: service/cognitoidentityprovider/types/types.go (UserType), and Cognito's CSV header */
export const cognito = system('cognito', 'Amazon Cognito', [listUsers, csv]);

import type { JsonObject } from '../../lib/json/json-object.ts';
import { knownThirdPartyId } from '../fields/providers.ts';
import { isDemanded } from '../fields/second-factors.ts';
import { byWord } from '../fields/states.ts';
import { flagOf, mayBeYes, objectsOf, textOf } from '../fields/values.ts';
import type { SourceUser } from '../source-user.ts';
import { FIRST_SIGN_IN, type Identity, type Row, system, type Users } from './declare.ts';

/** Standard attributes of a user pool, which are also columns of the template for Cognito's own import. */
const ATTRIBUTES =
  'sub name given_name family_name middle_name nickname preferred_username profile picture website email email_verified ' +
  'gender birthdate zoneinfo locale phone_number phone_number_verified address updated_at identities';
/** Attributes that are read separately, or that do not describe the person. */
const NOT_METADATA: ReadonlySet<string> = new Set([
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
function metadataOf(attributes: JsonObject, username: string | undefined) {
  const metadata: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(attributes))
    if (!NOT_METADATA.has(name)) metadata[name] = textOf(value);
  return textOf(attributes.sub) === username ? metadata : { username, ...metadata };
}

/**
 * Cognito's attribute `identities` has the provider's user id as the provider writes it; the user name may
 * have it in lower case.
 */
const identitiesOf = (list: unknown): Identity[] =>
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
  identities: (row) => identitiesOf(attributesOf(row).identities),
  metadata: (row) => metadataOf(attributesOf(row), textOf(row.record.Username)),
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
  identities: ({ record }) => identitiesOf(record.identities),
  metadata: ({ record }) => metadataOf(record, textOf(record['cognito:username'])),
  factors: ({ record }) => mayBeYes(record['cognito:mfa_enabled']),
  user: (row) => userOf(row.record, textOf(row.record['cognito:username']), row),
  reads: `${ATTRIBUTES} cognito:mfa_enabled`,
  unused: 'cognito:user_status',
  warning: NO_HASHES,
};

/** Schema: aws/aws-sdk-go-v2: service/cognitoidentityprovider/types/types.go (UserType), and Cognito's CSV header */
export const cognito = system('cognito', 'Amazon Cognito', [listUsers, csv]);

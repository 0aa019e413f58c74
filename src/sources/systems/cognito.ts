import type { TableHead } from '../containers/table.ts';
import { knownThirdPartyId } from '../fields/providers.ts';
import { gravestState, stateOfFlag, stateOfWord } from '../fields/read-state.ts';
import { isDemanded } from '../fields/second-factors.ts';
import { timeOf } from '../fields/time.ts';
import { flagOf, metadataOf, objectsOf, textOf } from '../fields/values.ts';
import type { Advice, Form, ReadContext, Source } from '../source.ts';
import type { SourceIdentity, SourceUser } from '../source-user.ts';

/** Attributes of Cognito that are read separately, or that do not describe the person. */
const NOT_METADATA = new Set([
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

type Attributes = Readonly<Record<string, unknown>>;

function readAttributes(
  attributes: Attributes,
  username: string | undefined,
  context: ReadContext,
): SourceUser {
  const email = textOf(attributes.email);
  const hasPhone = textOf(attributes.phone_number) !== undefined;
  if (hasPhone && email !== undefined) context.drop('phone numbers', [attributes.phone_number]);
  const metadata: Record<string, unknown> = {};
  for (const name of Object.keys(attributes)) {
    if (!NOT_METADATA.has(name) && name !== '__proto__') metadata[name] = textOf(attributes[name]);
  }
  const sub = textOf(attributes.sub);
  if (sub !== username && metadata.username === undefined) metadata.username = username;
  return {
    externalUserId: sub ?? username,
    email,
    isVerified: flagOf(attributes.email_verified),
    identities: identitiesOf(attributes.identities, context),
    metadata: metadataOf(metadata),
    hasPhone,
  };
}

/**
 * Cognito's attribute `identities` has the provider's user id as the provider writes it; the user name may
 * have it in lower case.
 */
function identitiesOf(list: unknown, { drop }: ReadContext): SourceIdentity[] {
  return objectsOf(list).flatMap(({ userId, providerName, providerType }) => {
    const [id, name, type] = [textOf(userId), textOf(providerName), textOf(providerType)];
    const provider = type !== undefined && knownThirdPartyId(type) !== undefined ? type : (name ?? type);
    if (id !== undefined && provider !== undefined) {
      return [{ provider, userId: id, isSso: type === 'SAML' || type === 'OIDC' }];
    }
    drop('identities without an id');
    return [];
  });
}

const STATUSES = {
  archived: 'DISABLED',
  compromised: 'DISABLED',
  confirmed: 'ACTIVE',
  external_provider: 'ACTIVE',
  force_change_password: 'ACTIVE',
  reset_required: 'ACTIVE',
  unconfirmed: 'ACTIVE',
  unknown: 'ACTIVE',
} as const;

/** Output of `aws cognito-idp list-users`. `UserAttributes` of `admin-get-user` are read, too. */
const listUsers: Form = {
  name: 'cognito-list-users',
  hasPages: true,
  isUsers: isListUsers,
  read(record, context) {
    const attributes: Record<string, unknown> = {};
    for (const { Name, Value } of objectsOf(record.Attributes ?? record.UserAttributes)) {
      if (typeof Name === 'string' && Name !== '__proto__') attributes[Name] = Value;
    }
    const { settings } = context;
    if (['MFAOptions', 'UserMFASettingList', 'PreferredMfaSetting'].some((name) => isDemanded(record[name])))
      context.drop('mfa');
    const status = textOf(record.UserStatus);
    if (status === 'FORCE_CHANGE_PASSWORD' || status === 'RESET_REQUIRED')
      context.drop('forced password changes');
    return {
      ...readAttributes(attributes, textOf(record.Username), context),
      timeJoinedMs: timeOf(record.UserCreateDate),
      state: gravestState([
        stateOfFlag('Enabled', record.Enabled, false, settings),
        stateOfWord('UserStatus', record.UserStatus, STATUSES, settings),
      ]),
    };
  },
  advice: () => [NO_HASHES],
};

function isListUsers({ container, columns }: TableHead): boolean {
  return (
    container === 'json' &&
    columns.has('Username') &&
    (columns.has('Attributes') || columns.has('UserAttributes')) &&
    (columns.has('UserStatus') || columns.has('UserCreateDate'))
  );
}

const isCsv = ({ container, columns }: TableHead): boolean =>
  container === 'csv' && columns.has('cognito:username');

/** CSV in the form of the template for Cognito's own import. */
const csv: Form = {
  name: 'cognito-csv',
  hasPages: true,
  isUsers: isCsv,
  read(record, context) {
    if (flagOf(record['cognito:mfa_enabled']) === true) context.drop('mfa');
    return readAttributes(record, textOf(record['cognito:username']), context);
  },
  advice: () => [NO_HASHES],
};

const NO_HASHES: Advice = {
  level: 'warn',
  text: 'Cognito never gives hashes away. Users without a social login are skipped: let them come in by a password reset, or by your own sign-in against Cognito while both run.',
};

export const cognito: Source = { name: 'cognito', title: 'Amazon Cognito', forms: [listUsers, csv] };

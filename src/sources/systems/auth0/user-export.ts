import type { SourceRecord, TableHead } from '../../containers/table.ts';
import { stateOfFlag } from '../../fields/read-state.ts';
import { timeOf } from '../../fields/time.ts';
import { flagOf, listOf, objectOf, objectsOf, textOf } from '../../fields/values.ts';
import type { Advice, Form, ReadContext } from '../../source.ts';
import type { SourceIdentity, SourceUser } from '../../source-user.ts';
import { identityOf, OWN_CONNECTIONS, PREFIXED_ID, splitUserId } from './login-of-identity.ts';
import { bcryptOf, connectionOfHash, DATABASES, hashes } from './password-export.ts';
import { profileOf } from './profile.ts';

/** Id of the Auth0 account that has the password, which may be linked to an earlier one. */
function passwordIdOf(record: SourceRecord): string | undefined {
  const id = textOf(record.user_id);
  if (id?.startsWith('auth0|') === true) return id;
  for (const { provider, user_id: userId } of objectsOf(record.identities)) {
    const own = provider === 'auth0' ? textOf(userId) : undefined;
    if (own !== undefined) return `auth0|${own}`;
  }
  return id;
}

/** Connection of the Auth0 account that has the password. An export without `identities` does not show it. */
function databaseOf(record: SourceRecord): string | undefined {
  const id = passwordIdOf(record);
  const account = objectsOf(record.identities).find(
    ({ provider, user_id: userId }) => provider === 'auth0' && `auth0|${textOf(userId)}` === id,
  );
  return textOf(account?.connection);
}

export const userExport: Form = {
  name: 'auth0-ndjson',
  hasPages: true,
  isUsers: ({ container, columns, first }) =>
    container === 'json' &&
    columns.has('user_id') &&
    !columns.has('custom_password_hash') &&
    !columns.has('password_hash') &&
    first.some(isUser),
  details: { hashes },
  keyOf: passwordIdOf,
  realms: {
    ...DATABASES,
    of: (context) => (record) => databaseOf(record) ?? connectionOfHash(passwordIdOf(record), context),
  },
  read,
  advice: (seen) => adviceOnUserExport(userExport, seen),
};

/**
 * Other systems have a `user_id` as well, but without a prefix such as `auth0|`, and without identities
 * that name a connection.
 */
function isUser({ user_id: id, identities }: SourceRecord): boolean {
  if (PREFIXED_ID.test(textOf(id) ?? '')) return true;
  const [identity] = objectsOf(identities);
  return identity !== undefined && 'provider' in identity && 'connection' in identity;
}

function read(record: SourceRecord, context: ReadContext): SourceUser {
  const { drop, details } = context;
  const passwordId = passwordIdOf(record);
  const [hash] = passwordId === undefined ? [] : details('hashes', passwordId);
  const root: Address = { email: textOf(record.email), isVerified: flagOf(record.email_verified) };
  const own = ownAddress(record);
  const signsIn = own ?? root;
  const hasPhone = textOf(record.phone_number) !== undefined || hasSms(record);
  if (hasPhone && signsIn.email !== undefined) drop('phone numbers', [record.phone_number]);
  if (listOf(record.multifactor).length > 0) drop('mfa');
  return {
    externalUserId: textOf(record.user_id),
    email: signsIn.email,
    isVerified: signsIn.isVerified,
    timeJoinedMs: timeOf(record.created_at),
    password: bcryptOf(hash?.passwordHash),
    identities: identitiesOf(record, own === undefined ? undefined : root, context),
    metadata: profileOf(record),
    state: stateOfFlag('blocked', record.blocked, true, context.settings),
    hasPhone,
  };
}

interface Address {
  email: string | undefined;
  isVerified: boolean | undefined;
}

/**
 * Returns the address that the password of an Auth0 user belongs to. If its account is linked to another
 * one, the address at the root of the record belongs to the other account.
 */
function ownAddress({ user_id: id, identities }: SourceRecord): Address | undefined {
  if (typeof id === 'string' && id.startsWith('auth0|')) return undefined;
  const linked = objectsOf(identities).find(({ provider }) => provider === 'auth0');
  return addressOf(linked?.profileData);
}

function addressOf(profileData: unknown): Address | undefined {
  const profile = objectOf(profileData);
  const email = textOf(profile?.email);
  return email === undefined ? undefined : { email, isVerified: flagOf(profile?.email_verified) };
}

const hasSms = ({ user_id: id, identities }: SourceRecord): boolean =>
  (typeof id === 'string' && id.startsWith('sms|')) ||
  objectsOf(identities).some(({ provider }) => provider === 'sms');

/**
 * Returns the accounts of an Auth0 user at sign-in providers.
 * @param root address for accounts without one of their own, if it differs from the user's address
 */
function identitiesOf(
  record: SourceRecord,
  root: Address | undefined,
  { drop }: ReadContext,
): SourceIdentity[] {
  if (record.identities === undefined) return identityOfId(textOf(record.user_id));
  const identities: SourceIdentity[] = [];
  for (const account of objectsOf(record.identities)) {
    const provider = textOf(account.provider);
    if (provider === undefined || OWN_CONNECTIONS.has(provider)) continue;
    const userId = textOf(account.user_id);
    if (userId === undefined) {
      drop('identities without an id');
      continue;
    }
    const address = addressOf(account.profileData) ?? root;
    identities.push(
      identityOf({
        provider,
        userId,
        connection: textOf(account.connection),
        email: address?.email,
        isVerified: address?.isVerified,
      }),
    );
  }
  return identities;
}

/** Derives the identity from Auth0's user id, for exports without `identities`. */
export function identityOfId(id: string | undefined, connection?: string): SourceIdentity[] {
  const account = id === undefined ? undefined : splitUserId(id);
  if (account === undefined || OWN_CONNECTIONS.has(account.provider)) return [];
  return [identityOf({ ...account, connection: connection ?? account.connection })];
}

export function adviceOnUserExport(
  form: Form,
  seen: { tables: readonly TableHead[]; settings: Readonly<Record<string, string>> },
): Advice[] {
  const hasBlocked = seen.tables.some(
    (table) =>
      form.isUsers(table, seen.settings) && [...table.columns].some((name) => /^'?blocked$/i.test(name)),
  );
  return hasBlocked ? [] : [NOT_BLOCKED];
}

const NOT_BLOCKED: Advice = {
  level: 'note',
  text: 'None of the first users is blocked. The field `blocked` exists only if it was exported: without it, blocked users are imported like all others.',
};

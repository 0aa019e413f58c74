import type { JsonObject } from '../../../lib/json/json-object.ts';
import type { SourceRecord, TableHead } from '../../containers/table.ts';
import { stateOfFlag } from '../../fields/read-state.ts';
import { timeOf } from '../../fields/time.ts';
import { flagOf, listOf, metadataOf, objectOf, objectsOf, severalOf, textOf } from '../../fields/values.ts';
import type { Form, ReadContext } from '../../source.ts';
import type { SourceIdentity, SourceUser } from '../../source-user.ts';

/** List of users from Clerk's backend API. */
export const isApiUsers = ({ container, columns }: TableHead): boolean =>
  container === 'json' && columns.has('email_addresses') && columns.has('primary_email_address_id');

export const apiUsers: Form = {
  name: 'clerk-api',
  hasPages: true,
  isUsers: isApiUsers,
  read: readApiUser,
  advice: () => [
    {
      level: 'warn',
      text: 'The API gives no hashes. Export the users in the dashboard, too (Configure, Settings, User exports), and name both files: user-import import users.csv api-users.json',
    },
  ],
};

export function readApiUser(record: SourceRecord, context: ReadContext): SourceUser {
  const { drop } = context;
  const addresses = objectsOf(record.email_addresses);
  const primary = addresses.find(({ id }) => id === record.primary_email_address_id) ?? addresses[0];
  const email = textOf(primary?.email_address);
  const hasPhone = listOf(record.phone_numbers).length > 0;
  if (hasPhone && email !== undefined) drop('phone numbers');
  if (flagOf(record.two_factor_enabled) === true) drop('mfa');
  return {
    externalUserId: textOf(record.id),
    email,
    emails: severalOf(addresses.flatMap(({ email_address: address }) => textOf(address) ?? [])),
    isVerified: isVerified(primary),
    timeJoinedMs: timeOf(record.created_at),
    ...readExtras(record, context),
    hasPhone,
  };
}

const isVerified = (address: JsonObject | undefined): boolean | undefined => {
  const status = textOf(objectOf(address?.verification)?.status);
  return status === undefined ? undefined : status === 'verified';
};

/** Reads data that Clerk's CSV export lacks, from a record of the API or from its kept part. */
export function readExtras(
  record: JsonObject,
  { settings, drop }: ReadContext,
): Pick<SourceUser, 'identities' | 'metadata' | 'state'> {
  if (flagOf(record.locked) === true) drop('temporary locks');
  return {
    identities: [
      ...objectsOf(record.external_accounts).flatMap((account) => identityOf(account, false, drop)),
      ...[...objectsOf(record.saml_accounts), ...objectsOf(record.enterprise_accounts)].flatMap((account) =>
        identityOf(account, true, drop),
      ),
    ],
    metadata: metadataOf({
      first_name: record.first_name,
      last_name: record.last_name,
      username: record.username,
      external_id: record.external_id,
      public_metadata: objectOf(record.public_metadata),
      private_metadata: objectOf(record.private_metadata),
      unsafe_metadata: objectOf(record.unsafe_metadata),
    }),
    state: stateOfFlag('banned', record.banned, true, settings),
  };
}

/** Part of a record of Clerk's API that is kept until the user's row in the CSV export is read. */
export const keptOf = (record: SourceRecord): JsonObject => ({
  locked: record.locked,
  external_accounts: record.external_accounts,
  saml_accounts: record.saml_accounts,
  enterprise_accounts: record.enterprise_accounts,
  first_name: record.first_name,
  last_name: record.last_name,
  username: record.username,
  external_id: record.external_id,
  public_metadata: record.public_metadata,
  private_metadata: record.private_metadata,
  unsafe_metadata: record.unsafe_metadata,
  banned: record.banned,
  created_at: record.created_at,
});

function identityOf(account: JsonObject, isSso: boolean, drop: ReadContext['drop']): SourceIdentity[] {
  const provider = textOf(account.provider);
  const userId = textOf(account.provider_user_id);
  if (provider === undefined || userId === undefined) {
    drop('identities without an id');
    return [];
  }
  return [{ provider, userId, email: textOf(account.email_address), isSso }];
}

import type { SourceRecord, TableHead } from '../containers/table.ts';
import { knownThirdPartyId } from '../fields/providers.ts';
import { selfDescribingHash } from '../fields/self-describing.ts';
import { formsOf, hasAnyColumn, hasColumns } from '../fields/tables.ts';
import { timeOf, timeOfObjectId } from '../fields/time.ts';
import { firstOf, flagOf, metadataOf, textOf } from '../fields/values.ts';
import type { DetectionContext, Settings, Source } from '../source.ts';
import type { SourceIdentity, SourceUser } from '../source-user.ts';

/** Columns of feathers-authentication-management. A table without them could belong to any system. */
const OF_MANAGEMENT = ['verifyShortToken', 'verifyChanges', 'resetShortToken'];

const isUsers = (table: TableHead, _settings: Settings, around?: DetectionContext) =>
  hasColumns(table, 'email', 'password') &&
  hasAnyColumn(table, 'id', '_id') &&
  (around?.isNamed === true || hasColumns(table, ...OF_MANAGEMENT));

const read = (record: SourceRecord): SourceUser => ({
  externalUserId: textOf(record.id) ?? textOf(record._id),
  email: textOf(record.email),
  isVerified: flagOf(record.isVerified),
  timeJoinedMs:
    timeOf(firstOf(record, ['createdAt', 'created_at'])) ?? timeOfObjectId(textOf(record._id) ?? ''),
  password: selfDescribingHash(record.password),
  identities: Object.keys(record).flatMap((name) => identityOf(record, name)),
  metadata: metadataOf({
    name: record.name,
    username: record.username,
    firstName: record.firstName,
    lastName: record.lastName,
  }),
});

/** Feathers has identities in columns such as `googleId`. Other columns with this ending refer to tables. */
function identityOf(record: SourceRecord, name: string): SourceIdentity[] {
  const [, provider] = /^([a-z]+)Id$/.exec(name) ?? [];
  if (provider === undefined || knownThirdPartyId(provider) === undefined) return [];
  const userId = textOf(record[name]);
  return userId === undefined ? [] : [{ provider, userId }];
}

/**
 * Schema: feathersjs/feathers: packages/authentication-local, packages/authentication-oauth;
 * feathers-authentication-management
 */
export const feathers: Source = {
  name: 'feathers',
  title: 'Feathers',
  forms: formsOf(
    { sql: 'feathers-sql', json: 'feathers-json', csv: 'feathers-csv' },
    {
      ownStates: [],
      isUsers,
      read,
    },
  ),
};

import type { SourceRecord, TableHead } from '../containers/table.ts';
import { REALM, realmsInColumn } from '../fields/realms.ts';
import { selfDescribingHash } from '../fields/self-describing.ts';
import { baseName, formsOf, hasAnyColumn, hasColumns } from '../fields/tables.ts';
import { timeOf } from '../fields/time.ts';
import { flagOf, metadataOf, textOf } from '../fields/values.ts';
import type { Advice, Detail, DetectionContext, Form, ReadContext, Settings, Source } from '../source.ts';
import type { SourceIdentity, SourceUser } from '../source-user.ts';

/** Auth collection of PocketBase, except those of staff, which have the same columns. */
const isUsers = (table: TableHead) =>
  hasColumns(table, 'email', 'verified', 'tokenKey') &&
  hasAnyColumn(table, 'password', 'passwordHash') &&
  !['_superusers', '_admins'].includes(baseName(table).toLowerCase());

/** Before PocketBase 0.23, the columns that refer to users had other names. */
const identities: Detail = {
  fits: (table) =>
    hasColumns(table, 'provider', 'providerId') && hasAnyColumn(table, 'recordRef', 'recordId'),
  keyOf: ({ recordRef, recordId }) => textOf(recordRef) ?? textOf(recordId),
  keep: ({ provider, providerId }) => ({ provider, userId: providerId }),
  missing:
    'The table _externalAuths is missing. Without it social logins are lost. If users have any, dump the whole database: sqlite3 pb_data/data.db .dump > dump.sql',
};

function read(record: SourceRecord, { details }: ReadContext): SourceUser {
  const id = textOf(record.id);
  return {
    externalUserId: id,
    email: textOf(record.email),
    isVerified: flagOf(record.verified),
    timeJoinedMs: timeOf(record.created),
    password: selfDescribingHash(textOf(record.password) ?? record.passwordHash),
    identities: id === undefined ? [] : details('identities', id).flatMap(identityOf),
    metadata: metadataOf({ name: record.name, username: record.username }),
  };
}

function identityOf(account: SourceRecord): SourceIdentity[] {
  const [provider, userId] = [textOf(account.provider), textOf(account.userId)];
  return provider === undefined || userId === undefined ? [] : [{ provider, userId }];
}

const tables: Omit<Form, 'name'> = {
  isUsers,
  details: { identities },
  ownStates: [],
  read,
  advice: (): Advice[] => [
    {
      level: 'note',
      text: 'Users who came by OAuth2 have a random password, which is imported without harm.',
    },
  ],
};

function isOfApi(table: TableHead, _settings: Settings, around?: DetectionContext): boolean {
  if (table.container !== 'json' || !hasColumns(table, 'id', 'verified', 'collectionName')) return false;
  return around?.isNamed === true || table.columns.has('emailVisibility');
}

const ofApi: Form = {
  name: 'pocketbase-api',
  hasPages: true,
  isUsers: isOfApi,
  realms: realmsInColumn('collections', 'collectionName'),
  details: { identities },
  read,
  advice: () => [
    {
      level: 'warn',
      text: 'The API of PocketBase never shows hashes. Make a dump of its database instead: sqlite3 pb_data/data.db .dump > dump.sql',
    },
  ],
};

export const pocketbase: Source = {
  name: 'pocketbase',
  title: 'PocketBase',
  settings: REALM,
  forms: [
    ...formsOf({ sql: 'pocketbase-sqlite-dump', csv: 'pocketbase-csv', json: 'pocketbase-json' }, tables),
    ofApi,
  ],
};

import type { SourceRecord, TableHead } from '../containers/table.ts';
import { selfDescribingHash } from '../fields/self-describing.ts';
import { formsOf, hasColumns } from '../fields/tables.ts';
import { timeOf, timeOfObjectId } from '../fields/time.ts';
import { firstOf, flagOf, metadataOf, objectsOf, textOf } from '../fields/values.ts';
import type { Detail, ReadContext, Source } from '../source.ts';
import type { SourceIdentity, SourceUser } from '../source-user.ts';

/** Django has `is_superuser` and `is_active`, too, but calls the hash `password`. */
const isUsers = (table: TableHead) =>
  hasColumns(table, 'email', 'hashed_password', 'is_active', 'is_superuser', 'is_verified');

const accounts: Detail = {
  fits: (table) => hasColumns(table, 'user_id', 'oauth_name', 'account_id', 'account_email'),
  keyOf: ({ user_id }) => textOf(user_id),
  keep: ({ oauth_name, account_id, account_email }) => ({ oauth_name, account_id, account_email }),
};

function read(record: SourceRecord, { details, drop }: ReadContext): SourceUser {
  const id = textOf(record.id) ?? textOf(record._id);
  // With the database library Beanie, FastAPI Users stores accounts within the user.
  const ofTable = id === undefined ? [] : details('accounts', id);
  if (flagOf(record.is_superuser) === true) drop('roles');
  return {
    externalUserId: id,
    email: textOf(record.email),
    isVerified: flagOf(record.is_verified),
    timeJoinedMs: timeOf(record.created_at) ?? timeOfObjectId(textOf(record._id) ?? ''),
    password: selfDescribingHash(record.hashed_password),
    identities: [...ofTable, ...objectsOf(record.oauth_accounts)].flatMap(identityOf),
    metadata: metadataOf({
      username: record.username,
      name: firstOf(record, ['full_name', 'name']),
      first_name: record.first_name,
      last_name: record.last_name,
    }),
    state: flagOf(record.is_active) === true ? undefined : 'DISABLED',
  };
}

/** FastAPI Users reads Google ids from the People API. The rest of the text is the id in Google's tokens. */
const PEOPLE = 'people/';

function identityOf({ oauth_name, account_id, account_email }: SourceRecord): SourceIdentity[] {
  const [provider, id] = [textOf(oauth_name), textOf(account_id)];
  if (provider === undefined || id === undefined) return [];
  const userId = provider === 'google' && id.startsWith(PEOPLE) ? id.slice(PEOPLE.length) : id;
  return [{ provider, userId, email: textOf(account_email) }];
}

/** FastAPI Users with SQLAlchemy or Beanie. Schema: fastapi_users_db_sqlalchemy/__init__.py */
export const fastapiUsers: Source = {
  name: 'fastapi-users',
  title: 'FastAPI Users',
  forms: formsOf(
    { sql: 'fastapi-users-sql', csv: 'fastapi-users-csv', json: 'fastapi-users-json' },
    {
      isUsers,
      details: { accounts },
      ownStates: ['is_active'],
      read,
      advice: ({ tables }) =>
        tables.some((table) => table.first.some(({ oauth_name }) => oauth_name === 'microsoft'))
          ? [
              {
                level: 'warn',
                text: 'The ids of Microsoft accounts are those of Microsoft Graph, which the tokens that apps get by OpenID Connect have as oid, and not as sub. Look which one is the id here, before you import.',
              },
            ]
          : [],
    },
  ),
};

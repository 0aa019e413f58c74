import { timeOf, timeOfObjectId } from '../fields/time.ts';
import { flagOf, objectsOf, textOf } from '../fields/values.ts';
import { type Identity, system } from './declare.ts';

/** FastAPI Users reads Google ids from the People API. The rest of the text is the id in Google's tokens. */
const PEOPLE = 'people/';

function identityOf({ oauth_name, account_id, account_email }: Readonly<Record<string, unknown>>): Identity {
  const id = textOf(account_id);
  const isOfGoogle = oauth_name === 'google' && id?.startsWith(PEOPLE);
  return {
    provider: oauth_name,
    userId: isOfGoogle ? id?.slice(PEOPLE.length) : id,
    email: account_email,
  };
}

/**
 * FastAPI Users with SQLAlchemy or Beanie. Schema: fastapi-users/fastapi-users-db-sqlalchemy:
 * fastapi_users_db_sqlalchemy/__init__.py and access_token.py (7.0)
 */
export const fastapiUsers = system('fastapi-users', 'FastAPI Users', {
  // Django has `is_superuser` and `is_active`, too, but calls the hash `password`.
  has: 'email hashed_password is_active is_superuser is_verified',
  joins: {
    accounts: {
      has: 'user_id oauth_name account_id account_email',
      keep: 'oauth_name account_id account_email',
      unused: 'id access_token expires_at refresh_token',
    },
  },
  unusedTables: 'accesstoken',
  id: 'id|_id',
  email: 'email',
  verified: 'is_verified',
  joined: ({ record }) => timeOf(record.created_at) ?? timeOfObjectId(textOf(record._id) ?? ''),
  hash: 'hashed_password',
  // With the database library Beanie, FastAPI Users stores accounts within the user.
  identities: ({ record, joined }) =>
    [...joined('accounts'), ...objectsOf(record.oauth_accounts)].map(identityOf),
  metadata: 'username name=full_name|name first_name last_name',
  states: { is_active: 'active' },
  roles: ({ record }) => flagOf(record.is_superuser) === true,
  reads: 'created_at oauth_accounts',
  warning: {
    text: 'The ids of Microsoft accounts are those of Microsoft Graph, which the tokens that apps get by OpenID Connect have as oid, and not as sub. Look which one is the id here, before you import.',
    when: ({ tables }) =>
      tables.some(({ first }) => first.some(({ oauth_name }) => oauth_name === 'microsoft')),
  },
});

import type { SourceRecord, TableHead } from '../../containers/table.ts';
import { NO_REALM } from '../../fields/realms.ts';
import { timeOfObjectId } from '../../fields/time.ts';
import { flagOf, objectOf, objectsOf, textOf } from '../../fields/values.ts';
import type { Detail, DetectionContext, Form, FormRealms, ReadContext, Realm } from '../../source.ts';
import type { SourcePassword, SourceUser } from '../../source-user.ts';

/** Export of password hashes that Auth0's support makes on request. */
const isPasswordExport = ({ container, columns }: TableHead, around?: DetectionContext): boolean =>
  container === 'json' &&
  columns.has('passwordHash') &&
  (around?.isNamed === true ||
    ['connection', 'tenant', '_tmp_is_unique', 'password_set_date'].some((name) => columns.has(name))) &&
  ['_id', '_ID', 'alt_id'].some((name) => columns.has(name));

/** MongoDB's ObjectId of an Auth0 user, written as text or as Extended JSON. */
const objectIdOf = ({ _id = undefined, _ID = undefined }: SourceRecord): string | undefined => {
  const id = _id ?? _ID;
  return textOf(id) ?? textOf(objectOf(id)?.$oid);
};

/** Returns the `user_id` that Auth0's user export has. */
function userIdOf(record: SourceRecord): string | undefined {
  const id = textOf(record.alt_id) ?? objectIdOf(record);
  return id === undefined ? undefined : `auth0|${id}`;
}

export const bcryptOf = (hash: unknown): SourcePassword | undefined => {
  const encoded = textOf(hash);
  return encoded === undefined ? undefined : { encoded, algorithm: 'bcrypt' };
};

function readPasswordExport(record: SourceRecord): SourceUser {
  const address = objectsOf(record.identifiers).find(({ type }) => type === 'email');
  const objectId = objectIdOf(record);
  return {
    externalUserId: userIdOf(record),
    email: textOf(record.email) ?? textOf(address?.value),
    isVerified: flagOf(record.email_verified) ?? flagOf(address?.verified),
    timeJoinedMs: objectId === undefined ? undefined : timeOfObjectId(objectId),
    password: bcryptOf(record.passwordHash),
  };
}

/** A realm of Auth0 is a database connection, which has its own users, and each address once. */
export const DATABASES: Pick<FormRealms, 'title' | 'place'> = {
  title: 'database connections',
  place: 'member connection',
};

function connectionOf({ connection }: SourceRecord): Realm {
  return textOf(connection) ?? NO_REALM;
}

/**
 * Returns undefined without a hash: users of Auth0's social and enterprise connections belong to no
 * database.
 */
export function connectionOfHash(id: string | undefined, { details }: Pick<ReadContext, 'details'>): Realm {
  const [hash] = id === undefined ? [] : details('hashes', id);
  return hash && connectionOf(hash);
}

/** Hashes are joined by id, because several Auth0 connections may have the same address. */
export const hashes: Detail = {
  fits: (table) => isPasswordExport(table),
  keyOf: userIdOf,
  keep: ({ passwordHash, connection }) => ({ passwordHash, connection }),
  readAlone: readPasswordExport,
  realmOf: connectionOf,
  missing:
    'No export of Auth0 that you can make yourself has password hashes. Ask the support of Auth0 for the password hash export (it takes a paid plan and a PGP key), and name its file beside this one: user-import import users.json password-hashes.json',
};

export const passwordExport: Form = {
  name: 'auth0-password-export',
  hasPages: true,
  isUsers: (table, _settings, around) => isPasswordExport(table, around),
  realms: { ...DATABASES, of: () => connectionOf },
  read: readPasswordExport,
  advice: () => [
    {
      level: 'warn',
      text: 'The hash export alone has no social logins, no metadata and no blocked users. Make the user export, too (extension User Import / Export, or POST /api/v2/jobs/users-exports with format json), and name both files.',
    },
  ],
};

import type { SourceRecord, TableHead } from '../containers/table.ts';
import { stateOfFlag } from '../fields/read-state.ts';
import { REALM, realmsInColumn } from '../fields/realms.ts';
import { SIGNER_KEY } from '../fields/signer-key.ts';
import { hasAnyColumn, hasColumns } from '../fields/tables.ts';
import { timeOf } from '../fields/time.ts';
import { firstOf, flagOf, listOf, metadataOf, objectOf, textOf } from '../fields/values.ts';
import type { Advice, Detail, Form, ReadContext, Source } from '../source.ts';
import type { SourceIdentity, SourceUser } from '../source-user.ts';
import { appwritePassword } from './appwrite-password.ts';

/** Columns in Appwrite's API, and in its database table `_users`. */
const ID = ['$id', '_uid'];
const CREATED = ['registration', '$createdAt', '_createdAt'];

const isUsers = (table: TableHead) =>
  table.columns.has('email') &&
  hasAnyColumn(table, 'emailVerification', 'registration') &&
  hasAnyColumn(table, 'prefs', 'hashOptions', 'passwordUpdate');

/** Contains the project: Appwrite's projects that share tables may have users with the same id. */
const keyOf = ({ _tenant }: SourceRecord, id: string | undefined): string | undefined =>
  id === undefined ? undefined : `${textOf(_tenant) ?? ''}/${id}`;

/** Identities of Appwrite users: `GET /users/identities`, a separate list. */
const identities: Detail = {
  fits: (table) =>
    hasColumns(table, 'provider', 'providerUid') && hasAnyColumn(table, 'userId', 'userInternalId'),
  keyOf: (record) => keyOf(record, textOf(record.userId)),
  keep: ({ provider, providerUid, providerEmail }) => ({ provider, providerUid, providerEmail }),
  missing:
    'The list of identities is missing (GET /users/identities). Without it social logins are lost: add that file.',
};

function read(record: SourceRecord, { settings, details, drop }: ReadContext): SourceUser {
  const id = textOf(firstOf(record, ID));
  const email = textOf(record.email);
  const password = appwritePassword(record, settings);
  const key = keyOf(record, id);
  const accounts = key === undefined ? [] : details('identities', key).flatMap(identityOf);
  const hasPhone = textOf(record.phone) !== undefined;
  if (hasPhone) drop('phone numbers', [record.phone]);
  if (flagOf(record.mfa) === true) drop('mfa');
  if (listOf(record.labels).length > 0) drop('roles', listOf(record.labels));
  const isAnonymous = email === undefined && !hasPhone && password === undefined && accounts.length === 0;
  return {
    externalUserId: id,
    email,
    isVerified: flagOf(record.emailVerification),
    timeJoinedMs: timeOf(firstOf(record, CREATED)),
    password,
    identities: accounts,
    metadata: metadataOf({ name: record.name, prefs: objectOf(record.prefs) }),
    state:
      (record.status === '' ? undefined : stateOfFlag('status', record.status, false, settings)) ??
      (isAnonymous ? 'ANONYMOUS' : undefined),
    hasPhone,
  };
}

function identityOf({ provider, providerUid, providerEmail }: SourceRecord): SourceIdentity[] {
  const [name, userId] = [textOf(provider), textOf(providerUid)];
  if (name === undefined || userId === undefined) return [];
  return [{ provider: name, userId, email: textOf(providerEmail) }];
}

function advice({ tables }: { tables: readonly TableHead[] }): Advice[] {
  const records = tables.filter(isUsers).flatMap(({ first }) => first);
  const kinds = new Set(records.map(({ hash }) => textOf(hash)?.toLowerCase()));
  const notes: Advice[] = [];
  if (kinds.has('scryptmod')) {
    notes.push({
      level: 'note',
      text: 'There are hashes of Firebase (scryptMod). hashOptions.signerKey is the signer key of the project: put it into external_password_hashing_signer_key of the service.',
    });
  }
  if (kinds.has('sha')) {
    notes.push({
      level: 'note',
      text: 'There are hashes of kind sha. Where hashOptions does not name the version, it must be named: --set shaVersion=sha256.',
    });
  }
  if (records.length > 0 && records.every(({ password }) => textOf(password) === undefined)) {
    notes.push({
      level: 'warn',
      text: 'The first users have no password hashes. List them with a server key that has users.read: GET /users.',
    });
  }
  return notes;
}

const form: Omit<Form, 'name' | 'isUsers'> = {
  details: { identities },
  read,
  advice,
};

export const appwrite: Source = {
  name: 'appwrite',
  title: 'Appwrite',
  settings: {
    ...SIGNER_KEY,
    shaVersion: 'the digest of hashes of kind sha: sha1, sha256, sha512',
    ...REALM,
  },
  forms: [
    {
      ...form,
      name: 'appwrite-users',
      hasPages: true,
      isUsers: (table) => table.container === 'json' && table.columns.has('$id') && isUsers(table),
    },
    {
      ...form,
      name: 'appwrite-tables',
      // Since Appwrite 1.6, projects can share tables, so each project is a realm.
      realms: realmsInColumn('projects', '_tenant'),
      isUsers: (table) => hasAnyColumn(table, ...ID) && isUsers(table),
    },
  ],
};

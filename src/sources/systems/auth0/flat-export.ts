import type { SourceRecord, TableHead } from '../../containers/table.ts';
import { bareName } from '../../fields/column-names.ts';
import { stateOfFlag } from '../../fields/read-state.ts';
import { timeOf } from '../../fields/time.ts';
import { flagOf, metadataOf, textOf } from '../../fields/values.ts';
import type { Form, ReadContext, Realm } from '../../source.ts';
import type { SourceUser } from '../../source-user.ts';
import { PREFIXED_ID } from './login-of-identity.ts';
import { bcryptOf, connectionOfHash, DATABASES, hashes } from './password-export.ts';
import { adviceOnUserExport, identityOfId } from './user-export.ts';

/**
 * Titles of columns in Auth0's CSV export: those of the export extension, and the names of the fields. The
 * person who made the export may have chosen others.
 */
const MEANINGS = {
  email: ['email'],
  verified: ['emailverified'],
  createdAt: ['createdat'],
  connection: ['connection', 'identities0connection'],
  blocked: ['blocked'],
  phone: ['phonenumber'],
  name: ['name'],
  givenName: ['givenname'],
  familyName: ['familyname'],
  nickname: ['nickname'],
  username: ['username'],
  picture: ['picture'],
} as const;

type Meaning = keyof typeof MEANINGS;
type Titles = Readonly<Partial<Record<Meaning, string>>>;

const known = new WeakMap<TableHead, Titles>();

function titlesOf(table: TableHead): Titles {
  const before = known.get(table);
  if (before !== undefined) return before;
  const plain = new Map([...table.columns].map((title) => [bareName(title), title]));
  const titles = Object.fromEntries(
    Object.entries(MEANINGS).flatMap(([meaning, names]) => {
      const title = names.map((name) => plain.get(name)).find((one) => one !== undefined);
      return title === undefined ? [] : [[meaning, title]];
    }),
  );
  known.set(table, titles);
  return titles;
}

/** Auth0's CSV export has an apostrophe before each text, against formulas in spreadsheets. */
const withoutApostrophe = (text: string | undefined): string | undefined =>
  text?.startsWith("'") === true ? text.slice(1) || undefined : text;

const cellOf = (record: SourceRecord, title: string | undefined, isCsv: boolean): string | undefined => {
  const text = title === undefined ? undefined : textOf(record[title]);
  return isCsv ? withoutApostrophe(text) : text;
};

const USUAL_ID_TITLES = ['Id', 'user_id'];
const ID_TITLE = /^[^a-z]*(?:user[^a-z]*)?id[^a-z]*$/i;

function idOf(record: SourceRecord): string | undefined {
  for (const title of USUAL_ID_TITLES) {
    if (record[title] !== undefined) return withoutApostrophe(textOf(record[title]));
  }
  for (const title in record) {
    if (ID_TITLE.test(title)) return withoutApostrophe(textOf(record[title]));
  }
  return undefined;
}

/** Returns whether the first records have user ids that all look like Auth0's. */
function hasIds({ first }: TableHead): boolean {
  const ids = first.flatMap((record) => idOf(record) ?? []);
  return ids.length > 0 && ids.every((id) => PREFIXED_ID.test(id));
}

function isFlat(table: TableHead): boolean {
  if (!hasIds(table)) return false;
  const { email, verified, connection } = titlesOf(table);
  return (email ?? verified ?? connection) !== undefined;
}

function databaseOf(record: SourceRecord, context: Pick<ReadContext, 'table' | 'details'>): Realm {
  const { table } = context;
  const id = idOf(record);
  if (id?.startsWith('auth0|') !== true) return undefined;
  return (
    cellOf(record, titlesOf(table).connection, table.container === 'csv') ?? connectionOfHash(id, context)
  );
}

function read(record: SourceRecord, { table, settings, details, drop }: ReadContext): SourceUser {
  const titles = titlesOf(table);
  const isCsv = table.container === 'csv';
  const cell = (meaning: Meaning) => cellOf(record, titles[meaning], isCsv);
  const flag = (meaning: Meaning) =>
    flagOf(titles[meaning] === undefined ? undefined : record[titles[meaning]]);
  const id = idOf(record);
  const email = cell('email');
  const hasPhone = cell('phone') !== undefined || id?.startsWith('sms|') === true;
  if (hasPhone && email !== undefined) drop('phone numbers');
  const [hash] = id === undefined ? [] : details('hashes', id);
  return {
    externalUserId: id,
    email,
    isVerified: flag('verified'),
    timeJoinedMs: timeOf(cell('createdAt')),
    password: bcryptOf(hash?.passwordHash),
    identities: identityOfId(id, cell('connection')),
    metadata: metadataOf({
      username: cell('username'),
      name: cell('name'),
      given_name: cell('givenName'),
      family_name: cell('familyName'),
      nickname: cell('nickname'),
      picture: cell('picture'),
    }),
    state: stateOfFlag('blocked', titles.blocked && record[titles.blocked], true, settings),
    hasPhone,
  };
}

const formOf = (name: string, container: 'csv' | 'json'): Form => {
  const form: Form = {
    name,
    hasPages: true,
    isUsers: (table) => table.container === container && isFlat(table),
    details: { hashes },
    keyOf: idOf,
    realms: {
      ...DATABASES,
      of: (context) => (record) => databaseOf(record, context),
    },
    read,
    advice: (seen) => [FLAT_ONLY, ...adviceOnUserExport(form, seen)],
  };
  return form;
};

const FLAT_ONLY = {
  level: 'note',
  text: 'This file has one login of each user. Accounts that are linked to it, and metadata, are only in the export as JSON (POST /api/v2/jobs/users-exports with format json).',
} as const;

/** Exports of Auth0's dashboard and of its export extension, which give fields titles of their own. */
export const dashboardExport = formOf('auth0-dashboard-ndjson', 'json');
export const csvExport = formOf('auth0-csv', 'csv');

import type { SourceRecord, TableHead } from '../containers/table.ts';
import { selfDescribingHash } from '../fields/self-describing.ts';
import { baseName, formsOf, hasAnyColumn, hasColumns } from '../fields/tables.ts';
import { timeOf } from '../fields/time.ts';
import { isSet, metadataOf, textOf } from '../fields/values.ts';
import type { Advice, Detail, DetectionContext, Form, ReadContext, Settings, Source } from '../source.ts';
import type { SourceIdentity, SourceUser, UserState } from '../source-user.ts';

function isUsers(table: TableHead, _settings: Settings, around?: DetectionContext): boolean {
  // Custom guards of Laravel apps, such as one for admins, have tables whose ids overlap with those of
  // users.
  if (!hasColumns(table, 'email', 'password') || baseName(table).toLowerCase().startsWith('admin'))
    return false;
  return table.columns.has('remember_token') || around?.isNamed === true;
}

/** `connected_accounts` of Socialstream, and tables that Laravel apps create for Socialite. */
const accounts: Detail = {
  fits: (table) =>
    hasColumns(table, 'user_id', 'provider') && hasAnyColumn(table, 'provider_id', 'provider_user_id'),
  keyOf: ({ user_id }) => textOf(user_id),
  keep: ({ provider, provider_id, provider_user_id }) => ({
    provider,
    id: textOf(provider_id) ?? textOf(provider_user_id),
  }),
};

function read(record: SourceRecord, { settings, details, drop }: ReadContext): SourceUser {
  const { email_verified_at } = record;
  const id = textOf(record.id);
  if (isSet(record.two_factor_secret)) drop('mfa');
  const ofTable = id === undefined ? [] : details('accounts', id);
  return {
    externalUserId: id,
    email: textOf(record.email),
    isVerified: email_verified_at === undefined ? undefined : isSet(email_verified_at),
    timeJoinedMs: timeOf(record.created_at),
    password: selfDescribingHash(record.password),
    identities: [
      ...ofTable.flatMap(({ provider, id }) => identityOf(provider, id)),
      ...mapped(record, settings),
    ],
    metadata: metadataOf({ name: record.name, username: record.username }),
    state: stateOf(record),
  };
}

function stateOf({ deleted_at, banned_at }: SourceRecord): UserState | undefined {
  if (isSet(deleted_at)) return 'DELETED';
  return isSet(banned_at) ? 'DISABLED' : undefined;
}

/**
 * Identities in columns that the operator named (`--set socialColumns`). The provider of `google_id` is
 * Google; that of `provider_id` is in the column `provider`.
 */
function mapped(record: SourceRecord, { socialColumns }: Settings): SourceIdentity[] {
  if (socialColumns === undefined) return [];
  return socialColumns.split(',').flatMap((column) => {
    const name = column.trim();
    const provider = name === 'provider_id' ? record.provider : name.replace(/_id$/, '');
    return identityOf(provider, record[name]);
  });
}

function identityOf(provider: unknown, id: unknown): SourceIdentity[] {
  const [name, userId] = [textOf(provider), textOf(id)];
  return name === undefined || userId === undefined ? [] : [{ provider: name, userId }];
}

const SOCIAL_COLUMNS = [
  'google_id',
  'facebook_id',
  'github_id',
  'twitter_id',
  'apple_id',
  'linkedin_id',
  'provider_id',
];

function advice({ tables, settings }: { tables: readonly TableHead[]; settings: Settings }): Advice[] {
  const users = tables.filter((table) => isUsers(table, settings, { tables, isNamed: true }));
  const social = SOCIAL_COLUMNS.filter((column) => users.some(({ columns }) => columns.has(column)));
  const notes: Advice[] = [
    {
      level: 'note',
      text: 'created_at is in the time zone of the application (config/app.php), and is read as UTC, which it mostly is.',
    },
  ];
  if (social.length > 0 && settings.socialColumns === undefined) {
    notes.push({
      level: 'warn',
      text: `There are columns that may hold ids of social accounts. If they do, add --set socialColumns=${social.join(',')}. Without it these users cannot sign in as they did.`,
    });
  }
  return notes;
}

const form: Omit<Form, 'name'> = {
  isUsers,
  details: { accounts },
  ownStates: ['deleted_at', 'banned_at'],
  read,
  advice,
};

/** Dumps of pg_dump have names with a schema. */
const hasSchema = ({ name }: TableHead) => name.includes('.');

export const laravel: Source = {
  name: 'laravel',
  title: 'Laravel',
  settings: {
    socialColumns: 'columns of the users with ids of social accounts: google_id,provider_id',
  },
  forms: [
    {
      ...form,
      name: 'laravel-pg_dump',
      isUsers: (table, settings, around) =>
        table.container === 'sql' && hasSchema(table) && isUsers(table, settings, around),
    },
    ...formsOf({ sql: 'laravel-mysqldump', csv: 'laravel-csv', json: 'laravel-json' }, form),
  ],
};

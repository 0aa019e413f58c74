import type { SourceRecord, TableHead } from '../containers/table.ts';
import { selfDescribingHash } from '../fields/self-describing.ts';
import { baseName, formsOf } from '../fields/tables.ts';
import { emailOrUsername, USERNAME_IS_EMAIL } from '../fields/username-as-email.ts';
import { flagOf, metadataOf, textOf } from '../fields/values.ts';
import type { Advice, Detail, DetectionContext, ReadContext, Settings, Source } from '../source.ts';
import type { SourcePassword, SourceUser, UserState } from '../source-user.ts';

/** Flags in Spring Security's default schema, and in the query that `JdbcDaoImpl` uses in its place. */
const MUST_BE_TRUE = ['enabled', 'account_non_locked', 'account_non_expired', 'credentials_non_expired'];
const MUST_BE_FALSE = [
  'acc_locked',
  'acc_expired',
  'creds_expired',
  'account_locked',
  'account_expired',
  'credentials_expired',
];

const COLUMNS = new Set(['id', 'username', 'email', 'password', ...MUST_BE_TRUE, ...MUST_BE_FALSE]);

/** H2 and Oracle write names of columns in upper case. */
function inLowerCase(record: SourceRecord): SourceRecord {
  const columns: Record<string, unknown> = {};
  for (const name of Object.keys(record)) {
    const lower = name.toLowerCase();
    if (COLUMNS.has(lower)) columns[lower] = record[name];
  }
  return columns;
}

const namesOf = ({ columns }: TableHead) => new Set([...columns].map((name) => name.toLowerCase()));

const hasNames = (table: TableHead, names: readonly string[]) => {
  const all = namesOf(table);
  return names.every((name) => all.has(name));
};

const DEFAULT_COLUMNS = ['username', 'password', 'enabled'];

/**
 * Spring Security's default schema has exactly these columns. A table with further ones counts only if it
 * has a hash, or if there is a table `authorities`.
 */
function isUsers(table: TableHead, _settings: Settings, around?: DetectionContext): boolean {
  if (!hasNames(table, DEFAULT_COLUMNS)) return false;
  if (around?.isNamed === true) return true;
  if (table.container === 'sql' && baseName(table).toLowerCase() !== 'users') return false;
  if (table.columns.size === DEFAULT_COLUMNS.length) return true;
  return around?.tables.some(authorities.fits) === true || table.first.some(hasPrefix);
}

const hasPrefix = (record: SourceRecord) =>
  /^\{(?:bcrypt|(?:pbkdf2|scrypt|argon2)(?:@SpringSecurity_v5_8)?)\}/.test(
    textOf(inLowerCase(record).password) ?? '',
  );

const authorities: Detail = {
  fits: (table) =>
    (table.container !== 'sql' || baseName(table).toLowerCase() === 'authorities') &&
    hasNames(table, ['username', 'authority']),
  keyOf: (record) => textOf(inLowerCase(record).username),
  keep: () => ({}),
};

function read(original: SourceRecord, { settings, details, drop }: ReadContext): SourceUser {
  const record = inLowerCase(original);
  const username = textOf(record.username);
  if (username !== undefined && details('authorities', username).length > 0) drop('roles');
  return {
    externalUserId: textOf(record.id) ?? username,
    ...emailOrUsername(record.email, username, settings),
    password: passwordOf(textOf(record.password)),
    metadata: metadataOf({ username }),
    state: stateOf(record),
  };
}

/**
 * Spring also refuses users whose credentials have expired. A user with a value that is neither yes nor no
 * must not sign in.
 */
function stateOf(record: SourceRecord): UserState | undefined {
  const mayEnter =
    MUST_BE_TRUE.every((name) => record[name] === undefined || flagOf(record[name]) === true) &&
    MUST_BE_FALSE.every((name) => record[name] === undefined || flagOf(record[name]) === false);
  return mayEnter ? undefined : 'DISABLED';
}

/** Prefix of Spring's LdapShaPasswordEncoder within the delegating encoder: `{ldap}{SSHA}…`. */
const OF_DIRECTORIES = /^(?:\{ldap\})?(?=\{(?:S?SHA|CRYPT)\})/i;

function passwordOf(encoded: string | undefined): SourcePassword | undefined {
  if (encoded === undefined || !encoded.startsWith('{')) return selfDescribingHash(encoded);
  return OF_DIRECTORIES.test(encoded)
    ? { encoded: encoded.replace(OF_DIRECTORIES, '') }
    : { encoded, algorithm: 'spring-delegating' };
}

function adviceOf(table: TableHead | undefined, settings: Settings): Advice[] {
  if (table === undefined || hasNames(table, ['email'])) return [];
  return flagOf(settings.usernameIsEmail) === true ? [] : [NO_ADDRESSES];
}

const NO_ADDRESSES: Advice = {
  level: 'warn',
  text: 'The table users has no addresses, but user names. If these are addresses, add --set usernameIsEmail=yes.',
};

/**
 * Schema: spring-projects/spring-security:
 * core/src/main/resources/org/springframework/security/core/userdetails/jdbc/users.ddl
 */
export const springSecurity: Source = {
  name: 'spring-security',
  title: 'Spring Security',
  settings: USERNAME_IS_EMAIL,
  forms: formsOf(
    { sql: 'spring-security-tables', csv: 'spring-security-csv', json: 'spring-security-json' },
    {
      isUsers,
      details: { authorities },
      keyOf: (record) => textOf(inLowerCase(record).username),
      ownStates: [...MUST_BE_TRUE, ...MUST_BE_FALSE],
      read,
      advice: ({ tables, settings }) =>
        adviceOf(
          tables.find((table) => isUsers(table, settings, { tables, isNamed: false })),
          settings,
        ),
    },
  ),
};

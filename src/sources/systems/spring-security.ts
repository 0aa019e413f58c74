import type { TableHead } from '../containers/table.ts';
import { selfDescribingHash } from '../fields/hashes.ts';
import type { Meaning } from '../fields/states.ts';
import { baseName } from '../fields/tables.ts';
import { flagOf, textOf } from '../fields/values.ts';
import type { DetectionContext, Settings } from '../source.ts';
import type { SourcePassword } from '../source-user.ts';
import { cellOf, hasAll, type Row, system, words } from './declare.ts';

/** H2 and Oracle write names of columns in upper case. */
const either = (names: string) =>
  words(names)
    .map((name) => `${name}|${name.toUpperCase()}`)
    .join(' ');

const inBothCases = (names: string, meaning: Meaning) =>
  Object.fromEntries(words(either(names)).map((column) => [column, meaning]));

const OF_QUERY = {
  ...inBothCases('account_non_locked account_non_expired credentials_non_expired', 'active'),
  ...inBothCases(
    'acc_locked acc_expired creds_expired account_locked account_expired credentials_expired',
    'disabled',
  ),
};

const USERNAME = either('username');
const PASSWORD = either('password');
const ENABLED = either('enabled');
const EMAIL = either('email');

/** The default schema has exactly three columns. A table with others needs a hash of Spring, or a table `authorities`. */
function isOfSpring(table: TableHead, _settings: Settings, around?: DetectionContext): boolean {
  if (around?.isNamed === true) return true;
  if (table.container === 'sql' && baseName(table).toLowerCase() !== 'users') return false;
  if (table.columns.size === 3) return true;
  return (
    around?.tables.some(isAuthorities) === true ||
    table.first.some((record) => hasPrefix(cellOf(record, PASSWORD)))
  );
}

/** Tables by which Spring grants authorities: to users, and to groups where `enableGroups` is set. */
const GRANTS = ['authorities', 'group_members'];
const DUMP =
  'Nobody without an authority can sign in. Dump it, too: pg_dump -t users -t authorities -t group_members.';

/** JdbcDaoImpl.loadUserByUsername() signs in nobody whose list of authorities is empty. */
const lacksAuthority = ({ hasDetail, joined }: Row) =>
  GRANTS.some(hasDetail) && GRANTS.every((name) => joined(name).length === 0);

const isAuthorities = (table: TableHead) =>
  (table.container !== 'sql' || baseName(table).toLowerCase() === 'authorities') &&
  hasAll(table, either('username authority'));

const hasPrefix = (password: unknown) =>
  /^\{(?:bcrypt|(?:pbkdf2|scrypt|argon2)(?:@SpringSecurity_v5_8)?)\}/.test(textOf(password) ?? '');

/** Prefix of Spring's LdapShaPasswordEncoder within the delegating encoder: `{ldap}{SSHA}…`. */
const OF_DIRECTORIES = /^(?:\{ldap\})?(?=\{(?:S?SHA|CRYPT)\})/i;

function passwordOf(encoded: string | undefined): SourcePassword | undefined {
  if (encoded === undefined || !encoded.startsWith('{')) return selfDescribingHash(encoded);
  return OF_DIRECTORIES.test(encoded)
    ? { encoded: encoded.replace(OF_DIRECTORIES, '') }
    : { encoded, algorithm: 'spring-delegating' };
}

/**
 * Schema: spring-projects/spring-security:
 * core/src/main/resources/org/springframework/security/core/userdetails/jdbc/users.ddl (6.5), JdbcUserDetailsManager
 */
export const springSecurity = system('spring-security', 'Spring Security', {
  forms: { sql: 'spring-security-tables', csv: 'spring-security-csv', json: 'spring-security-json' },
  has: `${USERNAME} ${PASSWORD} ${ENABLED}`,
  only: isOfSpring,
  joins: {
    // The user name is Spring's id.
    authorities: {
      table: 'authorities AUTHORITIES',
      has: either('username authority'),
      on: USERNAME,
      unused: either('id'),
      decides: 'states',
      missing: DUMP,
    },
    group_members: {
      table: 'group_members GROUP_MEMBERS',
      has: either('username group_id'),
      on: USERNAME,
      unused: either('id'),
    },
  },
  // Passkeys are another way to sign in.
  unusedTables: 'acl_sid one_time_tokens:token_value persistent_logins user_credentials:user_entity_user_id',
  id: `id|ID|${USERNAME}`,
  key: (record) => textOf(cellOf(record, USERNAME)),
  email: EMAIL,
  username: USERNAME,
  hash: ({ record }) => passwordOf(textOf(cellOf(record, PASSWORD))),
  metadata: `username=${USERNAME}`,
  // Flags of the default schema, and of the query that JdbcUserDetailsManager uses in its place. Spring also refuses
  // users whose credentials have expired.
  states: { [ENABLED]: 'active', ...OF_QUERY },
  mayLack: Object.fromEntries(
    Object.keys(OF_QUERY).map((column) => [column, 'of the query that an app sets']),
  ),
  state: (row) => (cellOf(row.record, ENABLED) === undefined || lacksAuthority(row) ? 'DISABLED' : undefined),
  stateReason: (row) => (lacksAuthority(row) ? 'has no authorities' : undefined),
  roles: ({ joined }) => joined('authorities').length > 0,
  warning: {
    text: 'The table users has no addresses, but user names. If these are addresses, add --set usernameIsEmail=yes.',
    when: ({ tables, settings }) =>
      flagOf(settings.usernameIsEmail) !== true &&
      tables.some((table) => hasAll(table, ENABLED) && !hasAll(table, EMAIL)),
  },
});

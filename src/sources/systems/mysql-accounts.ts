import type { SourceRecord, TableHead } from '../containers/table.ts';
import { invalidHash, unsupportedAlgorithm } from '../fields/hashes.ts';
import { addressOf, domainAdvice, EMAIL_DOMAIN } from '../fields/login-address.ts';
import { isServerExport } from '../fields/server-accounts.ts';
import { formsOf, hasAnyColumn, hasColumns } from '../fields/tables.ts';
import { flagOf, metadataOf, objectOf, objectsOf, textOf } from '../fields/values.ts';
import type { Advice, ReadContext, Source } from '../source.ts';
import type { SourcePassword, SourceUser, UserState } from '../source-user.ts';

/** `mysql.global_priv` of MariaDB from version 10.4 on has all data of an account as JSON in one cell. */
const isGlobalPriv = (table: TableHead) => hasColumns(table, 'Host', 'User', 'Priv');
/** Table `mysql.user` of MySQL, or of MariaDB up to version 10.3. */
const isUserTable = (table: TableHead) =>
  hasColumns(table, 'Host', 'User', 'plugin') && hasAnyColumn(table, 'authentication_string', 'Password');

const isAccounts = (table: TableHead) => isGlobalPriv(table) || isUserTable(table);

const SAME_NAME: Advice = {
  level: 'note',
  text: 'A name may have an account for each host, with another password. The first is imported; the others are conflicts.',
};

export const mysqlAccounts: Source = {
  name: 'mysql-accounts',
  title: 'MySQL and MariaDB accounts',
  settings: EMAIL_DOMAIN,
  forms: formsOf(
    { sql: 'mysql-accounts-mysqldump', csv: 'mysql-accounts-csv', json: 'mysql-accounts-json' },
    {
      isUsers: (table, _settings, around) => isAccounts(table) && isServerExport(isAccounts, around),
      read,
      advice: ({ tables, settings }) => [
        ...domainAdvice('accounts of a database', tables.filter(isAccounts), 'User', settings),
        SAME_NAME,
      ],
    },
  ),
};

/** MySQL's caching_sha2_password in hexadecimal digits. Its text begins with `$A$`. */
const HEX_OF_SHA2 = /^(?:0x)?244124[0-9A-Fa-f]+$/;

/** Properties of an account, whether its table is `user` or `global_priv`. */
interface Account {
  isRole: boolean;
  isLocked: boolean;
  isExpired: boolean;
  logins: readonly Login[];
}

/** One way in which a MySQL account may sign in: its plugin and hash. */
interface Login {
  plugin: string;
  hash: string | undefined;
}

function read(record: SourceRecord, { settings, drop }: ReadContext): SourceUser {
  const [name, host] = [textOf(record.User), textOf(record.Host)];
  const account = 'Priv' in record ? accountOfPriv(record) : accountOfColumns(record);
  const passwords = account?.logins.flatMap((login) => passwordOf(login) ?? []) ?? [];
  const password = passwords.find((one) => 'encoded' in one) ?? passwords[0];
  const state = stateOf(account, name);
  if (state === undefined) {
    if (account?.isExpired === true) drop('forced password changes');
    for (const _ of passwords.slice(1)) drop('further hashes');
  }
  return {
    externalUserId: name === undefined ? undefined : `${name}@${host ?? ''}`,
    ...addressOf(name, settings),
    password,
    metadata: metadataOf({ username: name }),
    state,
  };
}

function stateOf(account: Account | undefined, name: string | undefined): UserState | undefined {
  if (account?.isRole === true) return 'SERVICE_ACCOUNT';
  if (name === undefined) return 'ANONYMOUS';
  return account === undefined || account.isLocked ? 'DISABLED' : undefined;
}

/** Returns whether a flag of a MySQL account exists and is not false. */
const isOn = (value: unknown) => value !== undefined && value !== null && flagOf(value) !== false;

/** Returns undefined if MariaDB's cell is not JSON. */
function accountOfPriv({ Priv }: SourceRecord): Account | undefined {
  const priv = objectOf(Priv);
  if (priv === undefined) return undefined;
  return {
    isRole: isOn(priv.is_role),
    isLocked: isOn(priv.account_locked),
    isExpired: textOf(priv.password_last_changed) === '0',
    // `auth_or` of MariaDB lists further ways to sign in. An empty object in it represents the first
    // way.
    logins: [priv, ...objectsOf(priv.auth_or)].map(({ plugin, authentication_string }) => ({
      plugin: textOf(plugin) ?? '',
      hash: textOf(authentication_string),
    })),
  };
}

function accountOfColumns(record: SourceRecord): Account {
  return {
    isRole: isOn(record.is_role),
    isLocked: isOn(record.account_locked),
    isExpired: isOn(record.password_expired),
    logins: [
      {
        plugin: textOf(record.plugin) ?? '',
        hash: textOf(record.authentication_string) ?? textOf(record.Password),
      },
    ],
  };
}

/** Returns undefined for plugins of MySQL that leave passwords to the system (`unix_socket`, `auth_pam`). */
function passwordOf({ plugin, hash }: Login): SourcePassword | undefined {
  if (hash === undefined) return undefined;
  switch (plugin) {
    case '':
    case 'mysql_native_password':
      return hash.startsWith('*') || hash.length !== 16
        ? { encoded: hash, algorithm: 'mysql41' }
        : { encoded: hash, algorithm: 'mysql323' };
    case 'mysql_old_password':
      return { encoded: hash, algorithm: 'mysql323' };
    case 'caching_sha2_password':
      return cachingSha2(hash);
    case 'sha256_password':
    case 'ed25519':
    case 'parsec':
      return unsupportedAlgorithm(`hashes of ${plugin} cannot be verified here`);
    default:
      return undefined;
  }
}

/** Sent in hexadecimal digits, because salts of caching_sha2_password contain control characters. */
function cachingSha2(hash: string): SourcePassword {
  // Bytes of MySQL's salts have 7 bits. Bytes with 8 bits show that the dump was converted to another
  // encoding.
  if (!/^[\0-\x7f]*$/.test(hash)) return invalidHash('the salt is no ASCII: export with --hex-blob');
  const isHex = HEX_OF_SHA2.test(hash);
  const digits = isHex ? hash.replace(/^0x/, '') : Buffer.from(hash, 'latin1').toString('hex');
  const encoded = `0x${digits}`;
  return { encoded, algorithm: 'mysql-caching-sha2' };
}

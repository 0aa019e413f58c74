import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../../lib/json/json-object.ts';
import type { ContainerName, SourceRecord, TableHead } from '../containers/table.ts';
import { hashText, readingHash, selfDescribingHash } from '../fields/hashes.ts';
import {
  addressOf,
  domainAdvice,
  EMAIL_DOMAIN,
  emailOrUsername,
  USERNAME_IS_EMAIL,
} from '../fields/login-address.ts';
import { foreignServer } from '../fields/providers.ts';
import { REALM, realmsInColumn } from '../fields/realms.ts';
import { isDemanded } from '../fields/second-factors.ts';
import {
  gravestState,
  type ReadState,
  stateOf as readState,
  type StateColumn,
  type StateColumns,
  stateIn,
} from '../fields/states.ts';
import { hasAnyColumn, isOfDatabase, mayBe, mayBePrefixed, oncePerName } from '../fields/tables.ts';
import { timeOf, timeOfObjectId } from '../fields/time.ts';
import { totpOfBase32 } from '../fields/totp.ts';
import {
  firstOf,
  flagOf,
  isSameAddress,
  isSet,
  listOf,
  metadataOf,
  objectOf,
  objectsOf,
  severalOf,
  textOf,
} from '../fields/values.ts';
import type {
  Advice,
  AdviceContext,
  Detail,
  DetectionContext,
  Dropped,
  Form,
  FormRealms,
  ReadContext,
  Realm,
  Settings,
  Source,
} from '../source.ts';
import type { SourceIdentity, SourcePassword, SourceUser } from '../source-user.ts';

/**
 * The language in which systems are declared. A declaration says what the columns of a system's tables mean, how the
 * tables are joined, and who may sign in. It does not decide about addresses, ids, duplicates, second factors or
 * missing rows. If it does not name a column, the import asks the operator about the column (pipeline/account.ts).
 */

/**
 * Names of columns, separated by blanks. `id|_id` is a column with one of several names. In `reads` and `unused`,
 * `_auth_data_*` means all columns that begin with `_auth_data_`.
 */
type Names = string;
/** Possible names of one column: `id|_id`. The first one with a value is used. */
type Column = string;

/** Data of a user that a rule can read. */
export interface Row
  extends Pick<ReadContext, 'table' | 'tables' | 'settings' | 'nowMs' | 'ruled' | 'drop' | 'hasDetail'> {
  record: SourceRecord;
  /** Returns what `Join.keep` kept of the records that a join finds, by the user's key if none is given. */
  joined(name: string, key?: string): readonly JsonObject[];
}

type Rule<T> = (row: Row) => T;

/** A table whose records belong to users. */
export interface Join {
  /** Names of the table, without its schema. Ignored for files that do not name their tables. */
  table?: Names;
  /** Columns that the table must have. The first has the id of the user, unless `on` says otherwise. */
  has: Names;
  /** Columns that the table must not have, because another table with the same columns has them. */
  hasNot?: Names;
  /** A further condition that the table must meet. */
  only?(table: TableHead): boolean;
  /** Column with the id of the user, or a function, which returns undefined to ignore a record. */
  on?: Column | ((record: SourceRecord) => string | undefined);
  /** Column of the users by which records are joined, if it is not the id: `realm_id`. */
  by?: Column;
  /** Columns that rules read, or a function that returns what they read. Undefined: the record is not needed. */
  keep?: Names | ((record: SourceRecord) => JsonObject | undefined);
  /**
   * Kind of each kept record:
   * - `accounts`: an account at a third party, with the members of `Identity`.
   * - `factors`: a second factor, with its TOTP devices as `totp`, or their `secret`, `name`, `period` and `digits`.
   * - `roles`: a role of the user.
   */
  are?: 'accounts' | 'factors' | 'roles';
  /** Columns of the joined table that say who may sign in. */
  states?: StateColumns;
  /** Columns of the first joined record that become metadata of the user. */
  metadata?: Names;
  /** Columns that functions of this join read. */
  reads?: Names;
  /** Further columns of the system that have no use here, or `*` if the records are not about users. */
  unused?: Names;
  /**
   * For key/value tables: each record has one value under a key. Keys that are not `known` count as unknown columns.
   */
  keys?: { key: Column; value: Column; known: Names | ((key: string) => boolean) };
  /**
   * `one`: a user with several different records is an error, because any of them may be the right one. `every`: a user
   * without a record is an error, too, because a part of the export may be missing. Default: `some`.
   */
  of?: 'every' | 'one' | 'some';
  /**
   * The table says who may sign in, or who has a second factor. If the export lacks it, the import asks. The default for
   * tables of factors with the member `missing` is `factors`.
   */
  decides?: 'states' | 'factors';
  /** Message if the export lacks the table: what is lost, and the command that exports it. */
  missing?: string;
  /** Reads a record whose key belongs to no user as a user of its own. */
  readAlone?(record: SourceRecord, context: ReadContext): SourceUser | undefined;
  realmOf?(record: SourceRecord): Realm;
}

/** A table of users. */
export interface Users {
  /** Names of this kind of export, by kind of file. Kinds of files may share a name. Default: SQL, CSV and JSON. */
  forms?: Partial<Record<ContainerName, string>>;
  /** Names of the table, without its schema. Ignored for files that do not name their tables. */
  table?: Names;
  /** Sites may choose a prefix for their tables, so the table may be called `wp_users` instead of `users`. */
  isPrefixed?: true;
  /** Columns that the table must have. */
  has: Names;
  /** Further columns that the table must have, because no other system has them; unless `--from` names the system. */
  proof?: Names;
  /** Columns that the table must not have, because they show that it belongs to another system. */
  hasNot?: Names;
  /** A further condition that the table must meet. */
  only?(table: TableHead, settings: Settings, around: DetectionContext | undefined): boolean;
  /** The system exports its users in several files of the same kind, such as pages of its API. */
  hasPages?: true;
  /** Options for `--set`. `realms`, `username` and `loginName` add options of their own. */
  settings?: Source['settings'];
  joins?: Readonly<Record<string, Join>>;
  /**
   * Tables of the system that refer to users and have no use here, without their schema: `sessions node__*`.
   * `*_groups` is a table named after that of the users. `member:organizationId` is a table `member` only if it has
   * this column, because an app may have a table of this name. Use a list for names with blanks.
   */
  unusedTables?: Names | readonly string[];
  realms?: { title: string; column: Column } | FormRealms;
  /** Returns whether a record is not a user. Such records do not count as rows. */
  skip?: Rule<boolean>;

  /** The column `id` if left out. */
  id?: Column | ((record: SourceRecord) => string | undefined);
  /**
   * Makes the record that all rules and columns below read, for example from a part of the record or from joined
   * records, so that kinds of exports with different shapes can share declarations. `reads` must then name the
   * columns of the table itself, and `stateReads` those that say who may sign in.
   */
  as?: Rule<SourceRecord>;
  /**
   * A column of all tables that says to which installation in the database a row belongs. Equal ids in different
   * installations are different users.
   */
  partition?: Column;
  /** Returns the key of a user by which records are joined, if it is not the id. */
  key?: (record: SourceRecord) => string | undefined;
  /** The column `email` if left out, of tables that must have it. */
  email?: Column | Rule<unknown>;
  /** Column with a user name that is used as the address if the operator says so (`--set usernameIsEmail=yes`). */
  username?: Column;
  /** A user name that is an address, or becomes one with `--set emailDomain`. `of`: name of the export in messages. */
  loginName?: { column: Column; of: string };
  /**
   * Returns the addresses of a user who may have several. If `email` has none, the primary address is used, or else the
   * first. Whether the used address is verified is taken from this list.
   */
  addresses?: Rule<readonly Address[]>;
  /**
   * A flag, or the time of the confirmation. If the column is missing, it is unknown whether addresses are verified.
   */
  verified?: Column | Rule<boolean | undefined>;
  /** Time of joining. If it is missing, the time in MongoDB's id is used. */
  joined?: Column | Rule<number | undefined>;
  hash?: Column | Rule<SourcePassword | undefined>;
  /** Families of the hashes in the column `hash`. The first one whose format a hash has is used. */
  families?: Names;
  /**
   * A rule, or providers by the column with ids of accounts there: `{ github_id: 'github' }`. Joins may add accounts.
   */
  identities?: Rule<readonly Identity[]> | Readonly<Record<string, string>>;
  /** Columns that become metadata, or a rule. `name=column` gives a name, and `profile{}` parses an object in JSON. */
  metadata?: Names | Rule<Readonly<Record<string, unknown>>>;
  /** Columns that say who may sign in. A column has one of several names: `deleted_at|deletedAt`. */
  states?: StateColumns;
  /** Returns a state that single columns do not show. */
  state?: Rule<ReadState>;
  /** Columns that `state` reads. The import asks about them, and about `states`, if no record of a table has them. */
  stateReads?: Names;
  /**
   * State columns that an export may lack without a question, with the reason: the version that introduced them, the
   * plugin that adds them, or the tool that leaves them out.
   */
  mayLack?: Readonly<Record<Column, string>>;
  /** JSON of this system leaves out members that are null or false, so it may lack all state columns. */
  isSparse?: true;
  stateReason?: Rule<string | undefined>;
  /** End of the lock after failed sign-ins. A lock of more than 30 days was set on purpose, and disables the user. */
  lockedUntil?: Column;
  /** A column, or a rule. It returns the phone numbers, or true if there are some that cannot be kept. */
  phone?: Column | Rule<boolean | readonly unknown[]>;
  /**
   * Columns that have a value if the user has a second factor, or a rule. The rule returns true, or a list of the TOTP
   * devices that can be read (fields/totp.ts); an empty list means a factor, too. Joins may add factors.
   */
  factors?: Names | Rule<boolean | readonly unknown[]>;
  /** Column with the secret of a TOTP device in base32. Without `factors`, a secret shows a second factor. */
  totp?: Column;
  /** Columns with a flag or a role for users with roles, or a rule that returns whether there are roles, or their names. */
  roles?: Names | Rule<boolean | readonly unknown[]>;
  /** Columns with flags, or rules, for other facts to count. */
  drops?: Partial<Record<Exclude<Dropped, 'mfa' | 'roles' | 'phone numbers'>, Column | Rule<boolean>>>;
  /** Returns members of the user that the members above cannot express. They replace what those have read. */
  user?: Rule<Partial<SourceUser>>;

  /** Columns that rules read, and that no other member names. A function can return columns that settings name. */
  reads?: Names | ((settings: Settings) => Names);
  /** Further columns of the system, of all its versions, that have no use here. Use a list for names with blanks. */
  unused?: Names | readonly string[];
  /** Advice for exports of this kind. After a `stop`, the import does not start. */
  stop?: Said;
  warning?: Said;
  note?: Said;
}

export interface Address {
  email: unknown;
  isVerified?: unknown;
  isPrimary?: boolean;
}

export interface Identity {
  provider?: unknown;
  userId?: unknown;
  email?: unknown;
  isVerified?: unknown;
  isSso?: unknown;
  /**
   * URLs of the provider's servers. If a host is not the public provider's, the identity is at an enterprise
   * provider.
   */
  servers?: unknown;
}

/** A text, or several texts, each of which may depend on what was seen of the export. */
export type Said = string | ConditionalText | readonly (string | ConditionalText)[];

export interface ConditionalText {
  text: string | ((seen: Seen) => string);
  when?(seen: Seen): boolean;
  question?: Advice['question'];
}

/** Facts about an export that are known before all of it is read. */
export interface Seen extends AdviceContext {
  /** The first records of all tables. */
  records: readonly SourceRecord[];
  /** Returns whether one of the tables has one of the columns. */
  has(...columns: readonly string[]): boolean;
}

/** A kind of export, with its declaration. docs/imports.md is generated from the declarations. */
export interface DeclaredForm extends Form {
  readonly declaration: Users & Required<Pick<Users, 'forms'>>;
}

/**
 * Makes a source of declarations.
 * @param tables kinds of exports, the most specific first
 */
export function system(name: string, title: string, tables: Users | readonly (Users | Form)[]): Source {
  const all: readonly (Users | Form)[] = [tables].flat();
  return {
    name,
    title,
    settings: Object.assign({}, ...all.map(settingsOf)),
    forms: all.flatMap((one) => ('isUsers' in one ? [one] : formsOf(name, one))),
  };
}

const settingsOf = (of: Users | Form): Source['settings'] => ({
  ...(of.realms && REALM),
  ...('username' in of && USERNAME_IS_EMAIL),
  ...('loginName' in of && EMAIL_DOMAIN),
  ...('settings' in of && of.settings),
});

/** Declares a file that is recognised, but refused with the message `stop`, because users cannot be read from it. */
export const refusedFile = (form: string, about: Pick<Users, 'has' | 'only' | 'stop'>): Users => ({
  forms: { json: form },
  id: () => undefined,
  skip: () => true,
  unused: '*',
  ...about,
});

export const words = (names: Names = ''): string[] => names.split(/\s+/).filter((word) => word !== '');

type ReadCell = (record: SourceRecord) => unknown;

/** Returns a function that reads the first column with a value among several possible ones: `id|_id`. */
function cellReader(column: Column): ReadCell {
  const names = column.split('|');
  if (names.length === 1) return (record) => record[column];
  return (record) => {
    for (const name of names) if (textOf(record[name]) !== undefined) return record[name];
    return firstOf(record, names);
  };
}

const readers = oncePerName(cellReader);

export const cellOf = (record: SourceRecord, column: Column): unknown => readers(column)(record);

/**
 * Returns the names of a user's roles, which a join finds by the `role_id` of records of another one. A role whose name is
 * not in the export is counted, but cannot be kept.
 */
export function rolesIn(
  { joined }: Row,
  { assigned, roles }: { assigned: string; roles: string },
  nameOf: (role: JsonObject) => unknown = ({ name }) => name,
): boolean | readonly unknown[] {
  const found = joined(assigned);
  const names = found.flatMap(({ role_id }) => joined(roles, textOf(role_id)).map(nameOf));
  return names.length > 0 ? names : found.length > 0;
}

/** Returns a hash of a known family, without looking at its format. */
export const hashOf = (algorithm: string, encoded: unknown): SourcePassword | undefined => {
  const text = hashText(encoded);
  return text === undefined ? undefined : { encoded: text, algorithm };
};

/**
 * Whether a table has all columns. In JSON, half of the first records must have each, because a record of another system
 * or a member that a user chose must not decide for a file.
 */
export const hasAll = (table: TableHead, columns: Names): boolean =>
  words(columns).every((column) => column.split('|').some((name) => isMember(table, name)));

function isMember({ container, columns, first }: TableHead, name: string): boolean {
  if (!columns.has(name)) return false;
  if (container !== 'json' || first.length === 0) return true;
  return first.filter((record) => Object.hasOwn(record, name)).length * 2 >= first.length;
}

/** Whether a table has all columns of `has`, and none of `hasNot`. */
const fits = (table: TableHead, has: Names, hasNot: Names | undefined): boolean =>
  hasAll(table, has) && !words(hasNot).some((name) => table.columns.has(name));

/** Adds the columns that a declaration may leave out, because most systems name them alike. */
const withDefaults = (of: Users): Users & Required<Pick<Users, 'id'>> => ({
  id: 'id',
  ...(of.addresses === undefined && words(of.has).includes('email') && { email: 'email' }),
  ...of,
});

function formsOf(system: string, given: Users): DeclaredForm[] {
  const of = withDefaults(given);
  const { forms = { sql: `${system}-sql`, csv: `${system}-csv`, json: `${system}-json` } } = of;
  const names: Partial<Record<string, string>> = forms;
  const realms =
    of.realms !== undefined && 'column' in of.realms
      ? realmsInColumn(of.realms.title, ...columnsOf(of.realms.column))
      : of.realms;
  const known = of.unused === '*' ? 'all' : knownColumns(of);
  const { states = {}, stateReads, mayLack = {} } = of;
  const stateColumns = [...(of.as ? [] : Object.keys(states)), ...words(stateReads)].filter(
    (column) => !Object.hasOwn(mayLack, column),
  );
  const form: Omit<DeclaredForm, 'name'> = {
    declaration: { ...of, forms },
    isUsers: (table, settings, around) =>
      isNamed(table, of) &&
      fits(table, of.has, of.hasNot) &&
      (of.proof === undefined || around?.isNamed === true || hasAll(table, of.proof)) &&
      (of.only?.(table, settings, around) ?? true),
    known: typeof of.reads === 'function' ? (_, settings) => knownColumns(of, settings) : known,
    stateColumns: (table) => (of.isSparse && table.container === 'json' ? [] : stateColumns),
    isUnusedTable: unusedTablesIn(of.unusedTables),
    details: Object.fromEntries(
      Object.entries(of.joins ?? {}).map(([name, join]) => [name, detailOf(join, of)]),
    ),
    keyOf: partitioned(of.partition, of.key ?? idReader(of)),
    read: readerOf(of),
    ...(of.hasPages && { hasPages: of.hasPages }),
    ...(of.isPrefixed && { tableNames: words(of.table) }),
    ...(realms !== undefined && { realms }),
    advice: (seen) => adviceOf(of, seen),
  };
  return [...new Set(Object.values(forms))].map((name) => ({
    ...form,
    name,
    isUsers: (table, ...more) => names[table.container] === name && form.isUsers(table, ...more),
  }));
}

const idReader = ({ id }: Required<Pick<Users, 'id'>>): ((record: SourceRecord) => string | undefined) => {
  if (typeof id === 'function') return id;
  const read = cellReader(id);
  return (record) => textOf(read(record));
};

const columnsOf = (column: Column) => column.split('|') as [string, ...string[]];

function adviceOf(
  { note = [], warning = [], stop = [], loginName, forms = {} }: Users,
  about: AdviceContext,
): Advice[] {
  const seen: Seen = {
    ...about,
    records: about.tables.flatMap(({ first }) => first),
    has: (...columns) => about.tables.some((table) => hasAnyColumn(table, ...columns)),
  };
  const users = about.tables.filter(({ container }) => container in forms);
  return [
    ...saidOf('stop', stop, seen),
    ...saidOf('warn', warning, seen),
    ...(loginName === undefined ? [] : domainAdvice(loginName.of, users, loginName.column, about.settings)),
    ...saidOf('note', note, seen),
  ];
}

const saidOf = (level: Advice['level'], said: Said, seen: Seen): Advice[] =>
  [said].flat().flatMap((one) => {
    const { text, when, question }: ConditionalText = typeof one === 'string' ? { text: one } : one;
    if (when?.(seen) === false) return [];
    return [
      {
        level,
        text: typeof text === 'string' ? text : text(seen),
        ...(question !== undefined && { question }),
      },
    ];
  });

const isNamed = (table: TableHead, { table: names, isPrefixed }: Pick<Users, 'table' | 'isPrefixed'>) =>
  names === undefined ||
  !isOfDatabase(table) ||
  (isPrefixed ? words(names).some((name) => mayBePrefixed(table, name)) : mayBe(table, ...words(names)));

/** Returns all column names in texts such as `id|_id name=column profile{}`. */
export const named = (...names: readonly unknown[]): string[] =>
  names
    .flatMap((one) => (typeof one === 'string' ? words(one) : []))
    .flatMap((word) =>
      word
        .slice(word.indexOf('=') + 1)
        .replace(OBJECT, '')
        .split('|'),
    );

/** Mark after the name of a column that holds an object in JSON: `profile{}`. */
const OBJECT = /\{\}$/;

/** Members of a declaration that name columns of the table itself, even with `as`. `NAMING` adds the other members. */
const NAMING_OF_TABLES = ['has', 'proof', 'id', 'partition', 'stateReads', 'unused'] as const;
const NAMING = [
  ...NAMING_OF_TABLES,
  ...(['email', 'username', 'verified', 'joined', 'hash', 'phone', 'metadata'] as const),
  ...(['roles', 'lockedUntil', 'factors', 'totp'] as const),
];

function knownColumns(of: Users, settings: Settings = {}): ReadonlySet<string> {
  const { realms, joins = {} } = of;
  const {
    identities,
    drops = {},
    states = {},
    loginName,
  } = of.as === undefined ? of : ({} as Partial<Users>);
  return new NameSet([
    ...(typeof of.unused === 'object' ? of.unused : []),
    ...named(
      ...(of.as === undefined ? NAMING : NAMING_OF_TABLES).map((member) => of[member]),
      typeof of.reads === 'function' ? of.reads(settings) : of.reads,
      ...Object.values(drops),
      ...Object.values(joins).map(({ by }) => by),
      ...(typeof identities === 'object' ? Object.keys(identities) : []),
      realms !== undefined && 'column' in realms ? realms.column : undefined,
      loginName?.column,
      ...Object.keys(states),
    ),
  ]);
}

/** Set of names of columns or tables. `name*` means all names with this beginning. */
class NameSet extends Set<string> {
  readonly #beginnings: readonly string[];

  constructor(names: readonly string[]) {
    super(names);
    this.#beginnings = names.filter((name) => name.endsWith('*')).map((name) => name.slice(0, -1));
  }

  override has(name: string): boolean {
    return super.has(name) || this.#beginnings.some((beginning) => name.startsWith(beginning));
  }
}

function unusedTablesIn(names: Users['unusedTables'] = []): NonNullable<Form['isUnusedTable']> {
  const tables = (typeof names === 'string' ? words(names) : names).map((word) => word.split(':'));
  const known = new NameSet(tables.map(([name = '']) => name));
  const own = new Map(tables.map(([name, column]) => [name, column?.split('|')]));
  return (name, columns) => known.has(name) && (own.get(name)?.some((one) => columns.has(one)) ?? true);
}

/**
 * Makes the detail of a join.
 * @param of declaration of the users to whom the records are joined
 */
export function detailOf(join: Join, of: Pick<Users, 'partition'> = {}): Detail {
  const { table, has, hasNot, on = words(has)[0] ?? '', by, keep = '', states = {}, metadata, keys } = join;
  const { missing, readAlone, realmOf } = join;
  const { decides = join.are === 'factors' && missing !== undefined ? 'factors' : undefined } = join;
  const partition = partitionOf(join, of);
  const own = [...Object.keys(states), metadata].join(' ');
  const keyIn = typeof on === 'function' ? on : idReader({ id: on });
  return {
    fits: (head) =>
      isNamed(head, { ...(table !== undefined && { table }), isPrefixed: true }) &&
      fits(head, `${has} ${partition ?? ''}`, hasNot) &&
      (join.only?.(head) ?? true),
    names: words(table),
    keyOf: partitioned(partition, keyIn),
    keep: typeof keep === 'string' ? picker(`${keep} ${own}`) : keep,
    known:
      join.unused === '*'
        ? 'all'
        : new NameSet(named(has, partition, on, keep, own, join.reads, join.unused, keys?.key, keys?.value)),
    ...(by !== undefined && { keyOfUser: partitioned(partition, idReader({ id: by })) }),
    ...(keys !== undefined && {
      keys: {
        keyOf: idReader({ id: keys.key }),
        valueOf: cellReader(keys.value),
        isKnown: isKnownKey(keys.known),
      },
    }),
    ...(join.of === 'every' && { isOfEveryUser: true as const }),
    ...(decides !== undefined && { decides }),
    ...(missing !== undefined && { missing }),
    ...(readAlone !== undefined && { readAlone }),
    ...(realmOf !== undefined && { realmOf }),
  };
}

function isKnownKey(known: Names | ((key: string) => boolean)): (key: string) => boolean {
  if (typeof known === 'function') return known;
  const keys = new Set(words(known));
  return (key) => keys.has(key);
}

/** Returns a function that picks the named columns of a record, also as `name=column` and `profile{}`. */
function picker(columns: Names): (record: SourceRecord) => JsonObject {
  const members = words(columns).map((word): [name: string, read: ReadCell] => {
    const [name = '', column = name] = word.replace(OBJECT, '').split('=');
    const read = cellReader(column);
    return [name.split('|')[0] ?? name, OBJECT.test(word) ? (record) => objectOf(read(record)) : read];
  });
  return (record) => {
    const picked: Record<string, unknown> = {};
    for (const [name, read] of members) picked[name] = read(record);
    return picked;
  };
}

function ruleOf<T>(
  given: Column | Rule<T> | undefined,
  read: (cell: unknown, row: Row) => T,
): Rule<T | undefined> {
  if (typeof given === 'function') return given;
  const cell = given === undefined ? () => undefined : cellReader(given);
  return given === undefined ? () => undefined : (row) => read(cell(row.record), row);
}

/** Facts about a user of one kind, such as roles: a list of them, or only whether there are any. */
type Facts = boolean | readonly unknown[] | undefined;

/** Makes a function that reads a user from a record, also from a record of a joined table (`readAlone`). */
export function readerOf(given: Users): Form['read'] {
  const of = withDefaults(given);
  const idOf = idReader(of);
  const addressesOf = addressReader(of);
  const phonesOf = ruleOf<Facts>(of.phone, (phone) => [phone]);
  const metadataIn = metadataReader(of);
  const counted = Object.entries(countedFacts(of)) as [Dropped, Rule<Facts>][];
  const passwordOf = hashReader(of);
  const stateOf = stateReader(of);
  const lockOf = lockReader(of);
  const identitiesOf = identityReader(of);
  const joinedOf = recordFinder(of);
  return (record, context) => {
    const { table, tables, settings, nowMs, ruled, drop, hasDetail } = context;
    const id = idOf(record);
    const found = joinedOf(record, of.key === undefined ? id : of.key(record), context);
    const plain: Row = {
      ...{ record, table, tables, settings, nowMs, ruled, drop, hasDetail, joined: found.joined },
    };
    const row = of.as === undefined ? plain : { ...plain, record: of.as(plain) };
    if (of.skip?.(row)) return undefined;
    const given = phonesOf(row);
    const phones = typeof given === 'object' ? given.filter((one) => textOf(one) !== undefined) : given;
    count('phone numbers', phones, context);
    for (const [what, rule] of counted) count(what, rule(row), context);
    const lock = lockOf(row);
    const { isVerified = verifiedOf(of, row, context), ...addresses } = addressesOf(row);
    return {
      externalUserId: id,
      ...addresses,
      isVerified,
      timeJoinedMs: timeJoined(of, row, context),
      password: passwordOf(row),
      identities: identitiesOf?.(row).flatMap((one) => identityOf(one, context)),
      metadata: metadataOf(metadataIn(row)),
      state: gravestState([stateOf(row), lock]),
      stateReason: of.stateReason?.(row),
      hasPhone: typeof phones === 'object' ? phones.length > 0 : phones,
      ...of.user?.(row),
      repeatsRecordIn: found.repeated(),
    };
  };
}

function metadataReader({ metadata = '', joins = {} }: Users): Rule<Readonly<Record<string, unknown>>> {
  const pick = typeof metadata === 'string' ? picker(metadata) : undefined;
  const own = typeof metadata === 'function' ? metadata : ({ record }: Row) => pick?.(record) ?? {};
  const joined = Object.entries(joins).flatMap(([name, { metadata: columns }]) =>
    // The join has kept the columns under the first of their possible names.
    columns === undefined ? [] : [{ name, pick: picker(columns.replace(/[=|]\S*/g, '')) }],
  );
  return joined.length === 0
    ? own
    : (row) => Object.assign({ ...own(row) }, ...joined.map((of) => of.pick(row.joined(of.name)[0] ?? {})));
}

/** Returns a function that reads the address with which a user signs in, and the user's other addresses. */
function addressReader({
  email,
  username,
  addresses,
  loginName,
}: Users): Rule<Pick<SourceUser, 'email' | 'emailFromName' | 'emails' | 'isVerified'>> {
  const emailOf = ruleOf<unknown>(email, (cell) => cell);
  const usernameOf = ruleOf<unknown>(username, (cell) => cell);
  return (row) => {
    if (loginName !== undefined) return addressOf(textOf(cellOf(row.record, loginName.column)), row.settings);
    const own = emailOrUsername(emailOf(row), usernameOf(row), row.settings);
    if (addresses === undefined) return own;
    const list = addresses(row).flatMap(({ email: one, ...rest }) => {
      const address = textOf(one);
      return address === undefined ? [] : { ...rest, address };
    });
    const chosen =
      own.email === undefined
        ? (list.find(({ isPrimary }) => isPrimary) ?? list[0])
        : list.find(({ address }) => isSameAddress(address, own.email ?? ''));
    const isVerified = flagOf(chosen?.isVerified);
    return {
      email: own.email ?? chosen?.address,
      // If the list of addresses says whether the user name is verified, it is a real address.
      emailFromName: isVerified === undefined ? own.emailFromName : undefined,
      emails: severalOf([own.email ?? [], ...list.map(({ address }) => address)].flat()),
      isVerified,
    };
  };
}

/**
 * Returns the state columns. If `has` requires a column, a JSON record without it is read as if it had an empty cell.
 */
const statesOf = ({ states = {}, has }: Pick<Users, 'states' | 'has'>, prefix = ''): readonly StateColumn[] =>
  Object.entries(states).flatMap(([column, meaning]) =>
    columnsOf(column).map((name) => ({
      ...{ name, meaning, label: `${prefix}${name}` },
      isRequired: words(has).includes(name),
    })),
  );

/** Returns a function that finds the gravest state shown by the record, the joined records and the rule `state`. */
function stateReader(of: Users): Rule<ReadState> {
  const own = statesOf(of);
  const joins = Object.entries(of.joins ?? {})
    .filter(([, { states }]) => states !== undefined)
    .map(([name, join]) => [name, statesOf(join, `${name}.`)] as const);
  return (row) =>
    gravestState([
      // The rule comes first: if other states are equally grave, its more specific state is used.
      of.state?.(row),
      stateIn(row.record, own, row) ?? leftToDefault(row, own),
      ...joins.flatMap(([name, columns]) => row.joined(name).map((found) => stateIn(found, columns, row))),
    ]);
}

/** Returns an unknown state if a row of SQL leaves a state column to its default, which the dump does not show. */
function leftToDefault({ record, table, ruled }: Row, columns: readonly StateColumn[]): ReadState {
  if (table.container !== 'sql') return undefined;
  const hidden = columns.find(({ name }) => record[name] === undefined && table.columns.has(name));
  return hidden === undefined || ruled.has(hidden.name)
    ? undefined
    : { column: hidden.name, word: '(default)' };
}

/** Maximum time to the end of a temporary lock. Locks after failed sign-ins last minutes to hours. */
export const LONGEST_LOCK_MS = 30 * 24 * 3600 * 1000;

/** Returns a function that counts temporary locks, and returns a state for users who are locked for longer. */
function lockReader({ lockedUntil }: Users): Rule<ReadState> {
  const columns = lockedUntil === undefined ? [] : columnsOf(lockedUntil);
  return ({ record, drop, nowMs, ruled }) => {
    const column = columns.find((name) => isSet(record[name]));
    if (column === undefined) return undefined;
    const lockAt = (timeMs: number) =>
      readState(column, record[column], 'disabled until', { nowMs: timeMs, ruled });
    const lasting = lockAt(nowMs + LONGEST_LOCK_MS);
    if (lasting === undefined && lockAt(nowMs) !== undefined) drop('temporary locks');
    return lasting;
  };
}

/** Returns the names of the joins whose records are of a kind. */
const joinsThatAre = ({ joins = {} }: Users, kind: NonNullable<Join['are']>): string[] =>
  Object.entries(joins).flatMap(([name, { are }]) => (are === kind ? name : []));

function identityReader(of: Users): Rule<readonly Identity[]> | undefined {
  const { identities } = of;
  const columns = typeof identities === 'object' ? Object.entries(identities) : [];
  const own = typeof identities === 'function' ? identities : undefined;
  const joins = joinsThatAre(of, 'accounts');
  if (identities === undefined && joins.length === 0) return undefined;
  return (row) => [
    ...(own?.(row) ?? []),
    ...columns.flatMap(([column, provider]) =>
      isSet(row.record[column]) ? { provider, userId: row.record[column] } : [],
    ),
    ...joins.flatMap((name) => row.joined(name)),
  ];
}

/** Returns rules for the facts that are counted, because the service cannot store or use them. */
function countedFacts(of: Users): Partial<Record<Dropped, Rule<Facts>>> {
  const drops = Object.entries(of.drops ?? {}) as [Dropped, Column | Rule<boolean>][];
  const ofRoles = joinsThatAre(of, 'roles');
  const columns = typeof of.roles === 'string' ? words(of.roles) : [];
  const roles: Rule<Facts> =
    typeof of.roles === 'function'
      ? of.roles
      : ({ record }) => columns.some((name) => flagOf(record[name]) ?? isSet(record[name]));
  return {
    ...Object.fromEntries(drops.map(([what, rule]) => [what, flagRule(rule)])),
    mfa: factorReader(of),
    roles: (row) => ofRoles.some((name) => row.joined(name).length > 0) || roles(row),
  };
}

/**
 * Makes a rule that returns false for users without a second factor, and otherwise the TOTP devices that can be read.
 */
function factorReader(of: Users): Rule<Facts> {
  const { factors = of.totp, totp } = of;
  const joins = joinsThatAre(of, 'factors');
  const columns = typeof factors === 'string' ? words(factors) : [];
  const rule = typeof factors === 'function' ? factors : undefined;
  return (row) => {
    const own = rule?.(row) ?? columns.some((column) => isDemanded(cellOf(row.record, column)));
    const found = joins.flatMap((name) => row.joined(name));
    if (own === false && found.length === 0) return false;
    return [
      ...(typeof own === 'object' ? own : []),
      ...(own === false || totp === undefined ? [] : totpOfBase32(cellOf(row.record, totp))),
      ...found.flatMap(({ totp: devices, secret, ...options }) => [
        ...objectsOf(devices),
        ...totpOfBase32(secret, options),
      ]),
    ];
  };
}

/**
 * Returns the partition column of a joined table. The table of the installations has none: its key is the partition.
 */
const partitionOf = (join: Join | undefined, { partition }: Pick<Users, 'partition'>): Column | undefined =>
  join?.by === partition ? undefined : partition;

/** Returns a key that is unique among all installations in the database. */
const inPartition = (partition: Column | undefined, record: SourceRecord, key: string): string =>
  partition === undefined ? key : `${textOf(cellOf(record, partition)) ?? ''}\u{1f}${key}`;

const partitioned =
  (partition: Column | undefined, keyOf: (record: SourceRecord) => string | undefined) =>
  (record: SourceRecord): string | undefined => {
    const key = keyOf(record);
    return key && inPartition(partition, record, key);
  };

/**
 * Returns a function that finds the joined records of a user. It caches them: rules ask repeatedly, and may read
 * disk.
 */
function recordFinder(of: Users) {
  const joins = new Map(
    Object.entries(of.joins ?? {}).map(([name, join]) => [
      name,
      {
        keyOf: join.by === undefined ? undefined : idReader({ id: join.by }),
        partition: partitionOf(join, of),
        isSingle: (join.of ?? 'some') !== 'some',
      },
    ]),
  );
  return (record: SourceRecord, key: string | undefined, { details }: ReadContext) => {
    const known = new Map<string, readonly JsonObject[]>();
    let repeated: string | undefined;
    return {
      repeated: () => repeated,
      joined(name: string, given?: string): readonly JsonObject[] {
        const join = joins.get(name);
        const ofKey = given ?? (join?.keyOf === undefined ? key : join.keyOf(record));
        if (ofKey === undefined) return [];
        const place = `${name}\0${ofKey}`;
        const found = known.get(place);
        if (found !== undefined) return found;
        const records = details(name, inPartition(join?.partition, record, ofKey));
        known.set(place, records);
        if (join?.isSingle && records.some((one) => !isDeepStrictEqual(one, records[0]))) repeated ??= name;
        return records;
      },
    };
  };
}

const flagRule = <T>(given: Column | Rule<T> | undefined): Rule<T | boolean | undefined> =>
  ruleOf<T | boolean>(given, (cell) => flagOf(cell) === true);

function hashReader({ hash, families }: Users): Rule<SourcePassword | undefined> {
  const inOrder = families === undefined ? undefined : words(families);
  const read = ruleOf<SourcePassword | undefined>(hash, (cell) => {
    if (inOrder === undefined) return selfDescribingHash(cell);
    const encoded = hashText(cell);
    return encoded === undefined ? undefined : { encoded, families: inOrder };
  });
  return (row) => readingHash(() => read(row));
}

function count(what: Dropped, found: Facts, { drop }: ReadContext): void {
  if (found === true) drop(what);
  else if (found !== false && found !== undefined && (what === 'mfa' || found.length > 0)) drop(what, found);
}

/** Values with which databases say that there is no time. */
const NO_TIME = /^(?:|NULL|0|-?infinity|0000-00-00.*|0001-01-01.*)$/i;
const isNoTime = (value: unknown) =>
  value === undefined || value === null || value === '' || NO_TIME.test(textOf(value)?.trim() ?? 'an object');

/** Reads whether the address is verified. A value that cannot be read counts as no, and makes the import stop. */
function verifiedOf({ verified }: Users, row: Row, { unreadable }: ReadContext): boolean | undefined {
  if (verified === undefined) return undefined;
  if (typeof verified === 'function') return verified(row);
  const value = cellOf(row.record, verified);
  if (value === undefined && !hasAnyColumn(row.table, ...columnsOf(verified))) return undefined;
  const flag = flagOf(value);
  if (flag !== undefined || isNoTime(value)) return flag ?? false;
  if (timeOf(value) !== undefined) return true;
  unreadable(verified, value, 'flag');
  return false;
}

function timeJoined({ id, joined }: Users, row: Row, { unreadable }: ReadContext): number | undefined {
  if (joined === undefined) return undefined;
  if (typeof joined === 'function') return joined(row);
  const value = cellOf(row.record, joined);
  const timeMs = timeOf(value);
  if (timeMs !== undefined) return timeMs;
  if (!isNoTime(value)) unreadable(joined, value, 'time');
  const isOfMongo = typeof id === 'string' && columnsOf(id).includes('_id');
  return isOfMongo ? timeOfObjectId(textOf(row.record._id) ?? '') : undefined;
}

function identityOf(one: Identity, { drop }: ReadContext): SourceIdentity[] {
  const [provider, userId] = [textOf(one.provider), textOf(one.userId)];
  if (provider === undefined) return [];
  if (userId === undefined) {
    drop('identities without an id');
    return [];
  }
  const foreign = foreignServer(provider, listOf(one.servers));
  const isSso = foreign === undefined ? flagOf(one.isSso) : true;
  return [
    {
      provider: foreign ?? provider,
      userId,
      ...(one.email !== undefined && { email: textOf(one.email) }),
      ...(one.isVerified !== undefined && { isVerified: flagOf(one.isVerified) }),
      ...(isSso !== undefined && { isSso }),
    },
  ];
}

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
 * The language in which systems are described. A declaration says which columns of a system's tables hold what, how
 * its tables are joined, and who may sign in. It does not decide about addresses, ids, duplicates, second factors or
 * missing rows, and it cannot leave a column out: those that it does not name are asked about (pipeline/account.ts).
 */

/**
 * Names of columns, separated by blanks. `id|_id` is a column that has one of several names. `_auth_data_*` among `reads`
 * and `unused` stands for all columns with this beginning.
 */
type Names = string;
/** Names of one column, of which the first that has a value counts: `id|_id`. */
type Column = string;

/** What a rule sees of a user. */
export interface Row
  extends Pick<ReadContext, 'table' | 'tables' | 'settings' | 'nowMs' | 'ruled' | 'drop' | 'hasDetail'> {
  record: SourceRecord;
  /** Kept parts of the records that a join finds, by the user's id or another key. */
  joined(name: string, key?: string): readonly JsonObject[];
}

type Rule<T> = (row: Row) => T;

/** A table whose records belong to users. */
export interface Join {
  /** Names of the table, without its schema. They count where tables have names. */
  table?: Names;
  /** Columns that show the table. */
  has: Names;
  /** Columns of other tables. */
  hasNot?: Names;
  /** A further condition of the table. */
  only?(table: TableHead): boolean;
  /** Column with the id of the user, `user_id` if left out, or a function that also leaves records out. */
  on?: Column | ((record: SourceRecord) => string | undefined);
  /** Column of the users that finds the records, if it is not the id: `realm_id`. */
  by?: Column;
  /** Columns that rules see, or a function that returns what they see, and undefined for records that say nothing. */
  keep?: Names | ((record: SourceRecord) => JsonObject | undefined);
  /**
   * What each kept record is:
   * - `accounts`: an account at a third party, with the members of `Identity`.
   * - `factors`: a second factor, with its TOTP devices as `totp`, or their `secret`, `name`, `period` and `digits`.
   * - `roles`: a role of the user.
   */
  are?: 'accounts' | 'factors' | 'roles';
  /** Columns that say who may sign in, as those of the users do. */
  states?: StateColumns;
  /** Columns of the first record that become metadata of the user, as those of the users do. */
  metadata?: Names;
  /** Columns that functions of this join read. */
  reads?: Names;
  /** Further columns of the system that have no use here, or `*` if the records are not about users. */
  unused?: Names;
  /** Each record holds one value under a key. Keys beside those that are `known` are columns like any other. */
  keys?: { key: Column; value: Column; known: Names | ((key: string) => boolean) };
  /**
   * `one`: a user whose records differ is an error, because any of them may be the right one. `every`: so is a user without
   * a record, because a part of the export is missing.
   */
  of?: 'every' | 'one' | 'some';
  /** The table says who may sign in, or who has a second factor: if the export lacks it, the import stops. */
  decides?: 'states' | 'factors';
  /** What is lost if the export lacks the table, and the command that exports it. */
  missing?: string;
  /** Reads a record as a user if its key belongs to none. */
  readAlone?(record: SourceRecord, context: ReadContext): SourceUser | undefined;
  realmOf?(record: SourceRecord): Realm;
}

/** A table of users. */
export interface Users {
  /** Names of this kind of export, by kind of file. Several kinds of files may share one. SQL, CSV and JSON if left out. */
  forms?: Partial<Record<ContainerName, string>>;
  /** Names of the table, without its schema. They count where tables have names. */
  table?: Names;
  /** The names may follow a prefix that the site has chosen: `wp_users`. */
  isPrefixed?: true;
  /** Columns that the table must have. */
  has: Names;
  /** Columns that no other system has. Not needed if the operator names the system. */
  proof?: Names;
  /** Columns of other systems. */
  hasNot?: Names;
  /** A further condition of the table. */
  only?(table: TableHead, settings: Settings, around: DetectionContext | undefined): boolean;
  /** The system's API exports one set of users in several files. */
  hasPages?: true;
  /** Options for `--set`, beside those that `realms`, `username` and `loginName` bring. */
  settings?: Source['settings'];
  joins?: Readonly<Record<string, Join>>;
  /**
   * Tables of the system that refer to users and have no use here, without their schema: `sessions node__* *_groups`. An app
   * may have a table of its own called `member`: `member:organizationId` counts only with this column. Names with blanks
   * are in a list.
   */
  unusedTables?: Names | readonly string[];
  realms?: { title: string; column: Column } | FormRealms;
  /** Records that are no users, and are not counted. */
  skip?: Rule<boolean>;

  id: Column | ((record: SourceRecord) => string | undefined);
  /**
   * Makes the record that rules and columns below read: a part of the record, or one with joined records in it, so that
   * several kinds of exports share these. Columns of the table itself are then in `reads`, and those of states in `stateReads`.
   */
  as?: Rule<SourceRecord>;
  /**
   * A column of all tables, which separates installations in one database. Rows of several belong to different users,
   * also if their ids are the same.
   */
  partition?: Column;
  /** Key by which joins find a user, if it is not the id. */
  key?: (record: SourceRecord) => string | undefined;
  email?: Column | Rule<unknown>;
  /** A name that is the address if the operator says so (`--set usernameIsEmail=yes`). */
  username?: Column;
  /** A name that is the address, or becomes one with `--set emailDomain`. `of` names the export in sentences. */
  loginName?: { column: Column; of: string };
  /**
   * The addresses of a user who may have several. Without one in `email`, the user's is the primary one, or else the first. It
   * is verified if the list says so.
   */
  addresses?: Rule<readonly Address[]>;
  /** A flag, or the time of the confirmation. Where the column is missing, it is not known. */
  verified?: Column | Rule<boolean | undefined>;
  /** Without a value, the time is that of MongoDB's id. */
  joined?: Column | Rule<number | undefined>;
  hash?: Column | Rule<SourcePassword | undefined>;
  /** Families of the hashes in the column `hash`. The first whose form fits counts; other hashes say what they are. */
  families?: Names;
  /** A rule, or columns with ids of accounts at third parties: `{ github_id: 'github' }`. Joins may have accounts, too. */
  identities?: Rule<readonly Identity[]> | Readonly<Record<string, string>>;
  /** Columns that become metadata, also as `name=column`, or as `profile{}` for an object of JSON; or a rule. */
  metadata?: Names | Rule<Readonly<Record<string, unknown>>>;
  /** Columns that say who may sign in. A column has one of several names: `deleted_at|deletedAt`. */
  states?: StateColumns;
  /** A state that columns alone do not show. */
  state?: Rule<ReadState>;
  /** Columns that `state` reads. They and `states` are asked about if no record of the table has them. */
  stateReads?: Names;
  /**
   * State columns that an export may lack, with the reason: the version since when the system has them, the plugin that
   * adds them, or the tool that leaves them out.
   */
  mayLack?: Readonly<Record<Column, string>>;
  /** JSON of this system leaves out members that are null or false, so no state column is expected there. */
  isSparse?: true;
  stateReason?: Rule<string | undefined>;
  /** Until when failed sign-ins lock the user. A lock of more than 30 days was set on purpose, and disables. */
  lockedUntil?: Column;
  /** A column, or a rule that returns the phone numbers, or whether there are any that are not kept. */
  phone?: Column | Rule<boolean | readonly unknown[]>;
  /**
   * Columns with a value if the user has a second factor, or a rule: true, or the TOTP devices that can be read
   * (fields/totp.ts), which may be none. Joins may have factors, too.
   */
  factors?: Names | Rule<boolean | readonly unknown[]>;
  /** Column with the secret of a TOTP device in base32. Without `factors`, a secret shows a second factor. */
  totp?: Column;
  /** Whether a user has roles, or their names. A column is a flag. Joins may have roles, too. */
  roles?: Column | Rule<boolean | readonly unknown[]>;
  /** Other facts to count. A column is a flag. */
  drops?: Partial<Record<Exclude<Dropped, 'mfa' | 'roles' | 'phone numbers'>, Column | Rule<boolean>>>;
  /** Whatever a member above cannot say; replaces what they say. */
  user?: Rule<Partial<SourceUser>>;

  /** Columns that rules read, beside those that other members name. Settings may name some. */
  reads?: Names | ((settings: Settings) => Names);
  /** Further columns of the system, of all its versions, that have no use here. Names with blanks are in a list. */
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
  /** URLs of the provider's server. One of another host than the public provider's makes it an enterprise provider. */
  servers?: unknown;
}

/** A text, or texts with conditions of what was seen of the export. */
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

/** A kind of export with the declaration it was made of, from which docs/imports.md is generated. */
export interface DeclaredForm extends Form {
  readonly declaration: Users & Required<Pick<Users, 'forms'>>;
}

/** Advice for users of systems that give no hashes away. */
export const FIRST_SIGN_IN =
  '--without-password legacy imports them without a hash and asks the old system at their first sign-in (docs/moving-in.md); --without-password keep lets them set a password by a reset.';

/** @param tables the most specific first */
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

/** A file that shows the system, and from which users cannot be read. */
export const refusedFile = (form: string, about: Pick<Users, 'has' | 'only' | 'stop'>): Users => ({
  forms: { json: form },
  id: () => undefined,
  skip: () => true,
  unused: '*',
  ...about,
});

export const words = (names: Names = ''): string[] => names.split(/\s+/).filter((word) => word !== '');

type ReadCell = (record: SourceRecord) => unknown;

/** Returns a function that finds the value of the first of several columns that has one: `id|_id`. */
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

/** The hash of one family, whatever its form. */
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

/** Whether a table has the columns of a declaration, and none of other systems. */
const fits = (table: TableHead, has: Names, hasNot: Names | undefined): boolean =>
  hasAll(table, has) && !words(hasNot).some((name) => table.columns.has(name));

function formsOf(system: string, of: Users): DeclaredForm[] {
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

const idReader = ({ id }: Pick<Users, 'id'>): ((record: SourceRecord) => string | undefined) => {
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
  return [
    ...saidOf('stop', stop, seen),
    ...saidOf('warn', warning, seen),
    ...(loginName === undefined
      ? []
      : domainAdvice(
          loginName.of,
          about.tables.filter(({ container }) => container in forms),
          loginName.column,
          about.settings,
        )),
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

/** The columns in texts of names: `id|_id name=column profile{}`. */
export const named = (...names: readonly unknown[]): string[] =>
  names
    .flatMap((one) => (typeof one === 'string' ? words(one) : []))
    .flatMap((word) =>
      word
        .slice(word.indexOf('=') + 1)
        .replace(OBJECT, '')
        .split('|'),
    );

/** Mark of a column that holds an object of JSON. */
const OBJECT = /\{\}$/;

/** Members of a declaration that name columns, if they are not rules. The first ones are always of the table itself. */
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

/** Names of columns or tables. `name*` stands for all with this beginning. */
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

/** @param of declaration of the users that the records are joined to */
export function detailOf(join: Join, of: Pick<Users, 'partition'> = {}): Detail {
  const { table, has, hasNot, on = 'user_id', by, keep = '', states = {}, metadata, keys } = join;
  const { missing, decides, readAlone, realmOf } = join;
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

/** Facts about a user: whether there are any, or a list of them. */
type Facts = boolean | readonly unknown[] | undefined;

/** Makes a reader of users, also of users who are only in a joined table (`readAlone`). */
export function readerOf(of: Users): Form['read'] {
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
    // The join has picked the columns under their first names.
    columns === undefined ? [] : [{ name, pick: picker(columns.replace(/[=|]\S*/g, '')) }],
  );
  return joined.length === 0
    ? own
    : (row) => Object.assign({ ...own(row) }, ...joined.map((of) => of.pick(row.joined(of.name)[0] ?? {})));
}

/** Returns a function that reads the address with which a user signs in, and the others. */
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
      // If the list says whether it is verified, the user name is an address.
      emailFromName: isVerified === undefined ? own.emailFromName : undefined,
      emails: severalOf([own.email ?? [], ...list.map(({ address }) => address)].flat()),
      isVerified,
    };
  };
}

/** A JSON record without a required state column (`has`) counts as one with an empty cell. */
const statesOf = ({ states = {}, has }: Pick<Users, 'states' | 'has'>, prefix = ''): readonly StateColumn[] =>
  Object.entries(states).flatMap(([column, meaning]) =>
    columnsOf(column).map((name) => ({
      ...{ name, meaning, label: `${prefix}${name}` },
      isRequired: words(has).includes(name),
    })),
  );

/** Returns a function that finds the gravest state that the user's row, the joined records and the rule show. */
function stateReader(of: Users): Rule<ReadState> {
  const own = statesOf(of);
  const joins = Object.entries(of.joins ?? {})
    .filter(([, { states }]) => states !== undefined)
    .map(([name, join]) => [name, statesOf(join, `${name}.`)] as const);
  return (row) =>
    gravestState([
      // The rule's state is more specific, and counts if others are equally grave.
      of.state?.(row),
      stateIn(row.record, own, row) ?? leftToDefault(row, own),
      ...joins.flatMap(([name, columns]) => row.joined(name).map((found) => stateIn(found, columns, row))),
    ]);
}

/** A row of SQL that leaves a column to its default does not show what that is. */
function leftToDefault({ record, table, ruled }: Row, columns: readonly StateColumn[]): ReadState {
  if (table.container !== 'sql') return undefined;
  const hidden = columns.find(({ name }) => record[name] === undefined && table.columns.has(name));
  return hidden === undefined || ruled.has(hidden.name)
    ? undefined
    : { column: hidden.name, word: '(default)' };
}

/** Longer than the locks after failed sign-ins, which last minutes to hours. */
export const LONGEST_LOCK_MS = 30 * 24 * 3600 * 1000;

/** Returns a function that counts locks which soon end, and says who is locked for longer. */
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

/** Names of the joins whose records are all of one kind. */
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

/** Rules of what is counted, because the service cannot store it. */
function countedFacts(of: Users): Partial<Record<Dropped, Rule<Facts>>> {
  const drops = Object.entries(of.drops ?? {}) as [Dropped, Column | Rule<boolean>][];
  const ofRoles = joinsThatAre(of, 'roles');
  const roles = flagRule<Facts>(of.roles);
  return {
    ...Object.fromEntries(drops.map(([what, rule]) => [what, flagRule(rule)])),
    mfa: factorReader(of),
    roles: (row) => ofRoles.some((name) => row.joined(name).length > 0) || roles(row),
  };
}

/** Returns the TOTP devices that can be read of a user who has a second factor. */
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

/** The table of the installations themselves has their ids as keys, and no column for them. */
const partitionOf = (join: Join | undefined, { partition }: Pick<Users, 'partition'>): Column | undefined =>
  join?.by === partition ? undefined : partition;

/** A key within the installation of a record. */
const inPartition = (partition: Column | undefined, record: SourceRecord, key: string): string =>
  partition === undefined ? key : `${textOf(cellOf(record, partition)) ?? ''}\u{1f}${key}`;

const partitioned =
  (partition: Column | undefined, keyOf: (record: SourceRecord) => string | undefined) =>
  (record: SourceRecord): string | undefined => {
    const key = keyOf(record);
    return key && inPartition(partition, record, key);
  };

/** Returns a function that finds the joined records of a user. Rules ask for the same ones, which may be on disk. */
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

/** Ways in which databases write that there is no time. */
const NO_TIME = /^(?:|NULL|0|-?infinity|0000-00-00.*|0001-01-01.*)$/i;
const isNoTime = (value: unknown) =>
  value === undefined || value === null || value === '' || NO_TIME.test(textOf(value)?.trim() ?? 'an object');

/** A value that cannot be read counts as no, and stops the import. */
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

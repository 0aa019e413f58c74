import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../../lib/json/json-object.ts';
import type { ContainerName, SourceRecord, TableHead } from '../containers/table.ts';
import { selfDescribingHash } from '../fields/hashes.ts';
import { emailOrUsername } from '../fields/login-address.ts';
import { foreignServer } from '../fields/providers.ts';
import { realmsInColumn } from '../fields/realms.ts';
import {
  gravestState,
  type ReadState,
  stateOf as readState,
  type StateColumn,
  type StateColumns,
  stateIn,
} from '../fields/states.ts';
import { isOfDatabase, mayBe, mayBePrefixed } from '../fields/tables.ts';
import { timeOf, timeOfObjectId } from '../fields/time.ts';

import {
  firstOf,
  flagOf,
  isSameAddress,
  isSet,
  metadataOf,
  objectOf,
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
  /** Columns that say who may sign in, as those of the users do. */
  states?: StateColumns;
  /** Columns of the first record that become metadata of the user, as those of the users do. */
  metadata?: Names;
  /** Each record is an account at a third party. */
  identity?: { provider: Column; userId: Column; email?: Column; isSso?: boolean };
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
  /** Names of this kind of export, by kind of file. Several kinds of files may share one. */
  forms: Partial<Record<ContainerName, string>>;
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

  id: Column;
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
  /** A rule, or columns with ids of accounts at third parties: `{ github_id: 'github' }`. Joins may have `identity`. */
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
  /** For users who have a second factor: true, or the TOTP devices that can be read (fields/totp.ts), which may be none. */
  factors?: Rule<boolean | readonly unknown[]>;
  /** Whether a user has roles, or their names. A column is a flag. */
  roles?: Column | Rule<boolean | readonly unknown[]>;
  /** Other facts to count. A column is a flag. */
  drops?: Partial<Record<Exclude<Dropped, 'mfa' | 'roles' | 'phone numbers'>, Column | Rule<boolean>>>;
  /** Whatever a member above cannot say; replaces what they say. */
  user?: Rule<Partial<SourceUser>>;

  /** Columns that rules read, beside those that other members name. Settings may name some. */
  reads?: Names | ((settings: Settings) => Names);
  /** Further columns of the system, of all its versions, that have no use here. */
  unused?: Names;
  /** Advice for every export of this kind. */
  note?: string;
  warning?: string;
  advice?: readonly ConditionalAdvice[] | ((seen: AdviceContext) => readonly Advice[]);
}

export interface Address {
  email: unknown;
  isVerified?: unknown;
  isPrimary?: boolean;
}

export interface Identity {
  provider: unknown;
  userId: unknown;
  email?: unknown;
  isVerified?: unknown;
  isSso?: boolean | undefined;
  /** URLs of the provider's server. One of another host than the public provider's makes it an enterprise provider. */
  servers?: readonly unknown[];
}

export interface ConditionalAdvice extends Advice {
  when?(seen: AdviceContext): boolean;
}

/** A kind of export with the declaration it was made of, from which docs/imports.md is generated. */
export interface DeclaredForm extends Form {
  readonly declaration: Users;
}

/** Advice for users of systems that give no hashes away. */
export const FIRST_SIGN_IN =
  '--without-password legacy imports them without a hash and asks the old system at their first sign-in (docs/moving-in.md); --without-password keep lets them set a password by a reset.';

/** @param tables the most specific first */
export const system = (about: Omit<Source, 'forms'>, ...tables: readonly (Users | Form)[]): Source => ({
  ...about,
  forms: tables.flatMap((one) => ('forms' in one ? formsOf(one) : [one])),
});

export const words = (names: Names = ''): string[] => names.split(/\s+/).filter((word) => word !== '');

/** Value of the first of several columns that has one: `id|_id`. */
export const cellOf = (record: SourceRecord, column: Column): unknown =>
  column.includes('|') ? firstCell(record, column.split('|')) : record[column];

function firstCell(record: SourceRecord, names: readonly string[]): unknown {
  for (const name of names) if (textOf(record[name]) !== undefined) return record[name];
  return firstOf(record, names);
}

/** The hash of one family, whatever its form. */
export const hashOf = (algorithm: string, encoded: unknown): SourcePassword | undefined => {
  const text = textOf(encoded);
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

function formsOf(of: Users): DeclaredForm[] {
  const form = formOf(of);
  const names: Partial<Record<string, string>> = of.forms;
  return [...new Set(Object.values(of.forms))].map((name) => ({
    ...form,
    name,
    declaration: of,
    isUsers: (table, ...known) => names[table.container] === name && form.isUsers(table, ...known),
  }));
}

function formOf(of: Users): Omit<Form, 'name'> {
  const realms =
    of.realms !== undefined && 'column' in of.realms
      ? realmsInColumn(of.realms.title, ...columnsOf(of.realms.column))
      : of.realms;
  const known = knownColumns(of);
  const stateColumns = expectedStates(of);
  return {
    isUsers: (table, settings, around) =>
      isNamed(table, of) &&
      hasAll(table, of.has) &&
      !words(of.hasNot).some((name) => table.columns.has(name)) &&
      (of.proof === undefined || around?.isNamed === true || hasAll(table, of.proof)) &&
      (of.only?.(table, settings, around) ?? true),
    known: typeof of.reads === 'function' ? (_, settings) => knownColumns(of, settings) : known,
    stateColumns: (table) => (of.isSparse && table.container === 'json' ? [] : stateColumns),
    isUnusedTable: unusedTablesIn(of.unusedTables),
    details: Object.fromEntries(
      Object.entries(of.joins ?? {}).map(([name, join]) => [name, detailOf(join, of)]),
    ),
    keyOf: partitioned(of, of.key ?? ((record) => textOf(cellOf(record, of.id)))),
    read: readerOf(of),
    ...(of.hasPages && { hasPages: of.hasPages }),
    ...(of.isPrefixed && { tableNames: words(of.table) }),
    ...(realms !== undefined && { realms }),
    advice: (seen) => adviceOf(of, seen),
  };
}

const expectedStates = ({ states = {}, stateReads, mayLack = {} }: Users): readonly Column[] =>
  [...Object.keys(states), ...words(stateReads)].filter((column) => !Object.hasOwn(mayLack, column));

const columnsOf = (column: Column) => column.split('|') as [string, ...string[]];

const adviceOf = ({ advice = [], note, warning }: Users, seen: AdviceContext): readonly Advice[] => [
  ...(note === undefined ? [] : [{ level: 'note', text: note } as const]),
  ...(warning === undefined ? [] : [{ level: 'warn', text: warning } as const]),
  ...(typeof advice === 'function'
    ? advice(seen)
    : advice.flatMap(({ when, ...one }) => (when?.(seen) === false ? [] : [one]))),
];

const isNamed = (table: TableHead, { table: names, isPrefixed }: Users): boolean =>
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

function knownColumns(of: Users, settings: Settings = {}): ReadonlySet<string> {
  const reads = typeof of.reads === 'function' ? of.reads(settings) : of.reads;
  return new NameSet([
    ...named(of.has, of.proof, of.id, of.email, of.username, of.verified, of.joined, of.hash, of.phone),
    ...named(of.metadata, reads, of.unused, of.stateReads, of.roles, ...Object.values(of.drops ?? {})),
    ...named(...Object.values(of.joins ?? {}).map(({ by }) => by)),
    ...(typeof of.identities === 'object' ? Object.keys(of.identities) : []),
    ...(of.realms !== undefined && 'column' in of.realms ? named(of.realms.column) : []),
    ...named(of.partition, of.lockedUntil, ...Object.keys(of.states ?? {})),
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
export function detailOf(join: Join, of: Partition = {}): Detail {
  const {
    table,
    has,
    hasNot,
    on = 'user_id',
    by,
    keep = '',
    keys,
    missing,
    decides,
    readAlone,
    realmOf,
  } = join;
  const partition = partitionOf(join, of);
  const { provider, userId, email } = join.identity ?? {};
  const own = [...Object.keys(join.states ?? {}), provider, userId, email, join.metadata].join(' ');
  return {
    fits: (head) =>
      (table === undefined ||
        !isOfDatabase(head) ||
        words(table).some((name) => mayBePrefixed(head, name))) &&
      hasAll(head, `${has} ${partition ?? ''}`) &&
      !words(hasNot).some((name) => head.columns.has(name)) &&
      (join.only?.(head) ?? true),
    names: words(table),
    keyOf: partitioned({ partition }, (record) =>
      typeof on === 'string' ? textOf(cellOf(record, on)) : on(record),
    ),
    keep: typeof keep === 'string' ? picker(`${keep} ${own}`) : keep,
    known:
      join.unused === '*'
        ? 'all'
        : new NameSet(named(has, partition, on, keep, own, join.reads, join.unused, keys?.key, keys?.value)),
    ...(by !== undefined && {
      keyOfUser: partitioned({ partition }, (record) => textOf(cellOf(record, by))),
    }),
    ...(keys !== undefined && {
      keys: {
        keyOf: (record: SourceRecord) => textOf(cellOf(record, keys.key)),
        valueOf: (record: SourceRecord) => cellOf(record, keys.value),
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

/** Names under which `picker` has picked columns. */
const withoutSources = (columns: Names): Names =>
  words(columns)
    .map((word) => word.replace(/[=|].*/, ''))
    .join(' ');

type ReadCell = (record: SourceRecord) => unknown;

/** Returns a function that finds the value of the first of several columns that has one. */
function cellReader(column: Column): ReadCell {
  const names = column.split('|');
  return names.length > 1 ? (record) => firstCell(record, names) : (record) => record[column];
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

const ruleOf = <T>(
  given: Column | Rule<T> | undefined,
  read: (of: ReadCell, row: Row) => T,
): Rule<T | undefined> => {
  if (given === undefined) return () => undefined;
  if (typeof given === 'function') return given;
  const cell = cellReader(given);
  return (row) => read(cell, row);
};

/** Makes a reader of users, also of users who are only in a joined table (`readAlone`). */
export function readerOf(of: Users): Form['read'] {
  const idIn = cellReader(of.id);
  const addressesOf = addressReader(of);
  const phonesOf = ruleOf<boolean | readonly unknown[]>(of.phone, (cell, { record }) => [cell(record)]);
  const pickMetadata = typeof of.metadata === 'function' ? of.metadata : rowPicker(of.metadata ?? '');
  const drops = Object.entries(of.drops ?? {}) as [Dropped, Column | Rule<boolean>][];
  const counted: [Dropped, Rule<boolean | readonly unknown[] | undefined>][] = drops.map(([what, rule]) => [
    what,
    flagRule(rule),
  ]);
  if (of.factors !== undefined) counted.push(['mfa', of.factors]);
  if (of.roles !== undefined) counted.push(['roles', flagRule(of.roles)]);
  const joins = Object.entries(of.joins ?? {});
  const joinedMetadata = joins.flatMap(([name, { metadata }]): Rule<JsonObject>[] => {
    const pick = metadata === undefined ? undefined : picker(withoutSources(metadata));
    return pick === undefined ? [] : [(row) => pick(row.joined(name)[0] ?? {})];
  });
  const passwordOf = hashReader(of);
  const stateOf = stateReader(of);
  const lockOf = lockReader(of);
  const identitiesOf = identityReader(of);
  const keysOfUser = new Map(
    joins.flatMap(([name, { by }]) => (by === undefined ? [] : [[name, cellReader(by)]])),
  );
  return (record, context) => {
    const id = textOf(idIn(record));
    const key = of.key === undefined ? id : of.key(record);
    const records = recordsOf(of, { record, context }, (name) => {
      const read = keysOfUser.get(name);
      return read === undefined ? key : textOf(read(record));
    });
    const row: Row = {
      record,
      table: context.table,
      tables: context.tables,
      settings: context.settings,
      nowMs: context.nowMs,
      ruled: context.ruled,
      drop: context.drop,
      hasDetail: context.hasDetail,
      joined: records.joined,
    };
    if (of.skip?.(row)) return undefined;
    const found = phonesOf(row);
    const phones = typeof found === 'object' ? found.filter((one) => textOf(one) !== undefined) : found;
    count('phone numbers', phones, context);
    for (const [what, rule] of counted) count(what, rule(row), context);
    const lock = lockOf(row, context);
    const { isVerified = verifiedOf(of, row, context), ...addresses } = addressesOf(row);
    return {
      externalUserId: id,
      ...addresses,
      isVerified,
      timeJoinedMs: joinedOf(of, row, context),
      password: passwordOf(row),
      identities: identitiesOf?.(row).flatMap((one) => identityOf(one, context)),
      metadata: metadataOf(
        joinedMetadata.length === 0
          ? pickMetadata(row)
          : Object.assign({ ...pickMetadata(row) }, ...joinedMetadata.map((pick) => pick(row))),
      ),
      state: gravestState([stateOf(row, context), lock]),
      stateReason: of.stateReason?.(row),
      hasPhone: typeof phones === 'object' ? phones.length > 0 : phones,
      ...of.user?.(row),
      repeatsRecordIn: records.repeated(),
    };
  };
}

/** Returns a function that reads the address with which a user signs in, and the others. */
function addressReader({
  email,
  username,
  addresses,
}: Users): Rule<Pick<SourceUser, 'email' | 'emailFromName' | 'emails' | 'isVerified'>> {
  const emailOf = ruleOf<unknown>(email, (cell, { record }) => cell(record));
  const usernameIn = username === undefined ? () => undefined : cellReader(username);
  return (row) => {
    const own = emailOrUsername(emailOf(row), usernameIn(row.record), row.settings);
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
      // The list may know that the user name is an address.
      emailFromName: isVerified === undefined ? own.emailFromName : undefined,
      emails: severalOf([own.email ?? [], ...list.map(({ address }) => address)].flat()),
      isVerified,
    };
  };
}

/** A state column that the table must have is never just missing: a record of JSON that lacks it has an empty cell. */
const statesOf = ({ states = {}, has }: Pick<Users, 'states' | 'has'>, prefix = ''): readonly StateColumn[] =>
  Object.entries(states).flatMap(([column, meaning]) =>
    columnsOf(column).map((name) => ({
      ...{ name, meaning, label: `${prefix}${name}` },
      isRequired: words(has).includes(name),
    })),
  );

/** Returns a function that finds the gravest state that the user's row, the joined records and the rule show. */
function stateReader(of: Users): (row: Row, context: ReadContext) => ReadState {
  const own = statesOf(of);
  const joins = Object.entries(of.joins ?? {})
    .filter(([, { states }]) => states !== undefined)
    .map(([name, join]) => [name, statesOf(join, `${name}.`)] as const);
  return (row, context) =>
    gravestState([
      // The rule's state is more specific, and counts if others are equally grave.
      of.state?.(row),
      stateIn(row.record, own, context) ?? leftToDefault(row, own),
      ...joins.flatMap(([name, columns]) =>
        row.joined(name).map((found) => stateIn(found, columns, context)),
      ),
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
function lockReader({ lockedUntil }: Users): (row: Row, context: ReadContext) => ReadState {
  const columns = lockedUntil === undefined ? [] : columnsOf(lockedUntil);
  return ({ record, drop }, { nowMs, ruled }) => {
    const column = columns.find((name) => isSet(record[name]));
    if (column === undefined) return undefined;
    const lockAt = (timeMs: number) =>
      readState(column, record[column], 'disabled until', { nowMs: timeMs, ruled });
    const lasting = lockAt(nowMs + LONGEST_LOCK_MS);
    if (lasting === undefined && lockAt(nowMs) !== undefined) drop('temporary locks');
    return lasting;
  };
}

function identityReader({ identities, joins = {} }: Users): Rule<readonly Identity[]> | undefined {
  const columns = typeof identities === 'object' ? Object.entries(identities) : [];
  const own = typeof identities === 'function' ? identities : undefined;
  const joined = Object.entries(joins).flatMap(([name, { identity }]) =>
    identity === undefined ? [] : [[name, identity] as const],
  );
  if (identities === undefined && joined.length === 0) return undefined;
  const kept = (found: JsonObject, column: Column | undefined) => column && found[columnsOf(column)[0]];
  return (row) => [
    ...(own?.(row) ?? []),
    ...columns.flatMap(([column, provider]) =>
      isSet(row.record[column]) ? { provider, userId: row.record[column] } : [],
    ),
    ...joined.flatMap(([name, { provider, userId, email, isSso }]) =>
      row.joined(name).map((found) => ({
        ...{ provider: kept(found, provider), userId: kept(found, userId), email: kept(found, email), isSso },
      })),
    ),
  ];
}

type Partition = { readonly partition?: Column | undefined };

/** The table of the installations themselves has their ids as keys, and no column for them. */
const partitionOf = (join: Join | undefined, { partition }: Partition): Column | undefined =>
  join?.by === partition ? undefined : partition;

/** A key within the installation of a record. */
const inPartition = ({ partition }: Partition, record: SourceRecord, key: string): string =>
  partition === undefined ? key : `${textOf(cellOf(record, partition)) ?? ''}\u{1f}${key}`;

const partitioned =
  (of: Partition, keyOf: (record: SourceRecord) => string | undefined) =>
  (record: SourceRecord): string | undefined => {
    const key = keyOf(record);
    return key && inPartition(of, record, key);
  };

/** The joined records of a user. Rules ask for the same ones, which may be on disk. */
function recordsOf(
  { joins = {}, partition }: Users,
  { record, context }: { record: SourceRecord; context: ReadContext },
  keyOf: (name: string) => string | undefined,
): Pick<Row, 'joined'> & { repeated(): string | undefined } {
  const found = new Map<string, readonly JsonObject[]>();
  let repeated: string | undefined;
  return {
    repeated: () => repeated,
    joined(name, ofKey = keyOf(name)) {
      if (ofKey === undefined) return [];
      const place = `${name}\0${ofKey}`;
      const known = found.get(place);
      if (known !== undefined) return known;
      const ofJoin = { partition: partitionOf(joins[name], { partition }) };
      const records = context.details(name, inPartition(ofJoin, record, ofKey));
      found.set(place, records);
      const isSingle = (joins[name]?.of ?? 'some') !== 'some';
      if (isSingle && records.some((one) => !isDeepStrictEqual(one, records[0]))) repeated ??= name;
      return records;
    },
  };
}

const flagRule = <T>(given: Column | Rule<T>): Rule<T | boolean> =>
  typeof given === 'function' ? given : ({ record }) => flagOf(cellOf(record, given)) === true;

function rowPicker(columns: Names): Rule<JsonObject> {
  const pick = picker(columns);
  return ({ record }) => pick(record);
}

function hashReader({ hash, families }: Users): Rule<SourcePassword | undefined> {
  const inOrder = families === undefined ? undefined : words(families);
  return ruleOf<SourcePassword | undefined>(hash, (cell, { record }) => {
    const encoded = cell(record);
    if (inOrder === undefined) return selfDescribingHash(encoded);
    const text = textOf(encoded);
    return text === undefined ? undefined : { encoded: text, families: inOrder };
  });
}

function count(what: Dropped, found: boolean | readonly unknown[] | undefined, { drop }: ReadContext): void {
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
  if (value === undefined && !columnsOf(verified).some((name) => row.table.columns.has(name)))
    return undefined;
  const flag = flagOf(value);
  if (flag !== undefined || isNoTime(value)) return flag ?? false;
  if (timeOf(value) !== undefined) return true;
  unreadable(verified, value, 'flag');
  return false;
}

function joinedOf({ id, joined }: Users, row: Row, { unreadable }: ReadContext): number | undefined {
  if (joined === undefined) return undefined;
  if (typeof joined === 'function') return joined(row);
  const value = cellOf(row.record, joined);
  const timeMs = timeOf(value);
  if (timeMs !== undefined) return timeMs;
  if (!isNoTime(value)) unreadable(joined, value, 'time');
  return columnsOf(id).includes('_id') ? timeOfObjectId(textOf(row.record._id) ?? '') : undefined;
}

function identityOf(one: Identity, { drop }: ReadContext): SourceIdentity[] {
  const [provider, userId] = [textOf(one.provider), textOf(one.userId)];
  if (provider === undefined) return [];
  if (userId === undefined) {
    drop('identities without an id');
    return [];
  }
  const foreign = foreignServer(provider, one.servers ?? []);
  const isSso = foreign === undefined ? one.isSso : true;
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

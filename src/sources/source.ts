import type { JsonObject } from '../lib/json/json-object.ts';
import type { SourceRecord, TableHead } from './containers/table.ts';
import type { SourceUser } from './source-user.ts';

/**
 * A system whose exports can be imported. Each is declared in systems/, and has a line in sources.ts. The code of a
 * source only reads records: it uses no files, network or clock.
 */
export interface Source {
  /** Value of `--from`: `firebase`. */
  readonly name: string;
  /** Name in messages: `Firebase Auth`. */
  readonly title: string;
  /** Kinds of exports, the most specific first. A table belongs to the first kind that accepts it. */
  readonly forms: readonly Form[];
  /** Options for `--set`, with descriptions: `{ memCost: 'mem_cost of the hash parameters' }`. */
  readonly settings?: Readonly<Record<string, string>>;
  /** `user-import` itself wrote the files. Ids already have the prefix of `idPrefix`, and all columns are known. */
  readonly isOwnFormat?: true;
}

/** One kind of export: a table of users, and tables with details about them, perhaps in other files. */
export interface Form {
  /** Name of the kind of export: `firebase-json`. */
  readonly name: string;
  /**
   * Any system may have written such files. The form then does not show which system the users come from, so an earlier
   * import with this form may have been of other users.
   */
  readonly isOfAnySystem?: boolean;
  /** The files do not show who may sign in, so the operator must say it (`--active`). */
  readonly asksWhoMaySignIn?: true;
  /** The system exports its users in several files of the same kind: pages of its API, or a file for each realm. */
  readonly hasPages?: true;
  /**
   * Returns whether a table holds the users of this kind of export. Must return false if it may belong to another
   * system, unless the operator has named the system (`around.isNamed`).
   * @param settings what the operator chose, such as the columns of the generic source
   * @param around the other tables, and whether `--from` is given. If omitted, the table alone decides.
   */
  isUsers(table: TableHead, settings: Settings, around?: DetectionContext): boolean;
  /** Tables with details about the users, by the names with which `ReadContext.details` finds their records. */
  readonly details?: Readonly<Record<string, Detail>>;
  /** Returns the key by which details are joined to a user. Required if a detail has `readAlone`. */
  keyOf?(record: SourceRecord): string | undefined;
  /** Columns of the table that `read` uses, and columns that the system has but that have no use here. */
  readonly known: KnownColumns | ((table: TableHead, settings: Settings) => KnownColumns);
  /**
   * Returns the columns that say who may sign in. The import stops if no record of the table has one of them. A column
   * with several possible names is `deleted_at|deletedAt`.
   */
  stateColumns?(table: TableHead): readonly string[];
  /**
   * Returns whether a table of the system has no use here, although it refers to users.
   * @param name name of the table without the schema
   */
  isUnusedTable?(name: string, columns: ReadonlySet<string>): boolean;
  /** Names of the table of users, if sites may choose a prefix for their tables: `users` for `wp_users`. */
  readonly tableNames?: readonly string[];
  /** Needed for systems of which one export can hold several realms. */
  readonly realms?: FormRealms;
  /**
   * Reads the user in a record. Returns undefined if the record does not count as a row, for example because it is a part
   * of another user.
   */
  read(record: SourceRecord, context: ReadContext): SourceUser | undefined;
  /** Returns what this export lacks, and how to get it from the system. Shown before the import. */
  advice?(seen: AdviceContext): readonly Advice[];
}

/**
 * Name of a set of users in which addresses are unique: realm, tenant, organisation, site or connection. In two
 * realms, one address may belong to two people. Undefined for a user who belongs to none, and is imported whichever
 * realm the operator chooses.
 */
export type Realm = string | undefined;

/** Finds the realms of users. pipeline/realms.ts leaves out users of realms that the operator has not chosen. */
export interface FormRealms {
  /** Plural of the exporting system's word for a realm: `organisations`. */
  readonly title: string;
  /** Place in the export where the realm of a user is named, for messages: `column owner`. */
  readonly place: string;
  /**
   * Users of all realms are imported unless the operator chooses one, because in this system one address usually
   * belongs to the same person in all realms. Two users with one address are then an ordinary conflict.
   */
  readonly areOneSet?: boolean;
  /** Returns the realm of all users in a table, or a function that returns the realm of a record. */
  of(context: Pick<ReadContext, 'table' | 'details'>): Realm | ((record: SourceRecord) => Realm);
}

/** Facts beyond a table itself that help to decide which system it belongs to, and whether it holds users. */
export interface DetectionContext {
  /** All tables of all files, including the table in question. */
  tables: readonly TableHead[];
  /** The operator named the system (`--from`), so a table that may belong to the system is accepted without proof. */
  isNamed: boolean;
}

export interface AdviceContext {
  tables: readonly TableHead[];
  settings: Settings;
  /** The operator named a hashing secret of the service (`--hashing-secret-id`). */
  hasSecret?: boolean | undefined;
}

/** Message to the operator about an export, shown once. */
export interface Advice {
  /** `stop`: the import must not start as it is (no users, no hash parameters). */
  level: 'stop' | 'warn' | 'note';
  /** Advice in plain sentences, with a command that helps. */
  text: string;
  /** The decision that the operator must make, as data for programs. */
  question?: Question;
}

/** A decision that the operator must make, as data for programs. */
export interface Question {
  code: string;
  /** Flag of the command line by which the operator decides. */
  flag: string;
  columns?: readonly { column: string; records: number; values: string }[];
  tables?: readonly string[];
}

/**
 * Columns of a table that have a use, or are known to have none. `all` is only for tables without any column that could
 * say who may sign in: tables that this tool writes, tables of second factors, and names of realms.
 */
export type KnownColumns = ReadonlySet<string> | 'all';

/** A table whose records are joined to the users by a key, such as identities or addresses. */
export interface Detail {
  /** Returns whether to join a table. It may be the table of users itself, if its records refer to each other. */
  fits(table: TableHead): boolean;
  /** Returns the key of a record, by which `context.details(name, key)` finds it. */
  keyOf(record: SourceRecord): string | undefined;
  /** Returns the key by which the record of a user is joined to this table. Default: `Form.keyOf`. */
  keyOfUser?(record: SourceRecord): string | undefined;
  /** Returns the values of a record that `read` needs. They are stored as JSON, on disk if there are many. */
  keep(record: SourceRecord): JsonObject | undefined;
  /** Reads a record whose key belongs to no user as a user of its own. Without it, such records are ignored. */
  readAlone?(record: SourceRecord, context: ReadContext): SourceUser | undefined;
  /** Realm of a record that `readAlone` reads as a user. */
  realmOf?(record: SourceRecord): Realm;
  /**
   * Every user has a record in this table, which may say that the user must not sign in. A user without a record is
   * not imported, because a page of the export may be missing.
   */
  isOfEveryUser?: true;
  /** The table says who may sign in, or who has a second factor. The operator must confirm an import without it. */
  decides?: 'states' | 'factors';
  /** Message for the operator if no export file has this table. */
  missing?: string;
  /** Names that the system gives the table, without a schema or prefix. */
  names?: readonly string[];
  /** Columns of the table that are used, and columns that the system has but that have no use here. */
  known: KnownColumns;
  /** Set for key/value tables: each record has one value under a key, and each key counts as a column of the users. */
  keys?: {
    keyOf(record: SourceRecord): string | undefined;
    valueOf(record: SourceRecord): unknown;
    isKnown(key: string): boolean;
  };
}

/** Finds the records of a joined table (a detail) by their key. Returns what `Detail.keep` kept of each. */
export type FoundDetails = (name: string, key: string) => readonly JsonObject[];

/** Options from `--set` and from files with Firebase's hash parameters. */
export type Settings = Readonly<Record<string, string>>;

export interface ReadContext {
  table: TableHead;
  /** All tables of all files. */
  tables: readonly TableHead[];
  settings: Settings;
  /** Time of the import in ms since the epoch, the same for all rows. Decides whether a ban is over. */
  nowMs: number;
  /** Columns for which the operator has given a rule (`--active`). */
  ruled: ReadonlySet<string>;
  /** Finds the records that are joined to a user. */
  details: FoundDetails;
  hasDetail(name: string): boolean;
  /** Reports a value that should be a flag or time, and cannot be read as one. The import then stops. */
  unreadable(column: string, value: unknown, as: 'flag' | 'time'): void;
  /**
   * Counts data of a user that this service cannot store, for one message at the end.
   * @param values the data, if the export has it: `--mfa keep` stores TOTP devices (fields/totp.ts), roles and
   * phone numbers
   */
  drop(what: Dropped, values?: readonly unknown[]): void;
}

/** Data that this service cannot store, and other facts about users that are counted and reported once. */
export type Dropped =
  | 'roles'
  | 'mfa'
  | 'forced password changes'
  | 'phone numbers'
  | 'organisations'
  | 'groups'
  | 'further hashes'
  | 'temporary locks'
  | 'identities without an id'
  | 'other tenants';

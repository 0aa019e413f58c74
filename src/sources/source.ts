import type { JsonObject } from '../lib/json/json-object.ts';
import type { SourceRecord, TableHead } from './containers/table.ts';
import type { SourceUser } from './source-user.ts';

/**
 * A system whose exports can be imported. Each has a file in systems/ and a line in sources.ts. The code of a
 * source reads records only: it uses no files, network or clock.
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
  /** `user-import` wrote the files: ids have their prefix, and a missing column is not lost data. */
  readonly isOwnFormat?: true;
}

/** One kind of export: a table of users, and tables with details about them, perhaps in other files. */
export interface Form {
  /** Name of the kind of export: `firebase-json`. */
  readonly name: string;
  /**
   * Any system may have written such files. The form then does not show where the users come from, and two of
   * the files may hold different users.
   */
  readonly isOfAnySystem?: boolean;
  /** Nothing shows who may sign in, so the operator must say it (`--active`). */
  readonly asksWhoMaySignIn?: true;
  /** The system exports one set of users in several files: pages of its API, or a file for each realm. */
  readonly hasPages?: true;
  /**
   * Returns whether a table holds the users of this kind of export. Must return false if it may belong to
   * another system.
   * @param settings used only by the generic source, for which the operator names the columns
   * @param around facts beyond the table. If omitted, the table alone decides.
   */
  isUsers(table: TableHead, settings: Settings, around?: DetectionContext): boolean;
  /** Tables with details about the users, by the names that `ReadContext.details` uses. */
  readonly details?: Readonly<Record<string, Detail>>;
  /** Returns the key by which details are joined to a user. Required if a detail has `readAlone`. */
  keyOf?(record: SourceRecord): string | undefined;
  /** Columns of the table that `read` uses, or that the system has and that have no use here. */
  readonly known: KnownColumns | ((table: TableHead, settings: Settings) => KnownColumns);
  /**
   * Columns that say who may sign in, of which at least one record of a table must have each. A column has one of several
   * names: `deleted_at|deletedAt`.
   */
  stateColumns?(table: TableHead): readonly string[];
  /** Whether a table of the system, by its name without the schema, refers to users and has no use here. */
  isUnusedTable?(name: string, columns: ReadonlySet<string>): boolean;
  /** Names of the table of users, if they may follow a prefix that the site has chosen: `wp_users`. */
  readonly tableNames?: readonly string[];
  /** Needed for systems of which one export can hold several realms. */
  readonly realms?: FormRealms;
  /** Reads one user. Undefined: the record is part of another user's row, and is not counted. */
  read(record: SourceRecord, context: ReadContext): SourceUser | undefined;
  /** What this export lacks, and how to get it from the system. Shown before the import. */
  advice?(seen: AdviceContext): readonly Advice[];
}

/**
 * Name of a set of users in which each has a different e-mail address: realm, tenant, organisation, site or
 * connection. In two realms, one address may belong to two people. Undefined for a user who is imported
 * whichever realm is chosen.
 */
export type Realm = string | undefined;

/** Finds the realms of users. pipeline/realms.ts leaves out users of realms that are not chosen. */
export interface FormRealms {
  /** Plural of the exporting system's word for a realm: `organisations`. */
  readonly title: string;
  /** Place of the realm's name, for messages: `column owner`. */
  readonly place: string;
  /**
   * Users of all realms are imported unless one is chosen, because the realms usually have the same people.
   * Two users with one e-mail address are then an ordinary conflict.
   */
  readonly areOneSet?: boolean;
  /** Returns the realm of all users in a table, or a function that returns the realm of a record. */
  of(context: Pick<ReadContext, 'table' | 'details'>): Realm | ((record: SourceRecord) => Realm);
}

/** Facts beyond a table itself that help to decide which system it belongs to, and whether it holds users. */
export interface DetectionContext {
  /** All tables of all files, including the table in question. */
  tables: readonly TableHead[];
  /** The operator named the system (`--from`): a table that may belong to it needs no further proof. */
  isNamed: boolean;
}

export interface AdviceContext {
  tables: readonly TableHead[];
  settings: Settings;
  /** The operator named a hashing secret of the service (`--hashing-secret-id`). */
  hasSecret?: boolean | undefined;
}

/** A fact about an export that the operator should know, shown once. */
export interface Advice {
  /** `stop`: the import must not start as it is (no users, no hash parameters). */
  level: 'stop' | 'warn' | 'note';
  /** Advice in plain sentences, with a command that helps. */
  text: string;
  /** The same as data, if the operator must decide something. */
  question?: Question;
}

/** A decision that the operator must make, for programs. */
export interface Question {
  code: string;
  /** The flag that answers it. */
  flag: string;
  columns?: readonly { column: string; records: number; values: string }[];
  tables?: readonly string[];
}

/**
 * Columns of a table that are accounted for. `all` is only for tables of which no column says anything about a user: those
 * that this tool writes, tables of second factors, and names of realms.
 */
export type KnownColumns = ReadonlySet<string> | 'all';

/** A table whose records are joined to the users by a key, such as identities or addresses. */
export interface Detail {
  /** Returns whether to join a table: perhaps that of users itself, if its records refer to each other. */
  fits(table: TableHead): boolean;
  /** Returns the key by which `context.details(name, key)` finds a record. */
  keyOf(record: SourceRecord): string | undefined;
  /** Returns the key of the details in a user's record. Default: the user's own key. */
  keyOfUser?(record: SourceRecord): string | undefined;
  /** Returns the part of a record that `read` needs, as JSON values; many records are kept on disk. */
  keep(record: SourceRecord): JsonObject | undefined;
  /** Reads a record whose key belongs to no user as a user. Otherwise, such records are only counted. */
  readAlone?(record: SourceRecord, context: ReadContext): SourceUser | undefined;
  /** Realm of a record that `readAlone` reads as a user. */
  realmOf?(record: SourceRecord): Realm;
  /**
   * Every user has a record in this table. A user without one is not imported, because a page of the export may be
   * missing that says who must not sign in.
   */
  isOfEveryUser?: true;
  /** The table says who may sign in, or who has a second factor: an import without it must be confirmed. */
  decides?: 'states' | 'factors';
  /** Message for the operator if no export file has this table. */
  missing?: string;
  /** Names that the system gives the table, without a schema or prefix. */
  names?: readonly string[];
  /** Columns of the table that are used, or that the system has and that have no use here. */
  known: KnownColumns;
  /** Each record holds one value under a key, and each key is like a column of the users. */
  keys?: {
    keyOf(record: SourceRecord): string | undefined;
    valueOf(record: SourceRecord): unknown;
    isKnown(key: string): boolean;
  };
}

/** Returns the kept parts of the records with a key in a joined table (a detail). */
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
  /** Looks up the kept parts of joined records, on disk if there are many. */
  details: FoundDetails;
  hasDetail(name: string): boolean;
  /** Counts a value of a column that is read as a flag or time, and is none. The import stops. */
  unreadable(column: string, value: unknown, as: 'flag' | 'time'): void;
  /**
   * Counts data of a user that this service cannot store, for one message at the end.
   * @param values the data, if the export has it. `--mfa keep` keeps TOTP devices (fields/totp.ts), roles and
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

import type { JsonObject } from '../lib/json/json-object.ts';
import type { SourceRecord, TableHead } from './containers/table.ts';
import type { SourceUser } from './source-user.ts';

/**
 * A system whose exports can be imported. Each has a file in systems/ and a line in sources.ts. A source uses no
 * files, network or clock.
 */
export interface Source {
  /** Name of the system for `--from`: `firebase`. */
  readonly name: string;
  /** Name of the system in messages: `Firebase Auth`. */
  readonly title: string;
  /** Kinds of exports of this system, the most specific first. A table belongs to the first form that accepts it. */
  readonly forms: readonly Form[];
  /** Settings for `--set`, each with its description: `{ memCost: 'mem_cost of the hash parameters' }`. */
  readonly settings?: Readonly<Record<string, string>>;
  /**
   * Whether this tool wrote the files. In that case ids already have their prefix, and a missing column is not
   * reported as lost data.
   */
  readonly isOwnFormat?: true;
}

/** One kind of export: a table of users, and tables with details about them, in the same file or in others. */
export interface Form {
  /** Name of the form: `firebase-json`. */
  readonly name: string;
  /** Whether any system may have written such files. Two of them may then hold different users. */
  readonly isOfAnySystem?: boolean;
  /**
   * Returns whether this table holds the users of this form. Must return false if the table may belong to another
   * system.
   * @param settings used only by the generic source, for which the operator names the columns
   * @param around facts beyond the table. If omitted, the table alone decides.
   */
  isUsers(table: TableHead, settings: Settings, around?: DetectionContext): boolean;
  /** Tables with details about the users, by the names that `ReadContext.details` uses. */
  readonly details?: Readonly<Record<string, Detail>>;
  /** Returns the key of the details of this record. Required if a detail has `readAlone`. */
  keyOf?(record: SourceRecord): string | undefined;
  /**
   * Columns whose names suggest a state (fields/state-columns.ts), but which `read` interprets itself. Other columns
   * with such names were added by an app, and also decide who may sign in.
   */
  readonly ownStates?: readonly string[];
  /** Columns whose names suggest a second factor (fields/second-factors.ts), but which `read` interprets itself. */
  readonly ownFactors?: readonly string[];
  /** Whether `read` never reports second factors. If so, names of columns and tables show whether users may have some. */
  readonly readsNoFactors?: boolean;
  /**
   * Returns a function that reads only the state of a record, or undefined if no column of the table holds a state.
   * `import` counts unknown words with it before it sends anything.
   */
  stateReader?(
    context: Pick<ReadContext, 'table' | 'settings' | 'nowMs'>,
  ): ((record: SourceRecord) => SourceUser['state']) | undefined;
  /**
   * Returns a function that reads what decides which of several users gets an address (pipeline/address-claims.ts), or
   * undefined if this table does not show it. Needed for systems in which several users can have one address, and which
   * know who confirmed it.
   */
  claimReader?(context: ReadContext): ((record: SourceRecord) => AddressClaim | undefined) | undefined;
  /** Realms of the users. Needed for systems of which one export can hold several realms. */
  readonly realms?: FormRealms;
  /** Reads one user. Returns undefined if the record is part of another user's row. Such a record is not counted. */
  read(record: SourceRecord, context: ReadContext): SourceUser | undefined;
  /** Returns advice to show before the import: what this export lacks, and how to get it. */
  advice?(seen: AdviceContext): readonly Advice[];
}

/** What decides which of several users gets an address. A user without a password gets none. */
export type AddressClaim = Pick<SourceUser, 'email' | 'emailFromName' | 'isVerified' | 'password'>;

/**
 * Name of a realm: a set of users in which each user has a different address. Systems call it realm, tenant,
 * organisation, site or connection. In two realms, one address may belong to two people. Undefined for a user without
 * a realm, who is imported whichever realm is chosen.
 */
export type Realm = string | undefined;

/** Finds the realms of a form's users. pipeline/realms.ts leaves out users of realms that are not chosen. */
export interface FormRealms {
  /** Plural of the system's word for a realm: `organisations`. */
  readonly title: string;
  /** Place of the realm's name in the export, for messages: `column owner`. */
  readonly place: string;
  /**
   * Whether users of all realms are imported unless one realm is chosen, because the realms usually have one set of
   * people. Two users with one address are then an ordinary conflict.
   */
  readonly areOneSet?: boolean;
  /** Returns the realm of all users in a table, or a function that returns the realm of a record. */
  of(context: Pick<ReadContext, 'table' | 'details'>): Realm | ((record: SourceRecord) => Realm);
}

/** Facts beyond a table itself by which a form decides whether the table holds its users. */
export interface DetectionContext {
  /** All tables of all files, including the table in question. */
  tables: readonly TableHead[];
  /** Whether the operator named the system (`--from`). If so, tables that are merely possible for it are accepted. */
  isNamed: boolean;
}

/** Facts about an export from which a form gives advice. */
export interface AdviceContext {
  /** All tables of all files. */
  tables: readonly TableHead[];
  settings: Settings;
  /** Whether the operator named a configured secret for the hashes. */
  hasSecret?: boolean | undefined;
}

/** A fact that the operator should know, shown once. */
export interface Advice {
  /** `stop`: the import must not start as it is (no users, no hash parameters). */
  level: 'stop' | 'warn' | 'note';
  /** The advice in plain sentences, with a command that helps. */
  text: string;
}

/** A table whose records are joined to the users by a key. */
export interface Detail {
  /** Returns whether the table is this detail. It may be the table of users itself, if its records refer to each other. */
  fits(table: TableHead): boolean;
  /** Returns the key by which `context.details(name, key)` finds the record. */
  keyOf(record: SourceRecord): string | undefined;
  /**
   * Returns the part of a record that `read` needs, as JSON values; many records are kept on disk. Returns undefined
   * to keep nothing.
   */
  keep(record: SourceRecord): JsonObject | undefined;
  /** Reads a record whose key belongs to no user. Without this function, such records are only counted. */
  readAlone?(record: SourceRecord, context: ReadContext): SourceUser | undefined;
  /** Returns the realm of a record in a table of details that `readAlone` reads as a user. */
  realmOf?(record: SourceRecord): Realm;
  /** Message for the operator if no file has this table. */
  missing?: string;
}

/** Returns the kept parts of a detail's records with this key. */
export type FoundDetails = (name: string, key: string) => readonly JsonObject[];

/** Settings from `--set` and from files of hash parameters. */
export type Settings = Readonly<Record<string, string>>;

export interface ReadContext {
  /** The table that contains the record. */
  table: TableHead;
  /** All tables of all files. */
  tables: readonly TableHead[];
  settings: Settings;
  /** Time of the import in milliseconds since the epoch, the same for all rows. Decides whether a ban is over. */
  nowMs: number;
  /** Looks up kept parts of other tables' records, which are on disk if there are many. */
  details: FoundDetails;
  /** Returns whether any file has a table of this detail. */
  hasDetail(name: string): boolean;
  /**
   * Counts data that this service cannot store, for one message at the end.
   * @param values the data, if the export has it. `--mfa keep` keeps TOTP devices (fields/totp.ts), roles and phone
   * numbers
   */
  drop(what: Dropped, values?: readonly unknown[]): void;
}

/** Data of users that this service cannot store, and other facts that are counted and reported once. */
export type Dropped =
  | 'roles'
  | 'mfa'
  | 'forced password changes'
  | 'phone numbers'
  | 'organisations'
  | 'further hashes'
  | 'temporary locks'
  | 'forced password changes'
  | 'identities without an id'
  | 'third fields that are not a comment'
  | 'other tenants';

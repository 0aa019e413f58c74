import type { JsonObject } from '../lib/json/json-object.ts';
import type { SourceRecord, TableHead } from './containers/table.ts';
import type { SourceUser } from './source-user.ts';

/**
 * A system whose exports can be imported: a file in systems/ and a line in sources.ts. A source reads
 * records only: it uses no files, network or clock.
 */
export interface Source {
  /** Value of `--from`: `firebase`. */
  readonly name: string;
  /** Name in messages: `Firebase Auth`. */
  readonly title: string;
  /** Kinds of exports, the most specific first. A table belongs to the first one that accepts it. */
  readonly forms: readonly Form[];
  /** Options for `--set`, each with its description: `{ memCost: 'mem_cost of the hash parameters' }`. */
  readonly settings?: Readonly<Record<string, string>>;
  /**
   * Whether `user-import` itself wrote the files. Ids then have their prefix already, and a missing column
   * is no loss.
   */
  readonly isOwnFormat?: true;
}

/** One kind of export: a table of users, and tables with details about them, in the same file or in others. */
export interface Form {
  /** Name of the kind: `firebase-json`. */
  readonly name: string;
  /** Whether any system may have written such files. Two of them may then hold different users. */
  readonly isOfAnySystem?: boolean;
  /**
   * Returns whether this table holds the users. Must return false if the table may belong to another
   * system.
   * @param settings used only by the generic source, for which the operator names the columns
   * @param around facts beyond the table. If omitted, the table alone decides.
   */
  isUsers(table: TableHead, settings: Settings, around?: DetectionContext): boolean;
  /**
   * Tables with details about the users (identities, addresses), by the names that `ReadContext.details`
   * uses.
   */
  readonly details?: Readonly<Record<string, Detail>>;
  /** Returns the key by which details are joined to this user. Required if a detail has `readAlone`. */
  keyOf?(record: SourceRecord): string | undefined;
  /**
   * Columns whose names suggest a state (fields/state-columns.ts), but which `read` interprets itself.
   * Others with such names were added by an app, and also decide who may sign in.
   */
  readonly ownStates?: readonly string[];
  /**
   * Columns whose names suggest a second factor (fields/second-factors.ts), but which `read` interprets
   * itself.
   */
  readonly ownFactors?: readonly string[];
  /**
   * Columns and details from which `read` takes second factors. An export without any of them need not be
   * read in advance to ask about them. If omitted, it is always read.
   */
  readonly factorsFrom?: readonly string[];
  /**
   * Returns a function that reads only the state of a user, or undefined if the table has no states. With
   * it, `import` counts unknown words before it sends anything.
   */
  stateReader?(
    context: Pick<ReadContext, 'table' | 'settings' | 'nowMs'>,
  ): ((record: SourceRecord) => SourceUser['state']) | undefined;
  /**
   * Returns a function that reads only the facts by which an address is given to one of several users
   * (pipeline/address-claims.ts), or undefined if this table does not show them. Needed for systems in
   * which users can share an address, and which know who confirmed it.
   */
  claimReader?(context: ReadContext): ((record: SourceRecord) => AddressClaim | undefined) | undefined;
  /** Realms of the users. Needed for systems of which one export can hold several. */
  readonly realms?: FormRealms;
  /** Returns undefined if the record is part of another user's row, so that it is not counted. */
  read(record: SourceRecord, context: ReadContext): SourceUser | undefined;
  /** Returns what this export lacks, and how to get it from the system. Shown before the import. */
  advice?(seen: AdviceContext): readonly Advice[];
}

/** Facts by which an address is given to one of several users. A user without a password gets none. */
export type AddressClaim = Pick<SourceUser, 'email' | 'emailFromName' | 'isVerified' | 'password'>;

/**
 * Name of a realm: a set of users in which each has a different address. Systems call it realm, tenant,
 * organisation, site or connection. In two realms, one address may belong to two people. Undefined for a
 * user without a realm, who is imported whichever is chosen.
 */
export type Realm = string | undefined;

/** Finds the realms of users. pipeline/realms.ts leaves out users of realms that are not chosen. */
export interface FormRealms {
  /** Plural of the system's word for a realm: `organisations`. */
  readonly title: string;
  /** Place of the realm's name in the export, for messages: `column owner`. */
  readonly place: string;
  /**
   * Whether all realms are imported unless one is chosen, because they usually have the same people. Two
   * users with one address are then an ordinary conflict.
   */
  readonly areOneSet?: boolean;
  /** Returns the realm of all users in a table, or a function for each record. */
  of(context: Pick<ReadContext, 'table' | 'details'>): Realm | ((record: SourceRecord) => Realm);
}

/** Facts beyond a table by which its system is recognised, and whether it holds users. */
export interface DetectionContext {
  /** All tables of all export files. */
  tables: readonly TableHead[];
  /** Whether the operator named the system (`--from`). Its tables are then accepted without further proof. */
  isNamed: boolean;
}

export interface AdviceContext {
  /** All tables of all export files. */
  tables: readonly TableHead[];
  settings: Settings;
  /** Whether `--hashing-secret-id` names a secret for the hashes. */
  hasSecret?: boolean | undefined;
}

/** A fact about an export that the operator should know, shown once. */
export interface Advice {
  /** `stop`: the import must not start as it is (no users, no hash parameters). */
  level: 'stop' | 'warn' | 'note';
  /** Plain sentences, with a command that helps. */
  text: string;
}

/** A table whose records are joined to the users by a key, such as identities or addresses. */
export interface Detail {
  /**
   * Returns whether to join the table. It may be the table of users itself, if its records refer to each
   * other.
   */
  fits(table: TableHead): boolean;
  /** Returns the key by which `context.details(name, key)` finds a record. */
  keyOf(record: SourceRecord): string | undefined;
  /** Returns what `read` needs of a record, as JSON values; many records are kept on disk. */
  keep(record: SourceRecord): JsonObject | undefined;
  /**
   * Reads a record whose key belongs to no user as a user of its own. Without it, such records are only
   * counted.
   */
  readAlone?(record: SourceRecord, context: ReadContext): SourceUser | undefined;
  /** Returns the realm of a record that `readAlone` reads. */
  realmOf?(record: SourceRecord): Realm;
  /** Message for the operator if no file has this table. */
  missing?: string;
}

/** Returns the kept parts of the records with this key in a detail. */
export type FoundDetails = (name: string, key: string) => readonly JsonObject[];

/** Options from `--set` and from files with Firebase's hash parameters. */
export type Settings = Readonly<Record<string, string>>;

export interface ReadContext {
  /** Table that contains the record. */
  table: TableHead;
  /** All tables of all export files. */
  tables: readonly TableHead[];
  settings: Settings;
  /**
   * Time of the import in milliseconds since the epoch, the same for all rows. Decides whether a ban is
   * over.
   */
  nowMs: number;
  /** Looks up records of details, reduced to the parts that were kept. */
  details: FoundDetails;
  /** Returns whether any file has this detail. */
  hasDetail(name: string): boolean;
  /**
   * Counts data that this service cannot store, for one message at the end.
   * @param values the data, if the export has it. `--mfa keep` keeps TOTP devices (fields/totp.ts), roles
   * and phone numbers
   */
  drop(what: Dropped, values?: readonly unknown[]): void;
}

/** Data that this service cannot store, and other facts about users that are counted. */
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

import type { JsonObject } from '../lib/json/json-object.ts';
import type { SourceRecord, TableHead } from './containers/table.ts';
import type { SourceUser } from './source-user.ts';

/**
 * A system whose exports can be imported. Each has a file in systems/ and a line in sources.ts. The code of a
 * source reads records only: it uses no files, network or clock.
 */
export interface Source {
  /** Name of the exporting system for `--from`: `firebase`. */
  readonly name: string;
  /** Name of the exporting system in messages: `Firebase Auth`. */
  readonly title: string;
  /**
   * Kinds of exports of this system, the most specific first. A table belongs to the first kind that accepts
   * it.
   */
  readonly forms: readonly Form[];
  /** Options for `--set`, each with its description: `{ memCost: 'mem_cost of the hash parameters' }`. */
  readonly settings?: Readonly<Record<string, string>>;
  /**
   * Whether `user-import` itself wrote the files. In that case ids already have their prefix, and a missing
   * column is not reported as lost data.
   */
  readonly isOwnFormat?: true;
}

/**
 * One kind of export of a system: a table of users, and tables with details about them, in the same file or
 * in others.
 */
export interface Form {
  /** Name of the kind of export: `firebase-json`. */
  readonly name: string;
  /**
   * Whether any system may have written such export files. The form then does not show where the users come
   * from, and two of the files may hold different users.
   */
  readonly isOfAnySystem?: boolean;
  /**
   * Returns whether this table holds the users of this kind of export. Must return false if the table may
   * belong to another system.
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
   * Columns whose names suggest a state of users (fields/state-columns.ts), but which `read` interprets
   * itself. Other columns with such names were added by an app, and also decide who may sign in.
   */
  readonly ownStates?: readonly string[];
  /**
   * Columns whose names suggest a second factor (fields/second-factors.ts), but which `read` interprets
   * itself, so that their names do not count.
   */
  readonly ownFactors?: readonly string[];
  /**
   * Names of the columns and details from which `read` takes second factors. An export without any of them
   * need not be read in advance to ask about second factors. If omitted, it is always read.
   */
  readonly factorsFrom?: readonly string[];
  /**
   * Returns a function that reads only the state of a user (disabled, deleted), or undefined if no column of
   * the table holds a state. `import` counts unknown words with it before it sends anything.
   */
  stateReader?(
    context: Pick<ReadContext, 'table' | 'settings' | 'nowMs'>,
  ): ((record: SourceRecord) => SourceUser['state']) | undefined;
  /**
   * Returns a function that reads only the facts that decide which of several users gets an e-mail address
   * (pipeline/address-claims.ts), or undefined if this table does not show them. Needed for systems in which
   * several users can have the same address, and which know who confirmed it.
   */
  claimReader?(context: ReadContext): ((record: SourceRecord) => AddressClaim | undefined) | undefined;
  /**
   * Realms (tenants, organisations) of the users. Needed for systems of which one export can hold several
   * realms.
   */
  readonly realms?: FormRealms;
  /**
   * Reads one user. Returns undefined if the record is part of another user's row, so that it is not counted.
   */
  read(record: SourceRecord, context: ReadContext): SourceUser | undefined;
  /** Returns advice to show before the import: what this export lacks, and how to get it from the system. */
  advice?(seen: AdviceContext): readonly Advice[];
}

/** Facts that decide which of several users gets an e-mail address. A user without a password gets none. */
export type AddressClaim = Pick<SourceUser, 'email' | 'emailFromName' | 'isVerified' | 'password'>;

/**
 * Name of a realm: a set of users in which each user has a different e-mail address. Systems call it realm,
 * tenant, organisation, site or connection. In two realms, one address may belong to two people. Undefined
 * for a user without a realm, who is imported whichever realm is chosen.
 */
export type Realm = string | undefined;

/**
 * Finds the realms (tenants, organisations) of the users in an export. pipeline/realms.ts leaves out users of
 * realms that are not chosen.
 */
export interface FormRealms {
  /** Plural of the exporting system's word for a realm: `organisations`. */
  readonly title: string;
  /** Place of the realm's name in the export, for messages: `column owner`. */
  readonly place: string;
  /**
   * Whether users of all realms are imported unless one realm is chosen, because the realms usually have the
   * same people. Two users with one e-mail address are then an ordinary conflict.
   */
  readonly areOneSet?: boolean;
  /** Returns the realm of all users in a table, or a function that returns the realm of a record. */
  of(context: Pick<ReadContext, 'table' | 'details'>): Realm | ((record: SourceRecord) => Realm);
}

/**
 * Facts beyond a table itself that help to decide which system the table belongs to, and whether it holds
 * users.
 */
export interface DetectionContext {
  /** All tables of all export files, including the table in question. */
  tables: readonly TableHead[];
  /**
   * Whether the operator named the exporting system (`--from`). If so, a table that may belong to this system
   * is accepted without further proof.
   */
  isNamed: boolean;
}

/** Facts about an export from which advice for the operator is made. */
export interface AdviceContext {
  /** All tables of all export files. */
  tables: readonly TableHead[];
  settings: Settings;
  /** Whether the operator named a hashing secret of the service for the hashes (`--hashing-secret-id`). */
  hasSecret?: boolean | undefined;
}

/** A fact about an export that the operator should know, shown once. */
export interface Advice {
  /** Effect of the advice. `stop`: the import must not start as it is (no users, no hash parameters). */
  level: 'stop' | 'warn' | 'note';
  /** Text of the advice in plain sentences, with a command that helps. */
  text: string;
}

/** A table of an export whose records are joined to the users by a key, such as identities or addresses. */
export interface Detail {
  /**
   * Returns whether the table is the one to join. It may be the table of users itself, if its records refer
   * to each other.
   */
  fits(table: TableHead): boolean;
  /** Returns the key of a record in the joined table, by which `context.details(name, key)` finds it. */
  keyOf(record: SourceRecord): string | undefined;
  /**
   * Returns the part of a joined record that `read` needs, as JSON values; many records are kept on disk.
   * Returns undefined to keep nothing.
   */
  keep(record: SourceRecord): JsonObject | undefined;
  /**
   * Reads a joined record whose key belongs to no user as a user of its own. Without this function, such
   * records are only counted.
   */
  readAlone?(record: SourceRecord, context: ReadContext): SourceUser | undefined;
  /** Returns the realm (tenant) of a joined record that `readAlone` reads as a user. */
  realmOf?(record: SourceRecord): Realm;
  /** Message for the operator if no export file has this table. */
  missing?: string;
}

/** Returns the parts that were kept of the records with this key in a joined table (a detail). */
export type FoundDetails = (name: string, key: string) => readonly JsonObject[];

/** Options from `--set` and from files with Firebase's hash parameters. */
export type Settings = Readonly<Record<string, string>>;

export interface ReadContext {
  /** The table of the export that contains the record. */
  table: TableHead;
  /** All tables of all export files. */
  tables: readonly TableHead[];
  settings: Settings;
  /**
   * Time of the import in milliseconds since the epoch, the same for all rows. Decides whether a ban is over.
   */
  nowMs: number;
  /**
   * Looks up records of joined tables (details), reduced to the parts that were kept. They are on disk if
   * there are many.
   */
  details: FoundDetails;
  /** Returns whether any export file has the joined table (detail) of this name. */
  hasDetail(name: string): boolean;
  /**
   * Counts data of a user that this service cannot store, for one message at the end.
   * @param values the data, if the export has it. `--mfa keep` keeps TOTP devices (fields/totp.ts), roles and
   * phone numbers
   */
  drop(what: Dropped, values?: readonly unknown[]): void;
}

/**
 * Kinds of data that this service cannot store, and other facts about users that are counted and reported
 * once.
 */
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

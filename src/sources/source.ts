import type { JsonObject } from '../lib/json/json-object.ts';
import type { SourceRecord, TableHead } from './containers/table.ts';
import type { SourceUser } from './source-user.ts';

/** A system that people leave: one file in systems/, one line in the list of sources.ts. Pure: no files, no network, no clock. */
export interface Source {
  /** What `--from` takes: `firebase`. */
  readonly name: string;
  /** `Firebase Auth` */
  readonly title: string;
  /** What its exports look like, the one that says most first. A table that one of them takes is not looked at by those after it. */
  readonly forms: readonly Form[];
  /** What `--set` takes, with a description each: `{ memCost: 'mem_cost of the hash parameters' }`. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Whether this tool wrote the files, so that ids have their prefix, and columns that users lack are no loss. */
  readonly isOwnFormat?: true;
}

/** One kind of export: a table of users, and tables that say more about them, in the same file or in others. */
export interface Form {
  /** `firebase-json` */
  readonly name: string;
  /** Whether any system may have written such files, so that two of them may have different users. */
  readonly isOfAnySystem?: boolean;
  /**
   * Do the users of this form stand in this table? Must be sure: what may be another system's is not.
   * @param settings only for the generic source, which the operator tells the columns
   * @param around facts beyond the table. If omitted, the table alone decides.
   */
  isUsers(table: TableHead, settings: Settings, around?: DetectionContext): boolean;
  /** Tables that say more, under names of our own. */
  readonly details?: Readonly<Record<string, Detail>>;
  /** The key under which details of this record are; needed where one of them has `readAlone`. */
  keyOf?(record: SourceRecord): string | undefined;
  /**
   * Apps add columns to the table of users. Those that tell by their names who must not sign in (fields/state-columns.ts) count, but for
   * these, which `read` looks at itself.
   */
  readonly ownStates?: readonly string[];
  /** Columns that are of a second factor by their names (fields/second-factors.ts), and of which `read` knows what they say. */
  readonly ownFactors?: readonly string[];
  /**
   * Reads the state of a record alone, where the operator's words tell it: `import` counts those that are not understood before it sends
   * anything. Undefined where no column of the table tells it.
   */
  stateReader?(
    context: Pick<ReadContext, 'table' | 'settings' | 'nowMs'>,
  ): ((record: SourceRecord) => SourceUser['state']) | undefined;
  /**
   * Returns a function that reads what decides between users who have the same address (pipeline/address-claims.ts). A form has it if its
   * system lets several users have one address and knows which of them confirmed it. Returns undefined if this table does not tell.
   */
  claimReader?(context: ReadContext): ((record: SourceRecord) => AddressClaim | undefined) | undefined;
  /** The realms of the users. A form has them if one export of its system can hold several. */
  readonly realms?: FormRealms;
  /** Reads one user; undefined where the record is none of its own (it is counted nowhere, as it is part of another row). */
  read(record: SourceRecord, context: ReadContext): SourceUser | undefined;
  /** What to say about this export before it is imported: what is missing, and how to get it. */
  advice?(seen: AdviceContext): readonly Advice[];
}

/** A user's claim to an address. A user without a password claims none. */
export type AddressClaim = Pick<SourceUser, 'email' | 'emailFromName' | 'isVerified' | 'password'>;

/**
 * Name of a realm: a set of users of which each has an own address. Systems call it realm, tenant, organisation, site or
 * connection. In two realms, one address may belong to two people. Undefined if the user does not belong to any realm, and
 * is imported whichever realm is chosen.
 */
export type Realm = string | undefined;

/** How a form tells the realms of its users. pipeline/realms.ts leaves out users of realms that are not chosen. */
export interface FormRealms {
  /** Plural of what the system calls a realm: `organisations`. */
  readonly title: string;
  /** Place of the realm's name in the export, for messages: `column owner`. */
  readonly place: string;
  /**
   * Whether users of all realms are imported unless one is chosen: they are usually one set of people. Two users with
   * one address are then a conflict like any other.
   */
  readonly areOneSet?: boolean;
  /** Returns the realm of all users in a table, or a function that returns the realm of a record. */
  of(context: Pick<ReadContext, 'table' | 'details'>): Realm | ((record: SourceRecord) => Realm);
}

/** Facts beyond a table itself by which a form decides whether the table holds its users. */
export interface DetectionContext {
  /** All tables of all files, including the table itself. */
  tables: readonly TableHead[];
  /** Whether the operator named the system (`--from`). Then the table only needs to be possible for it. */
  isNamed: boolean;
}

/** What a form knows when it gives advice. */
export interface AdviceContext {
  /** All tables of all files. */
  tables: readonly TableHead[];
  settings: Settings;
  /** Whether the operator has named the secret of the service that the hashes need. */
  hasSecret?: boolean | undefined;
}

/** Something the operator should know, once. */
export interface Advice {
  /** `stop`: importing makes no sense as it is (no users, no hash parameters). */
  level: 'stop' | 'warn' | 'note';
  /** Plain sentences, with the command that helps. */
  text: string;
}

/** A table that is joined to the users. */
export interface Detail {
  /** It may fit the table of the users itself, where its records lead to each other. */
  fits(table: TableHead): boolean;
  /** By which `context.details(name, key)` finds it. */
  keyOf(record: SourceRecord): string | undefined;
  /** What is kept of a record (on disk, where they are many): only what `read` needs, as it would be in JSON. Undefined: nothing. */
  keep(record: SourceRecord): JsonObject | undefined;
  /** Reads a record whose key no user has; where it is missing, such records are only counted. */
  readAlone?(record: SourceRecord, context: ReadContext): SourceUser | undefined;
  /** Returns the realm of a record that `readAlone` reads. */
  realmOf?(record: SourceRecord): Realm;
  /** Said where no file has it. */
  missing?: string;
}

/** What was kept of the records with this key, by the name of the detail. What one says may be the key of another. */
export type FoundDetails = (name: string, key: string) => readonly JsonObject[];

/** `--set`, and what files of parameters say. */
export type Settings = Readonly<Record<string, string>>;

export interface ReadContext {
  /** The table that the record stands in. */
  table: TableHead;
  /** All tables of all files. */
  tables: readonly TableHead[];
  settings: Settings;
  /** ms since the epoch: for bans that are over. The same for a whole import. */
  nowMs: number;
  /** What other tables say: a lookup on disk. */
  details: FoundDetails;
  /** Was any table of this detail given? */
  hasDetail(name: string): boolean;
  /**
   * Counts what has no place here and is said once.
   * @param values what it is, if the export has it: `--mfa keep` keeps TOTP devices (fields/totp.ts), roles and phone numbers
   */
  drop(what: Dropped, values?: readonly unknown[]): void;
}

/** What users have that this service has no place for, and other things that are counted and said once. */
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
  | 'third fields that are no comment'
  | 'other tenants';

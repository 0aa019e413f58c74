import type { User } from '../../users/user.ts';
import type { ExistingLogins } from '../resolve/existing-logins.ts';
import type { LoginKeys } from '../resolve/login-keys.ts';
import type { WriteSet } from '../resolve/write-set.ts';
import type { StagedEntry } from './staged-payload.ts';

export const STAGED_STATUSES = ['NEW', 'PROCESSING', 'FAILED'] as const;

export type StagedStatus = (typeof STAGED_STATUSES)[number];

/** Staged user that waits for its import or has failed, as listed by the API. */
export interface StagedUser {
  id: string;
  status: StagedStatus;
  /** Reason why the import of the user failed. */
  errorMessage: string | undefined;
  /** `StagedPayload` as JSON text, written by `toJson`. */
  payload: string;
  createdAtMs: number;
  updatedAtMs: number;
}

export interface StagedListing {
  status?: StagedStatus;
  /** Maximum number of users that the page of the listing contains. */
  limit: number;
  /**
   * Maximum size of all payloads in the page, in bytes. The first user is always included, even if its
   * payload is larger.
   */
  maxBytes: number;
  /** Id of the first user of the page. */
  start?: string;
}

export interface StagedPage {
  users: StagedUser[];
  /** Id of the first user of the next page; undefined on the last page. */
  next: string | undefined;
}

/** Users to create, and a function that decides about them. */
export interface NewUsers {
  keys: LoginKeys;
  /**
   * Decides which of the users are created, given the existing logins. May be called several times, because stored
   * users can change until the transaction commits.
   */
  resolve(existing: ExistingLogins): ResolvedNewUsers;
}

export interface ResolvedNewUsers {
  writeSet: WriteSet;
  /** Error messages by index; undefined for a user who is created. */
  failures: (string | undefined)[];
}

/**
 * Result of a batch. With `error`, nothing was written. If `isPassing` is false, each user of the batch has
 * one attempt fewer. If it is true, the cause lies outside the users (the database is unreachable, for
 * example): no attempt is lost, but the next batch would fail too.
 */
export type Batch = { writeSet: WriteSet } | { error: unknown; isPassing: boolean };

/**
 * Store of users who wait for their import. Methods throw AppError STORAGE_UNAVAILABLE while the database
 * cannot be reached.
 */
export interface StagedStore {
  add(users: readonly StagedEntry[]): Promise<void>;
  /** Returns a page of the staged users, whether they wait or have failed, newest first. */
  list(listing: StagedListing): Promise<StagedPage>;
  count(status?: StagedStatus): Promise<number>;
  /** Deletes staged users. Returns the ids of the users that existed. */
  remove(ids: readonly string[]): Promise<Set<string>>;
  /**
   * Claims some users that wait, or whose worker died, and writes what `work` decides in one transaction.
   * Created users are removed from the staged ones; the others are marked as failed. Returns undefined if no
   * user waits.
   */
  processNext(work: (users: readonly StagedEntry[]) => NewUsers): Promise<Batch | undefined>;
  /** Creates one user who was not staged. */
  create(writing: NewUsers): Promise<{ user: User } | { failure: string }>;
}

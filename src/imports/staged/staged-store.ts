import type { User } from '../../users/user.ts';
import type { ExistingLogins } from '../resolve/existing-logins.ts';
import type { LoginKeys } from '../resolve/login-keys.ts';
import type { WriteSet } from '../resolve/write-set.ts';
import type { StagedEntry } from './staged-payload.ts';

export const STAGED_STATUSES = ['NEW', 'PROCESSING', 'FAILED'] as const;

export type StagedStatus = (typeof STAGED_STATUSES)[number];

/**
 * Staged user as the API lists it: one who waits for the import in the background, or whose import failed.
 */
export interface StagedUser {
  id: string;
  status: StagedStatus;
  /** Reason why the import of the user failed. */
  errorMessage: string | undefined;
  /** JSON of the user (`StagedPayload`) as text. */
  payload: string;
  createdAtMs: number;
  updatedAtMs: number;
}

export interface StagedListing {
  status?: StagedStatus;
  limit: number;
  /**
   * Maximum total size of the users' stored JSON on the page, in bytes. The first user is always included,
   * even if larger.
   */
  maxBytes: number;
  /** Id of the first staged user on the page. Undefined for the first page. */
  start?: string;
}

export interface StagedPage {
  users: StagedUser[];
  /** Id of the first staged user on the next page. Undefined on the last page. */
  next: string | undefined;
}

/** Users to create, and the function that decides which of them are created. */
export interface NewUsers {
  keys: LoginKeys;
  /**
   * Decides which of the users are created, given the existing logins. May be called several times, because
   * stored users can change until the transaction commits.
   */
  resolve(existing: ExistingLogins): ResolvedNewUsers;
}

export interface ResolvedNewUsers {
  writeSet: WriteSet;
  /** Error messages by index of the user. Undefined for a user who is created. */
  failures: (string | undefined)[];
}

/**
 * Result of importing a batch of staged users. With `error`, nothing was written. If `isPassing` is false,
 * each user of the batch has one attempt fewer. If it is true, the cause lies outside the users (the database
 * is unreachable, for example): no attempt is lost, but the next batch would fail too.
 */
export type Batch = { writeSet: WriteSet } | { error: unknown; isPassing: boolean };

/**
 * Store of staged users, who wait for their import in the background. Methods throw AppError
 * STORAGE_UNAVAILABLE while the database cannot be reached.
 */
export interface StagedStore {
  add(users: readonly StagedEntry[]): Promise<void>;
  /** Returns a page of the staged users, waiting and failed, newest first. */
  list(listing: StagedListing): Promise<StagedPage>;
  count(status?: StagedStatus): Promise<number>;
  /** Deletes staged users. Returns the ids of those that existed. */
  remove(ids: readonly string[]): Promise<Set<string>>;
  /**
   * Claims a batch of staged users who wait, or whose worker died, and writes what `work` decides, in one
   * transaction. Created users are removed from the staged users; the others are marked as failed. Returns
   * undefined if no user waits.
   */
  processNext(work: (users: readonly StagedEntry[]) => NewUsers): Promise<Batch | undefined>;
  /** Creates one user immediately, without staging. */
  create(writing: NewUsers): Promise<{ user: User } | { failure: string }>;
}

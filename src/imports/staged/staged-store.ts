import type { User } from '../../users/user.ts';
import type { ExistingLogins } from '../resolve/existing-logins.ts';
import type { LoginKeys } from '../resolve/login-keys.ts';
import type { WriteSet } from '../resolve/write-set.ts';
import type { StagedEntry } from './staged-payload.ts';

export const STAGED_STATUSES = ['NEW', 'PROCESSING', 'FAILED'] as const;

export type StagedStatus = (typeof STAGED_STATUSES)[number];

/** A user that waits, or failed, as a listing shows it. */
export interface StagedUser {
  id: string;
  status: StagedStatus;
  /** Why it failed. */
  errorMessage: string | undefined;
  /** A `StagedPayload`, as `toJson` writes it. */
  payload: string;
  createdAtMs: number;
  updatedAtMs: number;
}

export interface StagedListing {
  status?: StagedStatus;
  /** Most users of a page. */
  limit: number;
  /** Most bytes of their payloads. The first user is in the page whatever it has. */
  maxBytes: number;
  /** The id of the first user. */
  start?: string;
}

export interface StagedPage {
  users: StagedUser[];
  /** The id of the first user of the next page; undefined on the last page. */
  next: string | undefined;
}

/** Some users to create, and how to decide about them. */
export interface NewUsers {
  keys: LoginKeys;
  /** May be called several times: what exists can change until the users are written. */
  resolve(existing: ExistingLogins): ResolvedNewUsers;
}

export interface ResolvedNewUsers {
  writeSet: WriteSet;
  /** Error messages by index; undefined for a user who is created. */
  failures: (string | undefined)[];
}

/**
 * Result of a batch. With `error` nothing was written, and each of its users has one attempt less. With `isPassing` the cause is not in
 * the users (the database is away, for example): no attempt is lost, and the next batch would fail as well.
 */
export type Batch = { writeSet: WriteSet } | { error: unknown; isPassing: boolean };

/** Stores users who wait for their import. Throws AppError STORAGE_UNAVAILABLE while the database cannot be reached. */
export interface StagedStore {
  add(users: readonly StagedEntry[]): Promise<void>;
  /** The newest first. */
  list(listing: StagedListing): Promise<StagedPage>;
  count(status?: StagedStatus): Promise<number>;
  /** Returns the ids of those that were there. */
  remove(ids: readonly string[]): Promise<Set<string>>;
  /**
   * Takes up some users that wait, or whose worker died, and carries out what `work` decides, all of it or nothing: users
   * who are created leave the staged ones, the others have failed. Returns undefined when nobody waits.
   */
  processNext(work: (users: readonly StagedEntry[]) => NewUsers): Promise<Batch | undefined>;
  /** Creates one user, who was not staged. */
  create(writing: NewUsers): Promise<{ user: User } | { failure: string }>;
}

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
  /** Most bytes of their forms, unless the first alone has more. */
  maxBytes: number;
  /** The id of the first one. */
  start?: string;
}

export interface StagedPage {
  users: StagedUser[];
  /** The id of the first one of the next page; undefined: there is none. */
  next: string | undefined;
}

/** Some users, and what becomes of them. */
export interface NewUsers {
  keys: LoginKeys;
  /** May be called several times: what is known can change until it is written. */
  resolve(existing: ExistingLogins): ResolvedNewUsers;
}

export interface ResolvedNewUsers {
  writeSet: WriteSet;
  /** By place: why the user is not created; undefined: it is. */
  failures: (string | undefined)[];
}

/**
 * What became of a batch: carried out; or nothing of it was done, and each of its users has an attempt less, unless the
 * trouble passes: that is not theirs, and the next batch would meet it too.
 */
export type Batch = { writeSet: WriteSet } | { error: unknown; isPassing: boolean };

/** Where users wait for their import. Throws AppError STORAGE_UNAVAILABLE while the database cannot be reached. */
export interface StagedStore {
  add(users: readonly StagedEntry[]): Promise<void>;
  /** The newest first. */
  list(listing: StagedListing): Promise<StagedPage>;
  count(status?: StagedStatus): Promise<number>;
  /** Answers which of them were there. */
  remove(ids: readonly string[]): Promise<Set<string>>;
  /**
   * Takes up some users that wait, or whose worker fell silent, and carries out what `work` says of them, all of it or
   * nothing: who is created no longer waits, who is not has failed. Undefined: nobody waits.
   */
  processNext(work: (users: readonly StagedEntry[]) => NewUsers): Promise<Batch | undefined>;
  /** Creates one user, who did not wait. */
  create(writing: NewUsers): Promise<{ user: User } | { failure: string }>;
}

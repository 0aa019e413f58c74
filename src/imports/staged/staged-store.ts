import type { User } from '../../users/user.ts';
import type { Known, LineKeys } from '../resolve/person.ts';
import type { Decisions } from '../resolve/resolver.ts';
import type { StagedEntry } from './staged-payload.ts';

export const STAGED_STATUSES = ['NEW', 'PROCESSING', 'FAILED'] as const;

export type StagedStatus = (typeof STAGED_STATUSES)[number];

/** Staged user who waits for the import in the background, or whose import failed. */
export interface StagedUser {
  id: string;
  status: StagedStatus;
  errorMessage: string | undefined;
  payload: string;
  createdAtMs: number;
  updatedAtMs: number;
}

export interface StagedListing {
  status?: StagedStatus;
  limit: number;
  /** Maximum bytes of stored JSON on the page. The first user is always included, even if larger. */
  maxBytes: number;
  start?: string;
}

export interface StagedPage {
  users: StagedUser[];
  next: string | undefined;
}

export interface NewUsers {
  keys: LineKeys;
  /** May be called several times, because stored users can change until the transaction commits. */
  resolve(known: Known): ResolvedNewUsers;
}

export interface ResolvedNewUsers {
  decisions: Decisions;
  /** Error messages by index of the user. Undefined for a user who is created. */
  failures: (string | undefined)[];
}

/**
 * With `error`, nothing was written. `isPassing`: the cause lies outside the users (an unreachable database,
 * for example), so they lose no attempt, but the next batch would fail too.
 */
export type Batch = { decisions: Decisions } | { error: unknown; isPassing: boolean };

export interface StagedStore {
  add(users: readonly StagedEntry[]): Promise<void>;
  /** Returns a page of the staged users, waiting and failed, newest first. */
  list(listing: StagedListing): Promise<StagedPage>;
  count(status?: StagedStatus): Promise<number>;
  /** Returns the ids of the users that existed. */
  remove(ids: readonly string[]): Promise<Set<string>>;
  /**
   * Claims users who wait, or whose worker died, and writes what `work` decides, in one transaction. Created
   * users leave the staged users; the others are marked as failed. Returns undefined if no user waits.
   */
  processNext(work: (users: readonly StagedEntry[]) => NewUsers): Promise<Batch | undefined>;
  create(writing: NewUsers): Promise<{ user: User } | { failure: string }>;
}

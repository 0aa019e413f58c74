import type { PasswordHash } from '../../hashing/verifier.ts';
import type { User } from '../../users/user.ts';
import type { Known, LineKeys } from '../resolve/person.ts';
import type { Decisions } from '../resolve/resolver.ts';

/**
 * `PROCESSING`: an instance of version 0.2.0 has claimed the user. This version leaves a user `NEW` until the import
 * has succeeded or failed.
 */
export const STAGED_STATUSES = ['NEW', 'PROCESSING', 'FAILED'] as const;

export type StagedStatus = (typeof STAGED_STATUSES)[number];

/** Staged user as stored. */
export interface StagedEntry {
  /** Id of the row, which becomes the id of the imported user. */
  id: string;
  /** JSON of the user, without secrets (`field-reader.ts`), as text written by `toJson`. */
  payload: string;
  /** One entry for each login method, null if it has no hash. */
  hashes: readonly (PasswordHash | null)[];
  /** Encrypted factors. Decrypting them requires the `id` of this row. */
  factors?: Buffer | null | undefined;
}

/** Staged user who waits for the import in the background, or whose import failed. */
export interface StagedUser {
  id: string;
  status: StagedStatus;
  errorMessage: string | null;
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

export interface NewUsers {
  keys: LineKeys;
  /**
   * May be called several times, because stored users can change until the transaction commits. `failures`: error
   * messages by index of the user, undefined for a user who is created.
   */
  resolve(known: Known): { decisions: Decisions; failures: (string | undefined)[] };
}

export interface StagedStore {
  add(users: readonly StagedEntry[]): Promise<void>;
  /** Returns a page of the staged users, waiting and failed, newest first. `next` is undefined on the last page. */
  list(listing: StagedListing): Promise<{ users: StagedUser[]; next: string | undefined }>;
  count(status?: StagedStatus): Promise<number>;
  /** Removes staged users. Returns the ids of those that existed. */
  remove(ids: readonly string[]): Promise<Set<string>>;
  /**
   * Writes what `work` decides about the next users who wait, in one transaction. Created users leave the staged
   * users; the others are marked as failed. Returns undefined if no user waits, or other instances import them all.
   * Returns the error if nothing was written because of one of the users; they are tried again in smaller batches.
   * @throws if the cause lies outside the users (an unreachable database, for example): the next batch would fail too
   */
  processNext(
    work: (users: readonly StagedEntry[]) => NewUsers,
  ): Promise<{ decisions: Decisions } | { error: unknown } | undefined>;
  create(user: NewUsers): Promise<{ user: User; decisions: Decisions } | { failure: string }>;
}

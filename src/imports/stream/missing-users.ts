import { AppError } from '../../lib/errors.ts';
import type { MissingCounts } from '../import-history.ts';
import { type OnConflict, POLICIES } from '../import-request.ts';
import type { EarlierUser, ImportStore, Progress, Run } from '../import-store.ts';
import { isBlank, type RawLine } from '../input/line-splitter.ts';
import { externalIdsIn } from '../input/read-mention.ts';

export interface MissingSummary extends MissingCounts {
  /**
   * `TOO_MANY`: more users are missing than the request permits. `UNNAMED_LINES`: a line has no external id,
   * so it may be about a user who seems to be missing. `OTHER_PERSONS`: the ids of some lines belong to other
   * persons here, so the lines may be those of another system.
   */
  refused?: 'TOO_MANY' | 'UNNAMED_LINES' | 'OTHER_PERSONS';
}

interface MissingOptions {
  run: Run;
  source: string;
  onConflict: OnConflict;
  dryRun: boolean;
  /** Maximum number of missing users to remove. If more would have to be removed, none is. */
  most: number;
  signal?: AbortSignal | undefined;
  /** Called in a dry run with the missing users whom an import would remove. */
  whenGone(users: readonly EarlierUser[]): Promise<void>;
}

/**
 * Removes missing users: users of earlier imports of the same source whose external ids are in no line of this import.
 */
export class MissingUsers {
  readonly #imports: ImportStore;
  readonly #options: MissingOptions;
  readonly #present = new PresentUsers();
  /** Counts of missing users. They are final at the end of the import. */
  summary: MissingSummary = { found: 0, removed: 0, kept: 0 };

  constructor(imports: ImportStore, options: MissingOptions) {
    this.#imports = imports;
    this.#options = options;
  }

  async note(lines: readonly RawLine[]): Promise<void> {
    const ids = new Set<string>();
    for (const line of lines) {
      if (isBlank(line)) continue;
      const named = externalIdsIn(line) ?? [];
      if (named.length === 0) this.#present.unnamed += 1;
      for (const id of named) ids.add(id);
    }
    if (ids.size === 0) return;
    for (const userId of await this.#imports.findByExternalIds([...ids])) this.#present.add(userId);
  }

  /** Removes the missing users, after `note` was called for all lines. Yields a result line for each of them. */
  async *remove({ failures }: Pick<Progress, 'failures'>): AsyncGenerator<string> {
    const { run, most, dryRun } = this.#options;
    if (run.missing?.isDone) {
      const { isDone: _, ...counts } = run.missing;
      this.summary = counts;
      return;
    }
    const before = run.missing ?? { removed: 0, kept: 0 };
    let [found, kept] = [before.removed, 0];
    for await (const users of this.#missing()) {
      found += users.length;
      kept += users.filter((user) => this.#isKept(user)).length;
    }
    this.summary = { found, removed: before.removed, kept };
    if (this.#present.unnamed > 0) this.summary.refused = 'UNNAMED_LINES';
    else if (failures.OTHER_PERSON !== undefined) this.summary.refused = 'OTHER_PERSONS';
    else if (found - kept > most) this.summary.refused = 'TOO_MANY';
    if (this.summary.refused === undefined) yield* dryRun ? this.#list() : this.#removeAll();
  }

  async *#list(): AsyncGenerator<string> {
    for await (const users of this.#missing()) {
      const gone = users.filter((user) => !this.#isKept(user));
      this.summary.removed += gone.length;
      await this.#options.whenGone(gone);
      yield users.map((user) => missingLine(user, this.#isKept(user))).join('');
    }
  }

  async *#removeAll(): AsyncGenerator<string> {
    const { run, onConflict, signal } = this.#options;
    for await (const users of this.#missing()) {
      signal?.throwIfAborted();
      const removed = await this.#imports.removeMissing(
        run,
        users.map(({ userId }) => userId),
        { keepsActive: POLICIES[onConflict].keepsChanges },
      );
      if (removed === undefined)
        throw new AppError('IMPORT_TAKEN_OVER', 'Another request has taken this import over');
      this.summary.removed += removed.size;
      yield users.map((user) => missingLine(user, !removed.has(user.userId))).join('');
    }
    this.summary.kept = this.summary.found - this.summary.removed;
    await this.#imports.recordMissing(run, this.summary);
  }

  async *#missing(): AsyncGenerator<readonly EarlierUser[]> {
    const { run, source } = this.#options;
    const isMissing = (userId: string) => !this.#present.has(userId);
    for await (const users of this.#imports.earlierUsers(run, source, isMissing)) {
      this.#options.signal?.throwIfAborted();
      if (users.length > 0) yield users;
    }
  }

  #isKept({ isActive, isInCore }: EarlierUser): boolean {
    return isInCore || (isActive && POLICIES[this.#options.onConflict].keepsChanges);
  }
}

const missingLine = ({ userId, externalId }: EarlierUser, isKept: boolean) =>
  `${JSON.stringify({ missing: { status: isKept ? 'KEPT' : 'REMOVED', userId, externalUserId: externalId } })}\n`;

/** Initial size of a bitmap, which is enough for most chunks. */
const BITMAP_BYTES = 256;

/**
 * Set of the users whose external ids are in the lines of an import, even if a line was not imported. Needs one bit per
 * user, because a user id consists of the chunk that created the user and the index of the line (`ChunkIds`).
 */
class PresentUsers {
  readonly #bitmaps = new Map<string, Uint8Array>();
  /** Number of lines without an external id. It is unknown which users these lines are about. */
  unnamed = 0;

  add(userId: string): void {
    const [chunk, index] = placeOf(userId);
    const byte = index >> 3;
    let bitmap = this.#bitmaps.get(chunk);
    if (bitmap === undefined || byte >= bitmap.length) {
      const larger = new Uint8Array(Math.max(BITMAP_BYTES, 2 * byte));
      if (bitmap !== undefined) larger.set(bitmap);
      bitmap = larger;
      this.#bitmaps.set(chunk, bitmap);
    }
    bitmap[byte] = (bitmap[byte] ?? 0) | (1 << (index & 7));
  }

  has(userId: string): boolean {
    const [chunk, index] = placeOf(userId);
    return (((this.#bitmaps.get(chunk)?.[index >> 3] ?? 0) >> (index & 7)) & 1) === 1;
  }
}

const placeOf = (userId: string): [chunk: string, index: number] => [
  userId.slice(0, 24) + userId.slice(29),
  Number.parseInt(userId.slice(24, 29), 16),
];

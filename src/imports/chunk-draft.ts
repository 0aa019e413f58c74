import { type Candidate, externalIdsOf } from './candidate.ts';
import { type ChunkResult, ResultBuilder } from './chunk-result.ts';
import { isPlain } from './hash-passwords.ts';
import type { LoginIds } from './known.ts';
import type { RawLine } from './line-splitter.ts';
import type { ChunkLine } from './plan-chunk.ts';
import { Planner } from './planner.ts';
import type { RowDraft } from './store.ts';

/**
 * A chunk decided while it is read, on the assumption that all its users are new: nearly always so in a migration. What is
 * kept of a line then is its text and the bytes of its rows and of its report, so that a million lines leave the garbage
 * collector little to do. A line that meets another spoils the draft, and the chunk is planned with all that is known.
 */
export class ChunkDraft {
  readonly rows: RowDraft;
  readonly #read: (line: RawLine) => ChunkLine;
  readonly #known = {
    passwords: new KeySet({ userId: '', recipeUserId: '', hashSetBy: 'import' as const }),
    thirdParties: new KeySet({ userId: '', recipeUserId: '', email: '', hasSignedIn: false }),
    externalIds: new KeySet<LoginIds>({ userId: '', recipeUserId: '' }),
    externalIdOfUser: new Map<string, string>(),
  };
  readonly #planner: Planner;
  readonly #result: ResultBuilder;
  readonly #report: Buffer[] = [];
  #isSpoiled = false;

  constructor(firstLine: number, options: { rows: RowDraft; read(line: RawLine): ChunkLine; now: number }) {
    this.rows = options.rows;
    this.#read = options.read;
    this.#planner = new Planner(this.#known, { onConflict: 'fail', dryRun: false, now: options.now });
    this.#result = new ResultBuilder(firstLine);
  }

  add(raw: RawLine): void {
    if (this.#isSpoiled) return;
    const line = this.#read(raw);
    if (line !== undefined && 'methods' in line && needsMore(line)) this.#isSpoiled = true;
    else this.#planner.add(line);
  }

  /** Turns the lines so far into bytes. */
  settle(): void {
    const { passwords, thirdParties, externalIds } = this.#known;
    this.#isSpoiled ||= passwords.wasMet || thirdParties.wasMet || externalIds.wasMet;
    if (this.#isSpoiled) return;
    const part = this.#planner.take();
    this.rows.add(part);
    this.#result.addSample(part.passwordLogins);
    this.#report.push(Buffer.from(this.#result.add(part.outcomes)));
    this.#known.externalIdOfUser.clear();
  }

  /** Whom the lines are about; undefined: the draft is spoiled. */
  get keys() {
    if (this.#isSpoiled) return undefined;
    const { passwords, thirdParties, externalIds } = this.#known;
    return { emails: passwords.keys, identities: thirdParties.keys, externalIds: externalIds.keys };
  }

  result(): ChunkResult {
    const { ids, algorithms } = this.#planner.plan;
    const { counts, notes, sample } = this.#result;
    return { ids, algorithms, counts, notes, sample, report: Buffer.concat(this.#report) };
  }
}

/** The form of the ids this service makes. */
const USER_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-/;

/** A password must be hashed first. Whether an external id is some user's own id, no row that is written tells. */
const needsMore = (candidate: Candidate) =>
  candidate.methods.some(isPlain) || externalIdsOf(candidate).some((id) => USER_ID.test(id));

/** Remembers keys, and whether one of them was asked for again. */
class KeySet<T> {
  readonly keys = new Set<string>();
  wasMet = false;
  readonly #met: T;

  /** @param met what is answered of any key that is there */
  constructor(met: T) {
    this.#met = met;
  }

  has(key: string): boolean {
    const isThere = this.keys.has(key);
    if (isThere) this.wasMet = true;
    return isThere;
  }

  get(key: string): T | undefined {
    return this.has(key) ? this.#met : undefined;
  }

  set(key: string): void {
    this.keys.add(key);
  }
}

import { type Candidate, externalIdsOf } from './candidate.ts';
import { KEY_KINDS, type KeyKind } from './chunk-keys.ts';
import { type ChunkResult, ResultBuilder } from './chunk-result.ts';
import { Fingerprints } from './fingerprints.ts';
import { isPlain } from './hash-passwords.ts';
import type { Notebook } from './known.ts';
import type { RawLine } from './line-splitter.ts';
import type { ChunkLine } from './plan-chunk.ts';
import { Planner } from './planner.ts';
import type { RowDraft } from './store.ts';

export interface DraftOptions {
  rows: RowDraft;
  read(line: RawLine): ChunkLine;
  dryRun: boolean;
  /** ms since the epoch. */
  now: number;
}

/**
 * A chunk decided while it is read, on the assumption that all its users are new: nearly always so in a migration. What is
 * kept of a line then is bytes: its own, those of its rows and of its report, so that a million lines leave the garbage
 * collector little to do. A line that meets another spoils the draft, and the chunk is planned with all that is known.
 */
export class ChunkDraft {
  readonly rows: RowDraft;
  readonly #read: (line: RawLine) => ChunkLine;
  readonly #keys = new Fingerprints();
  readonly #planner: Planner;
  readonly #result: ResultBuilder;
  readonly #report: Buffer[] = [];
  #isSpoiled = false;

  constructor(firstLine: number, options: DraftOptions) {
    this.rows = options.rows;
    this.#read = options.read;
    this.#planner = new Planner(notebookOf(this.#keys), {
      onConflict: 'fail',
      dryRun: options.dryRun,
      now: options.now,
    });
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
    this.#isSpoiled ||= this.#keys.hasRepeats;
    if (this.#isSpoiled) return;
    const part = this.#planner.take();
    this.rows.add(part);
    this.#result.addSample(part.passwordLogins);
    this.#report.push(Buffer.from(this.#result.add(part.outcomes)));
  }

  /** Whom the lines are about; undefined: the draft is spoiled. */
  get keys(): Fingerprints | undefined {
    return this.#isSpoiled ? undefined : this.#keys;
  }

  /** Once only. */
  takeResult(): ChunkResult {
    const { ids, algorithms } = this.#planner.plan;
    const { counts, notes, sample } = this.#result;
    const report = Buffer.concat(this.#report.splice(0));
    return { ids, algorithms, counts, notes, sample, report };
  }
}

/** The form of the ids this service makes. */
const USER_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-/;

/** A password must be hashed first. Whether an external id is some user's own id, no row that is written tells. */
const needsMore = (candidate: Candidate) =>
  candidate.methods.some(isPlain) || externalIdsOf(candidate).some((id) => USER_ID.test(id));

/** Knows nobody, and notes down who comes: whoever comes twice spoils the draft. */
function notebookOf(keys: Fingerprints): Notebook {
  const pageOf = (kind: KeyKind) => ({
    has: () => false,
    get: () => undefined,
    set: (key: string) => keys.add(kind, key),
  });
  return {
    passwords: pageOf(KEY_KINDS.email),
    thirdParties: pageOf(KEY_KINDS.identity),
    externalIds: pageOf(KEY_KINDS.externalId),
    // Asked only of who is known.
    externalIdOfUser: { has: () => false, get: () => undefined, set: () => {} },
  };
}

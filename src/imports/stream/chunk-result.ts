import type { Progress, RecordedOutcome } from '../import-store.ts';
import { isParsedUser, type LineError, type ParsedLine, type ParsedUser } from '../input/parsed-user.ts';
import { addHashCounts, type CountedHash, type HashCounts, HashSample } from '../resolve/imported-hashes.ts';
import {
  addFailures,
  countOutcome,
  type LineFailures,
  noOutcomes,
  type Outcome,
  type OutcomeCounts,
  outcomeLine,
} from '../resolve/outcome.ts';
import type { ChunkIds, Person } from '../resolve/person.ts';
import type { Decisions } from '../resolve/resolver.ts';

export interface ChunkResult {
  ids: ChunkIds;
  counts: OutcomeCounts;
  algorithms: Readonly<Record<string, number>>;
  hashes: HashCounts;
  /** Outcomes without those of blank lines and created users, which can be computed from the line index. */
  recordedOutcomes: RecordedOutcome[];
  failures: LineFailures;
  /** NDJSON bytes. */
  report: Buffer;
  /** Random sample of the chunk's new hashes, for the statistics from which decoy hashes are chosen. */
  sample: CountedHash[];
}

export class ResultBuilder {
  readonly counts = noOutcomes();
  readonly recordedOutcomes: RecordedOutcome[] = [];
  readonly failures = new Map<string, [line: number, message: string][]>();
  readonly #firstLine: number;
  readonly #sample = new HashSample();
  #lineIndex = 0;

  constructor(firstLine: number) {
    this.#firstLine = firstLine;
  }

  add(outcomes: readonly (Outcome | undefined)[]): string {
    let report = '';
    for (const outcome of outcomes) {
      const lineIndex = this.#lineIndex++;
      if (outcome === undefined) continue;
      report += this.addAt(this.#firstLine + lineIndex, outcome);
      if (outcome.status !== 'CREATED') this.recordedOutcomes.push([lineIndex, outcome]);
    }
    return report;
  }

  addAt(line: number, outcome: Outcome): string {
    countOutcome(this.counts, outcome);
    if (outcome.status === 'FAILED') this.#addFailure(line, outcome);
    return outcomeLine(line, outcome);
  }

  #addFailure(line: number, { code = 'INTERNAL', message = '' }: Outcome): void {
    const others = this.failures.get(code);
    if (others === undefined) this.failures.set(code, [[line, message]]);
    else others.push([line, message]);
  }

  addSample(people: readonly Person[]): void {
    for (const { logins } of people) this.#sample.add(logins);
  }

  get sample(): CountedHash[] {
    return this.#sample.drawn;
  }
}

export function resultOf(decisions: Decisions, firstLine: number): ChunkResult {
  const builder = new ResultBuilder(firstLine);
  const report = Buffer.from(builder.add(decisions.outcomes));
  builder.addSample(decisions.created);
  const { counts, recordedOutcomes, failures, sample } = builder;
  const { ids, algorithms, hashes } = decisions;
  return { ids, algorithms, hashes, counts, recordedOutcomes, failures, report, sample };
}

export function reportOf(
  outcomes: readonly (Outcome | undefined)[],
  firstLine: number,
): Pick<ChunkResult, 'report' | 'counts'> {
  const builder = new ResultBuilder(firstLine);
  return { report: Buffer.from(builder.add(outcomes)), counts: builder.counts };
}

/**
 * Returns the result of deferred lines. They do not follow each other, so every outcome is recorded with its line
 * number.
 */
export function settledResult(
  decisions: Decisions,
  lines: readonly DeferredLine[],
): Omit<ChunkResult, 'report'> {
  const outcomes = lines.map(({ line }, index): [number, Outcome] => [
    line,
    decisions.outcomes[index] ?? { status: 'FAILED' },
  ]);
  const builder = new ResultBuilder(0);
  for (const [line, outcome] of outcomes) builder.addAt(line, outcome);
  builder.addSample(decisions.created);
  const { counts, failures, sample } = builder;
  const { ids, algorithms, hashes } = decisions;
  return { ids, algorithms, hashes, counts, recordedOutcomes: outcomes, failures, sample };
}

export function settledReport(
  lines: readonly DeferredLine[],
  outcomes: ReadonlyMap<number, Outcome>,
): Pick<ChunkResult, 'report' | 'counts'> {
  const builder = new ResultBuilder(0);
  let report = '';
  for (const { line, settled } of lines) {
    const outcome = settled ?? outcomes.get(line);
    if (outcome !== undefined) report += builder.addAt(line, outcome);
  }
  return { report: Buffer.from(report), counts: builder.counts };
}

export function advance(
  before: Progress,
  nextLine: number,
  {
    counts,
    algorithms,
    hashes,
    failures,
  }: Pick<ChunkResult, 'counts' | 'algorithms' | 'hashes' | 'failures'>,
): Progress {
  const all = { ...before.algorithms };
  for (const [name, count] of Object.entries(algorithms)) all[name] = (all[name] ?? 0) + count;
  return {
    nextLine,
    outcomes: addCounts(before.outcomes, counts),
    failures: addFailures(before.failures, failures),
    algorithms: all,
    hashes: addHashCounts(before.hashes, hashes),
  };
}

export const addCounts = (a: OutcomeCounts, b: OutcomeCounts): OutcomeCounts => ({
  created: a.created + b.created,
  updated: a.updated + b.updated,
  skipped: a.skipped + b.skipped,
  failed: a.failed + b.failed,
});

/** Line that is decided after the last line of the import, because it needs the address of another user. */
export interface DeferredLine {
  line: number;
  parsed: ParsedLine;
  settled: Outcome | undefined;
}

/** Lines of a chunk, by index, and their lengths in characters. */
interface ChunkLines {
  all(): readonly ParsedLine[];
  sizeOf(lineIndex: number): number;
}

/**
 * Maximum number of deferred lines, and of their characters. They stay in memory until the end of the import, and are
 * written in one transaction, because users may exchange their addresses in a circle.
 */
const MAX_LINES = 10_000;
const MAX_CHARACTERS = 16 * 1024 * 1024;

const TOO_MANY: LineError = {
  code: 'TOO_MANY_DEFERRED',
  message: `The line needs the address of another user, and ${MAX_LINES} lines of this import wait for one already: import it again`,
};

export class DeferredLines {
  readonly #lines: DeferredLine[] = [];
  #size = 0;

  /**
   * Lines may be added in any order.
   * @param size length of the line in characters
   */
  add(line: DeferredLine, size: number): void {
    this.#lines.push(line);
    this.#size += size;
  }

  /** Adds the deferred lines of a chunk. `outcomes` has outcomes by line index. */
  addFrom(outcomes: Iterable<readonly [number, Outcome]>, firstLine: number, lines: ChunkLines): void {
    for (const [index, { status }] of outcomes)
      if (status === 'DEFERRED') {
        const parsed = lines.all()[index];
        this.add({ line: firstLine + index, parsed, settled: undefined }, lines.sizeOf(index));
      }
  }

  /** Returns the deferred lines in order. */
  all(): readonly DeferredLine[] {
    return this.#lines.toSorted((a, b) => a.line - b.line);
  }

  unsettled(): DeferredLine[] {
    return this.all().filter(({ settled }) => settled === undefined);
  }

  /**
   * Makes deferred lines beyond the limits fail.
   * @param outcomes outcomes by line index, which are changed in place
   */
  limit(outcomes: (Outcome | undefined)[], sizeOf: (lineIndex: number) => number): void {
    let [lines, size] = [this.#lines.length, this.#size];
    for (const [index, outcome] of outcomes.entries()) {
      if (outcome?.status !== 'DEFERRED') continue;
      lines += 1;
      size += sizeOf(index);
      if (lines > MAX_LINES || size > MAX_CHARACTERS) outcomes[index] = { status: 'FAILED', ...TOO_MANY };
    }
  }
}

export const usersOf = (lines: readonly DeferredLine[]): ParsedUser[] =>
  lines.map(({ parsed }) => parsed).filter(isParsedUser);

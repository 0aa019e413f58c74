import { isParsedUser, type LineError, type ParsedLine, type ParsedUser } from '../input/parsed-user.ts';
import type { Outcome } from '../resolve/outcome.ts';

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
 * Deferred lines stay in memory until the end of the import, and are written in one transaction, because
 * users may exchange their addresses in a circle.
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
   * Lines may be added in any order: a resumed import reads several recorded chunks at once.
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

  /** @param outcomes outcomes by line index; lines beyond the limits become failed ones, in place */
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

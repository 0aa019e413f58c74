import { AppError } from '../../lib/errors.ts';
import type { ImportStore, RecordedChunk } from '../import-store.ts';
import { isParsedUser, type ParsedLine } from '../input/parsed-user.ts';
import type { Outcome } from '../resolve/outcome.ts';
import { ChunkIds } from '../resolve/person.ts';
import type { LineChunk } from './chunk-assembler.ts';
import { type MarkSeal, readMarks } from './line-marks.ts';

const CHANGED: Outcome = {
  status: 'FAILED',
  code: 'LINE_CHANGED',
  message: 'This import had another line in this place: send changed lines under another importId',
};

/**
 * Reports the outcomes of lines that earlier runs processed, recognised by number and mark
 * (docs/adr/0009-resume.md).
 */
export class Replay {
  readonly #importId: string;
  readonly #chunks: AsyncGenerator<RecordedChunk>;
  readonly #seal: MarkSeal;
  #current: (RecordedChunk & { marks: readonly string[] }) | undefined;

  constructor(importId: string, { imports, seal }: ReplayDeps) {
    this.#importId = importId;
    this.#chunks = imports.recordedChunks(importId);
    this.#seal = seal;
  }

  /**
   * Returns the outcomes of a chunk's lines. Must be called for the chunks in order, one at a time.
   * @throws {AppError} IMPORT_EXPIRED if the recorded marks cannot be read
   */
  async outcomes(sent: LineChunk, lines: readonly ParsedLine[]): Promise<(Outcome | undefined)[]> {
    const outcomes: (Outcome | undefined)[] = [];
    const marks = readMarks(sent.marks);
    for (const [lineIndex, raw] of sent.lines().entries()) {
      const chunk = await this.#chunkOf(raw.line);
      const done = raw.line - chunk.firstLine;
      const isSame = marks[lineIndex] === chunk.marks[done];
      outcomes.push(isSame ? outcomeOf(chunk, done, lines[lineIndex]) : CHANGED);
    }
    return outcomes;
  }

  async #chunkOf(line: number) {
    while (this.#current === undefined || line >= this.#current.firstLine + this.#current.lines) {
      const next = await this.#chunks.next();
      if (next.done) {
        throw new AppError(
          'IMPORT_TAKEN_OVER',
          'The records of this import were deleted: it was rolled back, or is too old',
        );
      }
      this.#current = { ...next.value, marks: readMarks(openMarks(this.#importId, next.value, this.#seal)) };
    }
    return this.#current;
  }

  async close(): Promise<void> {
    await this.#chunks.return(undefined);
  }
}

interface ReplayDeps {
  imports: Pick<ImportStore, 'recordedChunks'>;
  seal: MarkSeal;
}

function openMarks(importId: string, { firstLine, sealedMarks }: RecordedChunk, seal: MarkSeal): Buffer {
  if (sealedMarks === undefined) throw new AppError('IMPORT_EXPIRED', MARKS_CLEARED);
  const marks = seal.open({ importId, firstLine }, sealedMarks);
  if (marks === undefined) throw new AppError('IMPORT_EXPIRED', KEY_GONE);
  return marks;
}

const MARKS_CLEARED =
  'The import with this importId was begun by an earlier version, whose digests of lines an upgrade has removed: it cannot be resumed. Send the lines under another importId; users who are there already are treated as onConflict says';

const KEY_GONE =
  'The import with this importId was recorded under an API key that is no longer configured, so that its lines cannot be recognised. Configure that key again, beside the others, or send the lines under another importId';

/**
 * Checks that an import can be resumed, before the new request takes it over from the run before.
 * @throws {AppError} IMPORT_EXPIRED if the marks of its first lines cannot be read
 */
export async function assertResumable(importId: string, { imports, seal }: ReplayDeps): Promise<void> {
  const chunks = imports.recordedChunks(importId);
  try {
    const first = await chunks.next();
    if (!first.done) openMarks(importId, first.value, seal);
  } finally {
    await chunks.return(undefined);
  }
}

/** Returns the outcome of a line. If it is not recorded, the line is blank or has created a user. */
function outcomeOf(chunk: RecordedChunk, lineIndex: number, line: ParsedLine): Outcome | undefined {
  const stored = chunk.outcomes.get(lineIndex);
  if (stored !== undefined || line === undefined) return stored;
  return {
    status: 'CREATED',
    userId: ChunkIds.startingAt(chunk.firstUserId).id(lineIndex),
    externalUserId: isParsedUser(line) ? line.externalId : undefined,
  };
}

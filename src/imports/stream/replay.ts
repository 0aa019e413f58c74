import { markHandled } from '../../lib/async/map-in-order.ts';
import { AppError } from '../../lib/errors.ts';
import type { RecordedChunk } from '../import-store.ts';
import type { LineError } from '../input/line-error.ts';
import type { RawLine } from '../input/line-splitter.ts';
import type { ParsedUser } from '../input/parsed-user.ts';
import { ChunkIds } from '../resolve/chunk-ids.ts';
import type { Outcome } from '../resolve/outcome.ts';
import { digestAt, type LineChunk } from './line-chunk.ts';

const CHANGED: Outcome = {
  status: 'FAILED',
  code: 'LINE_CHANGED',
  message: 'This import did another line in this place: send what was changed under another importId',
};

/**
 * Reports again what earlier runs of an import did with its lines. A line is known by its number and a digest of its text
 * (docs/adr/0009-resume.md).
 */
export class Replay {
  readonly #chunks: AsyncGenerator<RecordedChunk>;
  #current: RecordedChunk | undefined;
  /** The call before. Several chunks are in flight, and they share one position in the record. */
  #before: Promise<unknown> = Promise.resolve();

  /** @param chunks what is recorded of the import, in order */
  constructor(chunks: AsyncGenerator<RecordedChunk>) {
    this.#chunks = chunks;
  }

  /**
   * Returns the outcomes of the lines that follow those of the call before; undefined for a blank line.
   * @param read what a line says, for outcomes that follow from its text
   */
  outcomes(chunk: LineChunk, read: Reader): Promise<(Outcome | undefined)[]> {
    const outcomes = this.#before.then(() => this.#outcomes(chunk, read));
    this.#before = markHandled(outcomes);
    return outcomes;
  }

  async #outcomes(sent: LineChunk, read: Reader): Promise<(Outcome | undefined)[]> {
    const outcomes: (Outcome | undefined)[] = [];
    const digests = sent.digests();
    for (const [lineIndex, raw] of sent.lines().entries()) {
      const chunk = await this.#chunkOf(raw.line);
      const done = raw.line - chunk.firstLine;
      const isSame = digestAt(digests, lineIndex).equals(digestAt(chunk.digests, done));
      outcomes.push(isSame ? outcomeOf(chunk, done, () => read(raw)) : CHANGED);
    }
    return outcomes;
  }

  async #chunkOf(line: number): Promise<RecordedChunk> {
    while (this.#current === undefined || line >= this.#current.firstLine + this.#current.lines) {
      const next = await this.#chunks.next();
      if (next.done) {
        throw new AppError(
          'IMPORT_TAKEN_OVER',
          'What this import did is on record no more: it was rolled back, or is too old',
        );
      }
      this.#current = next.value;
    }
    return this.#current;
  }

  async close(): Promise<void> {
    await this.#chunks.return(undefined);
  }
}

type Reader = (line: RawLine) => ParsedUser | LineError | undefined;

function outcomeOf(
  chunk: RecordedChunk,
  lineIndex: number,
  read: () => ReturnType<Reader>,
): Outcome | undefined {
  const stored = chunk.outcomes.get(lineIndex);
  if (stored !== undefined) return stored;
  const parsedUser = read();
  if (parsedUser === undefined) return undefined;
  return {
    status: 'CREATED',
    userId: ChunkIds.startingAt(chunk.firstUserId).id(lineIndex),
    externalUserId: 'methods' in parsedUser ? parsedUser.externalId : undefined,
  };
}

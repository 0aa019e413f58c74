import { AppError } from '../errors.ts';
import type { Candidate } from './candidate.ts';
import { ChunkIds } from './chunk-ids.ts';
import { quiet } from './in-order.ts';
import type { Problem } from './line-codes.ts';
import type { RawLine } from './line-splitter.ts';
import type { Outcome } from './outcome.ts';
import { digestAt, type RawChunk } from './raw-chunk.ts';
import type { DoneChunk } from './store.ts';

const CHANGED: Outcome = {
  status: 'FAILED',
  code: 'LINE_CHANGED',
  message: 'This import did another line in this place: send what was changed under another importId',
};

/**
 * Tells the lines that earlier runs of an import did what they were told then. A line is known by its place and a digest
 * of its text (docs/adr/0009-resume.md).
 */
export class Replay {
  readonly #chunks: AsyncGenerator<DoneChunk>;
  #current: DoneChunk | undefined;
  /** The call before: they share a place in the record, and several chunks are at work at once. */
  #before: Promise<unknown> = Promise.resolve();

  /** `chunks`: those of the import, in order. */
  constructor(chunks: AsyncGenerator<DoneChunk>) {
    this.#chunks = chunks;
  }

  /**
   * The outcomes of lines that follow those asked for before; undefined for a blank one.
   * @param read what a line says, where its outcome alone does not tell all
   */
  outcomes(chunk: RawChunk, read: Reader): Promise<(Outcome | undefined)[]> {
    const outcomes = this.#before.then(() => this.#outcomes(chunk, read));
    this.#before = quiet(outcomes);
    return outcomes;
  }

  async #outcomes(sent: RawChunk, read: Reader): Promise<(Outcome | undefined)[]> {
    const outcomes: (Outcome | undefined)[] = [];
    const digests = sent.digests();
    for (const [place, raw] of sent.lines().entries()) {
      const chunk = await this.#chunkOf(raw.line);
      const done = raw.line - chunk.firstLine;
      const isSame = digestAt(digests, place).equals(digestAt(chunk.digests, done));
      outcomes.push(isSame ? outcomeOf(chunk, done, () => read(raw)) : CHANGED);
    }
    return outcomes;
  }

  async #chunkOf(line: number): Promise<DoneChunk> {
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

type Reader = (line: RawLine) => Candidate | Problem | undefined;

function outcomeOf(chunk: DoneChunk, place: number, read: () => ReturnType<Reader>): Outcome | undefined {
  const stored = chunk.outcomes.get(place);
  if (stored !== undefined) return stored;
  const candidate = read();
  if (candidate === undefined) return undefined;
  return {
    status: 'CREATED',
    userId: ChunkIds.startingAt(chunk.firstUserId).id(place),
    externalUserId: 'methods' in candidate ? candidate.externalId : undefined,
  };
}

import type { HashRegistry } from '../../hashing/registry.ts';
import { mapInOrder } from '../../lib/async/map-in-order.ts';
import type { ImportRequest, Run } from '../import-store.ts';
import { readLine } from '../input/read-line.ts';
import { hashingLimit } from '../resolve/hash-passwords.ts';
import { linesOf, noOutcomes, type OutcomeCounts } from '../resolve/outcome.ts';
import { assembleChunks, type ChunkLimits } from './chunk-assembler.ts';
import { addCounts, type ChunkResult, reportOf } from './chunk-result.ts';
import { ChunkWriter, type ImportDeps } from './chunk-writer.ts';
import { DryRunImporter } from './dry-run-importer.ts';
import type { LineChunk } from './line-chunk.ts';
import type { RawLine } from './line-splitter.ts';
import { Replay } from './replay.ts';

/** As measured (docs/adr/0008-bulk-writes.md). Memory depends on the bounds. */
const CHUNK: ChunkLimits = { maxLines: 2000, maxBytes: 1024 * 1024, idleMs: 25, maxAgeMs: 250 };

/** Chunks at work at once: some are written while the one before them commits. */
const MAX_CHUNKS_IN_FLIGHT = 4;

/** What a stream of lines came to. */
export interface Summary extends OutcomeCounts {
  lines: number;
  ms: number;
}

export interface StreamDeps extends ImportDeps {
  registry: HashRegistry;
  /** Longest line, in bytes. */
  maxLineBytes: number;
  /** Of the chunks; as measured where not given. */
  limits?: ChunkLimits;
  /** Does the work on a chunk, for whose result the sender may wait. */
  whileProcessing?<T>(work: () => Promise<T>): Promise<T>;
}

/**
 * Imports a stream of lines. Yields the report, some result lines at a time and in order, each once it is committed; the
 * summary comes last. `body` is read no faster than the report is, and whoever stops reading the report stops the import.
 * @throws what `body` throws, what the database throws, and AppError IMPORT_TAKEN_OVER
 */
export async function* runImport(
  deps: StreamDeps,
  request: ImportRequest,
  run: Run,
  body: AsyncIterable<Buffer>,
  signal?: AbortSignal,
): AsyncGenerator<string | Buffer, void> {
  const startedAt = deps.now();
  const { limits = CHUNK, maxLineBytes, whileProcessing = (work) => work() } = deps;
  const read = (line: RawLine) => readLine(deps, line);
  const options = { run, onConflict: request.onConflict, read, hashing: hashingLimit(), signal };
  const importer = request.dryRun ? new DryRunImporter(deps, options) : new ChunkWriter(deps, options);
  const replay = new Replay(deps.imports.recordedChunks(run.importId));
  const { nextLine } = run.progress;
  let counts = noOutcomes();
  let isFinished = false;
  try {
    const openOptimistic = (firstLine: number) =>
      firstLine < nextLine ? undefined : importer.openOptimistic(firstLine);
    const chunks = assembleChunks(body, {
      maxLineBytes,
      limits,
      pace: deps.pace,
      boundary: nextLine,
      openOptimistic,
    });
    const process = async (chunk: LineChunk): Promise<Pick<ChunkResult, 'report' | 'counts'>> => {
      const { firstLine } = chunk;
      const result =
        firstLine < nextLine
          ? reportOf(await replay.outcomes(chunk, read), firstLine)
          : await importer.import(chunk);
      chunk.release();
      return result;
    };
    for await (const result of mapInOrder(chunks, MAX_CHUNKS_IN_FLIGHT, (chunk) =>
      whileProcessing(() => process(chunk)),
    )) {
      counts = addCounts(counts, result.counts);
      yield result.report;
    }
    isFinished = true;
  } finally {
    await Promise.all([replay.close(), importer.close()]);
    const progress = await importer.progress().catch(() => undefined);
    const end = { ms: deps.now() - startedAt, isFinished, ...(progress && { progress }) };
    // What broke the run off would hide behind a failure to note it down.
    if (isFinished) await deps.imports.end(run, end);
    else await deps.imports.end(run, end).catch(() => {});
  }
  const summary: Summary = { lines: linesOf(counts), ...counts, ms: deps.now() - startedAt };
  yield `${JSON.stringify({ summary, importId: run.importId })}\n`;
}

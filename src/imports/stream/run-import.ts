import { mapInOrder } from '../../lib/async/map-in-order.ts';
import type { ImportRequest } from '../import-request.ts';
import type { RowSink, Run } from '../import-store.ts';
import type { RawLine } from '../input/line-splitter.ts';
import { readLine } from '../input/read-line.ts';
import { classTotals, listHashes } from '../resolve/hash-counts.ts';
import { hashingLimit } from '../resolve/hash-passwords.ts';
import { linesOf, noOutcomes, type OutcomeCounts } from '../resolve/outcome.ts';
import { assembleChunks, type ChunkLimits } from './chunk-assembler.ts';
import type { ChunkImporter, ImportDeps, ImporterOptions } from './chunk-importer.ts';
import { addCounts, type ChunkResult, reportOf } from './chunk-result.ts';
import { ChunkWriter } from './chunk-writer.ts';
import { DryRunImporter } from './dry-run-importer.ts';
import type { LineChunk } from './line-chunk.ts';
import { Replay } from './replay.ts';

/** Measured limits (docs/adr/0008-bulk-writes.md). Memory depends on the bounds. */
const CHUNK: ChunkLimits = { maxLines: 2000, maxBytes: 1024 * 1024, idleMs: 25, maxAgeMs: 250 };

const chunkLimits = (scale: number): ChunkLimits => ({
  ...CHUNK,
  maxLines: CHUNK.maxLines * scale,
  maxBytes: CHUNK.maxBytes * scale,
});

/** Some chunks are written while the one before them commits. */
const MAX_CHUNKS_IN_FLIGHT = 4;

/** Result of a stream of lines. */
export interface Summary extends OutcomeCounts {
  lines: number;
  ms: number;
  /** Logins that the import wrote, all its runs together; `thirdparty` for those without a hash. */
  algorithms: Record<string, number>;
  /** Their hashes: of each class, and of each algorithm and class. */
  classes: ReturnType<typeof classTotals>;
  hashes: ReturnType<typeof listHashes>;
}

export interface StreamDeps extends ImportDeps {
  /** Longest line, in bytes. */
  maxLineBytes: number;
  /** Limits of the chunks; CHUNK by default. */
  limits?: ChunkLimits;
  /** Runs the work on a chunk. Its sender may wait for the result: silence meanwhile is no fault. */
  whileProcessing?<T>(work: () => Promise<T>): Promise<T>;
}

type Report = Pick<ChunkResult, 'report' | 'counts'>;

/**
 * The path of a line: LineSplitter cuts it off, ChunkAssembler adds it to a LineChunk, and with it to an OptimisticChunk, which
 * reads it (`readLine`), decides it (LineResolver) and turns its rows into bytes, all of that before the chunk is full. ChunkWriter
 * then copies those bytes in a transaction; or, where some user is not new, reads the existing logins and resolves the
 * lines again. The chunk commits after the one before it, and its report is sent.
 *
 * Imports a stream of lines. Yields the report, some result lines at a time and in order, each once it is committed; the
 * summary comes last. `body` is read no faster than the report is: who stops reading the report stops the import.
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
  const readDeps = {
    registry: deps.passwords.registry,
    now: deps.now,
    maxLineBytes: deps.maxLineBytes,
    defaultSecretId: request.hashingSecretId,
  };
  const read = (line: RawLine) => readLine(readDeps, line);
  const options = { run, onConflict: request.onConflict, read, hashing: hashingLimit(), signal };
  const begin = <Rows extends RowSink>(importer: ChunkImporter<Rows>) => ({
    reports: importLines(deps, options, importer, body),
    progress: () => importer.progress(),
  });
  const { reports, progress } = request.dryRun
    ? begin(new DryRunImporter(deps, options))
    : begin(new ChunkWriter(deps, options));
  let counts = noOutcomes();
  for await (const { counts: more, report } of reports) {
    counts = addCounts(counts, more);
    yield report;
  }
  const { algorithms, hashes } = await progress();
  const summary: Summary = {
    lines: linesOf(counts),
    ...counts,
    ms: deps.now() - startedAt,
    algorithms,
    classes: classTotals(hashes),
    hashes: listHashes(hashes),
  };
  yield `${JSON.stringify({ summary, importId: run.importId })}\n`;
}

/** Yields the reports of chunks in order, and records the end of the run, whatever ends it. */
async function* importLines<Rows extends RowSink>(
  deps: StreamDeps,
  { run, read }: ImporterOptions,
  importer: ChunkImporter<Rows>,
  body: AsyncIterable<Buffer>,
): AsyncGenerator<Report, void> {
  const startedAt = deps.now();
  const {
    limits = chunkLimits(deps.imports.chunkScale),
    maxLineBytes,
    pace,
    whileProcessing = (work) => work(),
  } = deps;
  const replay = new Replay(run.importId, deps);
  const { nextLine } = run.progress;
  const isReplayed = (firstLine: number) => firstLine < nextLine;
  const processChunk = async (chunk: LineChunk<Rows>): Promise<Report> => {
    const { firstLine } = chunk;
    const report = isReplayed(firstLine)
      ? reportOf(await replay.outcomes(chunk, read), firstLine)
      : await importer.import(chunk);
    chunk.release();
    return report;
  };
  let isFinished = false;
  try {
    const chunks = assembleChunks(body, {
      maxLineBytes,
      limits,
      pace,
      boundary: nextLine,
      openOptimistic: (firstLine) => (isReplayed(firstLine) ? undefined : importer.openOptimistic(firstLine)),
    });
    yield* mapInOrder(chunks, MAX_CHUNKS_IN_FLIGHT, (chunk) => whileProcessing(() => processChunk(chunk)));
    isFinished = true;
  } finally {
    await Promise.all([replay.close(), importer.close()]);
    const progress = await importer.progress().catch(() => undefined);
    const end = { ms: deps.now() - startedAt, isFinished, ...(progress && { progress }) };
    // If the run broke off, an error while recording its end would hide the reason.
    if (isFinished) await deps.imports.end(run, end);
    else await deps.imports.end(run, end).catch(() => {});
  }
}

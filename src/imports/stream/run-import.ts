import { setImmediate } from 'node:timers/promises';
import { mapAhead } from '../../lib/async/map-ahead.ts';
import { AppError, type ErrorCode } from '../../lib/errors.ts';
import { DEFAULT_MATCH_BY, type ImportRequest } from '../import-request.ts';
import type { ImportStore, NotBegun, Run } from '../import-store.ts';
import type { RawLine } from '../input/line-splitter.ts';
import { isParsedUser, type ParsedLine } from '../input/parsed-user.ts';
import { readLine } from '../input/read-line.ts';
import { externalIdsIn, isMention, namesInexactly, readDisabling } from '../input/read-mention.ts';
import { classTotals, hashingLimit, listHashes } from '../resolve/imported-hashes.ts';
import {
  EXTERNAL_ID_INEXACT,
  EXTERNAL_ID_REPEATED,
  linesOf,
  noOutcomes,
  type Outcome,
  type OutcomeCounts,
} from '../resolve/outcome.ts';
import { externalIdsOf } from '../resolve/person.ts';
import { assembleChunks, type ChunkLimits, type LineChunk, ParsedLines } from './chunk-assembler.ts';
import { ChunkImporter, type ImportDeps } from './chunk-importer.ts';
import { addCounts, type ChunkResult, reportOf } from './chunk-result.ts';
import { type MissingSummary, MissingUsers } from './missing-users.ts';
import { RepeatedIds } from './repeated-ids.ts';
import { Replay } from './replay.ts';
import type { StreamMeter } from './stream-meter.ts';

/** Limits of a chunk, found by measurement (docs/adr/0008-bulk-writes.md). They bound the memory of an import. */
const CHUNK: ChunkLimits = { maxLines: 2000, maxBytes: 1024 * 1024, idleMs: 25, maxAgeMs: 250 };

/**
 * Factor for chunks of new users. They are written without reading the database, so the wait for the disk at the end of
 * a chunk takes a larger part of the time. Still larger ones take more memory, and gain little, because the next chunk
 * is copied meanwhile.
 */
const TIMES_NEW = 3;

const chunkLimits = (scale: number): ChunkLimits => ({
  ...CHUNK,
  maxLines: CHUNK.maxLines * scale,
  maxBytes: CHUNK.maxBytes * scale,
  timesNew: Math.max(1, TIMES_NEW / scale),
});

/** Last line of the answer. */
interface Summary extends OutcomeCounts {
  lines: number;
  ms: number;
  /** Number of logins written by all runs, by hash algorithm, or under `thirdparty` without a password. */
  algorithms: Record<string, number>;
  classes: ReturnType<typeof classTotals>;
  hashes: ReturnType<typeof listHashes>;
  /** Omitted unless the request removes missing users. */
  missing?: MissingSummary;
}

export interface StreamDeps extends ImportDeps {
  maxLineBytes: number;
  meter?: StreamMeter;
  /** Defaults to `CHUNK`, with sizes multiplied by `chunkScale`. */
  limits?: ChunkLimits;
  /**
   * Runs the work on a chunk. Meanwhile, the time limit for a silent client does not apply, because the client may wait
   * for the result.
   */
  whileProcessing?<T>(work: () => Promise<T>): Promise<T>;
}

type Report = Pick<ChunkResult, 'report' | 'counts'>;

/**
 * Imports a stream of lines. Yields result lines in order, each after its line is committed, and the summary
 * last. `body` is read no faster than the result lines are consumed, so a consumer that stops reading stops
 * the import.
 *
 * `LineSplitter` splits the body, and `ChunkAssembler` groups the lines into chunks. While a chunk fills,
 * `OptimisticChunk` decides its lines as if all users were new, and encodes their rows. `ChunkImporter` has the rows
 * copied in a transaction. If a user is not new, `Resolver` decides the lines with the stored users.
 * @throws errors of `body` and of the database, and AppError IMPORT_TAKEN_OVER
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
    keepsFactors: deps.vault.isOpen,
  };
  const { onConflict, matchBy = DEFAULT_MATCH_BY, source, deleteMissing, dryRun } = request;
  const readUser = (line: RawLine): ParsedLine => {
    const parsed = readLine(readDeps, line);
    if (parsed === undefined || isParsedUser(parsed) || matchBy !== 'externalId') return parsed;
    // A line `{"externalUserId":"…"}` then only states that a user is not missing, and is no error.
    if (deleteMissing !== undefined && isMention(line)) return undefined;
    return readDisabling(line) ?? parsed;
  };
  const repeatedIds = new RepeatedIds();
  const read = (line: RawLine): ParsedLine => {
    const parsed = readUser(line);
    // The ids of such a line are not recorded. Otherwise, a later line with the exact id would fail as a repetition.
    if (matchBy === 'externalId' && namesInexactly(line)) {
      repeatedIds.isRepeat(line.line, []);
      return parsed !== undefined && 'code' in parsed ? parsed : EXTERNAL_ID_INEXACT;
    }
    const externalIds = isParsedUser(parsed) ? externalIdsOf(parsed) : (externalIdsIn(line) ?? []);
    const isRepeat = repeatedIds.isRepeat(line.line, externalIds);
    return isRepeat && parsed !== undefined && !('code' in parsed) ? EXTERNAL_ID_REPEATED : parsed;
  };
  const importer = new ChunkImporter(deps, { run, request, read, hashing: hashingLimit(), signal });
  const missing =
    deleteMissing === undefined || source === undefined
      ? undefined
      : new MissingUsers(deps.imports, {
          ...{ run, source, onConflict, dryRun, most: deleteMissing, signal },
          whenGone: (users) => importer.forget(users),
        });
  const reports = importLines(deps, { run, read, repeatedIds, dryRun, missing }, importer, body);
  let counts = noOutcomes();
  for await (const { counts: more, report } of reports) {
    counts = addCounts(counts, more);
    yield report;
  }
  const { algorithms, hashes } = importer.progress;
  const summary: Summary = {
    lines: linesOf(counts),
    ...counts,
    ms: deps.now() - startedAt,
    algorithms,
    classes: classTotals(hashes),
    hashes: listHashes(hashes),
    ...(missing !== undefined && { missing: missing.summary }),
  };
  yield `${JSON.stringify({ summary, importId: run.importId })}\n`;
}

interface LinesOptions {
  run: Run;
  read(line: RawLine): ParsedLine;
  repeatedIds: RepeatedIds;
  dryRun: boolean;
  missing: MissingUsers | undefined;
}

/** Chunk whose lines are parsed, unless they were decided while the chunk filled. */
interface ReadChunk {
  chunk: LineChunk;
  lines: ParsedLines;
}

/** Imports the lines of a body. Records the end of the run, even if it fails. */
async function* importLines(
  deps: StreamDeps,
  { run, read, repeatedIds, dryRun, missing }: LinesOptions,
  importer: ChunkImporter,
  body: AsyncIterable<Buffer>,
): AsyncGenerator<Report, void> {
  const startedAt = deps.now();
  const {
    limits = chunkLimits(deps.imports.chunkScale),
    maxLineBytes,
    pace,
    whileProcessing = (work) => work(),
    meter,
  } = deps;
  const replay = new Replay(run.importId, deps);
  const { nextLine } = run.progress;
  const isReplayed = (firstLine: number) => firstLine < nextLine;
  let settledBefore: Promise<ReadonlyMap<number, Outcome>> | undefined;
  const replayChunk = async ({ chunk, lines }: ReadChunk): Promise<Report> => {
    const { firstLine } = chunk;
    const outcomes = await replay.outcomes(chunk, lines.all());
    for (const [index, outcome] of outcomes.entries()) {
      if (outcome?.status !== 'DEFERRED') continue;
      const line = firstLine + index;
      settledBefore ??= deps.imports.settledOutcomes(run.importId);
      const settled = (await settledBefore).get(line);
      importer.defer({ line, parsed: lines.all()[index], settled });
    }
    return reportOf(outcomes, firstLine);
  };
  // All lines of a chunk must be read before those of the next chunk, so that the first line with an id is known.
  async function* readChunks(chunks: AsyncGenerator<LineChunk>): AsyncGenerator<ReadChunk> {
    for await (const chunk of chunks) {
      const lines = new ParsedLines(chunk, read);
      if (!chunk.optimistic?.isWhole) lines.all();
      yield { chunk, lines };
    }
  }
  const processChunk = async ({ chunk, lines }: ReadChunk, before: Promise<unknown>): Promise<Report> => {
    const { firstLine } = chunk;
    if (isReplayed(firstLine)) await before;
    const report = isReplayed(firstLine)
      ? await replayChunk({ chunk, lines })
      : await importer.import(chunk, lines, before);
    await missing?.note(chunk.lines());
    repeatedIds.forget(firstLine, chunk.nextLine);
    chunk.release();
    return report;
  };
  const measured = (chunk: ReadChunk, before: Promise<unknown>) =>
    meter === undefined
      ? processChunk(chunk, before)
      : meter.chunk(dryRun, () => processChunk(chunk, before));
  let isFinished = false;
  // Reason of the failure if the caller stops reading, because this generator then ends without an error of its own.
  let failure: unknown = new Error('the stream was not read to its end');
  meter?.begin();
  try {
    const chunks = assembleChunks(body, {
      maxLineBytes,
      limits,
      pace,
      boundary: nextLine,
      openOptimistic: (firstLine) => (isReplayed(firstLine) ? undefined : importer.openOptimistic(firstLine)),
    });
    // Up to two chunks are decided and written at a time, while the one after them is parsed.
    const reports = mapAhead(
      readChunks(chunks),
      (chunk, before) => whileProcessing(() => measured(chunk, before)),
      () => importer.writesTwo,
    );
    yield* reports;
    // Users in no line are removed first, because a deferred line may need the address of one.
    for await (const line of missing?.remove(importer.progress) ?? [])
      yield { report: Buffer.from(line), counts: noOutcomes() };
    const last = await whileProcessing(() => importer.settle());
    if (last !== undefined) yield last;
    await importer.flush();
    isFinished = true;
  } catch (error) {
    failure = error;
    throw error;
  } finally {
    meter?.end(isFinished ? undefined : failure);
    await Promise.all([replay.close(), importer.close()]);
    const end = { ms: deps.now() - startedAt, isFinished, progress: importer.progress };
    // If the run failed, an error of recording its end must not replace the original error.
    if (isFinished) await deps.imports.end(run, end);
    else await deps.imports.end(run, end).catch(() => {});
  }
}

/**
 * Begins imports. Requests with the same import id are served in the order of arrival, so that the last one may write.
 */
export class ImportBeginner {
  readonly #imports: Pick<ImportStore, 'begin'>;
  readonly #last = new Map<string, Promise<unknown>>();

  constructor(imports: Pick<ImportStore, 'begin'>) {
    this.#imports = imports;
  }

  /**
   * Begins or resumes an import.
   * @throws {AppError} if the import cannot be resumed
   * @throws the reason of the signal if it aborts first
   */
  async begin(request: ImportRequest, signal?: AbortSignal): Promise<Run> {
    const { importId } = request;
    const begun = (this.#last.get(importId) ?? Promise.resolve()).then(() => this.#begin(request, signal));
    const settled = begun.catch(() => {});
    this.#last.set(importId, settled);
    try {
      return await begun;
    } finally {
      if (this.#last.get(importId) === settled) this.#last.delete(importId);
    }
  }

  async #begin(request: ImportRequest, signal: AbortSignal | undefined): Promise<Run> {
    // A disconnected client must not take the import over from the client that resumes it. Node.js notices a
    // disconnect when it polls its sockets, which happens between two immediates.
    await setImmediate();
    await setImmediate();
    signal?.throwIfAborted();
    const run = await this.#imports.begin(request);
    if (typeof run === 'string') throw new AppError(...NOT_BEGUN[run]);
    return run;
  }
}

const NOT_BEGUN: Record<NotBegun, [code: ErrorCode, message: string]> = {
  'other-options': [
    'IMPORT_OPTIONS_DIFFER',
    'An import with this importId was begun with other options: resume it with the same dryRun, onConflict, hashingSecretId, matchBy, source and trustExternalIds',
  ],
  'rolled-back': [
    'IMPORT_ROLLED_BACK',
    'The import with this importId was rolled back: send the lines under another importId',
  ],
  expired: [
    'IMPORT_EXPIRED',
    'The import with this importId is too old to be resumed (import_undo_days): send the lines under another importId',
  ],
};

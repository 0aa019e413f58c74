import { setImmediate as eventLoopTurn } from 'node:timers/promises';
import { within } from '../../lib/async/until.ts';
import { BufferPool, ByteBuilder, type Reusable } from '../../lib/buffers.ts';
import type { BulkPace } from '../bulk-pace.ts';
import type { RowSink } from '../import-store.ts';
import {
  cutBlock,
  isBlank,
  type LineBlock,
  type LineRoom,
  LineSplitter,
  type RawLine,
  readLines,
} from '../input/line-splitter.ts';
import { isDisabling, isParsedUser, type ParsedLine, type ParsedUser } from '../input/parsed-user.ts';
import { hasPlainTextPassword } from '../resolve/imported-hashes.ts';
import { externalIdsOf, type KnownIndex, keysOf, type LineKeys } from '../resolve/person.ts';
import { type ResolveOptions, Resolver } from '../resolve/resolver.ts';
import { type ChunkResult, ResultBuilder } from './chunk-result.ts';
import { LineMarks } from './line-marks.ts';
import { Fingerprints, randomSeed } from './repeated-ids.ts';

export interface ChunkLimits {
  /** Blank lines do not count. */
  maxLines: number;
  maxBytes: number;
  /** Factor for the size of a chunk while all of its users seem to be new. Defaults to 1. */
  timesNew?: number;
  /** Milliseconds without further lines after which a chunk is processed although it is not full. */
  idleMs: number;
  /** Milliseconds after which a chunk is processed although it is not full. */
  maxAgeMs: number;
}

/**
 * Factor for the number of lines if blank lines are counted, too. They cost little, and each transaction has a fixed
 * cost.
 */
const BLANKS_A_LINE = 32;

/**
 * Maximum number of lines in a chunk while HTTP calls arrive. The database writes them in about the time of the
 * statements of one call.
 */
const SHORT_CHUNK_LINES = 300;

/**
 * Number of lines after which the event loop gets its turn while HTTP calls arrive. Reading them takes about half a
 * millisecond.
 */
const TURN: LineRoom = { lines: 2000, filled: 64 };
const NO_LIMIT: LineRoom = { lines: Number.POSITIVE_INFINITY, filled: Number.POSITIVE_INFINITY };

interface AssemblerOptions {
  maxLineBytes: number;
  limits: ChunkLimits;
  pace?: Pick<BulkPace, 'isHeldBack'>;
  /** Line number at which a new chunk must begin: the first line that earlier runs have not processed. */
  boundary: number;
  /** Returns undefined if the lines are likely to have existing users. */
  openOptimistic(firstLine: number): OptimisticChunk | undefined;
}

/**
 * Groups lines into chunks. Chunks are large while lines arrive fast. They are small while lines arrive slowly, because
 * the client may wait for results before it sends more lines.
 */
export async function* assembleChunks(
  body: AsyncIterable<Buffer>,
  options: AssemblerOptions,
): AsyncGenerator<LineChunk> {
  const { limits, maxLineBytes } = options;
  const splitter = new LineSplitter(maxLineBytes);
  const assembler = new ChunkAssembler(options);
  const iterator = body[Symbol.asyncIterator]();
  try {
    let next = iterator.next();
    for (;;) {
      const result = assembler.isAwaited ? await within(limits.idleMs, next) : await next;
      if (result === undefined) {
        yield* assembler.take();
        continue;
      }
      if (result.done) break;
      next = iterator.next();
      // `next` is awaited in a later iteration. Until then, a rejection must not crash the process.
      next.catch(() => {});
      for (const block of splitter.push(result.value)) {
        for (let rest: LineBlock | undefined = block; rest !== undefined; ) {
          const isHeldBack: boolean = options.pace?.isHeldBack === true;
          const room = isHeldBack ? TURN : NO_LIMIT;
          const [head, others]: [LineBlock, LineBlock | undefined] = cutBlock(rest, room);
          yield* assembler.add(head);
          rest = others;
          if (isHeldBack) await eventLoopTurn();
        }
      }
      if (assembler.isAwaited && assembler.ageMs >= limits.maxAgeMs) yield* assembler.take();
    }
    for (const block of splitter.end()) yield* assembler.add(block);
    yield* assembler.take();
  } finally {
    await iterator.return?.();
  }
}

class ChunkAssembler {
  readonly #options: AssemblerOptions;
  readonly #pool = new BufferPool(() => new LineChunkBuffers());
  #chunk: LineChunk | undefined;
  #startedAt = 0;
  #isShort = false;

  constructor(options: AssemblerOptions) {
    this.#options = options;
  }

  /**
   * Whether the client may wait for results of the open chunk. A chunk of blank lines has no results and stays open.
   * Otherwise, each blank line that keeps the connection open would be recorded as a chunk.
   */
  get isAwaited(): boolean {
    return this.#chunk !== undefined && this.#chunk.filled > 0;
  }

  get ageMs(): number {
    return this.#chunk === undefined ? 0 : performance.now() - this.#startedAt;
  }

  *add(block: LineBlock): Generator<LineChunk> {
    for (let rest: LineBlock | undefined = block; rest !== undefined; ) {
      this.#chunk ??= this.#begin(rest);
      const [head, others]: [LineBlock, LineBlock | undefined] = cutBlock(rest, this.#room(this.#chunk));
      this.#chunk.add(head);
      rest = others;
      if (this.#isFull(this.#chunk)) yield* this.take();
    }
  }

  *take(): Generator<LineChunk> {
    const chunk = this.#chunk;
    this.#chunk = undefined;
    if (chunk !== undefined) yield chunk;
  }

  #begin({ lines: [first] }: LineBlock): LineChunk {
    const { maxLineBytes, openOptimistic, pace } = this.#options;
    const firstLine = first?.line ?? Number.NaN;
    this.#startedAt = performance.now();
    this.#isShort = pace?.isHeldBack === true;
    const optimistic = openOptimistic(firstLine);
    return new LineChunk({ firstLine, maxLineBytes, optimistic, pool: this.#pool });
  }

  #limitsOf({ optimistic }: LineChunk): Pick<ChunkLimits, 'maxLines' | 'maxBytes'> {
    const { maxLines, maxBytes, timesNew = 1 } = this.#options.limits;
    if (this.#isShort) return { maxLines: Math.min(SHORT_CHUNK_LINES, maxLines), maxBytes };
    const times = optimistic?.isWhole ? timesNew : 1;
    return { maxLines: maxLines * times, maxBytes: maxBytes * times };
  }

  #room(chunk: LineChunk): LineRoom {
    const { size, filled, nextLine } = chunk;
    const { maxLines } = this.#limitsOf(chunk);
    const { boundary } = this.#options;
    const toBoundary = nextLine < boundary ? boundary - nextLine : Number.POSITIVE_INFINITY;
    return {
      lines: Math.min(maxLines * BLANKS_A_LINE - size, toBoundary),
      filled: maxLines - filled,
    };
  }

  #isFull(chunk: LineChunk): boolean {
    const { size, filled, bytes, nextLine } = chunk;
    const { maxLines, maxBytes } = this.#limitsOf(chunk);
    return (
      filled >= maxLines ||
      size >= maxLines * BLANKS_A_LINE ||
      bytes >= maxBytes ||
      nextLine === this.#options.boundary
    );
  }
}

class LineChunkBuffers implements Reusable {
  readonly lines = new ByteBuilder();
  readonly marks = new LineMarks();

  get capacity(): number {
    return this.lines.capacity + this.marks.capacity;
  }

  clear(): void {
    this.lines.clear();
    this.marks.clear();
  }
}

interface LineChunkOptions {
  firstLine: number;
  maxLineBytes: number;
  optimistic: OptimisticChunk | undefined;
  pool: BufferPool<LineChunkBuffers>;
}

export class LineChunk {
  readonly firstLine: number;
  /** Undefined if existing users are expected. */
  readonly optimistic: OptimisticChunk | undefined;
  readonly #options: LineChunkOptions;
  #buffers: LineChunkBuffers | undefined;
  #size = 0;
  #filled = 0;

  constructor(options: LineChunkOptions) {
    this.firstLine = options.firstLine;
    this.optimistic = options.optimistic;
    this.#options = options;
    this.#buffers = options.pool.take();
  }

  /** Number of lines, with blank lines. */
  get size(): number {
    return this.#size;
  }

  /** Number of lines, without blank lines. */
  get filled(): number {
    return this.#filled;
  }

  get nextLine(): number {
    return this.firstLine + this.#size;
  }

  get bytes(): number {
    return this.#held.lines.length;
  }

  /** @param block lines that directly follow those of the chunk */
  add({ lines, bytes }: LineBlock): void {
    const held = this.#held;
    if (this.#size > 0) held.lines.addText('\n', 'latin1');
    held.lines.add(bytes);
    this.#size += lines.length;
    for (const raw of lines) if (!isBlank(raw)) this.#filled += 1;
    held.marks.add(lines);
    this.optimistic?.add(lines);
  }

  /** Decodes the lines. The result is not kept, because most chunks never need it again. */
  lines(): RawLine[] {
    return readLines(this.#held.lines.bytes(), this.firstLine, this.#options.maxLineBytes);
  }

  /** Returns the marks of the lines without copying them. They are invalid after `release`. */
  get marks(): Buffer {
    return this.#held.marks.bytes();
  }

  release(): void {
    this.#options.pool.give(this.#held);
    this.#buffers = undefined;
  }

  get #held(): LineChunkBuffers {
    if (this.#buffers === undefined) throw new Error('this chunk was released');
    return this.#buffers;
  }
}

/** Lines of a chunk, parsed at the first use: chunks whose users are all new do not need them again. */
export class ParsedLines {
  readonly #chunk: LineChunk;
  readonly #read: (line: RawLine) => ParsedLine;
  #lines: ParsedLine[] | undefined;
  #sizes: number[] = [];

  constructor(chunk: LineChunk, read: (line: RawLine) => ParsedLine) {
    this.#chunk = chunk;
    this.#read = read;
  }

  all(): readonly ParsedLine[] {
    if (this.#lines === undefined) {
      const raw = this.#chunk.lines();
      this.#sizes = raw.map(({ text }) => text?.length ?? 0);
      this.#lines = raw.map(this.#read);
    }
    return this.#lines;
  }

  /** Length of a line in characters. Only known once the lines are parsed. */
  readonly sizeOf = (lineIndex: number): number => this.#sizes[lineIndex] ?? 0;

  users(): ParsedUser[] {
    return this.all().filter(isParsedUser);
  }

  keys(): LineKeys {
    return keysOf(this.users(), this.all().filter(isDisabling));
  }
}

/** Only fingerprints with the same seed can be compared. */
const SEED = randomSeed();

interface OptimisticChunkOptions extends ResolveOptions {
  rows: RowSink;
  read(line: RawLine): ParsedLine;
}

/**
 * Decides lines while they are received, as if all users were new. In a migration, nearly all are. Only bytes
 * are kept of each line, so that the garbage collector has little to do. If a user is not new or occurs
 * twice, the lines are decided again with the stored users.
 */
export class OptimisticChunk {
  readonly rows: RowSink;
  readonly #read: (line: RawLine) => ParsedLine;
  readonly #keys = new Fingerprints(SEED);
  readonly #resolver: Resolver;
  readonly #result: ResultBuilder;
  readonly #report: Buffer[] = [];
  #isBroken = false;

  constructor(firstLine: number, { rows, read, ...options }: OptimisticChunkOptions) {
    this.rows = rows;
    this.#read = read;
    this.#resolver = new Resolver(emptyIndex(this.#keys), options);
    this.#result = new ResultBuilder(firstLine);
  }

  add(lines: readonly RawLine[]): void {
    for (const raw of lines) {
      if (this.#isBroken) return;
      const line = this.#read(raw);
      if (isParsedUser(line) ? needsMore(line) : isDisabling(line)) this.#isBroken = true;
      else this.#resolver.add(line);
    }
    this.#isBroken ||= this.#keys.hasRepeats;
    if (this.#isBroken) return;
    const { created, outcomes } = this.#resolver.take();
    this.rows.add(created);
    this.#result.addSample(created);
    this.#report.push(Buffer.from(this.#result.add(outcomes)));
  }

  /** Whether all users of the lines so far may be new, and can be decided without the stored users. */
  get isWhole(): boolean {
    return !this.#isBroken;
  }

  /** Keys of the users, if all of them may be new. */
  get keys(): Fingerprints | undefined {
    return this.#isBroken ? undefined : this.#keys;
  }

  /** Returns undefined if some users are not new, or cannot be decided from their lines alone. */
  result(): ChunkResult | undefined {
    if (this.#isBroken) return undefined;
    const { ids, algorithms, hashes } = this.#resolver.decisions;
    const { counts, recordedOutcomes, failures, sample } = this.#result;
    const report = Buffer.concat(this.#report);
    return { ids, algorithms, hashes, counts, recordedOutcomes, failures, sample, report };
  }
}

const USER_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-/;

/**
 * Returns whether a user cannot be decided from the line alone. A plain-text password must be hashed first. An external
 * id in the form of a user id may equal the id of a stored user, which no unique key of the written rows would detect.
 */
const needsMore = (parsedUser: ParsedUser) =>
  parsedUser.methods.some(hasPlainTextPassword) || externalIdsOf(parsedUser).some((id) => USER_ID.test(id));

/** Namespaces of keys: a login may have the same key as an external id. */
const LOGIN = 0;
const OWNER = 1;

/** Returns an index that finds nobody, and collects the keys of the users that are added. */
function emptyIndex(keys: Fingerprints): KnownIndex {
  const collect = (set: (key: string) => unknown) => ({
    has: () => false,
    get: () => undefined,
    set,
    delete: () => {},
  });
  return {
    logins: collect((key) => keys.add(LOGIN, key)),
    owners: collect((key) => keys.add(OWNER, key)),
    persons: collect(() => {}),
  };
}

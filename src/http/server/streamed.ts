import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../lib/errors.ts';
import { ByteCredit, ClientGone, LEAST_BYTES_PER_SECOND, onGone } from './connections.ts';
import { logFailure, toAppError } from './error-handler.ts';

/**
 * Maximum ratio of decompressed to received bytes. Lines of users reach three to ten; a far higher ratio is a
 * decompression bomb.
 */
const MAX_EXPANSION = 100;
/**
 * Decompressed size up to which the ratio is not checked: the first lines of a body may be so similar that they
 * compress unusually well.
 */
const EXPANSION_FREE_BYTES = 1024 * 1024;

const INFLATED_CHUNK_BYTES = 64 * 1024;

export interface StreamLimits {
  clock: SenderClock;
  /** Signal that ends the reading, for example because the service stops. Reading then throws its reason. */
  signal: AbortSignal;
}

/**
 * Yields the body of a request, decompressed. The stream stays open at the end, because it shares its socket with the
 * answer.
 * @throws {AppError} REQUEST_MALFORMED for invalid gzip, BODY_TOO_LARGE for a decompression bomb, REQUEST_TIMEOUT; and
 * the stream's error if the sender disconnects
 */
export function streamedBody(request: FastifyRequest, limits: StreamLimits): AsyncGenerator<Buffer> {
  const body = readPatiently(request.body as Readable, limits);
  switch (request.headers['content-encoding']?.toLowerCase() ?? 'identity') {
    case 'identity':
      return body;
    case 'gzip':
      return inflate(body);
    default:
      throw new AppError(
        'CONTENT_TYPE_UNSUPPORTED',
        'Unsupported content type: the only supported Content-Encoding is gzip',
      );
  }
}

const TOO_SLOW = `Timed out waiting for the rest of the request body: nothing came for request_timeout_ms, or fewer than ${LEAST_BYTES_PER_SECOND} bytes a second`;

async function* readPatiently(body: Readable, { clock, signal }: StreamLimits): AsyncGenerator<Buffer> {
  // Each read has a promise of its own. `Promise.race` with one promise for the whole body would keep every chunk in
  // memory until the end.
  let giveUp: ((reason: unknown) => void) | undefined;
  const onAbort = () => giveUp?.(signal.reason);
  signal.addEventListener('abort', onAbort);
  clock.start(() => giveUp?.(new AppError('REQUEST_TIMEOUT', TOO_SLOW)));
  const chunks = body.iterator({ destroyOnReturn: false });
  try {
    for (;;) {
      signal.throwIfAborted();
      clock.wait();
      const result = await new Promise<IteratorResult<Buffer>>((resolve, reject) => {
        giveUp = reject;
        chunks.next().then(resolve, reject);
      });
      giveUp = undefined;
      clock.receive(result.done ? 0 : result.value.length);
      if (result.done) return;
      yield result.value;
    }
  } finally {
    clock.stop();
    signal.removeEventListener('abort', onAbort);
  }
}

async function* inflate(body: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  const gunzip = createGunzip({ chunkSize: INFLATED_CHUNK_BYTES });
  let sizeBytes = 0;
  // An error of the body also ends the decompressed stream, and is handled there.
  pipeline(body, gunzip).catch(() => {});
  try {
    for await (const chunk of gunzip as AsyncIterable<Buffer>) {
      sizeBytes += chunk.length;
      if (sizeBytes > EXPANSION_FREE_BYTES && sizeBytes > MAX_EXPANSION * gunzip.bytesWritten) {
        throw new AppError(
          'BODY_TOO_LARGE',
          `Request body is too large: it expands to more than ${MAX_EXPANSION} times of what was sent`,
        );
      }
      yield chunk;
    }
  } catch (error) {
    const isZlib = error instanceof Error && 'code' in error && String(error.code).startsWith('Z_');
    if (!isZlib) throw error;
    throw new AppError('REQUEST_MALFORMED', 'Request is malformed: the body is not gzip, or was cut off', {
      cause: error,
    });
  } finally {
    gunzip.destroy();
  }
}

type Report = AsyncGenerator<string | Buffer>;

/** Id of an import or an export. It is in a header of the answer, and in the last line if that states an error. */
type ReportId = { importId: string } | { exportId: string };

/** Sends lines no faster than the client reads them. */
export function sendReport(
  reply: FastifyReply,
  report: Report,
  id: ReportId,
  clock?: SenderClock,
): FastifyReply {
  const whole = withErrorLine(report, reply, id);
  const payload = Readable.from(clock ? paced(whole, clock) : whole, { objectMode: false });
  // If the client leaves before the first line, Fastify would log an error, unless it is ClientGone.
  onGone(reply, () => payload.destroy(reply.raw.headersSent ? undefined : new ClientGone()));
  return reply
    .headers('importId' in id ? { 'import-id': id.importId } : { 'export-id': id.exportId })
    .type('application/x-ndjson; charset=utf-8')
    .send(payload);
}

/**
 * Yields the report, and pauses the clock while the client has lines to read: a client may read first and send later. A
 * client that does not read at all is disconnected as on any route (connections.ts).
 */
async function* paced(report: Report, clock: SenderClock): Report {
  for await (const piece of report) {
    clock.pause();
    yield piece;
    clock.resume();
  }
}

/** Yields the report. If it fails, a last line states the error, because the status was already sent. */
async function* withErrorLine(report: Report, { raw, request }: FastifyReply, id: ReportId): Report {
  try {
    yield* report;
  } catch (error) {
    // The response is checked and not the request: Node.js destroys a request as soon as it was read completely, even
    // if the client is there.
    if (raw.destroyed) return;
    const answer = toAppError(error as Error, request);
    logFailure(request, answer, error as Error);
    const { code, message } = answer;
    yield `${JSON.stringify({ error: { code, message }, ...id })}\n`;
  }
}

/**
 * Detects senders that are silent for too long, or below the minimum rate (ByteCredit). Time counts only while the
 * service waits for bytes and the sender has no answer to read.
 */
export class SenderClock {
  readonly #credit: ByteCredit;
  #onLate: () => void = () => {};
  #timer: NodeJS.Timeout | undefined;
  #isWaiting = false;
  #pauses = 0;
  /** Time up to which the sender's silence has been counted. Undefined while silence does not count. */
  #runsSinceMs: number | undefined;

  /** @param limitMs maximum milliseconds of silence */
  constructor(limitMs: number) {
    this.#credit = new ByteCredit(limitMs);
  }

  /** `onLate` is called when the sender is too slow. */
  start(onLate: () => void): void {
    this.#onLate = onLate;
  }

  wait(): void {
    this.#isWaiting = true;
    this.#update();
  }

  /** Credits the bytes, and stops the clock until the next `wait`. */
  receive(bytes: number): void {
    this.stop();
    this.#credit.earn(bytes);
  }

  /** Stops the clock. It runs again after as many calls of `resume` as of `pause`. */
  pause(): void {
    this.#pauses += 1;
    this.#update();
  }

  resume(): void {
    this.#pauses -= 1;
    this.#update();
  }

  readonly whilePaused = async <T>(work: () => Promise<T>): Promise<T> => {
    this.pause();
    try {
      return await work();
    } finally {
      this.resume();
    }
  };

  stop(): void {
    this.#isWaiting = false;
    this.#update();
  }

  #update(): void {
    clearTimeout(this.#timer);
    const now = performance.now();
    if (this.#runsSinceMs !== undefined) this.#credit.spend(now - this.#runsSinceMs);
    const runs = this.#isWaiting && this.#pauses === 0;
    this.#runsSinceMs = runs ? now : undefined;
    if (runs) this.#timer = setTimeout(this.#onLate, this.#credit.leftMs);
  }
}

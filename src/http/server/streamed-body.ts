import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import type { FastifyRequest } from 'fastify';
import { AppError } from '../../lib/errors.ts';
import type { IdleClock } from './idle-clock.ts';

/** What lines of users compress to is a third to a tenth: far more is a trap. */
const MAX_EXPANSION = 100;
/** Expansion is not looked at before so many bytes. */
const EXPANSION_FREE_BYTES = 1024 * 1024;

const INFLATED_CHUNK_BYTES = 64 * 1024;

export interface StreamLimits {
  /** How long the sender may be silent while it is waited for. */
  idle: IdleClock;
  /** Aborts when the service stops; its reason is thrown. */
  signal: AbortSignal;
}

/**
 * The bytes of a streamed body, taken out of gzip where it is sent so. Ends by throwing AppErrors: REQUEST_MALFORMED for
 * what is not gzip, BODY_TOO_LARGE for what grows beyond measure, REQUEST_TIMEOUT; or what the stream throws when its
 * sender is gone. Leaves the stream open, as it shares a socket with the answer.
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
        'Unsupported content type: Content-Encoding may be gzip',
      );
  }
}

async function* readPatiently(body: Readable, { idle, signal }: StreamLimits): AsyncGenerator<Buffer> {
  // A promise for each wait: racing one that lasts would keep every chunk until it settles.
  let giveUp: ((reason: unknown) => void) | undefined;
  const onAbort = () => giveUp?.(signal.reason);
  signal.addEventListener('abort', onAbort);
  idle.start(() =>
    giveUp?.(new AppError('REQUEST_TIMEOUT', 'Request did not go on in time (request_timeout_ms)')),
  );
  const chunks = body.iterator({ destroyOnReturn: false });
  try {
    for (;;) {
      signal.throwIfAborted();
      idle.restart();
      const result = await new Promise<IteratorResult<Buffer>>((resolve, reject) => {
        giveUp = reject;
        chunks.next().then(resolve, reject);
      });
      giveUp = undefined;
      if (result.done) return;
      yield result.value;
    }
  } finally {
    idle.stop();
    signal.removeEventListener('abort', onAbort);
  }
}

async function* inflate(body: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  const gunzip = createGunzip({ chunkSize: INFLATED_CHUNK_BYTES });
  let sizeBytes = 0;
  // An error of the body is one of the inflated stream.
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

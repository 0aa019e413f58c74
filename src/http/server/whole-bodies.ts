import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError } from '../../lib/errors.ts';
import { MAX_HEAD_BYTES } from './request-head.ts';

/** Bytes of the largest body that callers need to send: ten thousand users with some metadata. */
export const MAX_NEEDED_BYTES = 16 * 1024 * 1024;

/**
 * Maximum bytes of all bodies that are held at once: four of the largest, as many as are staged at once by
 * default, and one more for all others.
 */
const MAX_HELD_BYTES = 5 * MAX_NEEDED_BYTES;

/**
 * Bytes of each body that do not count, so that sign-ins go on while large bodies are refused. A connection may
 * take as much for its heads anyway. Bodies of callers without an API key must not be longer.
 */
const FREE_BYTES = MAX_HEAD_BYTES;

/** Memory that a chunk takes besides its bytes. A body may arrive in chunks of one byte. */
const BYTES_A_CHUNK = 200;

type Parse = (request: FastifyRequest, body: Buffer) => unknown;
type Done = (error: Error | null, body: Buffer) => void;

/**
 * Reads bodies into memory, on all routes but those that stream or ignore them. Bytes count from their arrival
 * to the end of the answer, because parsed bodies take as much. Announced lengths do not count: a caller could
 * otherwise use up the limit without sending anything.
 */
export class WholeBodies {
  readonly #maxBytes: number;
  #heldBytes = 0;

  /** @param bodyLimitBytes maximum size of a body, which must always fit */
  constructor(bodyLimitBytes: number) {
    this.#maxBytes = Math.max(MAX_HELD_BYTES, bodyLimitBytes + FREE_BYTES);
  }

  /** Bytes that count, of all bodies. */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** Accepts bodies of this type on the routes of `app`. An error of `parse` becomes the answer. */
  accept(app: FastifyInstance, contentType: string, parse: Parse): void {
    app.addContentTypeParser(contentType, (request, payload, done) => {
      this.#read(request, payload, (error, body) => {
        if (error !== null) return done(error);
        try {
          done(null, parse(request, body));
        } catch (cause) {
          done(cause as Error);
        }
      });
    });
  }

  /** Forgets a body that is not kept, or whose request was answered, or whose caller has left. */
  release(request: FastifyRequest): void {
    this.#heldBytes -= countedBytes(request);
    request.bodyBytes = 0;
  }

  #read(request: FastifyRequest, payload: IncomingMessage, done: Done): void {
    const { apiKeyName, routeOptions } = request;
    const { bodyLimit = 0 } = routeOptions;
    const limit = apiKeyName === undefined ? Math.min(bodyLimit, FREE_BYTES) : bodyLimit;
    const tooLarge = () =>
      new AppError(
        'BODY_TOO_LARGE',
        limit === bodyLimit
          ? `Request body is too large: at most ${limit} bytes (body_limit_bytes)`
          : `Request body is too large: at most ${limit} bytes without an API key`,
      );
    const announced = Number(request.headers['content-length']);
    if (announced > limit) {
      done(tooLarge(), NOTHING);
      return;
    }
    const chunks: Buffer[] = [];
    let length = 0;
    const end = (error: Error | null) => {
      payload.off('data', onData).off('end', onEnd).off('error', end);
      if (error !== null) this.release(request);
      done(error, error === null ? Buffer.concat(chunks, length) : NOTHING);
    };
    const onData = (chunk: Buffer) => {
      length += chunk.length;
      if (length > limit) end(tooLarge());
      else if (!this.#hold(request, chunk.length + BYTES_A_CHUNK)) end(tooManyBodies());
      else chunks.push(chunk);
    };
    const onEnd = () => end(length === announced || Number.isNaN(announced) ? null : wrongLength());
    payload.on('data', onData).on('end', onEnd).on('error', end);
  }

  /** Returns false if the bodies of all requests would take too much memory. */
  #hold(request: FastifyRequest, bytes: number): boolean {
    const before = countedBytes(request);
    request.bodyBytes += bytes;
    const more = countedBytes(request) - before;
    this.#heldBytes += more;
    return more === 0 || this.#heldBytes <= this.#maxBytes;
  }
}

const countedBytes = ({ bodyBytes }: FastifyRequest) => Math.max(0, bodyBytes - FREE_BYTES);

const NOTHING = Buffer.alloc(0);

const tooManyBodies = () =>
  new AppError('OVERLOADED', 'Service is overloaded: too many large request bodies at the same time');

const wrongLength = () =>
  new AppError('REQUEST_MALFORMED', 'Request is malformed: the body is not as long as announced');

import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import {
  errorCodes,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type preParsingHookHandler,
} from 'fastify';
import { AppError } from '../../lib/errors.ts';
import { answerLateRequest } from './http-servers.ts';
import { MAX_HEAD_BYTES } from './request-checks.ts';
import { FAULTS } from './route-checks.ts';

/** Bytes of the largest body that callers need to send: ten thousand users with some metadata. */
export const MAX_NEEDED_BYTES = 16 * 1024 * 1024;

/**
 * Maximum bytes of all bodies that are held at once: four of the largest, because four requests may stage users at once
 * by default, and one more for all others.
 */
const MAX_HELD_BYTES = 5 * MAX_NEEDED_BYTES;

/**
 * Bytes of each body that do not count towards MAX_HELD_BYTES, so that sign-ins go on while large bodies are refused. A
 * connection may take as much for its heads anyway. Bodies of callers without an API key must not be longer.
 */
const FREE_BYTES = MAX_HEAD_BYTES;

/** Memory that a chunk takes besides its bytes. A body may arrive in chunks of one byte. */
const BYTES_A_CHUNK = 200;

type Parse = (request: FastifyRequest, body: Buffer) => unknown;
type Done = (error: Error | null, body: Buffer) => void;

/**
 * Reads bodies into memory, on all routes but those that stream or ignore them. Bytes count from their arrival to the
 * end of the answer, because a parsed body takes as much memory as its bytes. Announced lengths do not count: a caller
 * could otherwise use up the limit without sending anything.
 */
export class WholeBodies {
  readonly #maxBytes: number;
  #heldBytes = 0;

  /** @param bodyLimitBytes maximum size of a body; a single one must fit */
  constructor(bodyLimitBytes: number) {
    this.#maxBytes = Math.max(MAX_HELD_BYTES, bodyLimitBytes + FREE_BYTES);
  }

  /** Bytes of all bodies that count towards the limit. */
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

  /** Stops counting a body that was refused, whose request was answered, or whose caller has left. */
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

type ParseJson = (text: string) => unknown;

const CHARSET = /;\s*charset\s*=\s*"?([^\s;"]+)/i;

/**
 * Maximum number of members, elements, objects and arrays in a JSON body: a hundred for each of 10,000 users,
 * the most in a body. They are counted by punctuation, including that within strings. Parsing a million takes
 * up to 0.5 s and 90 MB, or 1.2 s if all are numbers in metadata, whose digits are kept. Without this limit,
 * 16 MiB of `{},` would take 2 s and 500 MB.
 */
const MAX_PARTS = 1_000_000;

const isPartSign = new Uint8Array(256);
for (const sign of Buffer.from('{[:,')) isPartSign[sign] = 1;

/**
 * Accepts bodies of JSON in UTF-8. Fastify's own parser replaces bytes that are not UTF-8, so that different passwords
 * would become equal.
 * @param parseUserPayloads parser for the body kind `json with users`
 */
export function acceptJsonOnly(app: FastifyInstance, parseUserPayloads: ParseJson): void {
  app.removeAllContentTypeParsers();
  app.bodies.accept(app, 'application/json', (request, body) => {
    if (!isSaidToBeUtf8(request)) throw unsupported('JSON must be sent as UTF-8');
    const encoding = request.headers['content-encoding'] ?? 'identity';
    if (encoding.toLowerCase() !== 'identity')
      throw unsupported('JSON must be sent without Content-Encoding');
    const kind = request.routeOptions.config.body;
    if (body.length === 0 && kind === 'optional json') return null;
    return parseJson(body, kind === 'json with users' ? parseUserPayloads : JSON.parse);
  });
}

function isSaidToBeUtf8({ headers }: FastifyRequest): boolean {
  return /^utf-?8$/i.test(CHARSET.exec(headers['content-type'] ?? '')?.[1] ?? 'utf-8');
}

const unsupported = (what: string) =>
  new AppError('CONTENT_TYPE_UNSUPPORTED', `Unsupported content type: ${what}`);

function parseJson(body: Buffer, parse: ParseJson): unknown {
  if (countParts(body) > MAX_PARTS) {
    throw new AppError('BODY_TOO_LARGE', `Request body is too large: at most ${MAX_PARTS} of { [ : ,`);
  }
  if (!isUtf8(body)) throw new AppError('BODY_INVALID_JSON', 'Invalid Json Input: the body is not UTF-8');
  try {
    return parse(body.toString('utf8').replace(/^\uFEFF/, ''));
  } catch (cause) {
    // The parser's message quotes the body, which may hold a password. It is kept as the cause, which is not shown.
    throw new AppError('BODY_INVALID_JSON', 'Invalid Json Input: the body is not JSON', { cause });
  }
}

function countParts(body: Buffer): number {
  if (body.length <= MAX_PARTS) return 0;
  let parts = 0;
  // The bytes are read by index, which takes a tenth of the time of an iterator.
  for (let at = 0; at < body.length; at += 1) parts += isPartSign[body[at] ?? 0] ?? 0;
  return parts;
}

const NDJSON = 'application/x-ndjson';

/**
 * Gives routes with the body kind `ndjson stream` the body as it arrives, still compressed if it was sent so,
 * without limits of length and duration.
 */
export function acceptNdjsonStreams(app: FastifyInstance, bodyTimeout: BodyTimeout): void {
  // The hook runs before parsing. A JSON body would otherwise be read completely before it is refused.
  const requireNdjson: preParsingHookHandler = (request, reply, payload, done) => {
    if (request.mediaType !== NDJSON || !isSaidToBeUtf8(request)) {
      done(
        new AppError(
          'CONTENT_TYPE_UNSUPPORTED',
          `Unsupported content type: send lines of JSON, in UTF-8, with Content-Type: ${NDJSON}`,
        ),
      );
      return;
    }
    bodyTimeout.lift(request, reply);
    done(null, payload);
  };
  app.addHook('onRoute', (route) => {
    if (route.config?.body === 'ndjson stream')
      route.preParsing = [requireNdjson, route.preParsing ?? []].flat();
  });
  app.addContentTypeParser(NDJSON, (request, payload, done) => {
    if (request.routeOptions.config.body === 'ndjson stream') done(null, payload);
    else done(new errorCodes.FST_ERR_CTP_INVALID_MEDIA_TYPE());
  });
}

/** Limits the time for a body to arrive. Node's own limit would apply to all routes, and also end streamed uploads. */
export class BodyTimeout {
  readonly #timeoutMs: number;
  readonly #timers = new WeakMap<IncomingMessage, NodeJS.Timeout>();

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Starts the timer of a request. It runs even after an early answer (401, 404), so that such callers are
   * disconnected, too.
   */
  readonly start = ({ raw, routeOptions }: FastifyRequest, reply: FastifyReply): void => {
    const { hook } = routeOptions?.config ?? {};
    const closesOnFault = hook !== undefined && FAULTS[hook] === 'closed connection';
    // Requests that tests inject have no connection and therefore no `complete`.
    if (raw.complete !== false || raw.destroyed) return;
    // Most bodies arrive in one packet with their headers. They need no timer: Node only has to notice their end.
    if (raw.readableLength === Number(raw.headers['content-length'])) return;
    const timer = setTimeout(() => {
      if (raw.complete) return;
      // If the answer has begun, a timeout error after it would look like the answer to the next request.
      if (reply.raw.headersSent || closesOnFault) raw.socket.destroy();
      else answerLateRequest(raw.socket);
    }, this.#timeoutMs).unref();
    this.#timers.set(raw, timer);
    raw.once('close', () => clearTimeout(timer));
  };

  /**
   * Ends the timer of a streamed body. If the route answers before the end of the body, a new timer runs for the rest.
   */
  lift(request: FastifyRequest, reply: FastifyReply): void {
    clearTimeout(this.#timers.get(request.raw));
    reply.raw.once('finish', () => this.start(request, reply));
  }
}

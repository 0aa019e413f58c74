import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError } from '../../lib/errors.ts';
import { Connections, destroyOnceSent } from './connections.ts';
import { errorBody } from './error-handler.ts';
import { headersTooLarge, MAX_HEAD_BYTES, PARSED_HEAD_BYTES, uriTooLong } from './request-checks.ts';

/**
 * Time for which idle connections stay open. Load balancers keep them for 60 s. With less here, they could use a
 * connection that is being closed.
 */
const KEEP_ALIVE_MS = 72_000;

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

export class HttpServers {
  readonly #requestTimeoutMs: number;
  readonly #servers: Server[] = [];
  #handler: Handler = () => {};

  /** @param requestTimeoutMs maximum time for the headers to arrive, and for a caller to read nothing of an answer */
  constructor(requestTimeoutMs: number) {
    this.#requestTimeoutMs = requestTimeoutMs;
  }

  /**
   * Listens on the other addresses of the host, too: `localhost`, for example, has two. An address that cannot be bound
   * is skipped.
   */
  async listenBeside(first: Server, host: string): Promise<void> {
    const address = first.address();
    if (address === null || typeof address === 'string') return;
    const others = (await lookup(host, { all: true })).filter((other) => other.address !== address.address);
    for (const other of others) {
      const server = this.create(this.#handler);
      server.listen(address.port, other.address);
      await once(server, 'listening').catch(() => {});
    }
  }

  /** Stops accepting connections on all servers but the first, which Fastify closes. */
  closeOthers(): void {
    for (const server of this.#servers.slice(1)) server.close();
  }

  closeAllConnections(): void {
    for (const server of this.#servers) server.closeAllConnections();
  }

  /** Creates a server. Fastify calls it as its `serverFactory`, for the first address. */
  readonly create = (handler: Handler): Server => {
    this.#handler = handler;
    const connections = new Connections(this.#requestTimeoutMs);
    const server = createServer({
      // Node's limit for whole requests is off, because it would break off streamed bodies. BodyTimeout (bodies.ts)
      // exempts them.
      requestTimeout: 0,
      headersTimeout: this.#requestTimeoutMs,
      // Milliseconds between two checks of Node.js for requests whose headers have not arrived in time.
      connectionsCheckingInterval: Math.min(5000, this.#requestTimeoutMs),
      maxHeaderSize: PARSED_HEAD_BYTES,
      // request-checks.ts answers requests without a Host header. Node itself would answer them without a body.
      requireHostHeader: false,
    });
    server.keepAliveTimeout = KEEP_ALIVE_MS;
    // Node would silently drop headers beyond a number, perhaps the API key. Their total size is limited
    // instead.
    server.maxHeadersCount = 0;
    const handle = (request: IncomingMessage, response: ServerResponse) =>
      connections.inTurn(request, response, () => handler(request, response));
    server.on('request', handle);
    server.on('checkExpectation', handle);
    server.on('connection', connections.add);
    server.on('close', () => connections.close());
    server.closeIdleConnections = () => void connections.closeIdle();
    server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) =>
      answerBrokenRequest(error, socket, connections),
    );
    this.#servers.push(server);
    return server;
  };
}

/**
 * Makes each connection end with its next answer once a stop begins. Otherwise callers would use it until it breaks.
 */
export function closeWithoutDelay(app: FastifyInstance, draining: AbortSignal): void {
  let isClosing = false;
  app.addHook('preClose', async () => {
    isClosing = true;
    app.servers.closeOthers();
  });
  // While connections are still accepted, an answer to an unfinished body does not close the connection: the
  // caller might lose the answer.
  app.decorate('isLastAnswer', ({ raw }: FastifyRequest) => isClosing || (draining.aborted && raw.complete));
  // The stop would otherwise wait until the clients end their connections.
  app.addHook('onSend', (request, reply, payload, done) => {
    if (app.isLastAnswer(request)) void reply.header('connection', 'close');
    done(null, payload);
  });
}

/**
 * Time for the caller to read the answer and close the connection. If this service closed it at once, unread input
 * would cause a TCP reset, and the answer could be lost.
 */
const LINGER_MS = 1000;

/**
 * Answers input that is not a valid request: bytes that are not HTTP, or headers that did not arrive in time.
 * Earlier requests on the connection get their answers first. If the answer has already begun, only its route
 * can report the problem, so the request emits `malformed`.
 */
function answerBrokenRequest(
  error: NodeJS.ErrnoException & { rawPacket?: Buffer },
  socket: Socket,
  connections: Connections,
): void {
  const problem = problemOf(error);
  const exchanges = connections.stopReading(socket, problem);
  if (exchanges === undefined) return;
  const { current, last } = exchanges;
  if (last?.response.writableFinished && !last.request.complete) {
    // The last request was answered, and the rest of its body is invalid. Each request gets one answer only.
    destroyOnceSent(socket);
  } else if (current === undefined || last === undefined || last.response.writableFinished) {
    endWith(socket, problem);
  } else if (last.request.complete) {
    last.response.once('finish', () => endWith(socket, problem));
  } else if (last !== current) {
    // The invalid bytes are in the body of the last request. The error is sent when its turn comes.
    last.request.once('malformed', () => endWith(socket, problem));
  } else if (!current.response.headersSent) {
    endWith(socket, problem);
  } else if (error.code === 'HPE_INVALID_EOF_STATE') {
    // The client ended the connection in the middle of the body, and reads no answer.
    socket.destroy();
  } else {
    current.response.once('finish', () => socket.destroySoon());
    current.request.emit('malformed', problem);
  }
}

/** Answers a request that did not arrive in time. The rest of the request is not handled. */
export function answerLateRequest(socket: Socket): void {
  endWith(socket, lateRequest());
  // The caller could otherwise keep the connection open and send for ever.
  destroyOnceSent(socket);
}

const lateRequest = () =>
  new AppError('REQUEST_TIMEOUT', 'Request did not arrive in time (request_timeout_ms)');

function problemOf({ code, rawPacket }: NodeJS.ErrnoException & { rawPacket?: Buffer }): AppError {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return lateRequest();
  if (code === 'HPE_HEADER_OVERFLOW') {
    return rawPacket !== undefined && beginsWithLongLine(rawPacket) ? uriTooLong() : headersTooLarge();
  }
  return new AppError('REQUEST_MALFORMED', 'Request is malformed or incomplete');
}

function beginsWithLongLine(packet: Buffer): boolean {
  const end = packet.indexOf('\r');
  return /^[A-Z]+ \S*$/.test(packet.toString('latin1', 0, 256)) && (end === -1 || end > MAX_HEAD_BYTES);
}

function endWith(socket: Socket, problem: AppError): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const body = errorBody(problem);
  socket.end(
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
  // Node.js closes the connection after this time without traffic, if the caller does not close it before.
  socket.setTimeout(LINGER_MS);
}

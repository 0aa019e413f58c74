import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { answerBrokenRequest } from './broken-request.ts';
import { Connections } from './connections.ts';
import { PARSED_HEAD_BYTES } from './request-head.ts';

/** Load balancers keep idle connections for 60 s. With less here, they could use one that is being closed. */
const KEEP_ALIVE_MS = 72_000;

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

export class HttpServers {
  readonly #requestTimeoutMs: number;
  readonly #servers: Server[] = [];
  #handler: Handler = () => {};

  /** @param requestTimeoutMs for the headers to arrive, and for the caller to leave an answer unread */
  constructor(requestTimeoutMs: number) {
    this.#requestTimeoutMs = requestTimeoutMs;
  }

  /** Creates the server for the first address. Called by Fastify as its `serverFactory`. */
  readonly create = (handler: Handler): Server => {
    this.#handler = handler;
    return this.#create();
  };

  /** `localhost`, for example, has two addresses. An address that cannot be bound is skipped. */
  async listenBeside(first: Server, host: string): Promise<void> {
    const address = first.address();
    if (address === null || typeof address === 'string') return;
    const others = (await lookup(host, { all: true })).filter((other) => other.address !== address.address);
    for (const other of others) {
      const server = this.#create();
      server.listen(address.port, other.address);
      await once(server, 'listening').catch(() => {});
    }
  }

  addresses(): string[] {
    return this.#servers.flatMap((server) => {
      const address = server.address();
      return address === null || typeof address === 'string' ? [] : address.address;
    });
  }

  /** Stops accepting connections on all servers but the first, which Fastify closes. */
  closeOthers(): void {
    for (const server of this.#servers.slice(1)) server.close();
  }

  closeAllConnections(): void {
    for (const server of this.#servers) server.closeAllConnections();
  }

  #create(): Server {
    const connections = new Connections(this.#requestTimeoutMs);
    const server = createServer({
      // Node's limit for whole requests would break off streamed bodies. body-timeout.ts exempts them.
      requestTimeout: 0,
      headersTimeout: this.#requestTimeoutMs,
      // Milliseconds between two checks of Node.js for requests whose headers have not arrived in time.
      connectionsCheckingInterval: Math.min(5000, this.#requestTimeoutMs),
      maxHeaderSize: PARSED_HEAD_BYTES,
      // request-head.ts answers requests without a Host header. Node itself would answer them without a body.
      requireHostHeader: false,
    });
    server.keepAliveTimeout = KEEP_ALIVE_MS;
    // Node would silently drop headers beyond a number, perhaps the API key. Their total size is limited
    // instead.
    server.maxHeadersCount = 0;
    const handle = (request: IncomingMessage, response: ServerResponse) =>
      connections.inTurn(request, response, () => this.#handler(request, response));
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
  }
}

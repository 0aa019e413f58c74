import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';
import type { AppError } from '../../lib/errors.ts';

/**
 * Maximum number of pipelined requests that wait. Clients that pipeline send a handful. A packet can hold two thousand,
 * and each takes some kilobytes.
 */
const MAX_WAITING = 64;

const LOOKS = 4;

export interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
}

interface Connection {
  current?: Exchange | undefined;
  /** Latest request on the connection: the current one, or a pipelined one that waits. */
  last?: Exchange;
  waiting: number;
  /** Bytes received when the last answer ended. If the socket has received more, a new request has begun. */
  bytesRead: number;
  /** Error to answer after invalid bytes. Nothing more is then read from the connection. */
  problem?: AppError;
  /** Number of bytes of answers that had left this process for the caller at the last check. */
  takenBytes: number;
  credit: ByteCredit;
}

/**
 * Handles the requests of a connection one at a time: each after the caller has read the answer to the request before.
 * Node would handle all pipelined requests at once, keep their answers in memory, and not report to waiting requests
 * that the connection was lost (docs/adr/0014-connections.md).
 */
export class Connections {
  readonly #connections = new Map<Socket, Connection>();
  #isClosing = false;
  readonly #answerTimeoutMs: number;
  readonly #timer: NodeJS.Timeout;

  /** @param answerTimeoutMs milliseconds after which a caller that reads nothing is disconnected */
  constructor(answerTimeoutMs: number) {
    this.#answerTimeoutMs = answerTimeoutMs;
    this.#timer = setInterval(() => this.#cutOffUntaken(), answerTimeoutMs / LOOKS).unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  readonly add = (socket: Socket): void => {
    const credit = new ByteCredit(this.#answerTimeoutMs);
    this.#connections.set(socket, { waiting: 0, bytesRead: 0, takenBytes: 0, credit });
    socket.once('close', () => this.#connections.delete(socket));
    // Node.js calls `destroySoon` after the last answer on the connection. This one lets the caller read that answer.
    socket.destroySoon = () => this.#closeBehindAnswer(socket);
  };

  /**
   * Closes all connections that are idle or become so. A connection whose caller is still reading an answer
   * is not idle; Node's own closing would cut such answers off.
   */
  readonly closeIdle = async (): Promise<void> => {
    this.#isClosing = true;
    // Lets Node.js read bytes that have already arrived. If they contain a request, it is still answered.
    await setImmediate();
    await setImmediate();
    for (const [socket, { current, bytesRead }] of this.#connections)
      if (current === undefined && socket.bytesRead === bytesRead) socket.destroy();
  };

  /** Calls `handle` when it is the request's turn, and never if the connection ends before. */
  inTurn(request: IncomingMessage, response: ServerResponse, handle: () => void): void {
    const { socket } = request;
    const connection = this.#connections.get(socket);
    if (connection === undefined) return;
    const exchange = { request, response };
    connection.last = exchange;
    const begin = () => {
      connection.current = exchange;
      response.once('close', () => {
        // Node.js may start the connection's next request before it emits `close` for this one.
        if (connection.current !== exchange) return;
        connection.current = undefined;
        connection.bytesRead = socket.bytesRead;
        if (this.#isClosing) socket.destroySoon();
      });
      const { problem } = connection;
      if (problem === undefined || request.complete || !request.emit('malformed', problem)) handle();
    };
    if (response.socket !== null) {
      begin();
      return;
    }
    connection.waiting += 1;
    if (connection.waiting > MAX_WAITING) socket.destroy();
    response.once('socket', () => {
      connection.waiting -= 1;
      begin();
    });
  }

  /**
   * Stops reading after invalid bytes. If they are in the body of a request that waits, the request emits `malformed`
   * when its turn comes, and is then not handled if the event has a listener. Returns undefined if reading had been
   * stopped already.
   */
  stopReading(socket: Socket, problem: AppError): Pick<Connection, 'current' | 'last'> | undefined {
    const connection = this.#connections.get(socket);
    if (connection === undefined || connection.problem !== undefined) return undefined;
    connection.problem = problem;
    socket.pause();
    // A handler that reads the body of the current request would resume the socket, so it is paused again.
    socket.on('resume', () => socket.pause());
    return connection;
  }

  /** Closes connections whose callers read too few bytes of their answer. */
  #cutOffUntaken(): void {
    for (const [socket, connection] of this.#connections) {
      const { credit } = connection;
      const takenBytes = socket.bytesWritten - socket.writableLength;
      if (socket.writableLength === 0) credit.reset();
      else {
        credit.spend(this.#answerTimeoutMs / LOOKS);
        credit.earn(takenBytes - connection.takenBytes);
      }
      connection.takenBytes = takenBytes;
      if (credit.isSpent) socket.destroy();
    }
  }

  /**
   * Closes the connection after the last answer. A caller that is still sending its request can read the whole answer
   * first.
   */
  #closeBehindAnswer(socket: Socket): void {
    const last = this.#connections.get(socket)?.last;
    if (last === undefined || last.request.complete || socket.destroyed) destroyOnceSent(socket);
    else linger(socket, last.request, this.#answerTimeoutMs);
  }
}

const MAX_LINGER_MS = 5000;

/**
 * Ends the connection after the whole answer was sent. Reads the rest of the request: a socket that is closed
 * with unread bytes is reset, and the caller loses the unread part of the answer.
 * @param limitMs maximum milliseconds to wait for the caller, if less than `MAX_LINGER_MS`
 */
function linger(socket: Socket, request: IncomingMessage, limitMs: number): void {
  const drop = () => {
    while (request.read() !== null);
  };
  // If the route stopped in the middle of the body, its listener for `readable` still exists, and `resume`
  // would have no effect.
  request.on('readable', drop);
  drop();
  socket.end();
  const timer = setTimeout(() => socket.destroy(), Math.min(limitMs, MAX_LINGER_MS));
  socket.once('close', () => clearTimeout(timer));
  request.once('end', () => destroyOnceSent(socket));
}

/** Destroys the connection once the whole answer was sent, even if the caller is still sending. */
export function destroyOnceSent(socket: Socket): void {
  socket.end();
  if (socket.writableFinished) socket.destroy();
  else socket.once('finish', () => socket.destroy());
}

/**
 * Minimum rate at which callers must send a streamed body and read an answer. Reading an export at one user per second
 * is fast enough; sending a byte now and then to keep the connection is not.
 */
export const LEAST_BYTES_PER_SECOND = 100;

/**
 * Time for which a caller may let this service wait. Waiting uses it up, and each byte adds a hundredth of a
 * second.
 */
export class ByteCredit {
  readonly #limitMs: number;
  #leftMs: number;

  constructor(limitMs: number) {
    this.#limitMs = limitMs;
    this.#leftMs = limitMs;
  }

  get leftMs(): number {
    return this.#leftMs;
  }

  get isSpent(): boolean {
    return this.#leftMs <= 0;
  }

  spend(ms: number): void {
    this.#leftMs -= ms;
  }

  earn(bytes: number): void {
    this.#leftMs = Math.min(this.#limitMs, this.#leftMs + (1000 * bytes) / LEAST_BYTES_PER_SECOND);
  }

  reset(): void {
    this.#leftMs = this.#limitMs;
  }
}

export class ClientGone extends Error {
  constructor() {
    super('the client closed the connection before it was answered');
    this.name = 'ClientGone';
  }
}

/** Calls back once, when the request was answered or its connection has ended. */
export function onGone({ raw }: FastifyReply, callback: () => void): void {
  if (raw.destroyed) callback();
  else raw.once('close', callback);
}

/** Returns a signal that aborts if the caller disconnects before the answer is complete. */
export function clientGone(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  onGone(reply, () => {
    if (!reply.raw.writableFinished) controller.abort(new ClientGone());
  });
  return controller.signal;
}

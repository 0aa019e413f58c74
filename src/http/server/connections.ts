import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import type { AppError } from '../../lib/errors.ts';
import { ByteCredit } from './byte-credit.ts';
import { destroyOnceSent, linger } from './linger.ts';

/**
 * Maximum number of pipelined requests of a connection that may wait. Clients that pipeline send a handful. A packet
 * can hold two thousand, and each takes some kilobytes until it is answered.
 */
const MAX_WAITING = 64;

/** How often a connection is checked before it is ended because the caller does not read the answer. */
const LOOKS = 4;

export interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
}

interface Connection {
  /** The request of the connection that is being answered. */
  current: Exchange | undefined;
  /** Latest request of the connection: the current one, or one that waits. */
  last: Exchange | undefined;
  waiting: number;
  /**
   * Number of bytes received on the connection when the last answer ended. If more have been received since, a new
   * request has begun.
   */
  bytesRead: number;
  /** Error to answer if invalid bytes were received. Nothing more is read from the connection then. */
  problem: AppError | undefined;
  /** Number of bytes of answers that the caller had read at the last check. */
  takenBytes: number;
  /** Remaining milliseconds for which the caller may leave the answer unread. */
  credit: ByteCredit;
}

/**
 * Handles the requests of a connection one after the other: each after the answer to the one before was taken. Node
 * would handle all pipelined requests at once, keep their answers in memory, and not report a lost connection to the
 * waiting ones (docs/adr/0014-connections.md).
 */
export class Connections {
  readonly #connections = new WeakMap<Socket, Connection>();
  readonly #sockets = new Set<Socket>();
  /** Connections whose latest answer is not finished. */
  readonly #active = new Set<Socket>();
  #isClosing = false;
  readonly #answerTimeoutMs: number;
  readonly #timer: NodeJS.Timeout;

  /**
   * Starts to check connections whose callers take no answer.
   * @param answerTimeoutMs milliseconds after which a connection whose caller takes nothing of its answer is closed
   */
  constructor(answerTimeoutMs: number) {
    this.#answerTimeoutMs = answerTimeoutMs;
    this.#timer = setInterval(() => this.#cutOffUntaken(), answerTimeoutMs / LOOKS).unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** Adds a connection. Listener for the server's event `connection`. */
  readonly add = (socket: Socket): void => {
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    // Node calls this function after the last answer.
    socket.destroySoon = () => this.#closeBehindAnswer(socket);
  };

  /**
   * Closes all idle connections, and from then on every connection that becomes idle. A connection whose answer was
   * not taken yet is not idle; Node's own closing would break off such answers.
   */
  readonly closeIdle = async (): Promise<void> => {
    this.#isClosing = true;
    // Lets Node read bytes that have already arrived, so that a request in them is still answered.
    await setImmediate();
    await setImmediate();
    for (const socket of this.#sockets) {
      const { current, bytesRead } = this.#connection(socket);
      if (current === undefined && socket.bytesRead === bytesRead) socket.destroy();
    }
  };

  /** Calls `handle` when it is this request's turn. Never calls it if the connection ends before. */
  inTurn(request: IncomingMessage, response: ServerResponse, handle: () => void): void {
    const { socket } = request;
    const connection = this.#connection(socket);
    const exchange = { request, response };
    connection.last = exchange;
    const begin = () => {
      connection.current = exchange;
      this.#active.add(socket);
      response.once('close', () => {
        // Node.js may start the connection's next request before it emits `close` for this one.
        if (connection.current !== exchange) return;
        connection.current = undefined;
        connection.bytesRead = socket.bytesRead;
        this.#active.delete(socket);
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
   * Stops reading from this connection after invalid bytes. A request with an invalid body emits `malformed` when its
   * turn comes; it is not handled if a listener exists. Returns the current and the last request, or undefined if
   * reading was stopped before.
   */
  stopReading(socket: Socket, problem: AppError): Pick<Connection, 'current' | 'last'> | undefined {
    const connection = this.#connection(socket);
    if (connection.problem !== undefined) return undefined;
    connection.problem = problem;
    socket.pause();
    // A handler that reads the body of the current request would resume the socket.
    socket.on('resume', () => socket.pause());
    return connection;
  }

  /**
   * Closes connections whose callers take too few bytes of their answer (byte-credit.ts), even if they send bytes now
   * and then.
   */
  #cutOffUntaken(): void {
    const intervalMs = this.#answerTimeoutMs / LOOKS;
    for (const socket of this.#active) {
      const connection = this.#connection(socket);
      const takenBytes = socket.bytesWritten - socket.writableLength;
      const { credit } = connection;
      if (socket.writableLength === 0) {
        credit.reset();
      } else {
        credit.spend(intervalMs);
        credit.earn(takenBytes - connection.takenBytes);
      }
      connection.takenBytes = takenBytes;
      if (credit.isSpent) socket.destroy();
    }
  }

  /** Closes the connection after an answer. A caller that still sends can read the answer to its end. */
  #closeBehindAnswer(socket: Socket): void {
    const { last } = this.#connection(socket);
    if (last === undefined || last.request.complete || socket.destroyed) destroyOnceSent(socket);
    else linger(socket, last.request, this.#answerTimeoutMs);
  }

  #connection(socket: Socket): Connection {
    let connection = this.#connections.get(socket);
    if (connection === undefined) {
      connection = {
        current: undefined,
        last: undefined,
        waiting: 0,
        bytesRead: 0,
        problem: undefined,
        takenBytes: 0,
        credit: new ByteCredit(this.#answerTimeoutMs),
      };
      this.#connections.set(socket, connection);
    }
    return connection;
  }
}

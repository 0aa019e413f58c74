import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import type { AppError } from '../../lib/errors.ts';
import { ByteCredit } from './byte-credit.ts';
import { destroyOnceSent, linger } from './linger.ts';

/**
 * Most requests of one connection that may wait for the one before them. Clients that pipeline send a handful; a packet
 * holds two thousand, and each takes some kilobytes until it is answered.
 */
const MAX_WAITING = 64;

/** How many times an answer of which nothing is taken is looked at before the connection is cut off. */
const LOOKS = 4;

export interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
}

interface Connection {
  /** Request that is being answered. */
  current: Exchange | undefined;
  /** Latest request of the connection: the current one, or one that waits. */
  last: Exchange | undefined;
  waiting: number;
  /** How many bytes had been read when the last answer was done. With more, a request has begun. */
  bytesRead: number;
  /** Set once what comes is not HTTP: nothing more is read then. */
  problem: AppError | undefined;
  /** How many bytes of answers the caller had taken at the last look. */
  takenBytes: number;
  /** For how long what waits may still go untaken. */
  credit: ByteCredit;
}

/**
 * Handles the requests of a connection one after the other, each once the one before it was answered and its answer taken.
 * Node would have all that were pipelined handled at once, keep their answers, and tell none of those that wait when the
 * connection is gone (docs/adr/0014-connections.md).
 */
export class Connections {
  readonly #connections = new WeakMap<Socket, Connection>();
  readonly #sockets = new Set<Socket>();
  /** The connections with an answer under way. */
  readonly #active = new Set<Socket>();
  #isClosing = false;
  readonly #answerTimeoutMs: number;
  readonly #timer: NodeJS.Timeout;

  /** @param answerTimeoutMs how long an answer of which nothing is taken may wait before the connection is cut off */
  constructor(answerTimeoutMs: number) {
    this.#answerTimeoutMs = answerTimeoutMs;
    this.#timer = setInterval(() => this.#cutOffUntaken(), answerTimeoutMs / LOOKS).unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** For the event `connection` of the server. */
  readonly add = (socket: Socket): void => {
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    // Node calls this behind the last answer.
    socket.destroySoon = () => this.#closeBehindAnswer(socket);
  };

  /**
   * Closes the connections on which nothing is under way, now and from now on. An answer that was given but not taken yet is
   * under way: Node's own closing would cut it off.
   */
  readonly closeIdle = async (): Promise<void> => {
    this.#isClosing = true;
    // Lets Node read what has come by now: a request in it is still answered.
    await setImmediate();
    await setImmediate();
    for (const socket of this.#sockets) {
      const { current, bytesRead } = this.#connection(socket);
      if (current === undefined && socket.bytesRead === bytesRead) socket.destroy();
    }
  };

  /** Calls `handle` when it is this request's turn, and never if the connection is gone before that. */
  inTurn(request: IncomingMessage, response: ServerResponse, handle: () => void): void {
    const { socket } = request;
    const connection = this.#connection(socket);
    const exchange = { request, response };
    connection.last = exchange;
    const begin = () => {
      connection.current = exchange;
      this.#active.add(socket);
      response.once('close', () => {
        // Node begins with the next request before it tells of the end of this one.
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
   * Reads nothing more of this connection, as what comes is not HTTP. A request whose body is broken by it emits `malformed`
   * when its turn comes, and is not handled where somebody listens to that. Returns what is being answered and what came
   * last; undefined where the connection was stopped before.
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
   * Closes connections whose callers read nothing of their answer, or too little (byte-credit.ts), even if they send bytes now and
   * then.
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

  /** Closes the connection behind an answer, and lets a caller who still sends read that answer to its end. */
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

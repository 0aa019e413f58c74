import { once } from 'node:events';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLegacySystem, type LegacyUser } from '../examples/legacy-system.ts';

const FAULTY_SHARE = 0.05;
/** Share of calls that stall while `stalls` is `some`. */
const STALLED_SHARE = 0.1;
const STALL_MS = 3000;

type Fault = (request: IncomingMessage, response: ServerResponse) => void;

const FAULTS: readonly Fault[] = [
  (_, response) => void response.writeHead(503).end(),
  ({ socket }) => void socket.resetAndDestroy(),
  (_, response) => void response.end('<html>Maintenance</html>'),
  // Half of an answer.
  (_, response) => {
    response.writeHead(200, { 'content-length': '100' }).write('{"status":"WRONG_CREDENTIALS"');
    setTimeout(() => response.destroy(), 20);
  },
];

/** The example of a legacy system. One call in twenty fails, and calls stall if they are to. */
export class FaultyLegacySystem {
  readonly counts = { answered: 0, failed: 0, stalled: 0 };
  stalls: 'none' | 'some' | 'all' = 'none';
  readonly #server: Server;
  readonly #answer: RequestListener;

  constructor(users: ReadonlyMap<string, LegacyUser>, secret: string) {
    this.#server = createLegacySystem(users, secret);
    const [answer] = this.#server.listeners('request');
    this.#answer = answer as RequestListener;
    this.#server.removeAllListeners('request');
    this.#server.on('request', (request, response) => void this.#receive(request, response));
  }

  /** Returns the URL. */
  async listen(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (this.stalls === 'all' || (this.stalls === 'some' && Math.random() < STALLED_SHARE)) {
      this.counts.stalled += 1;
      await sleep(STALL_MS);
    }
    if (Math.random() < FAULTY_SHARE) {
      this.counts.failed += 1;
      FAULTS[Math.floor(Math.random() * FAULTS.length)]?.(request, response);
    } else {
      this.counts.answered += 1;
      this.#answer(request, response);
    }
  }
}

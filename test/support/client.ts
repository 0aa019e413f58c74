import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import bcrypt from 'bcrypt';
import { waitUntil } from '../faults/postgres.ts';
import { type AnswerBody, API_KEY } from './app.ts';
import { IMPORT } from './service-calls.ts';

export interface Reply {
  status: number;
  headers: IncomingHttpHeaders;
  body: AnswerBody;
}

/** HTTP client with at most `sockets` keep-alive connections. */
export class Client {
  readonly #agent: Agent;
  readonly #url: string;
  readonly #key: string;

  constructor(url: string, sockets: number, key = API_KEY) {
    this.#url = url;
    this.#key = key;
    this.#agent = new Agent({ keepAlive: true, maxSockets: sockets });
  }

  /**
   * Sends a request with the API key. Text is sent as it is, anything else as JSON.
   * @throws if the connection breaks
   */
  send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Reply> {
    const payload = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
    return new Promise((resolve, reject) => {
      const request = httpRequest(this.#url + path, {
        method,
        agent: this.#agent,
        headers: {
          'api-key': this.#key,
          ...(payload !== undefined && {
            'content-type': 'application/json',
            'content-length': Buffer.byteLength(payload),
          }),
          ...headers,
        },
      });
      request.once('error', reject);
      request.once('response', (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk) => {
          text += chunk;
        });
        response.once('error', reject);
        response.once('end', () => {
          const isJson = response.headers['content-type']?.startsWith('application/json');
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: isJson ? JSON.parse(text) : ({} as AnswerBody),
          });
        });
      });
      request.end(payload);
    });
  }

  /** Returns a client with a connection of its own. */
  another(): Client {
    return new Client(this.#url, 1, this.#key);
  }

  close(): void {
    this.#agent.destroy();
  }
}

const PASSWORDS = Array.from({ length: 8 }, (_, index) => `password ${index}`);
const HASHES = PASSWORDS.map((password) => bcrypt.hashSync(password, 4));

/** Returns the import of user `index`, always the same one. */
export function importOf(index: number): { email: string; password: string; passwordHash: string } {
  const [password = '', passwordHash = ''] = [PASSWORDS[index % 8], HASHES[index % 8]];
  return { email: `user-${index}@example.com`, password, passwordHash };
}

/**
 * Sends the imports of users 0 to `count`. Resolves with their pending answers once the service has read all
 * requests and `blocked` statements wait. A connection that is not yet accepted, or a request that is not yet
 * read, is not in flight: the service may drop it when it stops.
 */
export async function sendBlocked(
  client: Client,
  count: number,
  blocked: () => Promise<number>,
): Promise<Promise<Reply>[]> {
  await Promise.all(Array.from({ length: count }, () => client.send('GET', '/hello')));
  const replies = Array.from({ length: count }, (_, index) => client.send('POST', IMPORT, importOf(index)));
  await waitUntil(async () => (await blocked()) > 0);
  // Once this request is answered, everything sent before it has been read.
  const barrier = client.another();
  await barrier.send('GET', '/hello');
  barrier.close();
  return replies;
}

/** Imports users in a loop over `connections` connections, until it is stopped or the service is gone. */
export class ImportLoad {
  /** Users whose import was answered with 200. */
  readonly acknowledged: number[] = [];
  /** All other answers. */
  readonly refused: Reply[] = [];
  #next = 0;
  #stopping = false;
  readonly #done: Promise<unknown>;

  constructor(client: Client, connections: number) {
    const workers = Array.from({ length: connections }, () => this.#work(client));
    this.#done = Promise.all(workers);
  }

  async #work(client: Client): Promise<void> {
    while (!this.#stopping) {
      const index = this.#next;
      this.#next += 1;
      const { email, passwordHash } = importOf(index);
      try {
        const reply = await client.send('POST', IMPORT, { email, passwordHash });
        if (reply.status === 200) this.acknowledged.push(index);
        else this.refused.push(reply);
      } catch {
        return;
      }
    }
  }

  /** Stops sending. Resolves when the last answer has arrived. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await this.#done;
  }

  /** Resolves when every connection has broken. */
  async broken(): Promise<void> {
    await this.#done;
  }
}

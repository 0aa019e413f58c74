import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import bcrypt from 'bcrypt';

/** Password of all users of the load. */
export const PASSWORD = 'password';
export const HASH = bcrypt.hashSync(PASSWORD, 4);

/** A failed request. */
export interface Failure {
  call: string;
  /** Status and code of the answer, or the code of the error that broke the connection. */
  what: string;
  /** Retry-After header of the answer. */
  retryAfter: string | undefined;
  /** Time of the failure, by `performance.now()`. */
  atMs: number;
}

/** Members of the answers that the load checks. */
interface Answer {
  status: string;
  code?: string;
  user?: { id: string };
  createdNewUser?: boolean;
}

/**
 * Callers that import a user, sign it in, read it and create a third-party user, in a loop and without
 * pauses. Half of them keep their connection, the others open a new one for each request. An answer counts
 * only if its content is as expected.
 */
export class MixedLoad {
  readonly #url: string;
  readonly #key: string;
  readonly #callers: Promise<void>[];
  readonly #name: string;
  readonly #pauseMs: number;
  readonly #isSentAgain: boolean;
  #isStopping = false;
  #users = 0;
  requests = 0;
  longestMs = 0;
  readonly failures: Failure[] = [];
  /** E-mails whose import was answered, and third-party users whose creation was answered. */
  readonly imported: string[] = [];
  readonly created: string[] = [];

  /**
   * @param name prefix of the load's users, different from that of earlier loads
   * @param pauseMs pause of a caller between two requests
   * @param isSentAgain whether a failed import is sent again until it succeeds
   */
  constructor(
    url: string,
    key: string,
    connections: number,
    { name = 'load', pauseMs = 0, isSentAgain = false } = {},
  ) {
    this.#url = url;
    this.#key = key;
    this.#name = name;
    this.#pauseMs = pauseMs;
    this.#isSentAgain = isSentAgain;
    this.#callers = Array.from({ length: connections }, (_, index) => this.#work(index % 2 === 0));
  }

  /** Stops sending. Resolves when the last answer has arrived. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await Promise.all(this.#callers);
  }

  async #work(keepAlive: boolean): Promise<void> {
    const agent = new Agent({ keepAlive, maxSockets: 1 });
    while (!this.#isStopping) {
      this.#users += 1;
      const who = `${this.#name}-${this.#users}`;
      const email = `${who}@example.com`;
      const post = (call: string, path: string, body: unknown, isRight: (answer: Answer) => boolean) =>
        this.#call(agent, call, 'POST', path, JSON.stringify(body), isRight);

      const user = { email, passwordHash: HASH };
      let id: string | undefined;
      do {
        id = (await post('import', '/recipe/user/passwordhash/import', user, isUser))?.user?.id;
      } while (id === undefined && this.#isSentAgain && !this.#isStopping);
      if (id !== undefined) {
        this.imported.push(email);
        const isThisOne = (answer: Answer) => isUser(answer) && answer.user?.id === id;
        await post('sign-in', '/recipe/signin', { email, password: PASSWORD }, isThisOne);
        await this.#call(agent, 'get user', 'GET', `/user/id?userId=${id}`, '', isThisOne);
      }
      const identity = { thirdPartyId: 'google', thirdPartyUserId: who, email: { id: email } };
      const isNew = (answer: Answer) => isUser(answer) && answer.createdNewUser === true;
      if (await post('third-party user', '/recipe/signinup', identity, isNew)) this.created.push(who);
    }
    agent.destroy();
  }

  /** Returns the answer, or undefined if the request failed. Failures are recorded. */
  async #call(
    agent: Agent,
    call: string,
    method: string,
    path: string,
    body: string,
    isRight: (answer: Answer) => boolean,
  ): Promise<Answer | undefined> {
    if (this.#pauseMs > 0) await sleep(this.#pauseMs);
    this.requests += 1;
    const startMs = performance.now();
    const headers = { 'api-key': this.#key, ...(body !== '' && { 'content-type': 'application/json' }) };
    const { status, text, retryAfter } = await send(`${this.#url}${path}`, { method, agent, headers }, body);
    const atMs = performance.now();
    this.longestMs = Math.max(this.longestMs, atMs - startMs);
    const answer = parse(text);
    if (status === 200 && answer !== undefined && isRight(answer)) return answer;
    this.failures.push({
      call,
      what: status === 0 ? text : `${status} ${answer?.code ?? answer?.status ?? ''}`,
      retryAfter,
      atMs,
    });
    return undefined;
  }
}

const isUser = ({ status, user }: Answer) => status === 'OK' && user !== undefined;

/** Resolves with status 0 and the code of the error if the connection breaks. */
function send(
  url: string,
  options: { method: string; agent: Agent; headers: Record<string, string> },
  body: string,
): Promise<{ status: number; text: string; retryAfter?: string | undefined }> {
  return new Promise((resolve) => {
    const broke = (error: NodeJS.ErrnoException) => resolve({ status: 0, text: error.code ?? error.message });
    const sent = request(url, options, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (piece) => {
        text += piece;
      });
      response.once('error', broke);
      const retryAfter = response.headers['retry-after'];
      response.once('end', () => resolve({ status: response.statusCode ?? 0, text, retryAfter }));
    });
    sent.once('error', broke);
    sent.end(body);
  });
}

/** Returns undefined for a body that is not JSON, such as a page of a load balancer. */
function parse(text: string): Answer | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

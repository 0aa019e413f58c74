import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { API_KEY } from './app.ts';
import { NDJSON, type Report, readReport } from './ndjson.ts';

/** A streamed import on a socket of its own: what is sent and what comes back flow at the same time. */
export class ImportStream {
  readonly #request: ClientRequest;
  readonly #response: Promise<IncomingMessage>;
  /** What came so far. */
  text = '';
  /** Resolves when nothing more can come. */
  readonly closed: Promise<unknown>;

  /** @param reads whether the answer is read as it comes; if not, call `read` */
  constructor(url: string, query = '', { reads = true } = {}) {
    this.#request = request(`${url}/bulk-import/stream${query}`, {
      method: 'POST',
      agent: false,
      headers: { 'api-key': API_KEY, 'content-type': NDJSON },
    });
    this.#request.flushHeaders();
    this.#response = once(this.#request, 'response').then(([response]) => response);
    // `closed` tells of both: a response that never comes, and a broken connection.
    this.#response.catch(() => {});
    this.#request.on('error', () => {});
    this.closed = new Promise((resolve) => {
      this.#request.once('close', resolve);
    });
    if (reads) void this.read();
  }

  async read(): Promise<void> {
    const response = await this.#response.catch(() => undefined);
    if (response === undefined) return;
    response.setEncoding('utf8');
    response.on('error', () => {});
    response.on('data', (text) => {
      this.text += text;
    });
    response.once('end', () => {
      // The service may answer before all is sent, and reads no further then.
      if (!this.#request.writableFinished) this.#request.destroy();
    });
  }

  get response(): Promise<IncomingMessage> {
    return this.#response;
  }

  /** Bytes that were written here and that the socket has not taken yet. */
  get waitingBytes(): number {
    return this.#request.writableLength;
  }

  /** Returns false when no more should be written until `drained`. */
  write(lines: string | Buffer): boolean {
    return this.#request.write(lines);
  }

  /** Resolves when there is room for more, or the connection is gone. */
  async drained(): Promise<void> {
    await Promise.race([once(this.#request, 'drain').catch(() => {}), this.closed]);
  }

  end(lines = ''): this {
    this.#request.end(lines);
    return this;
  }

  get report(): Report {
    return readReport(this.text);
  }

  /** Resolves to the whole response, once it has ended or broken off. */
  async finished(): Promise<Report> {
    await this.closed;
    return this.report;
  }

  /** Hangs up. */
  destroy(): void {
    this.#request.destroy();
  }
}

/** Sends all lines that there are, as fast as they are taken, or until the connection is gone. */
export async function sendAll(stream: ImportStream, pieces: Iterable<string>): Promise<void> {
  let isGone = false;
  void stream.closed.then(() => {
    isGone = true;
  });
  for (const piece of pieces) {
    if (isGone) return;
    if (!stream.write(piece)) await stream.drained();
  }
  stream.end();
}

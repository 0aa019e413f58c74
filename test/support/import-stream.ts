import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { API_KEY } from './app.ts';
import { NDJSON, type Report, readReport } from './ndjson.ts';

/** A streamed import on its own socket. Sending and receiving happen at the same time. */
export class ImportStream {
  readonly #request: ClientRequest;
  readonly #response: Promise<IncomingMessage>;
  /** The part of the response received so far. */
  text = '';
  /** Resolves when the connection is closed. */
  readonly closed: Promise<unknown>;

  /** @param reads whether to read the response as it arrives; if false, the test calls `read` */
  constructor(url: string, query = '', { reads = true } = {}) {
    this.#request = request(`${url}/bulk-import/stream${query}`, {
      method: 'POST',
      agent: false,
      headers: { 'api-key': API_KEY, 'content-type': NDJSON },
    });
    this.#request.flushHeaders();
    this.#response = once(this.#request, 'response').then(([response]) => response);
    // `closed` also covers a response that never arrives and a broken connection.
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
      // The service may respond before it has read the whole request, and then stops reading.
      if (!this.#request.writableFinished) this.#request.destroy();
    });
  }

  get response(): Promise<IncomingMessage> {
    return this.#response;
  }

  /** Bytes that were written here and not yet accepted by the socket. */
  get waitingBytes(): number {
    return this.#request.writableLength;
  }

  /** Returns false if the caller should wait for `drained` before it writes more. */
  write(lines: string | Buffer): boolean {
    return this.#request.write(lines);
  }

  /** Resolves when more can be written, or when the connection is gone. */
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

  /** Resolves to the report, complete or not, when the connection is closed. */
  async finished(): Promise<Report> {
    await this.closed;
    return this.report;
  }

  /** Closes the connection at once. */
  destroy(): void {
    this.#request.destroy();
  }
}

/** Sends all pieces as fast as they are accepted. Stops if the connection is gone. */
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

import { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';

export interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer | Readable;
}

/** Answers with status 204 or 304 have no body, whatever their headers say. */
const isBodiless = (status: number) => status === 204 || status === 304;

export interface ReaderOptions {
  method: string;
  /** Bytes up to which an answer is read completely, however slowly the caller takes it. */
  wholeBytes: number;
  /**
   * Called for a longer answer, which is then streamed unless this throws. Returns a function to call when the
   * answer needs its connection no longer.
   */
  onLong(): () => void;
}

/** undici's own `request` creates a stream for each answer, which takes longer than the rest of a call. */
export class AnswerReader implements Dispatcher.DispatchHandler {
  /** Resolves when the core's answer can be passed on: complete if it is short, otherwise as a stream. */
  readonly answer: Promise<Answer>;
  readonly #options: ReaderOptions;
  #resolve!: (answer: Answer) => void;
  #reject!: (reason: unknown) => void;
  #controller: Dispatcher.DispatchController | undefined;
  #abortReason: Error | undefined;
  #status = 0;
  #headers: Answer['headers'] = {};
  #chunks: Buffer[] = [];
  #length = 0;
  #body: Readable | undefined;
  #onFree: () => void = () => {};

  constructor(options: ReaderOptions) {
    this.#options = options;
    this.answer = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  get abortReason(): Error | undefined {
    return this.#abortReason;
  }

  /** Aborts the call to the core. Has no effect after its end. */
  abort(reason: Error): void {
    this.#abortReason ??= reason;
    this.#controller?.abort(reason);
    this.#reject(reason);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // The caller may have aborted the call while it waited for a connection to the core.
    if (this.#abortReason !== undefined) controller.abort(this.#abortReason);
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: Answer['headers'],
  ): void {
    // A status below 200, such as 103, is preliminary. The final answer follows.
    if (status < 200) return;
    this.#status = status;
    this.#headers = headers;
    const isBodied = this.#options.method !== 'HEAD' && !isBodiless(status);
    if (isBodied && Number(headers['content-length'] ?? 0) > this.#options.wholeBytes)
      this.#stream(controller);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#abortReason !== undefined) return;
    if (this.#body !== undefined) {
      if (!this.#body.push(chunk)) controller.pause();
      return;
    }
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    if (this.#length > this.#options.wholeBytes) this.#stream(controller);
  }

  onResponseEnd(): void {
    this.#onFree();
    if (this.#body !== undefined) {
      this.#body.push(null);
      return;
    }
    const [first, ...others] = this.#chunks;
    const body = first === undefined || others.length > 0 ? Buffer.concat(this.#chunks) : first;
    this.#resolve({ status: this.#status, headers: this.#headers, body });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#onFree();
    this.#body?.destroy(error);
    this.#reject(error);
  }

  /** Passes on what has arrived, and then the rest as the caller takes it. */
  #stream(controller: Dispatcher.DispatchController): void {
    try {
      this.#onFree = this.#options.onLong();
    } catch (reason) {
      this.abort(reason as Error);
      return;
    }
    const body = new Readable({
      read: () => controller.resume(),
      destroy: (error, done) => {
        controller.abort(error ?? new Error('the rest of the answer is not needed'));
        done(error);
      },
    });
    this.#body = body;
    for (const chunk of this.#chunks.splice(0)) if (!body.push(chunk)) controller.pause();
    this.#resolve({ status: this.#status, headers: this.#headers, body });
  }
}

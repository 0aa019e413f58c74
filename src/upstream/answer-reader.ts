import { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';

/** Bytes of an answer that is read completely. Longer ones, and those of unknown length, are streamed. */
const MAX_WHOLE = 64 * 1024;

export interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer | Readable;
}

/** Answers with status 204 or 304 have no body, whatever their headers say. */
const isBodiless = (status: number) => status === 204 || status === 304;

/** undici's own `request` creates a stream for each answer, which takes longer than the rest of a call. */
export class AnswerReader implements Dispatcher.DispatchHandler {
  /** Resolves when the core's answer can be passed on: complete if it is short, otherwise as a stream. */
  readonly answer: Promise<Answer>;
  readonly #method: string;
  #resolve!: (answer: Answer) => void;
  #reject!: (reason: unknown) => void;
  #controller: Dispatcher.DispatchController | undefined;
  #abortReason: Error | undefined;
  #status = 0;
  #headers: Answer['headers'] = {};
  #chunks: Buffer[] = [];
  #stream: Readable | undefined;

  constructor(method: string) {
    this.#method = method;
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
    const length = headers['content-length'];
    if (
      this.#method === 'HEAD' ||
      isBodiless(status) ||
      (length !== undefined && Number(length) <= MAX_WHOLE)
    )
      return;
    this.#stream = new Readable({
      read: () => controller.resume(),
      destroy: (error, done) => {
        controller.abort(error ?? new Error('the rest of the answer is not needed'));
        done(error);
      },
    });
    this.#resolve({ status, headers, body: this.#stream });
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#stream === undefined) this.#chunks.push(chunk);
    else if (!this.#stream.push(chunk)) controller.pause();
  }

  onResponseEnd(): void {
    if (this.#stream !== undefined) {
      this.#stream.push(null);
      return;
    }
    const [first, ...others] = this.#chunks;
    const body = first === undefined || others.length > 0 ? Buffer.concat(this.#chunks) : first;
    this.#resolve({ status: this.#status, headers: this.#headers, body });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#stream?.destroy(error);
    this.#reject(error);
  }
}

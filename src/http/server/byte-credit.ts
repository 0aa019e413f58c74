/**
 * For sending a streamed body and for reading an answer. Reading an export at one user per second is fast
 * enough; sending a byte now and then to keep the connection is not.
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

/**
 * Fewest bytes a second, on average, that a caller must send of a streamed body, or take of an answer that waits for it. An export
 * that is read a user a second passes. A caller who keeps a place with a byte now and then does not.
 */
export const LEAST_BYTES_PER_SECOND = 100;

/**
 * The time for which a caller may still keep this service waiting. It begins with `limitMs` and is never more: waiting spends it,
 * and each byte earns a hundredth of a second.
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

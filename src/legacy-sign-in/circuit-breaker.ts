/**
 * Number of recent calls to the legacy system that the circuit breaker remembers, and number of failures
 * among them that opens it.
 */
const WINDOW = 20;
const MAX_FAULTS = 10;

/**
 * Milliseconds for which an open circuit breaker permits no call. After that, it permits one call as a test.
 */
const OPEN_MS = 10_000;

export interface BreakerDeps {
  now(): number;
  /**
   * Called when the breaker opens, so that no more calls are made. Called again only after the breaker has
   * closed.
   */
  onOpen(reason: string): void;
  onClose(): void;
}

/** Stops calls to a legacy system while most of them fail, so that callers get an error without waiting. */
export class CircuitBreaker {
  readonly #deps: BreakerDeps;
  #recent: boolean[] = [];
  #openedAtMs: number | undefined;
  #isTrying = false;

  constructor(deps: BreakerDeps) {
    this.#deps = deps;
  }

  /**
   * Whether the breaker is open: too many of the recent calls failed, and no test call has succeeded since.
   */
  get isOpen(): boolean {
    return this.#openedAtMs !== undefined;
  }

  /**
   * Whether `permits` would return true now. Unlike `permits`, does not count as the test call of an open
   * breaker.
   */
  get wouldPermit(): boolean {
    if (this.#openedAtMs === undefined) return true;
    return !this.#isTrying && this.#deps.now() - this.#openedAtMs >= OPEN_MS;
  }

  /**
   * Returns whether the legacy system may be called now. Each permitted call must be followed by `succeeded`
   * or `failed`.
   */
  permits(): boolean {
    if (!this.wouldPermit) return false;
    this.#isTrying = this.#openedAtMs !== undefined;
    return true;
  }

  succeeded(): void {
    this.#add(true);
    if (this.#openedAtMs === undefined) return;
    this.#openedAtMs = undefined;
    this.#isTrying = false;
    this.#recent = [];
    this.#deps.onClose();
  }

  failed(reason: string): void {
    this.#add(false);
    if (this.#openedAtMs !== undefined) {
      if (this.#isTrying) this.#openedAtMs = this.#deps.now();
      this.#isTrying = false;
    } else if (this.#recent.filter((isWell) => !isWell).length >= MAX_FAULTS) {
      this.#openedAtMs = this.#deps.now();
      this.#deps.onOpen(reason);
    }
  }

  #add(isWell: boolean): void {
    this.#recent.push(isWell);
    if (this.#recent.length > WINDOW) this.#recent.shift();
  }
}

/** The breaker opens after MAX_FAULTS failures among the last WINDOW calls to the legacy system. */
const WINDOW = 20;
const MAX_FAULTS = 10;

/** Milliseconds until an open breaker permits one call as a test. */
const OPEN_MS = 10_000;

export interface BreakerDeps {
  now(): number;
  /** Called when the breaker opens, and again only after it has closed. */
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

  get isOpen(): boolean {
    return this.#openedAtMs !== undefined;
  }

  /** Result that `permits` would return, without counting as the test call of an open breaker. */
  get wouldPermit(): boolean {
    if (this.#openedAtMs === undefined) return true;
    return !this.#isTrying && this.#deps.now() - this.#openedAtMs >= OPEN_MS;
  }

  /** Each permitted call must be followed by `succeeded` or `failed`. */
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

import type { ImportHistory } from './import-history.ts';

/** How often it looks, give or take a fifth: instances that start together then do not look together. */
const INTERVAL_MS = 60 * 60 * 1000;

export interface ImportExpiryDeps {
  imports: Pick<ImportHistory, 'expire'>;
  /** For how long what imports did is kept on record. */
  days: number;
  onError(error: unknown): void;
}

/** Forgets what imports replaced once it is too old to be restored. Any number of instances may share a database. */
export class ImportExpiry {
  readonly #deps: ImportExpiryDeps;
  #round: Promise<void> | undefined;
  #isStopped = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(deps: ImportExpiryDeps) {
    this.#deps = deps;
  }

  /** Looks now, and from then on every hour. */
  start(): void {
    this.#round = this.#work();
  }

  /** Finishes the statement in hand. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#round;
  }

  async #work(): Promise<void> {
    const { imports, days, onError } = this.#deps;
    try {
      while (!this.#isStopped && (await imports.expire(days)) > 0);
    } catch (error) {
      onError(error);
    }
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => this.start(), INTERVAL_MS * (0.8 + Math.random() * 0.4)).unref();
  }
}

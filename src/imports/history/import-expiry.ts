import { Poller } from '../../lib/async/poller.ts';
import type { ImportHistory } from './import-history.ts';

/** How often it looks: what it forgets is days old. */
const INTERVAL_MS = 60 * 60 * 1000;

export interface ImportExpiryDeps {
  imports: Pick<ImportHistory, 'expire'>;
  /** For how long what imports did is kept on record. */
  days: number;
  onError(error: unknown): void;
}

/** Forgets what imports replaced once it is too old to be restored. Any number of instances may share a database. */
export class ImportExpiry {
  readonly #poller: Poller;

  constructor({ imports, days, onError }: ImportExpiryDeps) {
    this.#poller = new Poller({
      pauseMs: INTERVAL_MS,
      onError,
      work: async () => {
        while (!this.#poller.isStopped && (await imports.expire(days)) > 0);
      },
    });
  }

  /** Looks now, and from then on every hour. */
  start(): void {
    this.#poller.start();
  }

  /** Finishes the statement in hand. */
  stop(): Promise<void> {
    return this.#poller.stop();
  }
}

import { Poller } from '../../lib/async/poller.ts';
import type { ImportHistory } from './import-history.ts';

/** Records expire after days, so an hour is often enough. */
const INTERVAL_MS = 60 * 60 * 1000;

export interface ImportExpiryDeps {
  imports: Pick<ImportHistory, 'expire'>;
  days: number;
  onError(error: unknown): void;
}

/** Deletes the records needed to roll back imports that are older than `days` (import_undo_days). */
export function createImportExpiry({ imports, days, onError }: ImportExpiryDeps): Poller {
  const poller: Poller = new Poller({
    pauseMs: INTERVAL_MS,
    onError,
    work: async () => {
      while (!poller.isStopped && (await imports.expire(days)) > 0);
    },
  });
  return poller;
}

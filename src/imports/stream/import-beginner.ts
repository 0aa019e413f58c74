import { setImmediate } from 'node:timers/promises';
import { AppError, type ErrorCode } from '../../lib/errors.ts';
import type { ImportRequest } from '../import-request.ts';
import type { ImportStore, NotBegun, Run } from '../import-store.ts';

/** Serves requests with the same import id in the order of arrival, so that the last one may write. */
export class ImportBeginner {
  readonly #imports: Pick<ImportStore, 'begin'>;
  readonly #last = new Map<string, Promise<unknown>>();

  constructor(imports: Pick<ImportStore, 'begin'>) {
    this.#imports = imports;
  }

  /**
   * @throws {AppError} if the import cannot be resumed
   * @throws the reason of the signal if it aborts first
   */
  async begin(request: ImportRequest, signal?: AbortSignal): Promise<Run> {
    const { importId } = request;
    const begun = (this.#last.get(importId) ?? Promise.resolve()).then(() => this.#begin(request, signal));
    const settled = begun.catch(() => {});
    this.#last.set(importId, settled);
    try {
      return await begun;
    } finally {
      if (this.#last.get(importId) === settled) this.#last.delete(importId);
    }
  }

  async #begin(request: ImportRequest, signal: AbortSignal | undefined): Promise<Run> {
    // A disconnected client must not take the import over from the client that resumes it. Node.js notices a
    // disconnect when it polls its sockets, which happens between two immediates.
    await setImmediate();
    await setImmediate();
    signal?.throwIfAborted();
    const run = await this.#imports.begin(request);
    if (typeof run === 'string') throw new AppError(...NOT_BEGUN[run]);
    return run;
  }
}

const NOT_BEGUN: Record<NotBegun, [code: ErrorCode, message: string]> = {
  'other-options': [
    'IMPORT_OPTIONS_DIFFER',
    'An import with this importId was begun with other options: resume it with the same dryRun, onConflict, hashingSecretId, matchBy, source and trustExternalIds',
  ],
  'rolled-back': [
    'IMPORT_ROLLED_BACK',
    'The import with this importId was rolled back: send the lines under another importId',
  ],
  expired: [
    'IMPORT_EXPIRED',
    'The import with this importId is too old to be resumed (import_undo_days): send the lines under another importId',
  ],
};

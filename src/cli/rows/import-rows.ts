import { partIdsOf } from '../parts.ts';
import { findImport } from '../service-client/import-record.ts';
import { withRetries } from '../service-client/with-retries.ts';
import { DuplicatesInDryRun } from './feed-rows.ts';
import type { ImportedRows, RowImport } from './row-import.ts';
import { sendRows } from './send-rows.ts';
import type { VerdictCounts } from './verdict-counts.ts';

/**
 * Sends all rows again after a failure that may pass. The service skips lines that it has already processed.
 * @throws {ServiceProblem} if the import cannot be finished
 * @throws {CliError} after Ctrl-C, once the rows that were sent are answered
 */
export async function importRows(work: RowImport): Promise<ImportedRows> {
  let { parallel } = work;
  let begun: Begun | undefined;
  let most = 0;
  return withRetries({ ...work.retry, signal: work.interrupted }, async (progressed) => {
    const onProgress = (verdicts: VerdictCounts) => {
      work.onProgress(verdicts);
      if (verdicts.rows <= most) return;
      most = verdicts.rows;
      progressed();
    };
    const attempt = async (): Promise<ImportedRows> => {
      const importId = work.importId();
      begun = await lookUp(work, partIdsOf(importId, parallel), begun);
      const { isResumed } = begun;
      return { ...(await sendRows({ ...work, parallel, onProgress }, importId)), isResumed };
    };
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof DuplicatesInDryRun)) throw error;
      parallel = 1;
      return await attempt();
    }
  });
}

interface Begun {
  isResumed: boolean;
}

/** @param before the result of an earlier attempt; then the call only checks that the service answers */
async function lookUp(
  { addresses, timeoutMs, interrupted }: RowImport,
  ids: readonly string[],
  before: Begun | undefined,
): Promise<Begun> {
  let isResumed = false;
  for (const id of before === undefined ? ids : ids.slice(0, 1)) {
    const record = await addresses.ask(0, (service) =>
      findImport(service, id, { timeoutMs, signal: interrupted }),
    );
    isResumed ||= record !== undefined;
  }
  return before ?? { isResumed };
}

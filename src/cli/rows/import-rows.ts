import { partIdsOf } from '../parts.ts';
import { findImport } from '../service/import-record.ts';
import { retrying } from '../service/retrying.ts';
import { RowsMeet } from './feed-rows.ts';
import type { Outcomes } from './outcomes.ts';
import type { ImportedRows, RowImport } from './row-import.ts';
import { sendRows } from './send-rows.ts';

/**
 * Sends all rows that are to be imported, again and again until the service has come to the end of them: it does no line twice.
 * @throws {ServiceProblem} where it does not come to the end
 * @throws {Stopped} after Ctrl-C, once what was sent is answered
 */
export async function importRows(work: RowImport): Promise<ImportedRows> {
  let { parallel } = work;
  let begun: Begun | undefined;
  let most = 0;
  return retrying({ ...work.retry, signal: work.interrupted }, async (progressed) => {
    const onProgress = (outcomes: Outcomes) => {
      work.onProgress(outcomes);
      if (outcomes.rows <= most) return;
      most = outcomes.rows;
      progressed();
    };
    const attempt = async (): Promise<ImportedRows> => {
      const importId = work.importId();
      begun = await lookUp(work, partIdsOf(importId, parallel), begun);
      const { nowMs, isResumed } = begun;
      return { ...(await sendRows({ ...work, parallel, onProgress }, importId, nowMs)), isResumed };
    };
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof RowsMeet)) throw error;
      parallel = 1;
      return await attempt();
    }
  });
}

interface Begun {
  /** The time decides which bans are over: a run that goes on must have the one of the run before. */
  nowMs: number;
  isResumed: boolean;
}

/** @param before what is known since the first attempt: then it is only asked whether the service is there */
async function lookUp(
  { addresses, timeoutMs, interrupted }: RowImport,
  ids: readonly string[],
  before: Begun | undefined,
): Promise<Begun> {
  const times: number[] = [];
  let isResumed = false;
  for (const id of before === undefined ? ids : ids.slice(0, 1)) {
    const record = await addresses.ask(0, (service) =>
      findImport(service, id, { timeoutMs, signal: interrupted }),
    );
    isResumed ||= record !== undefined;
    if (typeof record?.startedAt === 'number') times.push(record.startedAt);
  }
  return before ?? { nowMs: times.length > 0 ? Math.min(...times) : Date.now(), isResumed };
}

import { isJsonObject, type JsonObject } from '../../imports/input/json-object.ts';
import type { ServiceAddress } from '../options/service-options.ts';
import { Stopped } from '../stopped.ts';
import { callService } from './call-service.ts';
import { SHORT_TIMEOUT_MS } from './open-request.ts';
import { garbled } from './service-problem.ts';

/** Asked for at a time. */
const PAGE = 500;

/** The service knows nothing of an import of this id. */
export class UnknownImport extends Error {}

export interface FailureQuery {
  importId: string;
  /** Only failures with this code. */
  code: string | undefined;
  /** How many will be looked at, at most. */
  limit: number;
}

/**
 * The lines of an import that the service refused, in order.
 * @throws {Stopped} where it knows them no more
 * @throws {UnknownImport}
 */
export async function* listFailures(
  service: ServiceAddress,
  { importId, code, limit }: FailureQuery,
): AsyncGenerator<JsonObject> {
  for (let cursor: string | undefined; ; ) {
    const query = new URLSearchParams({
      limit: String(Math.min(PAGE, limit)),
      ...(code !== undefined && { code }),
      ...(cursor !== undefined && { cursor }),
    });
    const path = `/bulk-import/imports/${importId}/failures?${query}`;
    const answer = await callService(service, path, { timeoutMs: SHORT_TIMEOUT_MS });
    if (answer.status === 'IMPORT_EXPIRED_ERROR')
      throw new Stopped('It is too old: its failures are on record no more (import_undo_days).');
    if (answer.status !== 'OK') throw new UnknownImport();
    yield* (Array.isArray(answer.failures) ? answer.failures : []).filter(isJsonObject);
    if (typeof answer.nextCursor !== 'string') return;
    // It is the number of a line. One that does not come behind the last would be asked for again and again.
    if (!(Number(answer.nextCursor) > Number(cursor ?? 0))) throw garbled();
    cursor = answer.nextCursor;
  }
}

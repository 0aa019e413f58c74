import { isJsonObject, type JsonObject } from '../../lib/json/json-object.ts';
import { CliError } from '../cli-error.ts';
import type { ServiceAddress } from '../options/service-options.ts';
import { callService } from './call-service.ts';
import { SHORT_TIMEOUT_MS } from './open-request.ts';
import { unintelligibleAnswer } from './service-problem.ts';

const PAGE = 500;

export class UnknownImport extends Error {}

export interface FailureQuery {
  importId: string;
  code: string | undefined;
  limit: number;
}

/**
 * Yields the lines of an import that the service refused, in order.
 * @throws {CliError} if the service has deleted its records of them
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
      throw new CliError(
        `Import ${importId} finished more than import_undo_days ago; the service has deleted its failures.`,
      );
    if (answer.status !== 'OK') throw new UnknownImport();
    yield* (Array.isArray(answer.failures) ? answer.failures : []).filter(isJsonObject);
    if (typeof answer.nextCursor !== 'string') return;
    // The cursor is a line number and must increase. Otherwise this loop could run for ever.
    if (!(Number(answer.nextCursor) > Number(cursor ?? 0))) throw unintelligibleAnswer();
    cursor = answer.nextCursor;
  }
}

import { isJsonObject, type JsonObject } from '../../lib/json/json-object.ts';
import type { ServiceAddress } from '../options/service-options.ts';
import { type CallOptions, callService } from './call-service.ts';

/** @throws {ServiceProblem} */
export async function findImport(
  service: ServiceAddress,
  importId: string,
  options: Pick<CallOptions, 'timeoutMs' | 'signal'>,
): Promise<JsonObject | undefined> {
  const answer = await callService(service, `/bulk-import/imports/${encodeURIComponent(importId)}`, options);
  return isJsonObject(answer.import) ? answer.import : undefined;
}

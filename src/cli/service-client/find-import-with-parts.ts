import { isJsonObject, type JsonObject } from '../../lib/json/json-object.ts';
import type { ServiceAddress } from '../options/service-options.ts';
import { readPartId } from '../parts.ts';
import { type CallOptions, callService } from './call-service.ts';
import { findImport } from './import-record.ts';
import { unintelligibleAnswer } from './service-problem.ts';
import { sumRecords } from './sum-records.ts';

/** Number of imports in each page of the list, the maximum that the service allows. */
const PAGE = 500;

/** An import that was sent whole, or in parts that each have an import id of their own (--parallel). */
export interface ImportWithParts {
  parallel: number;
  /** The service's record of the import. For several parts, it is the sum over them. */
  record: JsonObject;
  /** The service's imports of the parts. The part of duplicate rows comes last. */
  parts: readonly { importId: string; part: number; record: JsonObject }[];
}

type Options = Pick<CallOptions, 'timeoutMs' | 'signal'>;

/** @throws {ServiceProblem} */
export async function findImportWithParts(
  service: ServiceAddress,
  importId: string,
  options: Options,
): Promise<ImportWithParts | undefined> {
  const record = await findImport(service, importId, options);
  if (record !== undefined) return { parallel: 1, record, parts: [{ importId, part: 0, record }] };
  const found: (ImportWithParts['parts'][number] & { parallel: number })[] = [];
  for await (const one of listImports(service, options)) {
    const name = readPartId(String(one.importId));
    if (name?.importId === importId) found.push({ ...name, importId: String(one.importId), record: one });
  }
  const [first] = found;
  if (first === undefined) return undefined;
  // Two values of --parallel are only possible if two runs began at the same moment. The newest run counts.
  const parts = found.filter(({ parallel }) => parallel === first.parallel).sort((a, b) => a.part - b.part);
  return {
    parallel: first.parallel,
    record: sumRecords(
      importId,
      parts.map((one) => one.record),
    ),
    parts,
  };
}

/** Yields the service's records of all imports, the newest first. */
export async function* listImports(service: ServiceAddress, options: Options): AsyncGenerator<JsonObject> {
  const seen = new Set<string>();
  for (let token: string | undefined; ; ) {
    const query = new URLSearchParams({ limit: String(PAGE), ...(token && { paginationToken: token }) });
    const answer = await callService(service, `/bulk-import/imports?${query}`, options);
    yield* (Array.isArray(answer.imports) ? answer.imports : []).filter(isJsonObject);
    if (typeof answer.nextPaginationToken !== 'string') return;
    token = answer.nextPaginationToken;
    // A service that always sends the same page of imports would make this loop endless.
    if (seen.has(token)) throw unintelligibleAnswer();
    seen.add(token);
  }
}

import { isJsonObject, type JsonObject } from '../../imports/input/json-object.ts';
import type { ServiceAddress } from '../options/service-options.ts';
import { readPartId } from '../parts.ts';
import { type CallOptions, callService } from './call-service.ts';
import { findImport } from './import-record.ts';
import { garbled } from './service-problem.ts';
import { sumRecords } from './sum-records.ts';

/** Imports that are asked for at a time: the most that the service gives. */
const PAGE = 500;

/** An import, whether it was sent in parts or not. */
export interface WholeImport {
  /** In how many parts; 1: it is none but itself. */
  parallel: number;
  /** What the service knows of it: of several parts, the sum. */
  record: JsonObject;
  /** The imports of the service that it is. The one of rows that met others comes last. */
  parts: readonly { importId: string; part: number; record: JsonObject }[];
}

type Options = Pick<CallOptions, 'timeoutMs' | 'signal'>;

/** Finds an import, or the parts of one. Undefined: there is none. @throws {ServiceProblem} */
export async function findWhole(
  service: ServiceAddress,
  importId: string,
  options: Options,
): Promise<WholeImport | undefined> {
  const record = await findImport(service, importId, options);
  if (record !== undefined) return { parallel: 1, record, parts: [{ importId, part: 0, record }] };
  const found: (WholeImport['parts'][number] & { parallel: number })[] = [];
  for await (const one of listImports(service, options)) {
    const name = readPartId(String(one.importId));
    if (name?.importId === importId) found.push({ ...name, importId: String(one.importId), record: one });
  }
  const [first] = found;
  if (first === undefined) return undefined;
  // Only runs that began at the same moment could have begun it in two ways.
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

/** All imports, the newest first. */
async function* listImports(service: ServiceAddress, options: Options): AsyncGenerator<JsonObject> {
  const seen = new Set<string>();
  for (let token: string | undefined; ; ) {
    const query = new URLSearchParams({ limit: String(PAGE), ...(token && { paginationToken: token }) });
    const answer = await callService(service, `/bulk-import/imports?${query}`, options);
    yield* (Array.isArray(answer.imports) ? answer.imports : []).filter(isJsonObject);
    if (typeof answer.nextPaginationToken !== 'string') return;
    token = answer.nextPaginationToken;
    // It would be asked for again and again.
    if (seen.has(token)) throw garbled();
    seen.add(token);
  }
}

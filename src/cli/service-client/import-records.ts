import { isJsonObject, type JsonObject, objectsIn } from '../../lib/json/json-object.ts';
import { CliError } from '../cli-error.ts';
import { readPartId } from '../import-id.ts';
import type { ServiceAddress } from '../options/service-options.ts';
import { counted, printable } from '../terminal/text.ts';
import { callService } from './call-service.ts';
import { unintelligibleAnswer } from './service-problem.ts';

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

/** @throws {ServiceProblem} */
export async function findImportWithParts(
  service: ServiceAddress,
  importId: string,
  signal?: AbortSignal,
): Promise<ImportWithParts | undefined> {
  const path = `/bulk-import/imports/${encodeURIComponent(importId)}`;
  const { import: record } = await callService(service, path, { signal });
  if (isJsonObject(record)) return { parallel: 1, record, parts: [{ importId, part: 0, record }] };
  const found: (ImportWithParts['parts'][number] & { parallel: number })[] = [];
  for await (const one of listImports(service, signal)) {
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

/** @throws {CliError} if the service has no such import */
export async function requireImport(service: ServiceAddress, importId: string): Promise<ImportWithParts> {
  const found = await findImportWithParts(service, importId);
  if (found === undefined)
    throw new CliError(`There is no import ${importId}: user-import status lists them.`);
  return found;
}

/** Yields the service's records of all imports, the newest first. */
async function* listImports(service: ServiceAddress, signal?: AbortSignal): AsyncGenerator<JsonObject> {
  const seen = new Set<string>();
  for (let token: string | undefined; ; ) {
    const query = new URLSearchParams({ limit: String(PAGE), ...(token && { paginationToken: token }) });
    const answer = await callService(service, `/bulk-import/imports?${query}`, { signal });
    yield* objectsIn(answer.imports);
    if (typeof answer.nextPaginationToken !== 'string') return;
    token = answer.nextPaginationToken;
    // A service that always sends the same page of imports would make this loop endless.
    if (seen.has(token)) throw unintelligibleAnswer();
    seen.add(token);
  }
}

const COUNTS = ['lines', 'created', 'updated', 'skipped', 'failed'] as const;

/** Combines the service's records of an import's parts into one record of the same form. */
function sumRecords(importId: string, records: readonly JsonObject[]): JsonObject {
  const numbers = (name: string) =>
    records.flatMap((record) => (typeof record[name] === 'number' ? record[name] : []));
  const some = (name: string, of: (...values: number[]) => number) =>
    numbers(name).length > 0 && { [name]: of(...numbers(name)) };
  const rollbacks = records.flatMap(({ rollback }) => (isJsonObject(rollback) ? rollback : []));
  // Parts run at the same time.
  const durationMs = Math.max(0, ...numbers('durationMs'));
  const counts = Object.fromEntries(COUNTS.map((name) => [name, sumOf(numbers(name))]));
  const { apiKeyName, dryRun, onConflict, hashingSecretId } = records[0] ?? {};
  return {
    ...{ importId, apiKeyName, dryRun, onConflict },
    ...(hashingSecretId !== undefined && { hashingSecretId }),
    ...some('startedAt', Math.min),
    ...(records.every(({ finishedAt }) => finishedAt !== undefined) && some('finishedAt', Math.max)),
    ...some('rolledBackAt', Math.min),
    ...some('expiredAt', Math.min),
    status: statusOf(records),
    running: records.some(({ running }) => running === true),
    ...some('updatedAt', Math.max),
    ...counts,
    failuresByCode: sumMembers(records.map((record) => record.failuresByCode)),
    algorithms: sumMembers(records.map((record) => record.algorithms)),
    classes: sumMembers(records.map((record) => record.classes)),
    hashes: sumHashes(records.map((record) => record.hashes)),
    durationMs,
    linesPerSecond: durationMs > 0 ? Math.round((Number(counts.lines) * 1000) / durationMs) : 0,
    ...(rollbacks.length > 0 && { rollback: sumMembers(rollbacks) }),
    parts: records.map((record) => record.importId),
  };
}

function statusOf(records: readonly JsonObject[]): string {
  const [all] = ['ROLLED_BACK', 'FINISHED'].filter((one) => records.every(({ status }) => status === one));
  const isRolledBack = records.some(({ rolledBackAt }) => rolledBackAt !== undefined);
  return all ?? (isRolledBack ? 'ROLLBACK_UNFINISHED' : 'UNFINISHED');
}

const sumOf = (numbers: readonly number[]) => numbers.reduce((sum, number) => sum + number, 0);

/** Adds the numbers of objects with the same members, such as counts of several parts of an import. */
export function sumMembers(values: readonly unknown[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const value of values)
    for (const [name, number] of Object.entries(isJsonObject(value) ? value : {}))
      sums[name] = (sums[name] ?? 0) + Number(number);
  return sums;
}

function sumHashes(values: readonly unknown[]): JsonObject[] {
  const sums = new Map<string, JsonObject>();
  for (const hash of values.flatMap(objectsIn)) {
    const name = `${hash.algorithm} ${hash.class}`;
    const before = sums.get(name);
    sums.set(name, { ...hash, count: Number(hash.count) + Number(before?.count ?? 0) });
  }
  return [...sums.values()].sort((a, b) => Number(b.count) - Number(a.count));
}

const MAX_NAMED = 3;

/**
 * Returns text about users who did not come from earlier imports of the same system, or undefined if all did.
 * A row with the address of such a user may belong to another person.
 * @throws {ServiceProblem}
 */
export async function findOtherUsers(
  service: ServiceAddress,
  isOfSystem: (importId: string) => boolean,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { count: total } = await callService(service, '/users/count', { signal });
  if (total === 0) return undefined;
  const others: string[] = [];
  let hasMore = false;
  let known = 0;
  for await (const one of listImports(service, signal)) {
    const importId = String(one.importId);
    const users = usersOf(one);
    if (users === 0) continue;
    known += users;
    if (isOfSystem(importId)) continue;
    if (others.length < MAX_NAMED) others.push(`${counted(users, 'user')} of ${printable(importId)}`);
    else hasMore = true;
  }
  // The remaining users signed up, or were imported by single calls.
  const single = Number(total) - known;
  if (single > 0) others.push(`${counted(single, 'user')} who came in other ways`);
  if (others.length === 0) return undefined;
  return `${others.join(', ')}${hasMore ? ', and those of other imports' : ''}`;
}

/** Returns whether another import of the source created users who are still there. */
export async function hasEarlierImport(
  service: ServiceAddress,
  { importId, source }: { importId: string; source: string },
  signal: AbortSignal,
): Promise<boolean> {
  for await (const one of listImports(service, signal))
    if (one.source === source && wholeIdOf(String(one.importId)) !== importId && usersOf(one) > 0)
      return true;
  return false;
}

const wholeIdOf = (importId: string) => readPartId(importId)?.importId ?? importId;

/** Returns the number of users that the import created and that its rollback has not removed. */
function usersOf({ dryRun, created, rollback }: JsonObject): number {
  if (dryRun === true) return 0;
  const removed = Number((rollback as JsonObject | undefined)?.usersRemoved ?? 0);
  return Math.max(0, Number(created) - removed);
}

import { isJsonObject, type JsonObject } from '../../lib/json/json-object.ts';

const COUNTS = ['lines', 'created', 'updated', 'skipped', 'failed'] as const;

/** Combines the service's records of an import's parts into one record of the same form. */
export function sumRecords(importId: string, records: readonly JsonObject[]): JsonObject {
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
  for (const hash of values.flatMap((value) => (Array.isArray(value) ? value : [])).filter(isJsonObject)) {
    const name = `${hash.algorithm} ${hash.class}`;
    const before = sums.get(name);
    sums.set(name, { ...hash, count: Number(hash.count) + Number(before?.count ?? 0) });
  }
  return [...sums.values()].sort((a, b) => Number(b.count) - Number(a.count));
}

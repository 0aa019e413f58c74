import { isJsonObject, type JsonObject } from '../../lib/json/json-object.ts';
import { CliError } from '../cli-error.ts';
import type { ServiceAddress } from '../options/service-options.ts';
import { counted, printable } from '../terminal/text.ts';
import { callService, pagesOf } from './call-service.ts';

/**
 * Returns the service's record of an import, or undefined if there is no such import.
 * @throws {ServiceProblem}
 */
export async function findImport(
  service: ServiceAddress,
  importId: string,
  signal?: AbortSignal,
): Promise<JsonObject | undefined> {
  const path = `/bulk-import/imports/${encodeURIComponent(importId)}`;
  const { import: record } = await callService(service, path, { signal });
  return isJsonObject(record) ? record : undefined;
}

/** Returns the id of the newest import that has not ended and whose id begins with these characters. */
export async function findUnfinished(
  service: ServiceAddress,
  start: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  for await (const { importId, status, dryRun } of listImports(service, signal))
    if (String(importId).startsWith(start) && status === 'UNFINISHED' && dryRun !== true)
      return String(importId);
  return undefined;
}

/** @throws {CliError} if the service has no such import */
export async function requireImport(service: ServiceAddress, importId: string): Promise<JsonObject> {
  const found = await findImport(service, importId);
  if (found === undefined) throw unknownImport(importId);
  return found;
}

export const unknownImport = (importId: string) =>
  new CliError(`There is no import ${importId}: user-import status lists them.`);

/** Yields the service's records of all imports, the newest first. */
async function* listImports(service: ServiceAddress, signal?: AbortSignal): AsyncGenerator<JsonObject> {
  const pages = pagesOf(service, '/bulk-import/imports', { list: 'imports', signal });
  for await (const { items } of pages) yield* items;
}

async function countUsers(service: ServiceAddress, signal: AbortSignal): Promise<number> {
  return Number((await callService(service, '/users/count', { signal })).count);
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
  const total = await countUsers(service, signal);
  if (total === 0) return undefined;
  const others: string[] = [];
  let known = 0;
  for await (const one of listImports(service, signal)) {
    const importId = String(one.importId);
    const users = usersOf(one);
    known += users;
    if (users > 0 && !isOfSystem(importId))
      others.push(`${counted(users, 'user')} of ${printable(importId)}`);
  }
  const named = others.slice(0, MAX_NAMED);
  // The remaining users signed up, or were imported by single calls.
  if (total > known) named.push(`${counted(total - known, 'user')} who came in other ways`);
  if (named.length === 0) return undefined;
  return `${named.join(', ')}${others.length > MAX_NAMED ? ', and those of other imports' : ''}`;
}

/** Returns whether another import of the source created users who are still there. */
export async function hasEarlierImport(
  service: ServiceAddress,
  { importId, source }: { importId: string; source: string },
  signal: AbortSignal,
): Promise<boolean> {
  if ((await countUsers(service, signal)) === 0) return false;
  for await (const one of listImports(service, signal))
    if (one.source === source && one.importId !== importId && usersOf(one) > 0) return true;
  return false;
}

/** Returns the number of users that the import created and that its rollback has not removed. */
function usersOf({ dryRun, created, rollback }: JsonObject): number {
  if (dryRun === true) return 0;
  const removed = Number((rollback as JsonObject | undefined)?.usersRemoved ?? 0);
  return Math.max(0, Number(created) - removed);
}

/**
 * Returns the ids of imports, the newest first, that began after this one, have changed or removed users, and are not
 * rolled back. A rollback of this import leaves users as they are if a later import has changed them.
 */
export async function laterChanges(service: ServiceAddress, importId: string): Promise<string[]> {
  const later: string[] = [];
  for await (const one of listImports(service)) {
    if (one.importId === importId) break;
    const removed = isJsonObject(one.missing) ? Number(one.missing.removed) : 0;
    const hasChanged = one.dryRun !== true && (Number(one.updated) > 0 || removed > 0);
    if (hasChanged && one.status !== 'ROLLED_BACK') later.push(printable(String(one.importId)));
  }
  return later;
}

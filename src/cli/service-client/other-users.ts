import type { JsonObject } from '../../lib/json/json-object.ts';
import type { ServiceAddress } from '../options/service-options.ts';
import { readPartId } from '../parts.ts';
import { counted, printable } from '../terminal/text.ts';
import { type CallOptions, callService } from './call-service.ts';
import { listImports } from './find-import-with-parts.ts';

const MAX_NAMED = 3;

/**
 * Returns text about users who did not come from earlier imports of the same system, or undefined if all did.
 * A row with the address of such a user may belong to another person.
 * @throws {ServiceProblem}
 */
export async function findOtherUsers(
  service: ServiceAddress,
  isOfSystem: (importId: string) => boolean,
  options: Pick<CallOptions, 'timeoutMs' | 'signal'>,
): Promise<string | undefined> {
  const { count: total } = await callService(service, '/users/count', options);
  if (total === 0) return undefined;
  const others: string[] = [];
  let hasMore = false;
  let known = 0;
  for await (const one of listImports(service, options)) {
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
  options: Pick<CallOptions, 'timeoutMs' | 'signal'>,
): Promise<boolean> {
  for await (const one of listImports(service, options))
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

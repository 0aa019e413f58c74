import { setImmediate as eventLoopTurn } from 'node:timers/promises';
import type { Passwords } from '../../hashing/passwords.ts';
import { toJson } from '../../lib/json/exact-json.ts';
import type { FactorVault } from '../../users/factor-vault.ts';
import type { ParsedUser } from '../input/parsed-user.ts';
import { readUserPayload } from '../input/read-user-payload.ts';
import { hashPasswords } from '../resolve/imported-hashes.ts';
import { ChunkIds, externalIdsOf } from '../resolve/person.ts';
import { type AssignedIds, assignedIds } from './assigned-ids.ts';
import { hashesOf, type StagedPayload, stagedPayload } from './staged-payload.ts';
import type { StagedStore } from './staged-store.ts';

/** Number of users that are validated before other requests get their turn in the event loop. */
const SLICE = 250;

export interface StageDeps {
  staged: StagedStore;
  passwords: Passwords;
  vault: FactorVault;
  now(): number;
  /** Maximum size of the stored JSON of one user in bytes. Bounds the memory of a batch of users. */
  maxUserBytes: number;
}

export interface InvalidUser {
  index: number;
  errors: string[];
}

/** Stages all users, or none if one is invalid or the client disconnects while passwords are hashed. */
export async function stageUsers(
  deps: StageDeps,
  sent: readonly unknown[],
  signal?: AbortSignal,
): Promise<{ ids: AssignedIds[] } | { problems: InvalidUser[] }> {
  const problems: InvalidUser[] = [];
  const users: ReadUser[] = [];
  const chunk = ChunkIds.create();
  const externalIds = new Set<string>();
  for (const [index, one] of sent.entries()) {
    if (index % SLICE === SLICE - 1) await eventLoopTurn();
    const read = readUser(deps, one, chunk.id(index));
    const errors = 'errors' in read ? read.errors : repeated(externalIdsOf(read.parsedUser), externalIds);
    if (errors.length > 0) problems.push({ index, errors });
    else if ('parsedUser' in read) users.push(read);
  }
  if (problems.length > 0) return { problems };
  const parsedUsers = users.map(({ parsedUser }) => parsedUser);
  await hashPasswords(deps.passwords, parsedUsers, { signal });
  signal?.throwIfAborted();
  await deps.staged.add(
    users.map(({ id, payload, json, parsedUser }) => ({
      id,
      payload: json,
      hashes: hashesOf(payload, parsedUser),
      factors: sealed(deps.vault, id, parsedUser),
    })),
  );
  return { ids: users.map(({ ids }) => ids) };
}

/** Adds the ids of a user to those of the users before it. Returns an error for each id that is among them. */
function repeated(ids: readonly string[], before: Set<string>): string[] {
  const errors = ids
    .filter((id) => before.has(id))
    .map((id) => `externalUserId ${id} is not unique. It is already used by another user.`);
  for (const id of ids) before.add(id);
  return errors;
}

interface ReadUser {
  id: string;
  ids: AssignedIds;
  payload: StagedPayload;
  json: string;
  parsedUser: ParsedUser;
}

function readUser(
  { passwords: { registry }, vault, now, maxUserBytes }: StageDeps,
  sent: unknown,
  id: string,
): ReadUser | { errors: string[] } {
  const read = readUserPayload({ registry, now, keepsFactors: vault.isOpen }, sent);
  if (Array.isArray(read)) return { errors: read.map(({ message }) => message) };
  const payload = stagedPayload(sent);
  const ids = assignedIds(id, payload, read);
  // The name of the member is that of SuperTokens core. It is for the list only; the import does not read it.
  const loginMethods = payload.loginMethods.map((method, index) => ({
    ...method,
    superTokensUserId: ids.loginMethods[index]?.userId,
  }));
  const json = toJson({ ...payload, loginMethods });
  if (Buffer.byteLength(json) > maxUserBytes) {
    return {
      errors: [`The user is too large. Max size is ${maxUserBytes} bytes (bulk_import_max_line_bytes).`],
    };
  }
  return { id, ids, payload, json, parsedUser: read };
}

function sealed(vault: FactorVault, id: string, { factors }: ParsedUser): Buffer | undefined {
  if (factors === undefined) return undefined;
  return 'sealed' in factors ? factors.sealed : vault.seal(id, factors.open);
}

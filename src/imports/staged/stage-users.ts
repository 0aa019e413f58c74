import { setImmediate as eventLoopTurn } from 'node:timers/promises';
import type { Passwords } from '../../hashing/passwords.ts';
import { sealedFactors } from '../../imports/resolve/sealed-factors.ts';
import { toJson } from '../../lib/json/exact-json.ts';
import type { FactorVault } from '../../users/factor-vault.ts';
import type { ParsedUser } from '../input/parsed-user.ts';
import { readUserPayload } from '../input/read-user-payload.ts';
import { ChunkIds } from '../resolve/chunk-ids.ts';
import { hashPasswords } from '../resolve/hash-passwords.ts';
import { externalIdsOf } from '../resolve/login-keys.ts';
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
  const externalIds = new Set<string>();
  const users: { payload: StagedPayload; json: string; parsedUser: ParsedUser }[] = [];
  for (const [index, one] of sent.entries()) {
    if (index % SLICE === SLICE - 1) await eventLoopTurn();
    const read = readUser(deps, one);
    if ('errors' in read) {
      problems.push({ index, errors: read.errors });
      continue;
    }
    const errors = repeatedIds(read.parsedUser, externalIds);
    if (errors.length > 0) problems.push({ index, errors });
    else users.push(read);
  }
  if (problems.length > 0) return { problems };
  const parsedUsers = users.map(({ parsedUser }) => parsedUser);
  await hashPasswords(deps.passwords, parsedUsers, { signal });
  signal?.throwIfAborted();
  const chunk = ChunkIds.create();
  await deps.staged.add(
    users.map(({ payload, json, parsedUser }, index) => ({
      id: chunk.id(index),
      payload: json,
      hashes: hashesOf(payload, parsedUser),
      factors: sealedFactors(deps.vault, chunk.id(index), parsedUser.factors),
    })),
  );
  return {
    ids: users.map(({ payload, parsedUser }, index) => assignedIds(chunk.id(index), payload, parsedUser)),
  };
}

/** Each external id may occur once in a call. The message is that of SuperTokens core. */
function repeatedIds(user: ParsedUser, seen: Set<string>): string[] {
  return externalIdsOf(user).flatMap((id) => {
    if (!seen.has(id)) {
      seen.add(id);
      return [];
    }
    return [`externalUserId ${id} is not unique. It is already used by another user.`];
  });
}

function readUser({ passwords: { registry }, vault, now, maxUserBytes }: StageDeps, sent: unknown) {
  const read = readUserPayload({ registry, now, keepsFactors: vault.isOpen }, sent);
  if (Array.isArray(read)) return { errors: read.map(({ message }) => message) };
  const payload = stagedPayload(sent);
  const json = toJson(payload);
  if (Buffer.byteLength(json) > maxUserBytes) {
    return {
      errors: [`The user is too large. Max size is ${maxUserBytes} bytes (bulk_import_max_line_bytes).`],
    };
  }
  return { payload, json, parsedUser: read };
}

import type { HashRegistry } from '../../hashing/registry.ts';
import type { LineError } from '../input/line-error.ts';
import type { ParsedUser } from '../input/parsed-user.ts';
import { readUserPayload } from '../input/read-user-payload.ts';
import { resolveNewUsers } from './resolve-new-users.ts';
import { fullPayload, type StagedEntry } from './staged-payload.ts';
import type { NewUsers } from './staged-store.ts';

/**
 * Resolves staged users. Their payloads are read again: since they came, bounds may have been lowered or a signer key
 * removed.
 */
export function resolveStaged(
  { registry, now }: { registry: HashRegistry; now(): number },
  users: readonly StagedEntry[],
): NewUsers {
  return resolveNewUsers(
    users.map((user) => readAgain(registry, user)),
    now,
  );
}

function readAgain(registry: HashRegistry, user: StagedEntry): ParsedUser | LineError {
  // Times were checked when the payload came, perhaps by an instance whose clock is ahead of this one.
  const now = () => Number.MAX_SAFE_INTEGER;
  // A hash without an id is of no secret with one: the default may be another since it came.
  const read = readUserPayload({ registry, now, defaultSecretId: null }, fullPayload(user));
  if (!Array.isArray(read)) return { ...read, userId: user.id };
  return { code: 'FIELD_INVALID', message: read.map(({ message }) => message).join(' ') };
}

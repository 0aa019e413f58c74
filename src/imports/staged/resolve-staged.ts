import type { HashRegistry } from '../../hashing/registry.ts';
import type { FactorVault } from '../../users/factor-vault.ts';
import type { LineError, ParsedUser } from '../input/parsed-user.ts';
import { readUserPayload } from '../input/read-user-payload.ts';
import { resolveNewUsers } from './resolve-new-users.ts';
import { fullPayload, type StagedEntry } from './staged-payload.ts';
import type { NewUsers } from './staged-store.ts';

/** Validates again: limits may have been lowered, or a signer key removed, since the users were staged. */
export function resolveStaged(
  { registry, vault, now }: { registry: HashRegistry; vault: FactorVault; now(): number },
  users: readonly StagedEntry[],
): NewUsers {
  return resolveNewUsers(
    users.map((user) => readAgain(registry, user)),
    { vault, now },
  );
}

function readAgain(registry: HashRegistry, user: StagedEntry): ParsedUser | LineError {
  // Join times are not checked again: the instance that staged the user may have had another clock.
  const now = () => Number.MAX_SAFE_INTEGER;
  // The default secret may have changed since a hash without a secret id was accepted.
  const read = readUserPayload(
    { registry, now, defaultSecretId: null, keepsFactors: true },
    fullPayload(user),
  );
  const factors = user.factors && { sealed: user.factors };
  if (!Array.isArray(read)) return { ...read, userId: user.id, factors };
  return { code: 'FIELD_INVALID', message: read.map(({ message }) => message).join(' ') };
}

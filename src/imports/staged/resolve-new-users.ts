import type { FactorVault } from '../../users/factor-vault.ts';
import type { LineError } from '../input/line-error.ts';
import { isParsedUser, type ParsedUser } from '../input/parsed-user.ts';
import type { ExistingLogins } from '../resolve/existing-logins.ts';
import { LineResolver } from '../resolve/line-resolver.ts';
import { externalIdsOf, keysOf } from '../resolve/login-keys.ts';
import type { Outcome } from '../resolve/outcome.ts';
import type { NewUsers } from './staged-store.ts';

/** Decides about users of whom all must be new: each is created, or fails if the user exists already. */
export function resolveNewUsers(
  users: readonly (ParsedUser | LineError)[],
  { vault, now }: { vault: FactorVault; now(): number },
): NewUsers {
  return {
    keys: keysOf(users.filter(isParsedUser)),
    resolve(existing) {
      const options = { onConflict: 'fail' as const, dryRun: false, vault, now: now() };
      const { writeSet } = new LineResolver(existing, options).addAll(users);
      return {
        writeSet,
        failures: users.map((user, index) => failureOf(writeSet.outcomes[index], user, existing)),
      };
    },
  };
}

/** Uses the code and wording of SuperTokens core if the core has the error. */
function failureOf(
  outcome: Outcome | undefined,
  user: ParsedUser | LineError,
  existing: ExistingLogins,
): string | undefined {
  if (outcome?.status === 'CREATED') return undefined;
  const method = outcome?.method;
  if (method?.recipeId === 'emailpassword') {
    return `E003: A user with email ${method.email} already exists in emailpassword loginMethod.`;
  }
  if (method?.recipeId === 'thirdparty') {
    const { id, userId } = method.identity;
    return `E005: A user with thirdPartyId ${id} and thirdPartyUserId ${userId} already exists in thirdparty loginMethod.`;
  }
  if (outcome?.code === 'EXTERNAL_ID_ALREADY_EXISTS' && isParsedUser(user)) {
    const taken = externalIdsOf(user).find((id) => existing.externalIds.has(id));
    return `E031: A user with externalId ${taken} already exists`;
  }
  return outcome?.message ?? 'The user was not imported.';
}

import type { FactorVault } from '../../users/factor-vault.ts';
import { isParsedUser, type LineError, type ParsedUser } from '../input/parsed-user.ts';
import type { Outcome } from '../resolve/outcome.ts';
import { externalIdsOf, type Known, keysOf } from '../resolve/person.ts';
import { Resolver } from '../resolve/resolver.ts';
import type { NewUsers } from './staged-store.ts';

/** Decides about users of whom all must be new: each is created, or fails if the user exists already. */
export function resolveNewUsers(
  users: readonly (ParsedUser | LineError)[],
  { vault, now }: { vault: FactorVault; now(): number },
): NewUsers {
  return {
    keys: keysOf(users.filter(isParsedUser)),
    resolve(known) {
      const options = { onConflict: 'fail', matchBy: 'login', dryRun: false, vault, now: now() } as const;
      const { decisions } = new Resolver(known, options).addAll(users);
      return {
        decisions,
        failures: users.map((user, index) => failureOf(decisions.outcomes[index], user, known)),
      };
    },
  };
}

/** Uses the code and wording of SuperTokens core if the core has the error. */
function failureOf(
  outcome: Outcome | undefined,
  user: ParsedUser | LineError,
  { owners }: Known,
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
    const taken = externalIdsOf(user).find((id) => owners.has(id));
    return `E031: A user with externalId ${taken} already exists`;
  }
  return outcome?.message ?? 'The user was not imported.';
}

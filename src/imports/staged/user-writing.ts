import { type Candidate, externalIdsOf } from '../candidate.ts';
import { keysOf } from '../chunk-keys.ts';
import type { Known } from '../known.ts';
import type { Problem } from '../line-codes.ts';
import type { Outcome } from '../outcome.ts';
import { isCandidate, planChunk } from '../plan-chunk.ts';
import type { UserWriting } from './store.ts';

/** Creates these users, and none that is there already. */
export function userWriting(users: readonly (Candidate | Problem)[], now: () => number): UserWriting {
  return {
    keys: keysOf(users.filter(isCandidate)),
    plan(known) {
      const plan = planChunk(users, known, { onConflict: 'fail', dryRun: false, now: now() });
      return {
        plan,
        failures: users.map((user, place) => failureOf(plan.outcomes[place], user, known)),
      };
    },
  };
}

/** In the words of SuperTokens core, with its codes, where it knows such a failure. */
function failureOf(
  outcome: Outcome | undefined,
  user: Candidate | Problem,
  known: Known,
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
  if (outcome?.code === 'EXTERNAL_ID_ALREADY_EXISTS' && isCandidate(user)) {
    const taken = externalIdsOf(user).find((id) => known.externalIds.has(id));
    return `E031: A user with externalId ${taken} already exists`;
  }
  return outcome?.message ?? 'The user was not imported.';
}

import { requireEmail } from './email.ts';
import type { ThirdPartyIdentity, User } from './user.ts';
import type { UserStore } from './user-store.ts';

/** Signs in the user with this identity, or creates one. @throws {AppError} if the e-mail is refused */
export async function signInUpThirdParty(
  store: UserStore,
  request: { identity: ThirdPartyIdentity; email: string; verified: boolean },
): Promise<{ user: User; recipeUserId: string; created: boolean }> {
  return store.signInUpThirdParty({ ...request, email: requireEmail(request.email) });
}

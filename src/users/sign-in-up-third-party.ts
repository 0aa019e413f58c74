import { requireEmail } from './email.ts';
import type { ThirdPartyIdentity, User } from './user.ts';
import type { UserStore } from './user-store.ts';

/** A disabled user is neither signed in nor changed. @throws {AppError} if the e-mail is refused */
export async function signInUpThirdParty(
  store: UserStore,
  request: { identity: ThirdPartyIdentity; email: string; verified: boolean },
): Promise<{ user: User; recipeUserId: string; created: boolean } | 'disabled'> {
  const signedIn = await store.signInUpThirdParty({ ...request, email: requireEmail(request.email) });
  return signedIn.user.isDisabled ? 'disabled' : signedIn;
}

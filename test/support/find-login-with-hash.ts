import type { LoginWithHash, UserStore } from '../../src/users/user-store.ts';

/** Returns the login with this e-mail. Undefined if there is none, or if it has no hash. */
export async function findLoginWithHash(
  store: Pick<UserStore, 'findPasswordLogin'>,
  email: string,
): Promise<LoginWithHash | undefined> {
  const login = await store.findPasswordLogin(email);
  return login === undefined || 'noHash' in login ? undefined : login;
}

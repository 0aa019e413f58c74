import type { Passwords } from '../hashing/passwords.ts';
import { acceptHash } from './accept-hash.ts';
import { requireEmail } from './email.ts';
import type { HashFingerprints } from './hash-fingerprint.ts';
import { requirePassword } from './sign-up.ts';
import type { User } from './user.ts';
import type { UserStore } from './user-store.ts';

export interface ImportedUser {
  user: User;
  /** The e-mail had a password login already: its hash was replaced, and nothing else. */
  existed: boolean;
  algorithm: string;
}

/**
 * Keeps a user with the password hash another system made. A password in the clear is hashed first.
 * @param callerGone called only where something is hashed: a signal costs a tenth of an import
 * @throws {AppError} when e-mail or hash are refused
 */
export async function importUser(
  deps: { store: UserStore; passwords: Passwords; fingerprints: HashFingerprints },
  request: { email: string; passwordHash: string; hashingAlgorithm?: string; hashingSecretId?: string },
  callerGone?: () => AbortSignal,
): Promise<ImportedUser> {
  const email = requireEmail(request.email);
  const accepted = acceptHash(deps.passwords.registry, request.passwordHash, request.hashingAlgorithm, {
    id: request.hashingSecretId,
  });
  const { clearText } = accepted;
  const hash =
    clearText === undefined
      ? accepted
      : await deps.passwords.hash(requirePassword(clearText), callerGone?.());
  const isOf = (fingerprint: string) => deps.fingerprints.isOf(accepted, fingerprint);
  const imported = await deps.store.importPasswordUser({ email, hash, isOf });
  // A hash that replaces another adds no user. If it counted, one hash sent over and over would count for many.
  if (!imported.existed && hash === accepted) deps.passwords.learn(hash);
  return { ...imported, algorithm: hash.algorithm };
}

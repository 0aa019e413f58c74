import type { Passwords } from '../hashing/passwords.ts';
import { acceptHash } from './accept-hash.ts';
import { requireEmail } from './email.ts';
import type { HashFingerprints } from './hash-fingerprint.ts';
import type { User } from './user.ts';
import type { UserStore } from './user-store.ts';

export interface ImportedUser {
  user: User;
  /** The e-mail had a password login already: its hash was replaced, and nothing else. */
  existed: boolean;
  algorithm: string;
}

/** Keeps a user with the password hash another system made. @throws {AppError} when e-mail or hash are refused */
export async function importUser(
  deps: { store: UserStore; passwords: Passwords; fingerprints: HashFingerprints },
  request: { email: string; passwordHash: string; hashingAlgorithm?: string; hashingSecretId?: string },
): Promise<ImportedUser> {
  const email = requireEmail(request.email);
  const hash = acceptHash(deps.passwords.registry, request.passwordHash, request.hashingAlgorithm, {
    id: request.hashingSecretId,
  });
  const isOf = (fingerprint: string) => deps.fingerprints.isOf(hash, fingerprint);
  const imported = await deps.store.importPasswordUser({ email, hash, isOf });
  // A hash that replaces another adds no user. If it counted, one hash sent over and over would count for many.
  if (!imported.existed) deps.passwords.learn(hash);
  return { ...imported, algorithm: hash.algorithm };
}

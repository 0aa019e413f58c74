import type { Passwords } from '../hashing/passwords.ts';
import { AppError, type ErrorCode } from '../lib/errors.ts';
import { acceptHash } from '../passwords/accept-hash.ts';
import type { HashFingerprints } from '../passwords/hash-fingerprint.ts';
import type { NoHash } from '../passwords/no-hash.ts';
import { requireEmail } from './email.ts';
import { requirePassword } from './sign-up.ts';
import type { ImportedLogin, ImportRefusal, UserStore } from './user-store.ts';

/** `existed`: the address already had a password login, and only the hash of that login was replaced. */
export type ImportedUser = Omit<ImportedLogin, 'refusal'> & { algorithm?: string };

export type UserToImport =
  | { email: string; passwordHash: string; hashingAlgorithm?: string; hashingSecretId?: string }
  | { email: string; noHash: NoHash };

/**
 * Imports one user. A plain-text password is hashed first.
 * @param options `importer` is the name of the API key. `callerGone` creates a signal that aborts when the client
 * disconnects. It is called only if a password must be hashed, because creating a signal takes a tenth of the time of
 * an import
 * @throws {AppError} if the e-mail or the hash is refused. HANDED_OVER if the login exists with another hash, and its
 * password is in the SuperTokens core. MOVED if an identity provider has the password. EMAIL_CHANGED_SINCE if the
 * address was set in this service, so that the import may mean somebody else
 */
export async function importUser(
  deps: { store: UserStore; passwords: Passwords; fingerprints: HashFingerprints },
  request: UserToImport,
  { importer, callerGone }: { importer?: string; callerGone?: () => AbortSignal } = {},
): Promise<ImportedUser> {
  const email = requireEmail(request.email);
  if ('noHash' in request)
    return throwIfRefused(await deps.store.importPasswordUser({ email, noHash: request.noHash }));
  const accepted = acceptHash(deps.passwords.registry, request.passwordHash, request.hashingAlgorithm, {
    id: request.hashingSecretId,
  });
  const { clearText } = accepted;
  const hash =
    clearText === undefined
      ? accepted
      : await deps.passwords.hash(requirePassword(clearText), callerGone?.(), importer);
  const matchesFingerprint = (fingerprint: string) =>
    deps.fingerprints.matchesFingerprint(accepted, fingerprint);
  const imported = throwIfRefused(await deps.store.importPasswordUser({ email, hash, matchesFingerprint }));
  // Only hashes of new users are counted. Otherwise, one hash sent repeatedly would count as many users.
  if (!imported.existed && hash === accepted) deps.passwords.learn(hash);
  return { ...imported, algorithm: hash.algorithm };
}

function throwIfRefused({ refusal, ...imported }: ImportedLogin): ImportedUser {
  if (refusal === undefined) return imported;
  throw new AppError(...REFUSALS[refusal]);
}

const REFUSALS: Record<ImportRefusal, [code: ErrorCode, message: string]> = {
  'in-core': [
    'HANDED_OVER',
    'The SuperTokens core behind this service has the password of this user: change it there',
  ],
  moved: ['MOVED', 'This user has moved to an identity provider, which has the password: change it there'],
  'another-person': [
    'EMAIL_CHANGED_SINCE',
    'The user with this e-mail got it here, so the import may be about somebody else: change the password or the e-mail of that user with PUT /recipe/user',
  ],
};

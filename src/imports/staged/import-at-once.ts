import type { Passwords } from '../../hashing/passwords.ts';
import type { FactorVault } from '../../users/factor-vault.ts';
import type { User } from '../../users/user.ts';
import { readUserPayload } from '../input/read-user-payload.ts';
import { hashPasswords } from '../resolve/imported-hashes.ts';
import { resolveNewUsers } from './resolve-new-users.ts';
import type { StagedStore } from './staged-store.ts';

/**
 * Imports one user, who must be new, without staging.
 * @param options `importer` is the name of the API key
 */
export async function importAtOnce(
  {
    staged,
    passwords,
    vault,
    now,
  }: { staged: StagedStore; passwords: Passwords; vault: FactorVault; now(): number },
  sent: unknown,
  { signal, importer }: { signal?: AbortSignal; importer?: string } = {},
): Promise<{ user: User } | { errors: string[] }> {
  const parsedUser = readUserPayload({ registry: passwords.registry, now, keepsFactors: vault.isOpen }, sent);
  if (Array.isArray(parsedUser)) return { errors: parsedUser.map(({ message }) => message) };
  await hashPasswords(passwords, [parsedUser], { signal, importer });
  const created = await staged.create(resolveNewUsers([parsedUser], { vault, now }));
  if ('failure' in created) return { errors: [created.failure] };
  for (const method of parsedUser.methods) {
    if (method.recipeId === 'emailpassword' && 'hash' in method.credential) {
      passwords.learn(method.credential.hash);
    }
  }
  return created;
}

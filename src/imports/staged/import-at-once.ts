import type { Passwords } from '../../hashing/passwords.ts';
import type { User } from '../../users/user.ts';
import { hashPasswords } from '../hash-passwords.ts';
import { readUserForm } from '../read-user-form.ts';
import type { StagedStore } from './store.ts';
import { userWriting } from './user-writing.ts';

/** Imports one user, who must be new, without letting it wait. `errors`: all that is in its way. */
export async function importAtOnce(
  { staged, passwords, now }: { staged: StagedStore; passwords: Passwords; now(): number },
  sent: unknown,
  signal?: AbortSignal,
): Promise<{ user: User } | { errors: string[] }> {
  const candidate = readUserForm({ registry: passwords.registry, now }, sent);
  if (Array.isArray(candidate)) return { errors: candidate.map(({ message }) => message) };
  await hashPasswords(passwords, [candidate], signal);
  const created = await staged.create(userWriting([candidate], now));
  if ('failure' in created) return { errors: [created.failure] };
  for (const method of candidate.methods) {
    if (method.recipeId === 'emailpassword' && 'hash' in method.credential) {
      passwords.learn(method.credential.hash);
    }
  }
  return created;
}

import type { HashRegistry } from '../../hashing/registry.ts';
import type { Candidate } from '../candidate.ts';
import type { Problem } from '../line-codes.ts';
import { readUserForm } from '../read-user-form.ts';
import type { UserWriting } from './store.ts';
import { type StagedForm, wholeForm } from './user-form.ts';
import { userWriting } from './user-writing.ts';

/** What becomes of users that waited. Their forms are read again: bounds may have been lowered, a signer key taken away. */
export function processStaged(
  { registry, now }: { registry: HashRegistry; now(): number },
  users: readonly StagedForm[],
): UserWriting {
  return userWriting(
    users.map((user) => readAgain(registry, user)),
    now,
  );
}

function readAgain(registry: HashRegistry, user: StagedForm): Candidate | Problem {
  // Times were checked when the form came: this clock may be behind the one that did.
  const now = () => Number.MAX_SAFE_INTEGER;
  const read = readUserForm({ registry, now }, wholeForm(user));
  if (!Array.isArray(read)) return { ...read, userId: user.id };
  return { code: 'FIELD_INVALID', message: read.map(({ message }) => message).join(' ') };
}

import type { Passwords } from '../../hashing/passwords.ts';
import type { HashRegistry } from '../../hashing/registry.ts';
import { Poller } from '../../lib/async/until.ts';
import type { FactorVault } from '../../users/factor-vault.ts';
import type { User } from '../../users/user.ts';
import type { BulkPace } from '../bulk-pace.ts';
import { isParsedUser, type LineError, type ParsedUser } from '../input/parsed-user.ts';
import { readUserPayload } from '../input/read-user-payload.ts';
import { HashSample, hashPasswords } from '../resolve/imported-hashes.ts';
import type { Outcome } from '../resolve/outcome.ts';
import { externalIdsOf, type Known, keysOf } from '../resolve/person.ts';
import { type Decisions, Resolver } from '../resolve/resolver.ts';
import { type StageDeps, withHashes } from './stage-users.ts';
import type { NewUsers, StagedEntry } from './staged-store.ts';

/** Decides about users who must be new. Each is created, or fails if the user exists already. */
export function resolveNewUsers(
  users: readonly (ParsedUser | LineError)[],
  { vault, now }: { vault: FactorVault; now(): number },
): NewUsers {
  return {
    keys: keysOf(users.filter(isParsedUser)),
    resolve(known) {
      const options = { onConflict: 'fail', matchBy: 'login', dryRun: false, vault, now: now() } as const;
      const { decisions } = new Resolver(known, options).addAll(users);
      const failures = users.map((user, index) => failureOf(decisions.outcomes[index], user, known));
      return { decisions, failures };
    },
  };
}

/** Returns why a user was not created, with the code and wording of SuperTokens core if the core has the error. */
function failureOf(
  outcome: Outcome | undefined,
  user: ParsedUser | LineError,
  { owners }: Known,
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
  if (outcome?.code === 'EXTERNAL_ID_ALREADY_EXISTS' && isParsedUser(user)) {
    const taken = externalIdsOf(user).find((id) => owners.has(id));
    return `E031: A user with externalId ${taken} already exists`;
  }
  return outcome?.message ?? 'The user was not imported.';
}

type ImportDeps = Omit<StageDeps, 'maxUserBytes'>;

/**
 * Imports one user, who must be new, without staging.
 * @param options `importer` is the name of the API key
 */
export async function importAtOnce(
  { staged, passwords, vault, now }: ImportDeps,
  sent: unknown,
  options: { signal?: AbortSignal; importer?: string } = {},
): Promise<{ user: User } | { errors: string[] }> {
  const read = readUserPayload({ registry: passwords.registry, now, keepsFactors: vault.isOpen }, sent);
  if (Array.isArray(read)) return { errors: read.map(({ message }) => message) };
  await hashPasswords(passwords, [read], options);
  const created = await staged.create(resolveNewUsers([read], { vault, now }));
  if ('failure' in created) return { errors: [created.failure] };
  learnHashes(passwords, created.decisions);
  return created;
}

function learnHashes(passwords: Passwords, { created }: Decisions): void {
  const sample = new HashSample();
  for (const { logins } of created) sample.add(logins);
  for (const { hash, count } of sample.drawn) passwords.learn(hash, count);
}

export interface StagedWorkerDeps extends ImportDeps {
  pace: BulkPace;
  /**
   * Milliseconds between two searches for users that another instance accepted or left unfinished. Varied at random by
   * up to a fifth.
   */
  pollMs: number;
  onError(error: unknown): void;
}

/** Imports staged users in batches. Several workers may share a database (docs/adr/0011-staged-import.md). */
export function createStagedWorker(deps: StagedWorkerDeps): Poller {
  const { staged, passwords, vault, now, pace, pollMs, onError } = deps;
  const resolve = (users: readonly StagedEntry[]) =>
    resolveNewUsers(
      users.map((user) => readAgain(passwords.registry, user)),
      { vault, now },
    );
  const worker = new Poller({
    async work() {
      while (!worker.isStopped) {
        const batch = await pace.step(() => staged.processNext(resolve));
        if (batch === undefined) return;
        if ('error' in batch) onError(batch.error);
        else learnHashes(passwords, batch.decisions);
      }
    },
    pauseMs: pollMs,
    onError,
  });
  return worker;
}

/**
 * Reads a staged user and validates it again, because limits may have been lowered, or a signer key removed, since the
 * user was staged.
 */
function readAgain(registry: HashRegistry, user: StagedEntry): ParsedUser | LineError {
  // Join times are not checked again: the instance that staged the user may have had another clock.
  const now = () => Number.MAX_SAFE_INTEGER;
  // A hash without a secret id must not get the default secret, which may have changed since the hash was accepted.
  const deps = { registry, now, defaultSecretId: null, keepsFactors: true };
  const read = readUserPayload(deps, withHashes(user));
  if (Array.isArray(read))
    return { code: 'FIELD_INVALID', message: read.map(({ message }) => message).join(' ') };
  return { ...read, userId: user.id, factors: user.factors ? { sealed: user.factors } : undefined };
}

import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../errors.ts';
import type { Passwords } from '../hashing/passwords.ts';
import type { PasswordHash } from '../hashing/verifier.ts';
import type { Candidate, CandidateMethod } from './candidate.ts';
import { ConcurrencyLimit } from './concurrency-limit.ts';

/** How many passwords of one import are hashed at once: the rest of the threads is for those who sign in. */
const AT_ONCE = 2;

/** How long to wait before a full queue is tried again. */
const PAUSE_MS = 100;

/** One for each import, however many chunks of it are at work. */
export const hashingLimit = () => new ConcurrencyLimit(AT_ONCE);

/**
 * Replaces the passwords of these candidates by hashes, in place. What a hash costs is bounded by the gate like any
 * other; an import gives way to callers who wait for an answer.
 */
export async function hashPasswords(
  passwords: Passwords,
  candidates: readonly Candidate[],
  signal?: AbortSignal,
  limit: ConcurrencyLimit = hashingLimit(),
): Promise<void> {
  const methods = candidates.flatMap((candidate) => candidate.methods.filter(isPlain));
  const hash = async (method: Plain) => {
    const password = Buffer.from(method.credential.plainText, 'utf8');
    replaceCredential(method, await hashPatiently(passwords, password, signal));
  };
  await Promise.all(methods.map((method) => limit.run(() => hash(method))));
}

/** For a dry run: any hash will do. */
export function pretendToHash(passwords: Passwords, candidates: readonly Candidate[]): void {
  for (const { methods } of candidates) {
    for (const method of methods) if (isPlain(method)) replaceCredential(method, passwords.exampleHash);
  }
}

type Plain = Extract<CandidateMethod, { recipeId: 'emailpassword' }> & { credential: { plainText: string } };

export const isPlain = (method: CandidateMethod): method is Plain =>
  method.recipeId === 'emailpassword' && 'plainText' in method.credential;

function replaceCredential(method: Plain, hash: PasswordHash): void {
  Object.assign(method, { credential: { hash } });
}

async function hashPatiently(
  passwords: Passwords,
  password: Uint8Array,
  signal: AbortSignal | undefined,
): Promise<PasswordHash> {
  for (;;) {
    try {
      return await passwords.hash(password, signal);
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'OVERLOADED') throw error;
      await sleep(PAUSE_MS);
      signal?.throwIfAborted();
    }
  }
}

import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../errors.ts';
import type { Passwords } from '../hashing/passwords.ts';
import type { PasswordHash } from '../hashing/verifier.ts';
import type { Candidate, CandidateMethod } from './candidate.ts';

/** How many passwords of one import are hashed at once: the rest of the threads is for those who sign in. */
const CONCURRENCY = 2;

/** How long to wait before a full queue is tried again. */
const PAUSE_MS = 100;

/**
 * Replaces the passwords of these candidates by hashes, in place. What a hash costs is bounded by the gate like any
 * other; an import gives way to callers who wait for an answer.
 */
export async function hashPasswords(
  passwords: Passwords,
  candidates: readonly Candidate[],
  signal?: AbortSignal,
): Promise<void> {
  const methods = candidates.flatMap((candidate) => candidate.methods.filter(isPlain));
  const waiting = methods.values();
  const work = async () => {
    for (const method of waiting) {
      const password = Buffer.from(method.credential.plainText, 'utf8');
      replaceCredential(method, await hashPatiently(passwords, password, signal));
    }
  };
  await Promise.all(Array.from({ length: Math.min(CONCURRENCY, methods.length) }, work));
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

import { setTimeout as sleep } from 'node:timers/promises';
import type { Passwords } from '../../hashing/passwords.ts';
import type { PasswordHash } from '../../hashing/verifier.ts';
import { ConcurrencyLimit } from '../../lib/async/concurrency-limit.ts';
import { AppError } from '../../lib/errors.ts';
import type { ParsedLoginMethod, ParsedUser } from '../input/parsed-user.ts';

/** How many passwords of one import are hashed at once: the rest of the threads is for those who sign in. */
const MAX_CONCURRENT_HASHES = 2;

/** How long to wait before a full queue is tried again. */
const PAUSE_MS = 100;

/** One for each import, however many chunks of it are at work. */
export const hashingLimit = () => new ConcurrencyLimit(MAX_CONCURRENT_HASHES);

/**
 * Replaces the passwords of these candidates by hashes, in place. What a hash costs is bounded by the gate like any
 * other; an import gives way to callers who wait for an answer.
 */
export async function hashPasswords(
  passwords: Passwords,
  parsedUsers: readonly ParsedUser[],
  signal?: AbortSignal,
  limit: ConcurrencyLimit = hashingLimit(),
): Promise<void> {
  const methods = parsedUsers.flatMap((parsedUser) => parsedUser.methods.filter(hasPlainTextPassword));
  const hash = async (method: PlainTextLogin) => {
    const password = Buffer.from(method.credential.plainText, 'utf8');
    replaceCredential(method, await hashPatiently(passwords, password, signal));
  };
  await Promise.all(methods.map((method) => limit.run(() => hash(method))));
}

/** For a dry run: any hash will do. */
export function setExampleHashes(passwords: Passwords, parsedUsers: readonly ParsedUser[]): void {
  for (const { methods } of parsedUsers) {
    for (const method of methods)
      if (hasPlainTextPassword(method)) replaceCredential(method, passwords.exampleHash);
  }
}

type PlainTextLogin = Extract<ParsedLoginMethod, { recipeId: 'emailpassword' }> & {
  credential: { plainText: string };
};

export const hasPlainTextPassword = (method: ParsedLoginMethod): method is PlainTextLogin =>
  method.recipeId === 'emailpassword' && 'plainText' in method.credential;

function replaceCredential(method: PlainTextLogin, hash: PasswordHash): void {
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

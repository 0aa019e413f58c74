import type { Passwords } from '../../hashing/passwords.ts';
import type { KeptHash } from '../../hashing/verifier.ts';
import { ConcurrencyLimit } from '../../lib/async/concurrency-limit.ts';
import { retry } from '../../lib/async/retry.ts';
import { AppError } from '../../lib/errors.ts';
import type { ParsedLoginMethod, ParsedUser } from '../input/parsed-user.ts';

/** Passwords that an import run or an upload of staged users hashes at once. Other threads stay free for sign-ins. */
const MAX_CONCURRENT_HASHES = 2;

/** Milliseconds until the next attempt if the queue of the KDF gate was full. */
const PAUSE_MS = 100;

/** An import run uses one limit for all its chunks. */
export const hashingLimit = () => new ConcurrencyLimit(MAX_CONCURRENT_HASHES);

interface HashingOptions {
  signal?: AbortSignal | undefined;
  /** Name of the API key, if this is the import of a single user (`Passwords.hash`). */
  importer?: string | undefined;
}

/**
 * Hashes passwords in place. Waits while the KDF gate is full: calls that somebody waits for have priority.
 */
export async function hashPasswords(
  passwords: Passwords,
  parsedUsers: readonly ParsedUser[],
  { limit = hashingLimit(), ...options }: HashingOptions & { limit?: ConcurrencyLimit } = {},
): Promise<void> {
  const methods = parsedUsers.flatMap((parsedUser) => parsedUser.methods.filter(hasPlainTextPassword));
  const hash = async (method: PlainTextLogin) => {
    const password = Buffer.from(method.credential.plainText, 'utf8');
    replaceCredential(method, await hashPatiently(passwords, password, options));
  };
  await Promise.all(methods.map((method) => limit.run(() => hash(method))));
}

/** A dry run does not hash plain-text passwords: it uses one example hash. */
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

function replaceCredential(method: PlainTextLogin, hash: KeptHash): void {
  Object.assign(method, { credential: { hash } });
}

const hashPatiently = (
  passwords: Passwords,
  password: Uint8Array,
  { signal, importer }: HashingOptions,
): Promise<KeptHash> =>
  retry(
    () => passwords.hash(password, signal, importer),
    (error) => (error instanceof AppError && error.code === 'OVERLOADED' ? PAUSE_MS : undefined),
    signal,
  );

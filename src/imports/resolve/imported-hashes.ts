import type { Strength } from '../../hashing/form.ts';
import type { Passwords } from '../../hashing/passwords.ts';
import type { KeptHash, PasswordHash } from '../../hashing/verifier.ts';
import { ConcurrencyLimit } from '../../lib/async/map-ahead.ts';
import { retry } from '../../lib/async/until.ts';
import { AppError } from '../../lib/errors.ts';
import type { ParsedLoginMethod, ParsedUser } from '../input/parsed-user.ts';

/**
 * Maximum number of passwords that an import run or an upload of staged users hashes at once. Other threads stay free
 * for sign-ins.
 */
const MAX_CONCURRENT_HASHES = 2;

/** Milliseconds until the next attempt if the queue of the KDF gate was full. */
const PAUSE_MS = 100;

/** Returns a limit of concurrent hash computations. An import run uses one limit for all its chunks. */
export const hashingLimit = () => new ConcurrencyLimit(MAX_CONCURRENT_HASHES);

interface HashingOptions {
  signal?: AbortSignal | undefined;
  /** Name of the API key, if this is the import of a single user (`Passwords.hash`). */
  importer?: string | undefined;
}

/**
 * Replaces the plain-text passwords of users by hashes. Waits while the KDF gate is full, because calls that somebody
 * waits for have priority.
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

/** Replaces plain-text passwords by one example hash, because a dry run does not compute hashes. */
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

/** Imported hashes by algorithm and strength class: `{"bcrypt": {"strong": 2}}`. */
export type HashCounts = Record<string, Partial<Record<Strength, number>>>;

export const HASH_CLASSES = ['strong', 'legacy', 'broken'] as const satisfies readonly Strength[];

export function addHashCounts(a: HashCounts, b: HashCounts): HashCounts {
  const sum = structuredClone(a);
  for (const { algorithm, class: strength, count } of listHashes(b)) {
    const classes = sum[algorithm] ?? {};
    classes[strength] = (classes[strength] ?? 0) + count;
    sum[algorithm] = classes;
  }
  return sum;
}

export function listHashes(counts: HashCounts): { algorithm: string; class: Strength; count: number }[] {
  return Object.keys(counts)
    .sort()
    .flatMap((algorithm) =>
      HASH_CLASSES.flatMap((name) => {
        const count = counts[algorithm]?.[name] ?? 0;
        return count === 0 ? [] : [{ algorithm, class: name, count }];
      }),
    );
}

export function classTotals(counts: HashCounts): Record<Strength, number> {
  const totals: Record<Strength, number> = { strong: 0, legacy: 0, broken: 0 };
  for (const { class: strength, count } of listHashes(counts)) totals[strength] += count;
  return totals;
}

/** One of 16 imported hashes updates the statistics from which decoy hashes are chosen. */
const ONE_IN = 16;

export interface CountedHash {
  hash: PasswordHash;
  count: number;
}

/**
 * Random sample of imported hashes. Every hash is equally likely to be drawn, so a sender cannot choose which hashes
 * are counted.
 */
export class HashSample {
  readonly drawn: CountedHash[] = [];

  add(logins: readonly { hash: PasswordHash | undefined }[]): void {
    for (const { hash } of logins) {
      if (hash === undefined) continue;
      const last = this.drawn.at(-1);
      if (last === undefined || last.count === ONE_IN) {
        this.drawn.push({ hash, count: 1 });
      } else {
        last.count += 1;
        if (Math.random() * last.count < 1) last.hash = hash;
      }
    }
  }
}

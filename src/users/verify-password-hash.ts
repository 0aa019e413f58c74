import { MISTAKES, type MistakeCode } from '../hashing/diagnose/mistakes.ts';
import type { Passwords, Trial, TrialResult } from '../hashing/passwords.ts';
import type { HashRegistry } from '../hashing/registry.ts';
import type { HashParameters } from '../hashing/verifier.ts';
import { AppError } from '../lib/errors.ts';
import { acceptSubmitted, readHash, type SubmittedHash } from './accept-hash.ts';
import { type Suspicion, suspicionsOfMismatch, suspicionsOfRefused } from './likely-mistakes.ts';

/** Most key derivations of one request. They run one after another. */
const MAX_RUNS = 8;

export interface VerifiedHash {
  match: boolean;
  algorithm: string;
  /** Those of the hash as it came. Where that is refused: those of the repaired hash, also in `cost`. */
  parameters: HashParameters;
  /** What one verification takes. */
  cost: TrialResult['cost'];
  /** The hash matches without this mistake: that was tried, not guessed. */
  mistake?: { code: MistakeCode; message: string };
}

/**
 * Is this the password of this hash? If not, is it one of the mistakes that are often made? Keeps nothing.
 * @throws {AppError} when the hash is refused and no mistake explains it; OVERLOADED when too many wait
 */
export async function verifyPasswordHash(
  { passwords }: { passwords: Passwords },
  request: { passwordHash: string; hashingAlgorithm?: string; hashingSecretId?: string; password: string },
  signal?: AbortSignal,
): Promise<VerifiedHash> {
  const { registry } = passwords;
  const submitted = readHash(registry, request.passwordHash, request.hashingAlgorithm, {
    id: request.hashingSecretId,
  });
  const trial = trialOf(registry, submitted, request.password);
  if (trial instanceof AppError) {
    const suspicions = suspicionsOfRefused(registry, submitted, request.password);
    const found = await firstMatch(passwords, suspicions.slice(0, MAX_RUNS), signal);
    if (found === undefined) throw trial;
    const message = `${MISTAKES[found.mistake]} As it is, it is refused: ${trial.message}`;
    return { match: false, ...report(found, found.result), mistake: { code: found.mistake, message } };
  }
  const result = await passwords.tryOut(trial, signal);
  if (result.matches) return { match: true, ...report(trial, result) };
  const suspicions = suspicionsOfMismatch(trial, request.password);
  const found = await firstMatch(passwords, suspicions.slice(0, MAX_RUNS - 1), signal);
  return {
    match: false,
    ...report(trial, result),
    ...(found && { mistake: { code: found.mistake, message: MISTAKES[found.mistake] } }),
  };
}

function trialOf(registry: HashRegistry, submitted: SubmittedHash, password: string): Trial | AppError {
  try {
    return { hash: acceptSubmitted(registry, submitted), password: Buffer.from(password, 'utf8') };
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

async function firstMatch(
  passwords: Passwords,
  suspicions: readonly Suspicion[],
  signal: AbortSignal | undefined,
): Promise<(Suspicion & { result: TrialResult }) | undefined> {
  for (const suspicion of suspicions) {
    const result = await passwords.tryOut(suspicion, signal);
    if (result.matches) return { ...suspicion, result };
  }
  return undefined;
}

function report({ hash }: Trial, { cost }: TrialResult) {
  return { algorithm: hash.algorithm, parameters: hash.describe(), cost };
}

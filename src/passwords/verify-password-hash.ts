import { MISTAKES, type MistakeCode } from '../hashing/diagnose/mistakes.ts';
import type { Passwords, Trial, TrialResult } from '../hashing/passwords.ts';
import type { HashRegistry } from '../hashing/registry.ts';
import { type HashParameters, ParsedHash } from '../hashing/verifier.ts';
import { AppError } from '../lib/errors.ts';
import { acceptSubmitted, readHash } from './accept-hash.ts';
import { candidateFamilies, type DescribedCandidate, describeCandidate } from './candidate-families.ts';
import { type Suspicion, suspicionsOfMismatch, suspicionsOfRefused } from './likely-mistakes.ts';
import { passwordVariants } from './password-variants.ts';
import type { SubmittedHash } from './submitted-hash.ts';
import { TrialBudget } from './trial-budget.ts';

/** Key derivations in one request for testing other hash families, and for finding a mistake. */
const MAX_OTHER_FAMILIES = 7;
const MAX_MISTAKES = 7;
/**
 * Milliseconds on the reference machine for testing families and mistakes: fourteen times bcrypt with cost
 * 12. The first verification is not included; hashing_max_ms limits it.
 */
const MAX_TOTAL_MS = 3000;

export interface HashInRequest {
  passwordHash: string;
  hashingAlgorithm?: string;
  hashingSecretId?: string;
}

/** `cost` is that of one verification. */
export interface ReadAs {
  algorithm: string;
  parameters: HashParameters;
  cost: TrialResult['cost'];
}

export interface MatchingFamily extends ReadAs {
  mustBeNamed: boolean;
}

/**
 * The members of `ReadAs` describe the hash as parsed by the first family that matches. Without a match, they
 * describe the hash as sent, else the repaired hash, else the hash as parsed by the most plausible family.
 */
export interface VerifiedHash extends ReadAs {
  match: boolean;
  /** Mistake without which the password would match. Only reported after a test. */
  mistake?: { code: MistakeCode; message: string };
  /** The most plausible first. Omitted if none matches, or if the family that the request names matches. */
  matches?: MatchingFamily[];
  /** Possible families if the request names none. Omitted if there is only one, or if one matches. */
  candidates?: DescribedCandidate[];
}

interface Tried extends Trial {
  result: TrialResult;
}

type Run = <Kind extends Trial>(trial: Kind) => Promise<Kind & Tried>;

/**
 * Verifies a password against a hash that is not stored. If no algorithm is named, also finds the family. If
 * the password does not match, tests whether a common mistake explains this.
 * @param request `caller` is the name of the API key, which may only use a part of the capacity
 * @throws {AppError} if the hash is refused and no mistake explains it; OVERLOADED if too many tests wait
 */
export async function verifyPasswordHash(
  { passwords }: { passwords: Passwords },
  { caller = '', ...request }: HashInRequest & { password: string; caller?: string },
  signal?: AbortSignal,
): Promise<VerifiedHash> {
  const { registry } = passwords;
  const run: Run = async (trial) => ({ ...trial, result: await passwords.tryOut(trial, caller, signal) });
  const submitted = readHash(registry, request.passwordHash, request.hashingAlgorithm, {
    id: request.hashingSecretId,
  });
  const password = Buffer.from(request.password, 'utf8');
  const time = { ms: MAX_TOTAL_MS };

  const accepted = accept(registry, submitted);
  const own = accepted instanceof AppError ? undefined : await run({ hash: accepted, password });
  if (own?.result.matches && submitted.named) return matched(registry, submitted, [own]);

  const others = otherFamilies(registry, submitted, accepted).map((hash) => ({ hash, password }));
  const distinct = withoutRepeats(others, own);
  const tried = await runAll(new TrialBudget(MAX_OTHER_FAMILIES, time).take(distinct), run);
  const matches = tried.filter(({ result }) => result.matches);
  if (own?.result.matches) return matched(registry, submitted, [own, ...matches]);
  if (matches.length > 0) return matched(registry, submitted, matches, own);

  const read = own ? [own] : tried;
  const isAmbiguous = own === undefined && read.length > 0 && recognised(registry, submitted) === undefined;
  const variants = passwordVariants(request.password);
  const suspicions = [
    ...(own || isAmbiguous ? [] : suspicionsOfRefused(registry, submitted, request.password)),
    ...read.flatMap((trial) =>
      suspicionsOfMismatch(registry, trial, { password: request.password, variants }),
    ),
  ];
  const found = await firstMatch(new TrialBudget(MAX_MISTAKES, time).take(suspicions), run);
  const shown = own ?? found ?? (isAmbiguous ? read[0] : undefined);
  if (shown === undefined) throw accepted;
  return {
    match: false,
    ...readAs(shown),
    ...(found && { mistake: mistakeOf(found, accepted) }),
    ...candidatesOf(registry, submitted),
  };
}

function candidatesOf(
  registry: HashRegistry,
  submitted: SubmittedHash,
): { candidates?: DescribedCandidate[] } {
  const candidates = submitted.named ? [] : describedCandidates(registry, submitted);
  return candidates.length > 1 ? { candidates } : {};
}

function accept(registry: HashRegistry, submitted: SubmittedHash): ParsedHash | AppError {
  try {
    return acceptSubmitted(registry, submitted);
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

/** Returns the hash as parsed by families that an import would not use, the most plausible first. */
function otherFamilies(
  registry: HashRegistry,
  submitted: SubmittedHash,
  accepted: ParsedHash | AppError,
): ParsedHash[] {
  const isParsed = accepted instanceof ParsedHash;
  if (!isParsed && submitted.named) return [];
  return candidateFamilies(registry, submitted).flatMap(({ read }) =>
    read instanceof ParsedHash && !(isParsed && read.algorithm === accepted.algorithm) ? [read] : [],
  );
}

/** Some hashes differ only in a second reading, which passwords may lack: then the results are the same. */
function withoutRepeats(trials: readonly Trial[], before: Trial | undefined): Trial[] {
  const all = before === undefined ? trials : [before, ...trials];
  const others = new Set(
    all.filter(({ hash }) => hash.secondReading === undefined).map(({ hash }) => hash.identity),
  );
  return trials.filter(
    ({ hash, password }) =>
      hash.secondReading?.mayDiffer(Buffer.from(password)) ||
      hash.secondReading === undefined ||
      !others.has(hash.identity),
  );
}

/** Runs the cheapest test first. Returns the results in the original order. */
async function runAll(trials: readonly Trial[], run: Run): Promise<Tried[]> {
  const tried = new Map<Trial, Tried>();
  const byCost = [...trials].sort((a, b) => a.hash.cost.ms - b.hash.cost.ms);
  for (const trial of byCost) tried.set(trial, await run(trial));
  return trials.flatMap((trial) => tried.get(trial) ?? []);
}

async function firstMatch(
  suspicions: readonly Suspicion[],
  run: Run,
): Promise<(Suspicion & Tried) | undefined> {
  for (const suspicion of suspicions) {
    const tried = await run(suspicion);
    if (tried.result.matches) return tried;
  }
  return undefined;
}

/**
 * @param trials families with which the password matches
 * @param own the family that an import would use, if the password does not match with it
 */
function matched(
  registry: HashRegistry,
  { encoded, named }: SubmittedHash,
  trials: readonly Tried[],
  own?: Tried,
): VerifiedHash {
  const matches = trials.map((trial) => ({
    ...readAs(trial),
    mustBeNamed: registry.recognise(encoded)?.algorithm !== trial.hash.algorithm,
  }));
  const [first] = trials as [Tried];
  if (named === undefined) return { match: true, ...readAs(first), matches };
  if (own === undefined) return { match: true, ...readAs(first) };
  const code = first.hash.verifier.takesSecret ? 'PEPPER_MISSING' : 'ALGORITHM_MISNAMED';
  const message = `${MISTAKES[code]} Name ${first.hash.algorithm}.`;
  return { match: false, ...readAs(own), mistake: { code, message }, matches };
}

function mistakeOf(
  { mistake: code, hash }: Suspicion,
  accepted: ParsedHash | AppError,
): NonNullable<VerifiedHash['mistake']> {
  const refusal = accepted instanceof AppError ? ` As it is, it is refused: ${accepted.message}` : '';
  const secret = code === 'ANOTHER_SECRET' ? ` Its id is ${hash.secretId}.` : '';
  return { code, message: MISTAKES[code] + secret + refusal };
}

const recognised = (registry: HashRegistry, { encoded, named }: SubmittedHash) =>
  named ?? registry.recognise(encoded);

function readAs({ hash, result: { cost } }: Tried): ReadAs {
  return { algorithm: hash.algorithm, parameters: hash.describe(), cost };
}

/** Computes no hash. @throws {AppError} if there is no hash, or if the algorithm is unknown */
export function identifyCandidates(
  { passwords: { registry } }: { passwords: Passwords },
  { passwordHash, hashingAlgorithm, hashingSecretId }: HashInRequest,
): DescribedCandidate[] {
  const submitted = readHash(registry, passwordHash, hashingAlgorithm, { id: hashingSecretId });
  return describedCandidates(registry, submitted);
}

const describedCandidates = (registry: HashRegistry, submitted: SubmittedHash): DescribedCandidate[] =>
  candidateFamilies(registry, submitted).map((one) => describeCandidate(one, submitted));

import { MISTAKES, type MistakeCode } from '../hashing/mistakes.ts';
import type { Passwords, Trial, TrialResult } from '../hashing/passwords.ts';
import { hashesInPieces } from '../hashing/pieces.ts';
import { HashRefused, orRefusal } from '../hashing/refused.ts';
import {
  candidateFamilies,
  type DescribedCandidate,
  describeCandidate,
  type HashRegistry,
} from '../hashing/registry.ts';
import {
  type HashParameters,
  type HashVerifier,
  ParsedHash,
  type Repair,
  type SecretId,
  type SubmittedHash,
  secretFor,
  tryParse,
} from '../hashing/verifier.ts';
import { AppError } from '../lib/errors.ts';
import { readHash, tryAccept } from './accept-hash.ts';
import { type PasswordVariant, passwordVariants } from './password-variants.ts';

/** Test of a password that succeeds if this mistake was made in the hash or the password. */
export type Suspicion = Trial & RepairedHash;

interface RepairedHash {
  mistake: MistakeCode;
  /** Parameter or family of the repaired hash, if that is what the mistake changed. */
  change?: string;
  hash: ParsedHash;
}

/** Number of repairs that are tested before other forms of the password, which are less likely mistakes. */
const FIRST_REPAIRS = 5;

/** Returns tests for what may be wrong with a refused hash, the most likely mistake first. */
function suspicionsOfRefused(
  registry: HashRegistry,
  { encoded, named, secret }: SubmittedHash,
  password: Uint8Array,
): Suspicion[] {
  const verifier = named ?? registry.recognise(encoded);
  const unwrapped = unwrap(encoded).flatMap((inner) => {
    const owner = registry.recognise(inner);
    if (owner === undefined || (named !== undefined && owner !== named)) return [];
    return parsed({ mistake: 'HASH_WRAPPED', encoded: inner }, owner, secretFor(owner, secret));
  });
  const owners = verifier === undefined ? registry.resembling(encoded) : [verifier];
  const repairs = owners.flatMap((owner) => repaired(registry, owner, encoded, secretFor(owner, secret)));
  return [...unwrapped, ...repairs].map((one) => ({ ...one, password }));
}

/** Returns tests for mistakes in an accepted hash or in the password, the most likely mistake first. */
function suspicionsOfMismatch(
  registry: HashRegistry,
  { hash, password }: Trial,
  variants: readonly PasswordVariant[],
): Suspicion[] {
  const repairs = repaired(registry, hash.verifier, hash.encoded, hash.secretId);
  const all: (RepairedHash & { password?: Uint8Array })[] = [
    ...withOtherSecrets(registry, hash),
    ...repairs.slice(0, FIRST_REPAIRS),
    ...variants.map((variant) => ({ ...variant, hash })),
    ...repairs.slice(FIRST_REPAIRS),
  ];
  return all.map((one) => ({ password, ...one }));
}

/**
 * Returns tests that take the text for a salt and a hash beside each other, even if it looks like a hash of another
 * family.
 */
function suspicionsOfPieces(
  registry: HashRegistry,
  { encoded }: SubmittedHash,
  password: Uint8Array,
): Suspicion[] {
  const names = registry.all.map(({ name }) => name);
  return hashesInPieces(encoded, names).flatMap((repair) => {
    const [, name = ''] = repair.encoded.split('$');
    const owner = registry.find(name) ?? registry.recognise(repair.encoded);
    return owner === undefined ? [] : parsed(repair, owner, undefined).map((one) => ({ ...one, password }));
  });
}

/** Maximum number of other secrets to test. Secrets are rotated rarely, so there are only a few. */
const MAX_OTHER_SECRETS = 3;

function withOtherSecrets(registry: HashRegistry, hash: ParsedHash): RepairedHash[] {
  if (!hash.verifier.takesSecret) return [];
  const ids = registry.secrets.idsFor(hash.algorithm).filter((id) => id !== hash.secretId);
  const repair = { mistake: 'ANOTHER_SECRET', encoded: hash.encoded } as const;
  return ids.slice(0, MAX_OTHER_SECRETS).flatMap((id) => parsed(repair, hash.verifier, id));
}

function repaired(
  registry: HashRegistry,
  verifier: HashVerifier,
  encoded: string,
  secretId: SecretId,
): RepairedHash[] {
  const repairs = orRefusal(() => verifier.repairs(encoded, secretId));
  if (repairs instanceof HashRefused) return [];
  return repairs.flatMap((repair) => {
    // A repair that changes the name of the digest leads to another family.
    const owner = verifier.resembles(repair.encoded) ? verifier : registry.recognise(repair.encoded);
    return owner === undefined ? [] : parsed(repair, owner, secretId);
  });
}

/** Parses a repaired hash. Returns an empty list if it is refused. */
function parsed({ encoded, verifier, ...repair }: Repair, owner: HashVerifier, id: SecretId): RepairedHash[] {
  const hash = tryParse(verifier ?? owner, encoded, id);
  return hash instanceof ParsedHash ? [{ ...repair, hash }] : [];
}

/** Number of characters within which a hash must begin if other text, such as `{BCRYPT}` or a quote, precedes it. */
const INNERMOST_START = 32;

/** Returns a candidate for each `$` near the start: the text from there on, without backslashes and final quotes. */
function unwrap(encoded: string): string[] {
  const text = encoded.replaceAll('\\', '').replace(/["'`]{1,2}$/, '');
  const starts = [...text.slice(0, INNERMOST_START).matchAll(/\$/g)];
  return starts.map(({ index }) => text.slice(index)).filter((inner) => inner !== encoded);
}

/**
 * Maximum number of key derivations in one request: for testing other families, and for finding a mistake. Sixteen
 * families may have made a hash that looks like bcrypt.
 */
const MAX_OTHER_FAMILIES = 16;
const MAX_MISTAKES = 7;
const MAX_PIECES = 16;
/** Maximum number of fast digests, which take microseconds each and are limited separately from key derivations. */
const MAX_DIGESTS = 64;
/**
 * Maximum milliseconds on the reference machine: for testing other families, and for finding a mistake. Each is ten
 * times bcrypt with cost 12. The first verification is not included; hashing_max_ms limits it.
 */
const MAX_FAMILIES_MS = 2000;
const MAX_MISTAKES_MS = 2000;
const MAX_PIECES_MS = 2000;

export interface HashInRequest {
  passwordHash: string;
  hashingAlgorithm?: string;
  hashingSecretId?: string;
}

/** A hash as one family parses it. `cost` is the cost of one verification. */
export interface ReadAs {
  algorithm: string;
  parameters: HashParameters;
  cost: TrialResult['cost'];
}

/**
 * The members of `ReadAs` describe the hash as parsed by the first family that matches. Without a match, they describe
 * the hash as sent if it was accepted. Otherwise they describe the repaired hash, or else the hash as parsed by the
 * most plausible family.
 */
export interface VerifiedHash extends ReadAs {
  match: boolean;
  /** Mistake without which the password would match. Only reported if a test has confirmed it. */
  mistake?: { code: MistakeCode; message: string };
  /**
   * Families with which the password matches, the most plausible first. Omitted if there are none, or if the family
   * that the request names matches.
   */
  matches?: (ReadAs & { mustBeNamed: boolean })[];
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

  const accepted = tryAccept(registry, submitted);
  const own = accepted instanceof AppError ? undefined : await run({ hash: accepted, password });
  if (own?.result.matches && submitted.named) return matched(registry, submitted, [own]);

  const others = otherFamilies(registry, submitted, accepted).map((hash) => ({ hash, password }));
  const distinct = withoutRepeats(others, own);
  const tried = await runAll(withinBudget(distinct, MAX_OTHER_FAMILIES, MAX_FAMILIES_MS), run);
  const matches = tried.filter(({ result }) => result.matches);
  if (own?.result.matches) return matched(registry, submitted, [own, ...matches]);
  if (matches.length > 0) return matched(registry, submitted, matches, own);

  const read = own ? [own] : tried;
  const verifier = submitted.named ?? registry.recognise(submitted.encoded);
  const isAmbiguous = own === undefined && read.length > 0 && verifier === undefined;
  const variants = passwordVariants(request.password);
  const suspicions = [
    ...(own || isAmbiguous ? [] : suspicionsOfRefused(registry, submitted, password)),
    ...read.flatMap((trial) => suspicionsOfMismatch(registry, trial, variants)),
  ];
  const pieces = suspicionsOfPieces(registry, submitted, password);
  const found =
    (await firstMatch(withinBudget(suspicions, MAX_MISTAKES, MAX_MISTAKES_MS), run)) ??
    (await firstMatch(withinBudget(pieces, MAX_PIECES, MAX_PIECES_MS), run));
  const shown = own ?? found ?? (isAmbiguous ? read[0] : undefined);
  if (shown === undefined) throw accepted;
  const candidates = submitted.named ? [] : describedCandidates(registry, submitted);
  return {
    match: false,
    ...readAs(shown),
    ...(found && { mistake: mistakeOf(found, accepted) }),
    ...(candidates.length > 1 && { candidates }),
  };
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

/**
 * Leaves out tests whose result is known from another test. Some hashes differ only in a second reading of the
 * password. If this password has no second reading, their results are the same.
 */
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

/**
 * Returns the tests that a request may make, in order. They run one after another, so their memory does not
 * add up.
 * @param runs maximum number of key derivations
 * @param totalMs maximum time on the reference machine
 */
function withinBudget<Kind extends Trial>(trials: readonly Kind[], runs: number, totalMs: number): Kind[] {
  const left = { runs, digests: MAX_DIGESTS, ms: totalMs };
  return trials.filter(({ hash, password }) => {
    const { ms, runsOn } = hash.costOf(password);
    const kind = runsOn === 'event-loop' ? 'digests' : 'runs';
    if (ms > left.ms || left[kind] === 0) return false;
    left.ms -= ms;
    left[kind] -= 1;
    return true;
  });
}

/** Runs the cheapest test first. Returns the results in the original order. */
async function runAll(trials: readonly Trial[], run: Run): Promise<Tried[]> {
  const tried = new Map<Trial, Tried>();
  const byCost = trials.toSorted((a, b) => a.hash.cost.ms - b.hash.cost.ms);
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
 * Returns the result for a password that matches.
 * @param trials families with which the password matches
 * @param own family that an import would use; only given if the password does not match it
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
  { mistake: code, change, hash }: Suspicion,
  accepted: ParsedHash | AppError,
): NonNullable<VerifiedHash['mistake']> {
  const refusal = accepted instanceof AppError ? ` As it is, it is refused: ${accepted.message}` : '';
  const secret = code === 'ANOTHER_SECRET' ? ` Its id is ${hash.secretId}.` : '';
  const right = change === undefined ? '' : ` It matches with ${change}.`;
  return { code, message: MISTAKES[code] + right + secret + refusal };
}

function readAs({ hash, result: { cost } }: Tried): ReadAs {
  return { algorithm: hash.algorithm, parameters: hash.describe(), cost };
}

/**
 * Returns the families that may have made a hash, without computing it.
 * @throws {AppError} if there is no hash, or if the algorithm is unknown
 */
export function identifyCandidates(
  { passwords: { registry } }: { passwords: Passwords },
  { passwordHash, hashingAlgorithm, hashingSecretId }: HashInRequest,
): DescribedCandidate[] {
  const submitted = readHash(registry, passwordHash, hashingAlgorithm, { id: hashingSecretId });
  return describedCandidates(registry, submitted);
}

const describedCandidates = (registry: HashRegistry, submitted: SubmittedHash): DescribedCandidate[] =>
  candidateFamilies(registry, submitted).map((one) => describeCandidate(one, submitted));

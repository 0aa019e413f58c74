import type { Strength } from './form.ts';
import { HashRefused } from './refused.ts';
import type { HashRegistry } from './registry.ts';
import { type HashVerifier, type ParsedHash, type SubmittedHash, secretFor, tryParse } from './verifier.ts';

/** Family to which a hash may belong, with the parsed hash or the reason for the refusal. */
export interface CandidateFamily {
  verifier: HashVerifier;
  read: ParsedHash | HashRefused;
}

export interface DescribedCandidate {
  hashingAlgorithm: string;
  aliases?: string[];
  strength: Strength;
  needsSecret: boolean;
  /** Whether an import takes the hash for this family only if the request names the family. */
  mustBeNamed: boolean;
  parses: boolean;
  reason?: string;
}

/**
 * Returns the families whose format the hash has, the most plausible first; no hash is computed. A family
 * fits even if it refuses the hash for its cost or a missing secret. A family that the request names comes
 * first, whether it fits or not. If the request names a secret, the other families must have that secret.
 */
export function candidateFamilies(
  registry: HashRegistry,
  { encoded, named, secret }: SubmittedHash,
): CandidateFamily[] {
  const looksSo = registry.resembling(encoded);
  const verifiers = named === undefined ? looksSo : [named, ...looksSo.filter((one) => one !== named)];
  return verifiers
    .filter((verifier) => verifier === named || mayHave(registry, verifier, secret.id))
    .map((verifier) => ({ verifier, read: tryParse(verifier, encoded, secretFor(verifier, secret)) }))
    .filter(({ verifier, read }) => verifier === named || fits(read));
}

/** An unknown id fits every family that takes a secret, so that the error says that the id is wrong. */
function mayHave(registry: HashRegistry, { algorithm, takesSecret }: HashVerifier, id: string | undefined) {
  if (id === undefined) return true;
  return takesSecret && (!registry.hasSecret(id) || registry.hasSecret(id, algorithm));
}

const fits = (read: ParsedHash | HashRefused) => !(read instanceof HashRefused) || read.reason !== 'format';

export function describeCandidate(
  { verifier, read }: CandidateFamily,
  { encoded }: SubmittedHash,
): DescribedCandidate {
  const refused = read instanceof HashRefused ? read : undefined;
  const lacksSecret = refused?.reason === 'secret' || refused?.reason === 'signer-key-missing';
  return {
    hashingAlgorithm: verifier.algorithm,
    ...(verifier.family.aliases.length > 0 && { aliases: [...verifier.family.aliases] }),
    strength: read instanceof HashRefused ? verifier.family.strength : read.strength,
    needsSecret: verifier.needsSecret || lacksSecret,
    mustBeNamed: !verifier.recognises(encoded),
    parses: refused === undefined,
    ...(refused && { reason: refused.message }),
  };
}

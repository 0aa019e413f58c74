import type { HashRegistry } from '../hashing/registry.ts';
import {
  HashRefused,
  type HashVerifier,
  type ParsedHash,
  type Strength,
  tryParse,
} from '../hashing/verifier.ts';
import { type SubmittedHash, secretFor } from './submitted-hash.ts';

/** A family that a hash could be of, and the hash as that family reads it, or why it cannot be read now. */
export interface CandidateFamily {
  verifier: HashVerifier;
  read: ParsedHash | HashRefused;
}

/** What callers are told of a candidate. No key derivation was run. */
export interface DescribedCandidate {
  hashingAlgorithm: string;
  aliases?: string[];
  strength: Strength;
  needsSecret: boolean;
  /** An import takes the hash for this family only where the request names it. */
  mustBeNamed: boolean;
  parses: boolean;
  /** Why it does not parse. */
  reason?: string;
}

/**
 * Returns the families whose grammar the hash fits, most plausible first. One that is refused for its cost or for want of a secret
 * fits as well. The family that the request names is the first, whether it fits or not. Where it names a secret, only families that the
 * secret serves are meant. No KDF.
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

/** Any family that takes a secret may have one whose id is unknown: the refusal then names the id as what is wrong. */
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
    ...(verifier.aliases.length > 0 && { aliases: [...verifier.aliases] }),
    strength: read instanceof HashRefused ? verifier.strength : read.strength,
    needsSecret: verifier.needsSecret || lacksSecret,
    mustBeNamed: !verifier.recognises(encoded),
    parses: refused === undefined,
    ...(refused && { reason: refused.message }),
  };
}

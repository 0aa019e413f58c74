import type { HashRegistry } from '../hashing/registry.ts';
import {
  HashRefused,
  type HashVerifier,
  type ParsedHash,
  type Strength,
  tryParse,
} from '../hashing/verifier.ts';
import { type SubmittedHash, secretFor } from './submitted-hash.ts';

/**
 * Family, such as bcrypt, to which a hash may belong. It has the parsed hash, or the reason why the family
 * refuses the hash.
 */
export interface CandidateFamily {
  verifier: HashVerifier;
  read: ParsedHash | HashRefused;
}

/**
 * Facts about a hash family that a hash may belong to, for callers. They are found without computing a hash.
 */
export interface DescribedCandidate {
  hashingAlgorithm: string;
  aliases?: string[];
  strength: Strength;
  needsSecret: boolean;
  /** Whether an import takes the hash for this family only if the request names the family. */
  mustBeNamed: boolean;
  parses: boolean;
  /** Reason why the family refuses the hash. */
  reason?: string;
}

/**
 * Returns the hash families whose format the hash has, the most plausible first. A family fits even if it
 * refuses the hash for its cost or a missing secret. If the request names a family, that family comes first,
 * whether it fits or not. If the request names a secret, other families are listed only if the secret is for
 * them. No hash is computed.
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

/**
 * Returns whether hashes of the family may be made with this secret. An unknown id is possible for every
 * family that takes a secret, so that the error message says that the id is wrong.
 */
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

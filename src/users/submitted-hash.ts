import type { HashVerifier, SecretId } from '../hashing/verifier.ts';

/** A hash as a request has it, trimmed, not yet checked. */
export interface SubmittedHash {
  encoded: string;
  /** The algorithm that the request names, if it names one. */
  named: HashVerifier | undefined;
  secret: SecretChoice;
}

/** Which configured secret a hash was made with. */
export interface SecretChoice {
  /** As the request names it. For hashes of an algorithm that takes no secret, to name one is an error. */
  id?: string | undefined;
  /** For hashes that name none, of algorithms that take one. */
  otherwise?: SecretId;
}

/** The secret that hashes of this algorithm are parsed with. */
export const secretFor = ({ takesSecret }: HashVerifier, { id, otherwise }: SecretChoice): SecretId =>
  takesSecret ? (id ?? otherwise) : id;

import type { HashVerifier, SecretId } from '../hashing/verifier.ts';

/** The hash of a request, trimmed but not parsed. */
export interface SubmittedHash {
  encoded: string;
  /** The algorithm that the request names, if any. */
  named: HashVerifier | undefined;
  secret: SecretChoice;
}

/** The configured secret that a hash was made with. */
export interface SecretChoice {
  /** Id of the secret that the request names. A request must not name one for an algorithm without secrets. */
  id?: string | undefined;
  /** Id of the secret for hashes whose request names none, if their algorithm takes one. */
  otherwise?: SecretId;
}

/** Returns the secret to parse hashes of this algorithm with. */
export const secretFor = ({ takesSecret }: HashVerifier, { id, otherwise }: SecretChoice): SecretId =>
  takesSecret ? (id ?? otherwise) : id;

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
  /** The id in the request. It is an error to name one for an algorithm without secrets. */
  id?: string | undefined;
  /** The secret of hashes that name none, if their algorithm takes one. */
  otherwise?: SecretId;
}

/** Returns the secret to parse hashes of this algorithm with. */
export const secretFor = ({ takesSecret }: HashVerifier, { id, otherwise }: SecretChoice): SecretId =>
  takesSecret ? (id ?? otherwise) : id;

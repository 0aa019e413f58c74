import type { HashVerifier, SecretId } from '../hashing/verifier.ts';

/** A hash that a request contains, trimmed but not parsed. */
export interface SubmittedHash {
  encoded: string;
  /** The algorithm that the request names, if any. */
  named: HashVerifier | undefined;
  secret: SecretChoice;
}

/** The configured secret with which a submitted hash was made. */
export interface SecretChoice {
  /** Id of the secret that the request names. A request must not name one for an algorithm without secrets. */
  id?: string | undefined;
  /** Id of the secret for hashes whose request names none, if their algorithm takes one. */
  otherwise?: SecretId;
}

/** Returns the id of the secret with which hashes of this algorithm are parsed. */
export const secretFor = ({ takesSecret }: HashVerifier, { id, otherwise }: SecretChoice): SecretId =>
  takesSecret ? (id ?? otherwise) : id;

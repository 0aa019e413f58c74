import type { HashVerifier, SecretId } from '../hashing/verifier.ts';

/** Password hash that a request contains, trimmed but not parsed. */
export interface SubmittedHash {
  encoded: string;
  /** The algorithm that the request names, if any. */
  named: HashVerifier | undefined;
  secret: SecretChoice;
}

/** Choice of the configured secret with which a hash in a request was made. */
export interface SecretChoice {
  /**
   * Id of the secret that the request names. A request must not name one if the hash's algorithm takes no
   * secret.
   */
  id?: string | undefined;
  /** Id of the secret for hashes whose request names none, if their algorithm takes a secret. */
  otherwise?: SecretId;
}

/** Returns the id of the secret with which a hash of this algorithm is parsed. */
export const secretFor = ({ takesSecret }: HashVerifier, { id, otherwise }: SecretChoice): SecretId =>
  takesSecret ? (id ?? otherwise) : id;

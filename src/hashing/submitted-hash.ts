import type { HashVerifier, SecretId } from './verifier.ts';

/** Hash of a request, trimmed but not parsed. */
export interface SubmittedHash {
  encoded: string;
  named: HashVerifier | undefined;
  secret: SecretChoice;
}

export interface SecretChoice {
  /** Secret that the request names. It must name none if the hash's algorithm takes no secret. */
  id?: string | undefined;
  /** Secret for hashes whose request names none, if their algorithm takes a secret. */
  otherwise?: SecretId;
}

export const secretFor = ({ takesSecret }: HashVerifier, { id, otherwise }: SecretChoice): SecretId =>
  takesSecret ? (id ?? otherwise) : id;

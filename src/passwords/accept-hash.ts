import { ALGORITHMS, type HashRegistry } from '../hashing/registry.ts';
import { UNKNOWN_SECRET } from '../hashing/secrets.ts';
import { HashRefused, type HashVerifier, type ParsedHash, tryParse } from '../hashing/verifier.ts';
import { AppError } from '../lib/errors.ts';
import { stripControlAndSpace } from '../lib/text/strip-control-and-space.ts';
import { type SecretChoice, type SubmittedHash, secretFor } from './submitted-hash.ts';
import { unknownAlgorithm, unrecognisedHash } from './unknown-hash.ts';

/** Names for the interface description. Requests may also use aliases. */
export const HASHING_ALGORITHMS: readonly string[] = ALGORITHMS.map(({ name }) => name);

/**
 * Parses a password hash without computing it. An accepted hash can be verified later.
 * @throws {AppError} with what is wrong, never with the hash
 */
export function acceptHash(
  registry: HashRegistry,
  rawHash: string,
  rawAlgorithm?: string,
  secret?: SecretChoice,
): ParsedHash {
  return acceptSubmitted(registry, readHash(registry, rawHash, rawAlgorithm, secret));
}

/** @throws {AppError} if the hash is empty, or if the algorithm is unknown */
export function readHash(
  registry: HashRegistry,
  rawHash: string,
  rawAlgorithm?: string,
  secret: SecretChoice = {},
): SubmittedHash {
  const named = rawAlgorithm === undefined ? undefined : namedVerifier(registry, rawAlgorithm);
  const encoded = trimmed(registry, rawHash, named);
  if (encoded === '') throw new AppError('PASSWORD_HASH_EMPTY', 'Password hash cannot be an empty string');
  return { encoded, named, secret };
}

/** White space may be part of a salt in plain text. It is kept if the text is a valid hash only with it. */
function trimmed(registry: HashRegistry, rawHash: string, named: HashVerifier | undefined): string {
  const encoded = stripControlAndSpace(rawHash);
  if (encoded === rawHash) return encoded;
  const isHash = (text: string) =>
    named === undefined ? registry.resembling(text).length > 0 : isOfFormat(named, text);
  return !isHash(encoded) && isHash(rawHash) ? rawHash : encoded;
}

function isOfFormat(verifier: HashVerifier, encoded: string): boolean {
  const read = tryParse(verifier, encoded);
  return !(read instanceof HashRefused) || read.reason !== 'format';
}

/** @throws {AppError} if the hash is refused */
export function acceptSubmitted(
  registry: HashRegistry,
  { encoded, named, secret }: SubmittedHash,
): ParsedHash {
  const verifier = named ?? registry.recognise(encoded);
  if (verifier === undefined) throw unrecognisedHash(registry, { encoded, named, secret });
  try {
    return verifier.parse(encoded, secretFor(verifier, secret));
  } catch (error) {
    throw error instanceof HashRefused ? refusal(error, verifier) : error;
  }
}

/** @throws {AppError} if no hashing secret has this id */
export function requireSecret(registry: Pick<HashRegistry, 'hasSecret'>, id: string | undefined): void {
  if (id === undefined || registry.hasSecret(id)) return;
  throw new AppError('HASHING_SECRET_MISSING', UNKNOWN_SECRET);
}

function namedVerifier(registry: HashRegistry, rawAlgorithm: string): HashVerifier {
  const name = stripControlAndSpace(rawAlgorithm);
  if (name === '')
    throw new AppError('HASHING_ALGORITHM_EMPTY', 'Hashing Algorithm cannot be an empty string');
  const verifier = registry.named(name);
  if (verifier === undefined) throw unknownAlgorithm(registry, name);
  return verifier;
}

function refusal(refused: HashRefused, { displayName }: HashVerifier): AppError {
  const detail = refused.message;
  switch (refused.reason) {
    case 'format':
      return new AppError(
        'PASSWORD_HASH_INVALID',
        `Password hash is in invalid ${displayName} format: ${detail}`,
        { cause: refused },
      );
    case 'secret':
      return new AppError('HASHING_SECRET_MISSING', detail, { cause: refused });
    case 'cost':
      return new AppError('PASSWORD_HASH_COST', `Password hash cost is not allowed: ${detail}`, {
        cause: refused,
      });
    case 'unavailable':
      return new AppError('HASHING_ALGORITHM_UNSUPPORTED', detail, { cause: refused });
    case 'signer-key-missing':
      return new AppError(
        'SIGNER_KEY_NOT_CONFIGURED',
        "'external_password_hashing_signer_key' is not configured",
        { cause: refused },
      );
  }
}

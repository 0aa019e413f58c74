import { buildRegistry } from '../../../src/hashing/registry.ts';
import type { ParsedHash } from '../../../src/hashing/verifier.ts';
import type { SourcePassword } from '../../../src/sources/source-user.ts';
import { acceptHash } from '../../../src/users/accept-hash.ts';
import { DEFAULT_LIMITS, secretsFor } from '../../hashing/vectors.ts';

/** The hash as the service takes it. @param signerKey of Firebase, in base64 */
export function acceptedHash(password: SourcePassword | undefined, signerKey?: string): ParsedHash {
  if (password === undefined || !('encoded' in password)) throw new Error('there is no hash');
  const key = signerKey === undefined ? undefined : Buffer.from(signerKey, 'base64');
  const registry = buildRegistry(DEFAULT_LIMITS, secretsFor('external_scrypt', key));
  return acceptHash(registry, password.encoded, password.algorithm);
}

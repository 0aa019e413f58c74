import type { HashRegistry } from '../../hashing/registry.ts';
import type { SecretId } from '../../hashing/verifier.ts';

export interface ReadDeps {
  registry: HashRegistry;
  /** Milliseconds since the epoch. */
  now(): number;
  /** Hashing secret for hashes that name none: an id, or a special value of `SecretId`. */
  defaultSecretId?: SecretId;
  /** Whether TOTP devices, roles and phone numbers can be stored. If not, they are refused. */
  keepsFactors: boolean;
}

import type { HashRegistry } from '../../hashing/registry.ts';
import type { SecretId } from '../../hashing/verifier.ts';

/** Dependencies of all readers of users. */
export interface ReadDeps {
  registry: HashRegistry;
  /** The clock, in ms since the epoch. */
  now(): number;
  /** The secret of hashes that name none: an id, or as `SecretId` says. */
  defaultSecretId?: SecretId;
}

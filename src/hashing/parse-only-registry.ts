import type { HashAlgorithm } from './algorithm.ts';
import {
  ALGORITHMS,
  type AlgorithmSettings,
  type HashRegistry,
  LIMITS,
  OWN_SETTINGS,
  registryWith,
} from './registry.ts';
import type { KnownSecret } from './verifier.ts';

/** Of Firebase's signer keys, with which a digest must agree in length. Other secrets may have any. */
const SIGNER_KEY_BYTES = 64;

/** The most that `hashing_max_ms` can be set to. */
const MAX_MS = 600_000;

/**
 * Parses hashes as a service would, whatever is configured there: every secret is known, each bound is at the highest that
 * it can be set to, and every library is there. What passes may still be refused by a service; what does not is refused by all.
 * Its hashes cannot be verified.
 * @param signerKey of the export, where it is known
 */
export function parseOnlyRegistry(signerKey?: Uint8Array): HashRegistry {
  const secret: KnownSecret = { id: undefined, bytes: signerKey ?? new Uint8Array(SIGNER_KEY_BYTES) };
  const names = [...LIMITS, ...OWN_SETTINGS];
  return registryWith(
    {
      settings: Object.fromEntries(names.map(([name, { max }]) => [name, max])) as AlgorithmSettings,
      memoryBudgetBytes: Number.POSITIVE_INFINITY,
      maxMs: MAX_MS,
    },
    { find: () => secret, idsFor: () => [], has: () => true, fingerprints: () => [] },
    ALGORITHMS.map(({ unavailable: _, ...algorithm }: HashAlgorithm) => algorithm),
  );
}

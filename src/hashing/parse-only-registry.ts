import { FAMILIES } from './families.ts';
import { type HashRegistry, registryWith } from './registry.ts';
import type { KnownSecret } from './verifier.ts';

/** Length of Firebase's signer keys. Its scrypt refuses hashes whose digest is not as long as its key. */
const SIGNER_KEY_BYTES = 64;

const MAX_MS = 600_000;

/**
 * Builds a registry that parses hashes as under the widest possible configuration: every secret, library and
 * limit. Every service refuses a hash that this registry refuses. The registry cannot verify hashes.
 * @param signerKey of the export, if known
 */
export function parseOnlyRegistry(signerKey?: Uint8Array): HashRegistry {
  const secret: KnownSecret = { id: undefined, bytes: signerKey ?? new Uint8Array(SIGNER_KEY_BYTES) };
  return registryWith(
    { memoryBudgetBytes: Number.POSITIVE_INFINITY, maxMs: MAX_MS, ignoresLibraries: true },
    { find: () => secret, idsFor: () => [], has: () => true, fingerprints: () => [] },
    FAMILIES,
  );
}

import { buildRegistry } from '../src/hashing/registry.ts';
import { HASHES, PASSWORD, SIGNER_KEY } from './fixtures.ts';

/** Returns a function that verifies the fixture of an algorithm once for each call. */
export function testVerifier(algorithm: string): () => Promise<boolean> {
  const registry = buildRegistry({ memoryBudgetBytes: 1024 ** 3, maxMs: 2000 }, [
    { id: undefined, algorithm: 'external_scrypt', bytes: Buffer.from(SIGNER_KEY, 'base64') },
  ]);
  const verifier = registry.find(algorithm);
  const encoded = HASHES[algorithm as keyof typeof HASHES];
  if (verifier === undefined || encoded === undefined) throw new Error(`no fixture for ${algorithm}`);
  const hash = verifier.parse(encoded);
  const password = Buffer.from(PASSWORD);
  return () => hash.verify(password);
}

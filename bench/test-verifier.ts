import { buildRegistry } from '../src/hashing/registry.ts';
import { HASHES, PASSWORD, SIGNER_KEY } from './fixtures.ts';

/** Returns a function that verifies the fixture of an algorithm, once for each call. */
export function testVerifier(algorithm: string): () => Promise<boolean> {
  const registry = buildRegistry(
    {
      bcrypt: { maxCost: 15 },
      argon2: { maxMemoryKb: 1_048_576, maxIterations: 32, maxParallelism: 16 },
      externalScrypt: { maxMemCost: 17, maxRounds: 16 },
      memoryBudgetBytes: 1024 ** 3,
      maxMs: 2000,
    },
    Buffer.from(SIGNER_KEY, 'base64'),
  );
  const verifier = registry.find(algorithm);
  const encoded = HASHES[algorithm as keyof typeof HASHES];
  if (verifier === undefined || encoded === undefined) throw new Error(`no fixture for ${algorithm}`);
  const stored = verifier.accept(encoded);
  const password = Buffer.from(PASSWORD);
  return () => verifier.verify(stored, password);
}

import { Decoys } from '../../src/hashing/decoys.ts';
import { KdfGate } from '../../src/hashing/kdf-gate.ts';
import { newHashMaker } from '../../src/hashing/new-hash.ts';
import { Passwords } from '../../src/hashing/passwords.ts';
import { buildRegistry, type HashRegistry } from '../../src/hashing/registry.ts';
import type { HashVerifier } from '../../src/hashing/verifier.ts';
import { CHEAP_LIMITS } from './vectors.ts';

export interface SpiedPasswords {
  passwords: Passwords;
  gate: KdfGate;
  /** Of each key derivation of `verify` so far: the hash without its salt and digest, which says what it cost. */
  work: string[];
}

/** Everything real, but each verifier notes what it is given to verify. */
export function spiedPasswords(queueLimit = 100): SpiedPasswords {
  const real = buildRegistry(CHEAP_LIMITS, undefined);
  const work: string[] = [];
  const spies = new Map<HashVerifier, HashVerifier>(
    real.all.map((verifier) => [
      verifier,
      {
        ...verifier,
        verify(stored, password) {
          work.push(verifier.decoy(stored));
          return verifier.verify(stored, password);
        },
      },
    ]),
  );
  const spied = (verifier: HashVerifier | undefined) => verifier && spies.get(verifier);
  const registry: HashRegistry = {
    find: (algorithm) => spied(real.find(algorithm)),
    named: (wireName) => spied(real.named(wireName)),
    recognise: (encoded) => spied(real.recognise(encoded)),
    all: [...spies.values()],
  };
  const maker = newHashMaker(
    { algorithm: 'ARGON2', argon2: { memoryKb: 64, iterations: 1, parallelism: 1 }, bcryptCost: 4 },
    registry,
  );
  const gate = new KdfGate({ concurrency: 1, memoryBytes: CHEAP_LIMITS.memoryBudgetBytes, queueLimit });
  const decoys = new Decoys(registry, maker.example, 'a secret');
  return { passwords: new Passwords({ registry, gate, decoys, maker }), gate, work };
}

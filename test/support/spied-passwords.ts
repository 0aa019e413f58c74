import type { HashAlgorithm } from '../../src/hashing/algorithm.ts';
import { Decoys } from '../../src/hashing/decoys.ts';
import { KdfGate } from '../../src/hashing/kdf-gate.ts';
import { newHashMaker } from '../../src/hashing/new-hash.ts';
import { Passwords } from '../../src/hashing/passwords.ts';
import { ALGORITHMS, buildRegistry } from '../../src/hashing/registry.ts';
import { CHEAP_LIMITS, limitsWith } from './vectors.ts';

export interface SpiedPasswords {
  passwords: Passwords;
  gate: KdfGate;
  /** Hash of each key derivation of `verify` so far, without salt and digest. It shows the cost. */
  work: string[];
  /** Each parsed hash so far, once for each time it was parsed. */
  parsed: string[];
}

/** Returns real passwords, whose algorithms record what they parse and verify. */
export function spiedPasswords(queueLimit = 100): SpiedPasswords {
  const work: string[] = [];
  const parsed: string[] = [];
  const decoys = new WeakMap<object, string>();
  const spied = (algorithm: HashAlgorithm): HashAlgorithm => ({
    ...algorithm,
    parser(context) {
      const parse = algorithm.parser(context);
      return (encoded) => {
        parsed.push(encoded);
        const hash = parse(encoded) as object;
        decoys.set(hash, algorithm.decoy(hash, encoded));
        return hash;
      };
    },
    verify(hash, password, secret) {
      work.push(decoys.get(hash as object) ?? 'never parsed');
      return algorithm.verify(hash, password, secret);
    },
  });
  const limits = limitsWith(
    { argon2_memory_kb: 64, argon2_iterations: 1, argon2_parallelism: 1 },
    CHEAP_LIMITS,
  );
  const registry = buildRegistry(limits, [], ALGORITHMS.map(spied));
  const maker = newHashMaker({ algorithm: 'argon2', settings: limits.settings }, registry);
  const gate = new KdfGate({ concurrency: 1, memoryBytes: limits.memoryBudgetBytes, queueLimit });
  const passwords = new Passwords({
    registry,
    gate,
    decoys: new Decoys(maker.example, 'a secret'),
    maker,
    wrapMaker: maker,
  });
  return { passwords, gate, work, parsed };
}

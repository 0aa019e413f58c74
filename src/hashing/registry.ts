import type { HashVerifier } from './verifier.ts';
import { type Argon2Bounds, argon2Verifier } from './verifiers/argon2.ts';
import { bcryptVerifier } from './verifiers/bcrypt.ts';
import { type ExternalScryptOptions, externalScryptVerifier } from './verifiers/external-scrypt.ts';

/** Bounds on the hashes that are accepted and verified. Each is a configuration field. */
export interface HashingLimits {
  /** `maxCost`: log2 of the rounds. */
  bcrypt: { maxCost: number };
  argon2: Omit<Argon2Bounds, 'memoryBudgetBytes' | 'maxMs'>;
  externalScrypt: Omit<ExternalScryptOptions, 'memoryBudgetBytes' | 'maxMs' | 'signerKey'>;
  /** What all hashing may take at once; no single hash may need more. */
  memoryBudgetBytes: number;
  /** Longest that verifying one hash may take, by the reference table. */
  maxMs: number;
}

export interface HashRegistry {
  /** By the exact name saved beside a hash. */
  find(algorithm: string): HashVerifier | undefined;
  /** By the name in a request, trimmed by the caller: any case, aliases too. */
  named(wireName: string): HashVerifier | undefined;
  /** By the look of the hash. */
  recognise(encoded: string): HashVerifier | undefined;
  readonly all: readonly HashVerifier[];
}

interface Entry {
  verifier: HashVerifier;
  /** Other names that requests may use, in lower case. They are never stored. */
  aliases: readonly string[];
}

/** Every algorithm of this service. A new one is a file, a line here and a file of test vectors. */
export function buildRegistry(limits: HashingLimits, signerKey: Uint8Array | undefined): HashRegistry {
  const { bcrypt, argon2, externalScrypt, memoryBudgetBytes, maxMs } = limits;
  const entries: readonly Entry[] = [
    { verifier: bcryptVerifier({ ...bcrypt, maxMs }), aliases: [] },
    { verifier: argon2Verifier({ ...argon2, memoryBudgetBytes, maxMs }), aliases: [] },
    {
      verifier: externalScryptVerifier({ ...externalScrypt, memoryBudgetBytes, maxMs, signerKey }),
      aliases: ['firebase_scrypt'],
    },
  ];
  const all = entries.map(({ verifier }) => verifier);
  const byName = new Map(all.map((verifier) => [verifier.algorithm, verifier]));
  const byWireName = new Map(
    entries.flatMap(({ verifier, aliases }) =>
      [verifier.algorithm, ...aliases].map((name) => [name, verifier] as const),
    ),
  );
  return {
    find: (algorithm) => byName.get(algorithm),
    named: (wireName) => byWireName.get(wireName.toLowerCase()),
    recognise: (encoded) => all.find((verifier) => verifier.recognises(encoded)),
    all,
  };
}

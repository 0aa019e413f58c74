import { describe, expect, it } from 'vitest';
import { buildRegistry, type HashingLimits } from '../../src/hashing/registry.ts';
import { HashRefused, type HashVerifier, type StoredHash } from '../../src/hashing/verifier.ts';
import {
  DEFAULT_LIMITS,
  foreignVectors,
  type Outcome,
  passwordOf,
  refusalOf,
  signerKeyOf,
  type Vector,
  vectorsOf,
} from './vectors.ts';

const registry = buildRegistry(DEFAULT_LIMITS, undefined);
const algorithms = registry.all.map(({ algorithm }) => algorithm);

const LEAST_VECTORS: [Outcome, number][] = [
  [true, 15],
  [false, 6],
  ['reject', 15],
];
/** One public vector takes 50 passes. */
const WIDE_LIMITS: HashingLimits = {
  ...DEFAULT_LIMITS,
  argon2: { ...DEFAULT_LIMITS.argon2, maxIterations: 50 },
};
/** Below every vector, except that bcrypt has no lower cost than 4. */
const LOWEST_LIMITS: HashingLimits = {
  bcrypt: { maxCost: 3 },
  argon2: { maxMemoryKb: 7, maxIterations: 1, maxParallelism: 1 },
  externalScrypt: { maxMemCost: 0, maxRounds: 1 },
  memoryBudgetBytes: 1024 * 1024,
  maxMs: 2000,
};
const JUNK = [
  '\n',
  '\r\n',
  '\0',
  '\0junk',
  ' ',
  '$',
  '$junk',
  '=',
  '====',
  ',',
  '.',
  'é',
  '\u2028',
  '\ud800',
];

function verifierFor(algorithm: string, vector: Vector, limits = WIDE_LIMITS): HashVerifier {
  const verifier = buildRegistry(limits, signerKeyOf(vector)).find(algorithm);
  if (verifier === undefined) throw new Error(`${algorithm} is not registered`);
  return verifier;
}

function accepted(verifier: HashVerifier, encoded: string): StoredHash | undefined {
  try {
    return verifier.accept(encoded);
  } catch (error) {
    if (error instanceof HashRefused) return undefined;
    throw error;
  }
}

async function outcomeOf(algorithm: string, vector: Vector): Promise<Outcome> {
  const verifier = verifierFor(algorithm, vector);
  const stored = accepted(verifier, vector.hash);
  return stored === undefined ? 'reject' : verifier.verify(stored, passwordOf(vector));
}

/** A vector that is cheap to run, whatever the algorithm. */
function cheapest(algorithm: string): Vector {
  const memoryOf = (vector: Vector) => {
    const verifier = verifierFor(algorithm, vector);
    return verifier.cost(verifier.accept(vector.hash)).memoryBytes;
  };
  const candidates = vectorsOf(algorithm).filter((vector) => vector.expect === true && !vector.acceptable);
  const [first] = candidates.toSorted((a, b) => memoryOf(a) - memoryOf(b));
  if (first === undefined) throw new Error(`no vectors of ${algorithm}`);
  return first;
}

describe('the registry', () => {
  it('finds an algorithm by its stored name only', () => {
    expect(algorithms).toEqual(['bcrypt', 'argon2', 'external_scrypt']);
    for (const verifier of registry.all) expect(registry.find(verifier.algorithm)).toBe(verifier);
    for (const name of ['BCRYPT', 'firebase_scrypt', '', 'constructor', '__proto__']) {
      expect(registry.find(name)).toBeUndefined();
    }
  });

  it('finds an algorithm by any name that a request may use', () => {
    for (const verifier of registry.all) {
      expect(registry.named(verifier.algorithm)).toBe(verifier);
      expect(registry.named(verifier.algorithm.toUpperCase())).toBe(verifier);
    }
    expect(registry.named('Firebase_Scrypt')).toBe(registry.find('external_scrypt'));
    for (const name of ['', 'scrypt', 'argon2id', ' bcrypt', '__proto__']) {
      expect(registry.named(name)).toBeUndefined();
    }
  });

  it('recognises every hash by one algorithm at most', () => {
    const hashes = [...algorithms.flatMap((algorithm) => vectorsOf(algorithm)), ...foreignVectors()].map(
      ({ hash }) => hash,
    );
    for (const hash of hashes) {
      const takers = registry.all.filter((verifier) => verifier.recognises(hash));
      expect(takers.length, hash).toBeLessThanOrEqual(1);
      expect(registry.recognise(hash)).toBe(takers[0]);
    }
  });

  it('knows no hash of another algorithm', () => {
    const foreign = foreignVectors();
    expect(foreign.length).toBeGreaterThan(100);
    for (const { hash } of foreign) {
      expect(registry.recognise(hash), hash).toBeUndefined();
      for (const verifier of registry.all) {
        expect(refusalOf(() => verifier.accept(hash)).reason).toBe('format');
      }
    }
  });
});

describe.each(algorithms)('%s', (algorithm) => {
  const vectors = vectorsOf(algorithm);
  const sample = cheapest(algorithm);

  it('has vectors of every outcome, each with its source', () => {
    for (const [outcome, least] of LEAST_VECTORS) {
      expect(vectors.filter((vector) => vector.expect === outcome).length).toBeGreaterThanOrEqual(least);
    }
    for (const vector of vectors) expect(vector.source).not.toBe('');
    expect(new Set(vectors.map(({ id }) => id)).size).toBe(vectors.length);
  });

  it.each(vectors)('$id', async (vector) => {
    expect(vector.acceptable ?? [vector.expect]).toContain(await outcomeOf(algorithm, vector));
  });

  it('refuses what must never be run', () => {
    const hostile = vectors.filter(({ tags }) => tags?.includes('dos'));
    expect(hostile.length).toBeGreaterThanOrEqual(3);
    for (const vector of hostile) {
      refusalOf(() => verifierFor(algorithm, vector, DEFAULT_LIMITS).accept(vector.hash));
    }
  });

  it('recognises and accepts the hashes it verifies, as they came', () => {
    for (const vector of vectors.filter(({ expect, acceptable }) => expect === true && !acceptable)) {
      const verifier = verifierFor(algorithm, vector);
      expect(verifier.recognises(vector.hash)).toBe(true);
      expect(verifier.accept(vector.hash)).toBe(vector.hash);
    }
  });

  it('takes a hash cut anywhere for another valid hash, or refuses it', async () => {
    const verifier = verifierFor(algorithm, sample);
    for (let length = 0; length < sample.hash.length; length += 1) {
      const stored = accepted(verifier, sample.hash.slice(0, length));
      if (stored !== undefined) await verifier.verify(stored, passwordOf(sample));
    }
  });

  it('refuses junk before and after a hash', () => {
    const verifier = verifierFor(algorithm, sample);
    for (const junk of JUNK) {
      expect(refusalOf(() => verifier.accept(sample.hash + junk)).reason).toBe('format');
      expect(refusalOf(() => verifier.accept(junk + sample.hash)).reason).toBe('format');
    }
    expect(refusalOf(() => verifier.accept(sample.hash + sample.hash)).reason).toBe('format');
    expect(refusalOf(() => verifier.accept(sample.hash + 'A'.repeat(1_000_000))).reason).toBe('format');
  });

  it('refuses a cost above the bounds, and no longer verifies one when they are lowered', async () => {
    const stored = verifierFor(algorithm, sample).accept(sample.hash);
    const strict = verifierFor(algorithm, sample, LOWEST_LIMITS);
    expect(refusalOf(() => strict.accept(sample.hash)).reason).toBe('cost');
    await expect(strict.verify(stored, passwordOf(sample))).rejects.toThrow('can no longer be verified');
    await expect(strict.verify(stored, passwordOf(sample))).rejects.not.toBeInstanceOf(HashRefused);
    expect(() => strict.cost(stored)).toThrow('can no longer be verified');
    expect(() => strict.describe(stored)).toThrow('can no longer be verified');
  });

  it('throws for a corrupt stored hash instead of answering false', async () => {
    const corrupt = sample.hash.slice(0, 20) as StoredHash;
    const verifier = verifierFor(algorithm, sample);
    await expect(verifier.verify(corrupt, passwordOf(sample))).rejects.toThrow('can no longer be verified');
  });

  it('never shows a hash in a refusal', () => {
    for (const vector of vectors) {
      const secrets = [vector.params?.signerKey ?? '', ...vector.hash.split('$')];
      for (const limits of [DEFAULT_LIMITS, LOWEST_LIMITS]) {
        const verifier = verifierFor(algorithm, vector, limits);
        if (accepted(verifier, vector.hash) !== undefined) continue;
        const { message } = refusalOf(() => verifier.accept(vector.hash));
        for (const secret of secrets) {
          if (secret.length >= 9) expect(message).not.toContain(secret);
        }
      }
    }
  });

  it('makes a decoy that costs the same and tells nothing', async () => {
    const decoys = new Set<string>();
    for (const vector of vectors) {
      const verifier = verifierFor(algorithm, vector);
      const stored = accepted(verifier, vector.hash);
      if (stored === undefined) continue;
      const decoy = verifier.decoy(stored);
      expect(verifier.accept(decoy)).toBe(decoy);
      expect(verifier.decoy(decoy)).toBe(decoy);
      expect(verifier.recognises(decoy)).toBe(true);
      expect(verifier.cost(decoy)).toEqual(verifier.cost(stored));
      decoys.add(decoy);
    }
    expect(decoys.size).toBeLessThan(vectors.length / 2);
    const verifier = verifierFor(algorithm, sample);
    const decoy = verifier.decoy(verifier.accept(sample.hash));
    expect(await verifier.verify(decoy, passwordOf(sample))).toBe(false);
  });

  it('describes a hash in names and numbers, and shows nothing of salt and digest', () => {
    for (const vector of vectors) {
      const verifier = verifierFor(algorithm, vector);
      const stored = accepted(verifier, vector.hash);
      if (stored === undefined) continue;
      const described = verifier.describe(stored);
      expect(Object.keys(verifier.describe(verifier.decoy(stored)))).toEqual(Object.keys(described));
      for (const value of Object.values(described)) {
        if (typeof value === 'string') expect(value.length).toBeLessThan(9);
        else expect(Number.isSafeInteger(value)).toBe(true);
      }
    }
  });

  it('knows repairs of its hashes, none of them the hash itself, all of its own format', () => {
    const verifier = verifierFor(algorithm, sample);
    for (const { encoded } of verifier.repairs(sample.hash)) {
      expect(encoded).not.toBe(sample.hash);
      expect(verifier.recognises(encoded)).toBe(true);
    }
    expect(verifier.repairs(sample.hash + 'A'.repeat(1_000_000))).toEqual([]);
  });

  it('reads the bytes of a password that is a view into a larger buffer', async () => {
    const verifier = verifierFor(algorithm, sample);
    const password = passwordOf(sample);
    const view = new Uint8Array(
      Buffer.concat([Buffer.from('before'), password, Buffer.from('after')]),
    ).subarray(6, 6 + password.length);
    expect(await verifier.verify(verifier.accept(sample.hash), view)).toBe(true);
  });
});

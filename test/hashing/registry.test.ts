import { describe, expect, it } from 'vitest';
import { isPart } from '../../src/hashing/encodings.ts';
import { FAMILIES } from '../../src/hashing/families.ts';
import type { Family } from '../../src/hashing/family.ts';
import type { OpenedHash } from '../../src/hashing/form.ts';
import { HashRefused } from '../../src/hashing/refused.ts';
import { buildRegistry } from '../../src/hashing/registry.ts';
import type { HashVerifier, ParsedHash, StoredHash } from '../../src/hashing/verifier.ts';
import {
  DEFAULT_LIMITS,
  foreignVectors,
  formOf,
  isAvailable,
  LOWEST_LIMITS,
  type Outcome,
  passwordOf,
  refusalOf,
  secretOf,
  secretsFor,
  UNAVAILABLE,
  type Vector,
  vectorsOf,
  verifierOf,
  WIDEST_LIMITS,
} from '../support/vectors.ts';

const registry = buildRegistry(DEFAULT_LIMITS);
const algorithms = registry.all.map(({ algorithm }) => algorithm);
const verifiable = algorithms.filter(isAvailable);

const LEAST_VECTORS: [Outcome, number][] = [
  [true, 1],
  [false, 1],
  ['reject', 1],
];
const CONTROL_JUNK = ['\n', '\r\n', '\0', '\0junk'];
const JUNK = [' ', '$', '$junk', '=', '====', ',', '.', 'é', '\u2028', '\ud800'];

/**
 * Form of hashes stored in columns. The base64 padding is optional in it, so `=` after a hash may be valid.
 */
const CANONICAL = /^\$[^$]*\$[^$]*\$[^$]*\$[^$]+$/;

function verifierFor(algorithm: string, vector: Vector, limits = DEFAULT_LIMITS): HashVerifier {
  return verifierOf(algorithm, limits, secretOf(vector));
}

function accepted(verifier: HashVerifier, encoded: string): ParsedHash | undefined {
  try {
    return verifier.parse(encoded);
  } catch (error) {
    if (error instanceof HashRefused) return undefined;
    throw error;
  }
}

async function outcomeOf(algorithm: string, vector: Vector): Promise<Outcome> {
  const verifier = verifierFor(algorithm, vector);
  const hash = accepted(verifier, vector.hash);
  return hash === undefined ? 'reject' : hash.verify(passwordOf(vector));
}

/** Families whose hashes have a few costs, all of them low: two numbers of rounds, or blocks of a password. */
const WITH_FEW_COSTS = ['jasypt', 'bigcrypt'];

/** Returns whether hashes of the family can cost more than others. */
function hasCosts({ name }: Family): boolean {
  const costs = vectorsOf(name).flatMap((vector) => {
    const { ms, memoryBytes } = accepted(verifierFor(name, vector, WIDEST_LIMITS), vector.hash)?.cost ?? {};
    return ms === undefined ? [] : [`${ms} ${memoryBytes}`];
  });
  return new Set(costs).size > 1;
}

function cheapest(algorithm: string): Vector {
  const msOf = (vector: Vector) => verifierFor(algorithm, vector).parse(vector.hash).cost.ms;
  const candidates = vectorsOf(algorithm).filter((vector) => vector.expect === true && !vector.acceptable);
  const [first] = candidates.toSorted((a, b) => msOf(a) - msOf(b));
  if (first === undefined) throw new Error(`no vectors of ${algorithm}`);
  return first;
}

/** Returns the form of a hash, its words and numbers, and the lengths of its other parts. */
function spellingOf(hash: OpenedHash): unknown {
  const { inner, encoded } = hash;
  const parts = Object.entries(formOf(hash).read(encoded) ?? {}).map(([name, part]) => [
    name,
    isPart(part) ? part.text.length : part,
  ]);
  return [formOf(hash).looksLike, parts, inner && spellingOf(inner)];
}

/** Fewer characters may stand in any text by chance. */
const SURELY_OF_THE_HASH = 6;

/** Returns the texts of salts, digests and user names, without those of zeros only. */
function bytesIn(hash: OpenedHash): string[] {
  const { inner, encoded } = hash;
  const own = Object.values(formOf(hash).read(encoded) ?? {}).flatMap((part) =>
    isPart(part) && part.text.length >= SURELY_OF_THE_HASH && !/^[0A.]*=*$/.test(part.text)
      ? [part.text]
      : [],
  );
  return [...own, ...(inner === undefined ? [] : bytesIn(inner))];
}

/** Milliseconds by the reference table above which a hash is costly to verify. */
const COSTLY_MS = 20;

/** Returns the vectors to verify: all that are cheap, and of the costly ones the cheapest of each kind. */
function vectorsToVerify(algorithm: string): Vector[] {
  const costly = new Map<string, { vector: Vector; ms: number }>();
  return vectorsOf(algorithm)
    .filter((vector) => {
      const hash = accepted(verifierFor(algorithm, vector), vector.hash);
      const ms = hash?.cost.ms ?? 0;
      if (hash === undefined || ms <= COSTLY_MS) return true;
      const password = passwordOf(vector);
      const isOdd = password.length > 72 || password.some((byte) => byte === 0 || byte > 0x7f);
      const names = Object.entries(hash.describe()).filter(([, value]) => typeof value === 'string');
      const kind = JSON.stringify([vector.expect, vector.acceptable, isOdd, formOf(hash).looksLike, names]);
      if (ms < (costly.get(kind)?.ms ?? Number.POSITIVE_INFINITY)) costly.set(kind, { vector, ms });
      return false;
    })
    .concat([...costly.values()].map(({ vector }) => vector));
}

describe('the registry', () => {
  it('finds an algorithm by its stored name only', () => {
    expect(new Set(algorithms).size).toBe(FAMILIES.length);
    for (const verifier of registry.all) expect(registry.find(verifier.algorithm)).toBe(verifier);
    for (const name of ['BCRYPT', 'firebase_scrypt', '', 'constructor', '__proto__']) {
      expect(registry.find(name)).toBeUndefined();
    }
  });

  it('finds an algorithm by any name that a request may use', () => {
    const names = FAMILIES.flatMap(({ name, aliases }) => [name, ...aliases]);
    expect(new Set(names).size).toBe(names.length);
    for (const { name, aliases } of FAMILIES) {
      for (const one of [name, ...aliases]) {
        expect(registry.named(one)).toBe(registry.find(name));
        expect(registry.named(one.toUpperCase())).toBe(registry.find(name));
      }
    }
    expect(registry.named('Firebase_Scrypt')).toBe(registry.find('external_scrypt'));
    for (const name of ['', 'rot13', 'argon2id', ' bcrypt', '__proto__']) {
      expect(registry.named(name)).toBeUndefined();
    }
  });

  it('recognises every hash as at most one algorithm', () => {
    const hashes = [...algorithms.flatMap((algorithm) => vectorsOf(algorithm)), ...foreignVectors()].map(
      ({ hash }) => hash,
    );
    for (const hash of hashes) {
      const takers = registry.all.filter((verifier) => verifier.recognises(hash));
      expect(takers.length, hash).toBeLessThanOrEqual(1);
      expect(registry.recognise(hash)).toBe(takers[0]);
    }
  });

  it('recognises no hash of an unknown algorithm', () => {
    const foreign = foreignVectors();
    expect(foreign).not.toEqual([]);
    for (const { hash } of foreign) {
      expect(registry.recognise(hash), hash).toBeUndefined();
    }
  });
});

it('every family whose cost depends on its parameters has a hash that exceeds the bounds', () => {
  const isBounded = ({ name }: Family) => vectorsOf(name).some(({ tags }) => tags?.includes('dos'));
  const unbounded = FAMILIES.filter((one) => hasCosts(one) && !isBounded(one)).map(({ name }) => name);
  expect(unbounded).toEqual(WITH_FEW_COSTS);
});

// Machines of CI have all optional libraries, so that everything is tested somewhere.
it.runIf(process.env.CI !== undefined && process.platform === 'linux')(
  'can verify the hashes of all algorithms',
  () => {
    expect([...UNAVAILABLE]).toEqual([]);
  },
);

for (const [algorithm, why] of UNAVAILABLE) it.todo(`${algorithm}, where it can be verified (${why})`);

describe.each(verifiable)('%s', (algorithm) => {
  const vectors = vectorsOf(algorithm);
  const looksLike = FAMILIES.find(({ name }) => name === algorithm)?.looksLike ?? '';
  const sample = cheapest(algorithm);

  it('has vectors of every outcome, each with its source', () => {
    for (const [outcome, least] of LEAST_VECTORS) {
      expect(vectors.filter((vector) => vector.expect === outcome).length).toBeGreaterThanOrEqual(least);
    }
    for (const vector of vectors) expect(vector.source).not.toBe('');
    expect(new Set(vectors.map(({ id }) => id)).size).toBe(vectors.length);
  });

  it.each(vectorsToVerify(algorithm))('$id', async (vector) => {
    expect(vector.acceptable ?? [vector.expect]).toContain(await outcomeOf(algorithm, vector));
  });

  it('refuses hashes that must never be run', () => {
    const hostile = vectors.filter(({ tags }) => tags?.includes('dos'));
    for (const vector of hostile) {
      refusalOf(() => verifierFor(algorithm, vector, DEFAULT_LIMITS).parse(vector.hash));
    }
  });

  it('recognises and accepts the hashes that it verifies, unchanged', () => {
    for (const vector of vectors.filter(({ expect, acceptable }) => expect === true && !acceptable)) {
      const verifier = verifierFor(algorithm, vector);
      expect(verifier.resembles(vector.hash)).toBe(true);
      expect(verifier.parse(vector.hash).encoded).toBe(vector.hash);
    }
  });

  it('accepts a truncated hash only as another valid hash, or refuses it', async () => {
    const verifier = verifierFor(algorithm, sample);
    for (let length = 0; length < sample.hash.length; length += 1) {
      const stored = accepted(verifier, sample.hash.slice(0, length));
      if (stored !== undefined && stored.cost.ms <= COSTLY_MS) await stored.verify(passwordOf(sample));
    }
  });

  it('refuses junk before and after a hash', async () => {
    const verifier = verifierFor(algorithm, sample);
    for (const junk of CONTROL_JUNK) {
      expect(refusalOf(() => verifier.parse(sample.hash + junk)).reason).toBe('format');
      expect(refusalOf(() => verifier.parse(junk + sample.hash)).reason).toBe('format');
    }
    // Some formats end with a salt or a password, which may be any text.
    for (const junk of [...JUNK, sample.hash]) {
      if (junk === '=' && CANONICAL.test(sample.hash)) continue;
      const hash = accepted(verifier, sample.hash + junk);
      expect(await hash?.verify(passwordOf(sample)), junk).not.toBe(true);
      // Twice as much base64 may be the hash of another digest.
      if (junk === sample.hash) continue;
      expect(refusalOf(() => verifier.parse(junk + sample.hash)).reason).toBe('format');
    }
    expect(refusalOf(() => verifier.parse(sample.hash + 'A'.repeat(1_000_000))).reason).toBe('format');
  });

  it('refuses a cost above the limits, also for stored hashes after limits are lowered', () => {
    const hash = verifierFor(algorithm, sample).parse(sample.hash);
    const strict = buildRegistry(LOWEST_LIMITS, secretsFor(algorithm, secretOf(sample)));
    expect(refusalOf(() => strict.find(algorithm)?.parse(sample.hash)).reason).toBe('cost');
    expect(() => strict.read(hash)).toThrow(`a stored ${algorithm} hash can no longer be verified`);
    expect(() => strict.read(hash)).not.toThrow(HashRefused);
    expect(strict.tryRead(hash)).toBeUndefined();
  });

  it('throws for a corrupt stored hash instead of answering false', () => {
    const corrupt = `${sample.hash.slice(0, 20)}\n` as StoredHash;
    const registry = buildRegistry(DEFAULT_LIMITS, secretsFor(algorithm, secretOf(sample)));
    expect(() => registry.read({ algorithm, encoded: corrupt })).toThrow('can no longer be verified');
  });

  it('never shows a hash in a refusal', () => {
    for (const vector of vectors) {
      const secrets = [
        vector.params?.signerKey ?? '',
        vector.params?.secret ?? '',
        ...vector.hash.split('$'),
      ];
      for (const limits of [DEFAULT_LIMITS, LOWEST_LIMITS]) {
        const verifier = verifierFor(algorithm, vector, limits);
        if (accepted(verifier, vector.hash) !== undefined) continue;
        const { message } = refusalOf(() => verifier.parse(vector.hash));
        for (const secret of secrets) {
          // Refusals name costs.
          if (/^[0-9]{1,10}$/.test(secret)) continue;
          if (secret.length >= 9 && !looksLike.includes(secret.trim())) expect(message).not.toContain(secret);
        }
      }
    }
  });

  it('makes a decoy that costs the same and reveals nothing', async () => {
    const decoys = new Set<string>();
    const kinds = new Set<string>();
    for (const vector of vectors) {
      const verifier = verifierFor(algorithm, vector);
      const stored = accepted(verifier, vector.hash);
      if (stored === undefined) continue;
      const decoy = stored.decoy();
      const parsed = verifier.parse(decoy);
      expect(parsed.decoy()).toBe(decoy);
      expect(verifier.resembles(decoy)).toBe(true);
      expect(parsed.cost).toEqual(stored.cost);
      expect(parsed.cost.ms).toBeGreaterThan(0);
      for (const text of bytesIn(stored)) expect(decoy).not.toContain(text);
      decoys.add(decoy);
      kinds.add(JSON.stringify([spellingOf(stored), stored.describe(), stored.cost]));
    }
    expect(decoys.size).toBeLessThanOrEqual(kinds.size);
    const verifier = verifierFor(algorithm, sample);
    const decoy = verifier.parse(verifier.parse(sample.hash).decoy());
    expect(await decoy.verify(passwordOf(sample))).toBe(false);
  });

  it('describes a hash in names and numbers, without its salt or digest', () => {
    for (const vector of vectors) {
      const verifier = verifierFor(algorithm, vector);
      const stored = accepted(verifier, vector.hash);
      if (stored === undefined) continue;
      const described = stored.describe();
      expect(Object.keys(verifier.parse(stored.decoy()).describe())).toEqual(Object.keys(described));
      for (const value of Object.values(described)) {
        if (typeof value === 'string') expect(value.length).toBeLessThan(17);
        else expect(Number.isSafeInteger(value)).toBe(true);
      }
    }
  });

  it('offers repairs in its own format, and never the hash itself', () => {
    const verifier = verifierFor(algorithm, sample);
    for (const { encoded } of verifier.repairs(sample.hash)) {
      expect(encoded).not.toBe(sample.hash);
      expect(verifier.resembles(encoded)).toBe(true);
    }
    expect(verifier.repairs(sample.hash + 'A'.repeat(1_000_000))).toEqual([]);
  });

  it('reads exactly the bytes of a password that is a view into a larger buffer', async () => {
    const verifier = verifierFor(algorithm, sample);
    const password = passwordOf(sample);
    const view = new Uint8Array(
      Buffer.concat([Buffer.from('before'), password, Buffer.from('after')]),
    ).subarray(6, 6 + password.length);
    expect(await verifier.parse(sample.hash).verify(view)).toBe(true);
  });
});

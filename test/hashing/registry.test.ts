import { describe, expect, it } from 'vitest';
import { isPart } from '../../src/hashing/encodings.ts';
import { FAMILIES } from '../../src/hashing/families.ts';
import type { Family } from '../../src/hashing/family.ts';
import type { OpenedHash } from '../../src/hashing/form.ts';
import { HashRefused } from '../../src/hashing/refused.ts';
import { buildRegistry } from '../../src/hashing/registry.ts';
import type { HashVerifier, StoredHash } from '../../src/hashing/verifier.ts';
import {
  accepted,
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

const CONTROL_JUNK = ['\n', '\r\n', '\0', '\0junk'];
const JUNK = [' ', '$', '$junk', '=', '====', ',', '.', 'é', '\u2028', '\ud800'];

/**
 * Form of hashes stored in columns. The base64 padding is optional in it, so `=` after a hash may be valid.
 */
const CANONICAL = /^\$[^$]*\$[^$]*\$[^$]*\$[^$]+$/;

const verifierFor = (algorithm: string, vector: Vector, limits = DEFAULT_LIMITS): HashVerifier =>
  verifierOf(algorithm, limits, secretOf(vector));

/** Verifies the password as a view into a larger buffer, of which only the bytes of the password may be read. */
async function outcomeOf(algorithm: string, vector: Vector): Promise<Outcome> {
  const hash = accepted(verifierFor(algorithm, vector), vector.hash);
  const password = passwordOf(vector);
  const buffer = Buffer.concat([Buffer.from('before'), password, Buffer.from('after')]);
  return hash?.verify(new Uint8Array(buffer).subarray(6, 6 + password.length)) ?? 'reject';
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

/**
 * Returns the vectors to verify: all that are cheap, and of the costly ones the cheapest of each kind that no cheap one
 * is of. Plain wrong passwords of costly hashes are left out. With RUNS, all vectors are verified.
 */
function vectorsToVerify(algorithm: string): Vector[] {
  const costOf = (vector: Vector) => accepted(verifierFor(algorithm, vector), vector.hash)?.cost.ms ?? 0;
  if (process.env.RUNS !== undefined) return vectorsOf(algorithm);
  const kinds = new Set<string>();
  return vectorsOf(algorithm)
    .toSorted((a, b) => costOf(a) - costOf(b))
    .filter((vector) => {
      const hash = accepted(verifierFor(algorithm, vector), vector.hash);
      if (hash === undefined) return true;
      const password = passwordOf(vector).toString('latin1');
      const isOdd = password.length > 72 || /[\0\x80-\xff]/.test(password);
      const names = Object.values(hash.describe()).filter((value) => typeof value === 'string');
      const kind = JSON.stringify([vector.expect, vector.acceptable, isOdd, formOf(hash).looksLike, names]);
      const isNew = !kinds.has(kind);
      kinds.add(kind);
      return hash.cost.ms <= COSTLY_MS || (isNew && (vector.expect === true || !/^[\w ]*$/.test(password)));
    });
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
    for (const name of ['', 'rot13', 'argon2id', ' bcrypt', '__proto__']) {
      expect(registry.named(name)).toBeUndefined();
    }
  });

  it('recognises every hash as at most one algorithm', () => {
    const hashes = algorithms.flatMap((algorithm) => vectorsOf(algorithm)).map(({ hash }) => hash);
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
    for (const outcome of [true, false, 'reject'] satisfies Outcome[])
      expect(vectors.map((vector) => vector.expect)).toContain(outcome);
    for (const vector of vectors) expect(vector.source).not.toBe('');
    expect(new Set(vectors.map(({ id }) => id)).size).toBe(vectors.length);
  });

  it('answers as the source of each vector', async () => {
    const wrong: string[] = [];
    for (const vector of vectorsToVerify(algorithm)) {
      // Hashes that are too costly must be refused, even if an implementation would run them.
      const isDos = vector.tags?.includes('dos');
      const right = (!isDos && vector.acceptable) || [vector.expect];
      const outcome = await outcomeOf(algorithm, vector);
      if (!right.includes(outcome)) wrong.push(`${vector.id}: ${outcome}`);
    }
    expect(wrong).toEqual([]);
  });

  it('recognises and accepts the hashes that it verifies, unchanged', () => {
    for (const vector of vectors.filter(({ expect, acceptable }) => expect === true && !acceptable)) {
      const verifier = verifierFor(algorithm, vector);
      expect(verifier.resembles(vector.hash)).toBe(true);
      expect(verifier.parse(vector.hash).encoded).toBe(vector.hash);
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
    const long = sample.hash + 'A'.repeat(1_000_000);
    expect(refusalOf(() => verifier.parse(long)).reason).toBe('format');
    expect(verifier.repairs(long)).toEqual([]);
  });

  it('refuses a cost above the limits, and throws for stored hashes that are now refused or corrupt', () => {
    const hash = verifierFor(algorithm, sample).parse(sample.hash);
    const secrets = secretsFor(algorithm, secretOf(sample));
    const strict = buildRegistry(LOWEST_LIMITS, secrets);
    expect(refusalOf(() => strict.find(algorithm)?.parse(sample.hash)).reason).toBe('cost');
    expect(() => strict.read(hash)).toThrow(`a stored ${algorithm} hash can no longer be verified`);
    expect(() => strict.read(hash)).not.toThrow(HashRefused);
    expect(strict.tryRead(hash)).toBeUndefined();
    const corrupt = `${sample.hash.slice(0, 20)}\n` as StoredHash;
    expect(() => buildRegistry(DEFAULT_LIMITS, secrets).read({ algorithm, encoded: corrupt })).toThrow(
      'can no longer be verified',
    );
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

  it('makes a decoy that costs the same, and describes a hash, without revealing its salt or digest', async () => {
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
      const described = stored.describe();
      kinds.add(JSON.stringify([spellingOf(stored), described, stored.cost]));
      expect(Object.keys(parsed.describe())).toEqual(Object.keys(described));
      for (const value of Object.values(described)) {
        if (typeof value === 'string') expect(value.length).toBeLessThan(17);
        else expect(Number.isSafeInteger(value)).toBe(true);
      }
    }
    expect(decoys.size).toBeLessThanOrEqual(kinds.size);
    const verifier = verifierFor(algorithm, sample);
    const decoy = verifier.parse(verifier.parse(sample.hash).decoy());
    expect(await decoy.verify(passwordOf(sample))).toBe(false);
  });

  it('offers repairs in its own format, and never the hash itself', () => {
    const verifier = verifierFor(algorithm, sample);
    for (const { encoded } of verifier.repairs(sample.hash)) {
      expect(encoded).not.toBe(sample.hash);
      expect(verifier.resembles(encoded)).toBe(true);
    }
  });
});

import { existsSync, readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { FAMILIES, OWN_SETTINGS } from '../../src/hashing/families.ts';
import { Form } from '../../src/hashing/family.ts';
import type { OpenedHash } from '../../src/hashing/form.ts';
import { HashRefused } from '../../src/hashing/refused.ts';
import { buildRegistry, type HashingLimits } from '../../src/hashing/registry.ts';
import type { HashingSecret } from '../../src/hashing/secrets.ts';
import { type HashVerifier, ParsedHash, tryParse } from '../../src/hashing/verifier.ts';

export type Outcome = boolean | 'reject';

/**
 * A line of a vectors file. The source names a public repository and commit, or says how the vector was made.
 */
export interface Vector {
  id: string;
  hash: string;
  password?: string;
  /** Password in hexadecimal, in place of `password`, if it is not UTF-8. */
  passwordHex?: string;
  expect: Outcome;
  /** Every acceptable outcome, if public implementations disagree. */
  acceptable?: Outcome[];
  /** `secret` is text, `signerKey` is base64. */
  params?: { signerKey?: string; secret?: string; secretHex?: string };
  source: string;
  tags?: ('dos' | 'slow' | 'ambiguous')[];
}

const MIB = 1024 * 1024;

export const DEFAULT_LIMITS: HashingLimits = { memoryBudgetBytes: 1024 * MIB, maxMs: 2000 };

/** Limits that permit only hashes of a few milliseconds. */
export const CHEAP_LIMITS: HashingLimits = { memoryBudgetBytes: 8 * MIB, maxMs: 5 };

/** The widest limits that can be configured. */
export const WIDEST_LIMITS: HashingLimits = { memoryBudgetBytes: 2 ** 40, maxMs: 600_000 };

/** Limits that every hash exceeds. */
export const LOWEST_LIMITS: HashingLimits = { memoryBudgetBytes: MIB, maxMs: 0 };

/** Settings of new hashes, which take less than a millisecond with these. */
export const CHEAP_SETTINGS = {
  argon2_memory_kb: 64,
  argon2_iterations: 1,
  argon2_parallelism: 1,
  bcrypt_log_rounds: 4,
};

export const DEFAULT_SETTINGS: Readonly<Record<string, number>> = Object.fromEntries(
  OWN_SETTINGS.map(([name, setting]) => [name, setting.default]),
);

/**
 * Verifiers by limits, algorithm and secret. Building all families takes milliseconds, and tests request
 * verifiers thousands of times.
 */
const verifiers = new WeakMap<HashingLimits, Map<string, HashVerifier>>();

/** Returns the verifier of an algorithm. Fails the test if there is none. */
export function verifierOf(
  algorithm: string,
  limits: HashingLimits = DEFAULT_LIMITS,
  secret?: Uint8Array,
): HashVerifier {
  const known = verifiers.get(limits) ?? new Map<string, HashVerifier>();
  verifiers.set(limits, known);
  const key = `${algorithm} ${secret === undefined ? 'none' : `=${Buffer.from(secret).toString('base64')}`}`;
  const verifier = known.get(key) ?? buildRegistry(limits, secretsFor(algorithm, secret)).find(algorithm);
  if (verifier === undefined) throw new Error(`${algorithm} is not registered`);
  known.set(key, verifier);
  return verifier;
}

/**
 * Families that need a library which this machine lacks, with the reason. Their tests are skipped, with the
 * reason in their names.
 */
export const UNAVAILABLE: ReadonlyMap<string, string> = new Map(
  FAMILIES.flatMap(({ name, forms }): [string, string][] => {
    const [why, ...others] = forms.map(({ formula }) => formula.unavailable?.());
    return why === undefined || others.includes(undefined) ? [] : [[name, why]];
  }),
);

export const isAvailable = (algorithm: string) => !UNAVAILABLE.has(algorithm);

export function vectorsOf(algorithm: string): Vector[] {
  return readVectors(algorithm.replaceAll('_', '-'));
}

/** Returns hashes of algorithms that the service does not support. */
export function foreignVectors(): { id: string; algorithm: string; hash: string }[] {
  const known = new Set(
    FAMILIES.flatMap(({ name, aliases }) => [name, ...aliases]).map((name) => name.replaceAll('_', '-')),
  );
  return readVectors('foreign').filter(({ algorithm }: { algorithm: string }) => !known.has(algorithm));
}

const vectors = new Map<string, readonly unknown[]>();

function readVectors(name: string) {
  const known = vectors.get(name) ?? JSON.parse(readFileSync(fileOf(name), 'utf8'));
  vectors.set(name, known);
  return known;
}

function fileOf(name: string): URL {
  const file = new URL(`../hashing/vectors/${name}.json`, import.meta.url);
  if (!existsSync(file))
    throw new Error(`${name} has no file of vectors: add test/hashing/vectors/${name}.json`);
  return file;
}

export function vector(algorithm: string, id: string): Vector {
  const found = vectorsOf(algorithm).find((candidate) => candidate.id === id);
  if (found === undefined) throw new Error(`no vector ${id} of ${algorithm}`);
  return found;
}

export function passwordOf({ password, passwordHex }: Vector): Buffer {
  return passwordHex === undefined ? Buffer.from(password ?? '', 'utf8') : Buffer.from(passwordHex, 'hex');
}

export function secretOf({ params }: Vector): Buffer | undefined {
  if (params?.secret !== undefined) return Buffer.from(params.secret, 'utf8');
  return params?.signerKey === undefined ? undefined : Buffer.from(params.signerKey, 'base64');
}

/** Returns the form in which a hash is spelled. */
export function formOf({ form }: OpenedHash): Form {
  if (form instanceof Form) return form;
  throw new Error('the form of a wrapped hash');
}

/** Low costs, by the names that costs have in templates. A family may refuse the lower one of two. */
const LOW_COSTS = [
  ...[
    ['parallelism', '1'],
    ['memoryKb', '8'],
    ['memCost', '1'],
    ['log2N', '5'],
    ['N', '32'],
  ],
  ...[
    ['cost', '04'],
    ['cost', '4'],
    ['iterations', '1000'],
    ['iterations', '2'],
    ['rounds', '1000'],
    ['rounds', '2'],
  ],
] as const;

/** Returns the hash with costs as low as its family permits. Passwords that have matched it do not match any more. */
export function cheapened(hash: ParsedHash): ParsedHash {
  let cheapest = hash;
  for (const [name, cost] of LOW_COSTS) {
    const { encoded, verifier, secretId } = cheapest;
    const found = formOf(cheapest)
      .holesOf(encoded)
      .find(({ hole }) => hole.name === name);
    if (found === undefined) continue;
    const text = encoded.slice(0, found.start) + cost + encoded.slice(found.end);
    const other = tryParse(verifier, text, secretId);
    if (other instanceof ParsedHash && other.cost.ms <= cheapest.cost.ms) cheapest = other;
  }
  return cheapest;
}

/** Returns the hash, or undefined if it is refused. */
export function accepted(verifier: HashVerifier, encoded: string): ParsedHash | undefined {
  const read = tryParse(verifier, encoded);
  return read instanceof ParsedHash ? read : undefined;
}

/** Returns the configuration in which this secret is the default of the algorithm. */
export const secretsFor = (algorithm: string, bytes: Uint8Array | undefined): HashingSecret[] =>
  bytes === undefined ? [] : [{ id: undefined, algorithm, bytes }];

/** Returns the refusal that `accept` throws. Fails the test if it returns, or throws anything else. */
export function refusalOf(accept: () => unknown): HashRefused {
  try {
    accept();
  } catch (error) {
    expect(error).toBeInstanceOf(HashRefused);
    if (error instanceof HashRefused) return error;
  }
  throw new Error('was not refused');
}

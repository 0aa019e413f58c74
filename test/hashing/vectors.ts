import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import type { HashingLimits } from '../../src/hashing/registry.ts';
import { HashRefused } from '../../src/hashing/verifier.ts';

export type Outcome = boolean | 'reject';

/** One line of a vectors file. The source names a public repository and commit, or how the vector was made. */
export interface Vector {
  id: string;
  hash: string;
  password?: string;
  /** Instead of `password`, where the bytes are not UTF-8. */
  passwordHex?: string;
  expect: Outcome;
  /** Where public implementations disagree: every outcome that is right. */
  acceptable?: Outcome[];
  params?: { signerKey?: string; secretHex?: string };
  source: string;
  tags?: ('dos' | 'slow' | 'ambiguous')[];
}

const MIB = 1024 * 1024;

/** The defaults of the configuration. */
export const DEFAULT_LIMITS: HashingLimits = {
  bcrypt: { maxCost: 15 },
  argon2: { maxMemoryKb: 1024 * 1024, maxIterations: 32, maxParallelism: 16 },
  externalScrypt: { maxMemCost: 17, maxRounds: 16 },
  memoryBudgetBytes: 1024 * MIB,
  maxMs: 2000,
};

/** Nothing above a few milliseconds. */
export const CHEAP_LIMITS: HashingLimits = {
  bcrypt: { maxCost: 5 },
  argon2: { maxMemoryKb: 1024, maxIterations: 4, maxParallelism: 4 },
  externalScrypt: { maxMemCost: 8, maxRounds: 8 },
  memoryBudgetBytes: 8 * MIB,
  maxMs: 10,
};

export function vectorsOf(algorithm: string): Vector[] {
  return readVectors(algorithm.replaceAll('_', '-'));
}

/** Hashes of algorithms that this service does not know. */
export function foreignVectors(): { id: string; algorithm: string; hash: string }[] {
  return readVectors('foreign');
}

function readVectors(name: string) {
  return JSON.parse(readFileSync(new URL(`vectors/${name}.json`, import.meta.url), 'utf8'));
}

export function vector(algorithm: string, id: string): Vector {
  const found = vectorsOf(algorithm).find((candidate) => candidate.id === id);
  if (found === undefined) throw new Error(`no vector ${id} of ${algorithm}`);
  return found;
}

export function passwordOf({ password, passwordHex }: Vector): Buffer {
  return passwordHex === undefined ? Buffer.from(password ?? '', 'utf8') : Buffer.from(passwordHex, 'hex');
}

export function signerKeyOf({ params }: Vector): Buffer | undefined {
  return params?.signerKey === undefined ? undefined : Buffer.from(params.signerKey, 'base64');
}

/** What `accept` refuses the hash with. Fails the test when it does not, or throws anything else. */
export function refusalOf(accept: () => unknown): HashRefused {
  try {
    accept();
  } catch (error) {
    expect(error).toBeInstanceOf(HashRefused);
    if (error instanceof HashRefused) return error;
  }
  throw new Error('was not refused');
}

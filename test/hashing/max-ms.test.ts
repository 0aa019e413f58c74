import { describe, expect, it } from 'vitest';
import { buildRegistry } from '../../src/hashing/registry.ts';
import type { StoredHash } from '../../src/hashing/verifier.ts';
import { DEFAULT_LIMITS, refusalOf, signerKeyOf, vector, vectorsOf } from './vectors.ts';

const SIGNER_KEY = signerKeyOf(vector('external_scrypt', 'own-reference'));
const argon2 = (costs: string) => `$argon2id$v=19$${costs}$${'A'.repeat(22)}$${'A'.repeat(43)}`;
const scrypt = (m: number, r: number) =>
  vector('external_scrypt', 'own-reference').hash.replace('m=14', `m=${m}`).replace('r=8', `r=${r}`);
const bcrypt = (cost: number) => `$2b$${cost}$${'x'.repeat(53)}`;

const WIDE = {
  bcrypt: { maxCost: 30 },
  argon2: { maxMemoryKb: 4_194_304, maxIterations: 1000, maxParallelism: 255 },
  externalScrypt: { maxMemCost: 24, maxRounds: 64 },
  memoryBudgetBytes: 2 ** 40,
};

/** Every parameter of these is within its own bound: it is their product that is not. */
describe.each([
  ['bcrypt', bcrypt(15), bcrypt(16), 3200],
  ['argon2', argon2('m=1048576,t=2,p=1'), argon2('m=1048576,t=32,p=16'), 29_533],
  ['argon2', argon2('m=2040,t=80,p=255'), argon2('m=2040,t=100,p=255'), 2220],
  ['external_scrypt', scrypt(17, 16), scrypt(20, 32), 10_067],
])('the time of %s', (algorithm, within, above, ms) => {
  const verifierAt = (maxMs: number) => {
    const verifier = buildRegistry({ ...WIDE, maxMs }, SIGNER_KEY).find(algorithm);
    if (verifier === undefined) throw new Error('not registered');
    return verifier;
  };
  const verifier = verifierAt(2000);

  it('is bounded when a hash is accepted', () => {
    expect(verifier.accept(within)).toBe(within);
    expect(verifier.cost(verifier.accept(within)).ms).toBeLessThanOrEqual(2000);
    const { reason, message } = refusalOf(() => verifier.accept(above));
    expect(reason).toBe('cost');
    expect(message).toBe(
      `takes ${ms} ms by the reference table, above the limit of 2000 ms (hashing_max_ms)`,
    );
    expect(verifierAt(600_000).accept(above)).toBe(above);
  });

  it('is bounded again before a password is verified', async () => {
    const stored = verifierAt(600_000).accept(above);
    await expect(verifier.verify(stored, Buffer.from('password'))).rejects.toThrow('(hashing_max_ms)');
    expect(() => verifier.cost(stored)).toThrow('can no longer be verified');
    expect(() => verifier.decoy(stored)).toThrow('can no longer be verified');
  });

  it('is looked at last', () => {
    expect(refusalOf(() => verifier.accept(`${above}!`)).reason).toBe('format');
  });
});

it('is within the bound for every vector that is accepted', () => {
  const limits = { ...DEFAULT_LIMITS, argon2: { ...DEFAULT_LIMITS.argon2, maxIterations: 50 } };
  for (const algorithm of ['bcrypt', 'argon2', 'external_scrypt']) {
    const largest = vectorsOf(algorithm)
      .filter((one) => one.expect !== 'reject' && !one.acceptable)
      .map((one) => {
        const verifier = buildRegistry(limits, signerKeyOf(one)).find(algorithm);
        return verifier?.cost(one.hash as StoredHash).ms ?? Number.NaN;
      })
      .reduce((a, b) => Math.max(a, b));
    expect(largest).toBeLessThan(2000);
  }
});

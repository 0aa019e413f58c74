import { describe, expect, it } from 'vitest';
import { FAMILIES } from '../../src/hashing/families.ts';
import { buildRegistry } from '../../src/hashing/registry.ts';
import {
  DEFAULT_LIMITS,
  isAvailable,
  refusalOf,
  secretOf,
  secretsFor,
  vector,
  vectorsOf,
  verifierOf,
  WIDEST_LIMITS,
} from '../support/vectors.ts';

const SIGNER_KEY = secretOf(vector('external_scrypt', 'own-reference'));
const argon2 = (costs: string) => `$argon2id$v=19$${costs}$${'A'.repeat(22)}$${'A'.repeat(43)}`;
const scrypt = (m: number, r: number) =>
  vector('external_scrypt', 'own-reference').hash.replace('m=14', `m=${m}`).replace('r=8', `r=${r}`);
const bcrypt = (cost: number) => `$2b$${cost}$${'x'.repeat(53)}`;

it.each([
  ['scrypt', `$scrypt$ln=1,r=1,p=1000000$${'A'.repeat(3900)}$${'A'.repeat(43)}`],
  ['scrypt', `$scrypt$ln=1,r=1,p=3000000$${'A'.repeat(22)}$${'A'.repeat(43)}`],
  ['django-scrypt', `scrypt$2$${'a'.repeat(3800)}$1$1000000$${'A'.repeat(86)}==`],
  ['external_scrypt', scrypt(1, 3_000_000)],
])('a hash of %s with few rounds counts its large input and its salt', (algorithm, encoded) => {
  const verifier = verifierOf(
    algorithm,
    DEFAULT_LIMITS,
    algorithm === 'external_scrypt' ? SIGNER_KEY : undefined,
  );
  expect(refusalOf(() => verifier.parse(encoded)).reason).toBe('cost');
});

describe.each([
  ['bcrypt', bcrypt(15), bcrypt(16), 3200],
  ['argon2', argon2('m=1048576,t=2,p=1'), argon2('m=1048576,t=32,p=16'), 29_533],
  ['argon2', argon2('m=2040,t=80,p=255'), argon2('m=2040,t=100,p=255'), 2220],
  ['external_scrypt', scrypt(17, 16), scrypt(20, 32), 10_067],
])('the time of %s', (algorithm, within, above, ms) => {
  const registryAt = (maxMs: number) =>
    buildRegistry({ ...WIDEST_LIMITS, maxMs }, secretsFor('external_scrypt', SIGNER_KEY));
  const verifierAt = (maxMs: number) => verifierOf(algorithm, { ...WIDEST_LIMITS, maxMs }, SIGNER_KEY);
  const verifier = verifierAt(2000);

  it('is bounded when a hash is accepted', () => {
    expect(verifier.parse(within).cost.ms).toBeLessThanOrEqual(2000);
    const { reason, message } = refusalOf(() => verifier.parse(above));
    expect(reason).toBe('cost');
    expect(message).toBe(
      `takes ${ms} ms by the reference table, above the limit of 2000 ms (hashing_max_ms)`,
    );
    expect(verifierAt(600_000).parse(above).encoded).toBe(above);
  });

  it('is bounded again before a password is verified', () => {
    const hash = verifierAt(600_000).parse(above);
    expect(() => registryAt(2000).read(hash)).toThrow(/can no longer be verified.*\(hashing_max_ms\)/);
  });

  it('is checked after the form', () => {
    expect(refusalOf(() => verifier.parse(`${above}!`)).reason).toBe('format');
  });
});

it('the time is within the bound for every accepted vector', () => {
  for (const { name } of FAMILIES.filter(({ name }) => isAvailable(name))) {
    const largest = vectorsOf(name)
      .filter((one) => one.expect !== 'reject' && !one.acceptable)
      .map((one) => verifierOf(name, DEFAULT_LIMITS, secretOf(one)).parse(one.hash).cost.ms)
      .reduce((a, b) => Math.max(a, b));
    expect(largest).toBeLessThan(2000);
  }
});

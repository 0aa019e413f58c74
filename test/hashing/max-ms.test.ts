import { expect, it } from 'vitest';
import {
  DEFAULT_LIMITS,
  refusalOf,
  secretOf,
  vector,
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

it.each([
  ['bcrypt', bcrypt(15), bcrypt(16), 3200],
  ['argon2', argon2('m=1048576,t=2,p=1'), argon2('m=1048576,t=32,p=16'), 29_533],
  ['argon2', argon2('m=2040,t=80,p=255'), argon2('m=2040,t=100,p=255'), 2220],
  ['external_scrypt', scrypt(17, 16), scrypt(20, 32), 10_067],
])('the time of %s is bounded', (algorithm, within, above, ms) => {
  const verifierAt = (maxMs: number) => verifierOf(algorithm, { ...WIDEST_LIMITS, maxMs }, SIGNER_KEY);
  const verifier = verifierAt(2000);
  expect(verifier.parse(within).cost.ms).toBeLessThanOrEqual(2000);
  const { reason, message } = refusalOf(() => verifier.parse(above));
  expect([reason, message]).toEqual([
    'cost',
    `takes ${ms} ms by the reference table, above the limit of 2000 ms (hashing_max_ms)`,
  ]);
  expect(verifierAt(600_000).parse(above).encoded).toBe(above);
  // The form is checked first.
  expect(refusalOf(() => verifier.parse(`${above}!`)).reason).toBe('format');
});

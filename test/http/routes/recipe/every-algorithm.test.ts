import { afterAll, beforeAll, expect, it } from 'vitest';
import { ALGORITHMS } from '../../../../src/hashing/registry.ts';
import {
  isAvailable,
  passwordOf,
  secretOf,
  type Vector,
  vectorsOf,
  verifierOf,
} from '../../../hashing/vectors.ts';
import { createTestApp, SIGNER_KEY, type TestApp } from '../../../support/app.ts';
import { IMPORT } from '../../fixtures.ts';

const LEAST_ALGORITHMS = 120;

/** The configuration of this app has no secrets but this one. */
const SECRETS = new Map([['external_scrypt', Buffer.from(SIGNER_KEY, 'base64').toString('hex')]]);

let service: TestApp;
beforeAll(async () => {
  service = await createTestApp();
});
afterAll(() => service.close());

/** The cheapest hash with a password that can be typed, and that needs no secret this app lacks. */
function sampleOf(algorithm: string): { hash: string; password: string } | undefined {
  const costOf = (one: Vector) => verifierOf(algorithm, undefined, secretOf(one)).parse(one.hash).cost.ms;
  const hasSecret = (one: Vector) => secretOf(one)?.toString('hex') === SECRETS.get(algorithm);
  const [first] = vectorsOf(algorithm)
    .filter((one) => one.expect === true && !one.acceptable && !one.tags?.length && one.password)
    .filter(hasSecret)
    // The route trims hashes.
    .filter(({ hash }) => hash === hash.trim())
    .toSorted((a, b) => costOf(a) - costOf(b));
  return first && { hash: first.hash, password: passwordOf(first).toString('utf8') };
}

const names = ALGORITHMS.map(({ name }) => name).filter(isAvailable);
const samples = names.flatMap((name) => {
  const sample = sampleOf(name);
  return sample === undefined ? [] : [{ name, ...sample }];
});

it(`tries at least ${LEAST_ALGORITHMS} algorithms`, () => {
  expect(samples.length).toBeGreaterThanOrEqual(LEAST_ALGORITHMS);
});

it.each(samples)('signs in users with hashes of $name', async ({ name, hash, password }) => {
  const email = `${name}@every.example`;
  const imported = await service.send('POST', IMPORT, { email, passwordHash: hash, hashingAlgorithm: name });
  expect(imported.body).toMatchObject({ status: 'OK', didUserAlreadyExist: false });
  const signIn = async (text: string) =>
    (await service.send('POST', '/recipe/signin', { email, password: text })).body.status;
  // In front, as some families read the first characters only.
  expect(await signIn(`~${password}`)).toBe('WRONG_CREDENTIALS_ERROR');
  expect(await signIn(password)).toBe('OK');
});

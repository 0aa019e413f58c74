import { expect, it } from 'vitest';
import { FAMILIES } from '../../../../src/hashing/families.ts';
import { useTestApp } from '../../../support/app.ts';
import { IMPORT, signInStatus } from '../../../support/service-calls.ts';
import {
  isAvailable,
  passwordOf,
  secretOf,
  type Vector,
  vectorsOf,
  verifierOf,
} from '../../../support/vectors.ts';

const LEAST_FAMILIES = 150;

interface Sample {
  name: string;
  hash: string;
  password: string;
  secret: Buffer | undefined;
}

/**
 * Returns the cheapest hash of a family whose password can be typed, and which needs no secret that this
 * app lacks.
 */
function sampleOf(name: string): Sample | undefined {
  const costOf = (one: Vector) => verifierOf(name, undefined, secretOf(one)).parse(one.hash).cost.ms;
  const [first] = vectorsOf(name)
    .filter((one) => one.expect === true && !one.acceptable && !one.tags?.length && one.password)
    // The route trims hashes.
    .filter(({ hash }) => hash === hash.trim())
    .toSorted((a, b) => costOf(a) - costOf(b));
  return (
    first && {
      name,
      hash: first.hash,
      password: passwordOf(first).toString('utf8'),
      secret: secretOf(first),
    }
  );
}

const names = FAMILIES.map(({ name }) => name).filter(isAvailable);
const samples = names.flatMap((name) => sampleOf(name) ?? []);
const SECRETS = samples.flatMap(({ name, secret }) =>
  secret === undefined
    ? []
    : [{ id: `of-${name}`, algorithms: [name], secret_base64: secret.toString('base64') }],
);

const service = await useTestApp({ config: { hashing_secrets: SECRETS } });

it(`tries at least ${LEAST_FAMILIES} families`, () => {
  expect(samples.length).toBeGreaterThanOrEqual(LEAST_FAMILIES);
});

it.each(samples)('signs in users with hashes of $name', async ({ name, hash, password, secret }) => {
  const email = `${name}@every.example`;
  const imported = await service.send('POST', IMPORT, {
    email,
    passwordHash: hash,
    hashingAlgorithm: name,
    ...(secret !== undefined && { hashingSecretId: `of-${name}` }),
  });
  expect(imported.body).toMatchObject({ status: 'OK', didUserAlreadyExist: false });
  // Prepended, because some families ignore everything behind the first characters.
  expect(await signInStatus(service, email, `~${password}`)).toBe('WRONG_CREDENTIALS_ERROR');
  expect(await signInStatus(service, email, password)).toBe('OK');
});

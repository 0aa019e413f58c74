/** The hook for providers that hold the old hash themselves. */
import { expect, it } from 'vitest';
import { FAMILIES } from '../../src/hashing/families.ts';
import { useTestApp } from '../support/app.ts';
import { BCRYPT } from '../support/example-hashes.ts';
import { isAvailable, vectorsOf, verifierOf } from '../support/vectors.ts';

let nowMs = Date.now();
const service = await useTestApp({ now: () => nowMs });

const ask = (body: object) => service.send('POST', '/hooks/hash', body);

const MAX_MS = 50;

/** A cheap hash of each family that needs no secret, with its password. */
const EXAMPLES = FAMILIES.filter(({ name, secret }) => isAvailable(name) && secret !== 'required').flatMap(
  ({ name }) => {
    const isCheap = (hash: string) => {
      try {
        return verifierOf(name).parse(hash).cost.ms <= MAX_MS;
      } catch {
        return false;
      }
    };
    const found = vectorsOf(name).find(
      ({ expect: outcome, acceptable, password = '', params, hash }) =>
        outcome === true && !acceptable && password !== '' && params === undefined && isCheap(hash),
    );
    return found === undefined ? [] : [[name, found.hash, found.password ?? ''] as const];
  },
);

it('has examples of most families', () => {
  expect(EXAMPLES.length).toBeGreaterThan(FAMILIES.length / 2);
});

it.each(EXAMPLES)('verifies %s', async (hashingAlgorithm, passwordHash, password) => {
  const right = await ask({ passwordHash, hashingAlgorithm, password });
  expect(right).toMatchObject({ status: 200, body: { status: 'MATCH' } });
  const wrong = await ask({ passwordHash, hashingAlgorithm, password: 'another password than all' });
  expect(wrong).toMatchObject({ status: 200, body: { status: 'NO_MATCH' } });
});

it('lets the format decide, and never guesses between families', async () => {
  const { hash: passwordHash, password } = BCRYPT;
  expect((await ask({ passwordHash, password })).body).toEqual({ status: 'MATCH' });
  const md5 = { passwordHash: '5f4dcc3b5aa765d61d8327deb882cf99', password: 'password' };
  expect(await ask(md5)).toMatchObject({ status: 400, body: { code: 'FIELD_INVALID' } });
  expect((await ask({ ...md5, hashingAlgorithm: 'hex-md5' })).body).toEqual({ status: 'MATCH' });
});

it('takes no empty password, whatever the hash is of', async () => {
  const emptyMd5 = { passwordHash: 'd41d8cd98f00b204e9800998ecf8427e', hashingAlgorithm: 'hex-md5' };
  expect((await ask({ ...emptyMd5, password: '' })).body).toEqual({ status: 'NO_MATCH' });
});

it('answers a fault if the hash cannot be verified', async () => {
  const { hash: passwordHash, password } = BCRYPT;
  for (const [change, code] of [
    [{ passwordHash: `${passwordHash}x` }, 'PASSWORD_HASH_INVALID'],
    [{ passwordHash: '' }, 'PASSWORD_HASH_EMPTY'],
    [{ hashingAlgorithm: 'rot13' }, 'HASHING_ALGORITHM_UNSUPPORTED'],
    [{ hashingSecretId: 'nobody' }, 'HASHING_SECRET_MISSING'],
    [{ passwordHash: passwordHash.replace('$04$', '$31$') }, 'PASSWORD_HASH_COST'],
  ] as const)
    expect(await ask({ passwordHash, password, ...change })).toMatchObject({ status: 400, body: { code } });
});

it('counts hashes that cannot be verified as faults', async () => {
  const faults = async () =>
    Number(
      /hook_answers_total\{hook="hash",outcome="fault"\} (\d+)/.exec(
        (await service.send('GET', '/metrics')).text,
      )?.[1] ?? 0,
    );
  const before = await faults();
  await ask({ passwordHash: BCRYPT.hash, hashingSecretId: 'nobody', password: 'any' });
  expect(await faults()).toBe(before + 1);
});

it('limits wrong passwords for each hash', async () => {
  const { hash: passwordHash, password } = BCRYPT;
  nowMs += 61_000;
  for (let count = 0; count < 10; count += 1)
    expect((await ask({ passwordHash, password: 'wrong' })).body.status).toBe('NO_MATCH');
  expect(await ask({ passwordHash, password })).toMatchObject({ status: 503, body: { code: 'HOOK_LIMIT' } });
  nowMs += 61_000;
  expect((await ask({ passwordHash, password })).body.status).toBe('MATCH');
});

it('stores nothing', async () => {
  const rows = await service.database.db.query(
    'select recipe_user_id from password_logins union all select recipe_user_id from moved_logins',
  );
  expect(rows).toEqual([]);
});

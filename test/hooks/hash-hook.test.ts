/** The hook for providers that hold the old hash themselves. */
import { expect, it } from 'vitest';
import { useTestApp } from '../support/app.ts';
import { BCRYPT } from '../support/example-hashes.ts';

let nowMs = Date.now();
const service = await useTestApp({ now: () => nowMs });

const ask = (body: object) => service.send('POST', '/hooks/hash', body);

it('lets the format decide, and never guesses between families', async () => {
  const { hash: passwordHash, password } = BCRYPT;
  expect((await ask({ passwordHash, password })).body).toEqual({ status: 'MATCH' });
  expect((await ask({ passwordHash, password: 'wrong' })).body).toEqual({ status: 'NO_MATCH' });
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

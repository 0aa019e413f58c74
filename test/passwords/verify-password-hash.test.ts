import { createHash } from 'node:crypto';
import bcrypt from 'bcrypt';
import { describe, expect, it } from 'vitest';
import { MISTAKES } from '../../src/hashing/mistakes.ts';
import { MISTAKEN, mistakenHash } from '../hashing/mistaken-hashes.ts';
import { vector } from '../support/vectors.ts';
import { BCRYPT_4, PASSWORD } from '../users/domain.ts';
import { ARGON2, MANIFOLD, PADDED_ARGON2, SCRYPT, verify } from './verifying.ts';

it.each([
  [BCRYPT_4, PASSWORD, 'bcrypt', { variant: '2b', cost: 4 }, 8192],
  [
    ARGON2.hash,
    'secret',
    'argon2',
    {
      type: 'argon2i',
      version: 19,
      memoryKb: 8,
      iterations: 1,
      parallelism: 1,
      saltBytes: 8,
      digestBytes: 16,
    },
    8192,
  ],
  [
    SCRYPT.hash,
    PASSWORD,
    'external_scrypt',
    { memCost: 14, rounds: 8, saltBytes: 10, saltSeparatorBytes: 1, digestBytes: 64 },
    128 * 8 * (2 ** 14 + 3),
  ],
])(
  'reports for %s whether it matches, how it was read, and how long it took',
  async (hash, password, algorithm, parameters, memoryBytes) => {
    const hashingAlgorithm = ` ${algorithm.toUpperCase()} `;
    for (const [tried, match] of [
      [`${password}?`, false],
      [password, true],
    ] as const) {
      const request = { passwordHash: ` ${hash}\n`, hashingAlgorithm, password: tried };
      expect(await verify(request, SCRYPT.params?.signerKey)).toEqual({
        match,
        algorithm,
        parameters,
        cost: { ms: expect.any(Number), memoryBytes },
      });
    }
  },
);

it("reports the length of argon2's associated data, if there is any", async () => {
  const passwordHash = vector('argon2', 'own-data-empty').hash.replace('data=', 'data=YWRhZGFk');
  expect((await verify({ passwordHash, password: 'x' })).parameters).toMatchObject({
    associatedDataBytes: 6,
  });
  expect((await verify({ passwordHash: ARGON2.hash, password: 'x' })).parameters).not.toHaveProperty(
    'associatedDataBytes',
  );
});

it.each([
  [BCRYPT_4, ''],
  [BCRYPT_4, MANIFOLD],
  [ARGON2.hash, MANIFOLD],
  [SCRYPT.hash, `${PASSWORD}!`],
])('a wrong password names no mistake: %s, %j', async (passwordHash, password) => {
  const answer = await verify({ passwordHash, password }, SCRYPT.params?.signerKey);
  expect(answer).toMatchObject({ match: false, parameters: {} });
  expect(answer).not.toHaveProperty('mistake');
});

describe('names the mistake', () => {
  it.each(MISTAKEN)('$mistake: $what', async ({ mistake, hash, password, signerKey, algorithm, refused }) => {
    const answer = await verify({ passwordHash: hash, password }, signerKey);
    expect(answer).toMatchObject({ match: false, algorithm, mistake: { code: mistake } });
    const { message = '' } = answer.mistake ?? {};
    const end = refused ? ' As it is, it is refused: Password hash ' : '';
    // Parameters of the repaired hash may follow, and nothing of salt and digest.
    const rest = message.replace(MISTAKES[mistake], '').replace(/^ It matches with [\w=,.-]{3,40}\./, '');
    expect(rest.startsWith(end)).toBe(true);
    expect(rest === '').toBe(!refused);
  });

  it('for a password whose hash was made with a line break at its end', async () => {
    const passwordHash = bcrypt.hashSync(`${PASSWORD}\n`, 4);
    expect(await verify({ passwordHash, password: PASSWORD })).toMatchObject({
      match: false,
      mistake: { code: 'PASSWORD_WHITESPACE' },
    });
  });

  it('with the length of the signer key and of the hash', async () => {
    const { hash, password, signerKey } = mistakenHash('the key is cut off');
    const { mistake, parameters } = await verify({ passwordHash: hash, password }, signerKey);
    expect(mistake?.message).toContain('digest is 64 bytes but the signer key is 32 bytes');
    expect(parameters).toMatchObject({ digestBytes: 32 });
  });

  it('in a request that names the algorithm, too', async () => {
    const request = { passwordHash: PADDED_ARGON2, password: 'secret', hashingAlgorithm: 'argon2' };
    expect(await verify(request)).toMatchObject({ mistake: { code: 'URL_SAFE_OR_UNPADDED_BASE64' } });
  });
});

it('says with which parameter the password matches', async () => {
  const salt = Buffer.from('salt');
  const first = createHash('sha256').update('secret').update(salt).digest();
  const second = createHash('sha256').update(first.toString('hex')).digest('base64');
  const named = (fields: string) => `$salted-sha256$${fields}$${salt.toString('base64')}$${second}`;
  const messageOf = async (fields: string) =>
    (await verify({ passwordHash: named(fields), password: 'secret' })).mistake?.message;
  expect(await messageOf('o=ps,i=2')).toContain(' It matches with x=hex.');
  expect(await messageOf('o=sp,i=2,x=hex')).toContain(' It matches with o=ps.');
});

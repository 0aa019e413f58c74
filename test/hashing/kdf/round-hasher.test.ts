import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { roundHasher } from '../../../src/hashing/kdf/round-hasher.ts';

const CALL = 16 * 1024;
/** Lengths of parts, around the size of one call of the library. */
const LENGTHS = [
  [],
  [0],
  [1],
  [20, 0, 5],
  [CALL - 1],
  [CALL],
  [CALL + 1],
  [20, CALL - 20],
  [20, CALL - 19],
  [5, 200_000, 7],
];

it.each(['md5', 'sha1', 'sha224', 'sha256', 'sha384', 'sha512'] as const)(
  '%s equals that of OpenSSL',
  async (digest) => {
    const digestOf = await roundHasher(digest);
    for (const lengths of LENGTHS) {
      const parts = lengths.map((length, index) => Buffer.alloc(length, 97 + index));
      const expected = createHash(digest).update(Buffer.concat(parts)).digest('hex');
      expect([lengths, Buffer.from(digestOf(...parts)).toString('hex')]).toEqual([lengths, expected]);
    }
  },
);

it('hashes its own digest, and returns one that the next call does not overwrite', async () => {
  const md5 = await roundHasher('md5');
  const first = md5(Buffer.from('a'));
  const copy = Uint8Array.from(first);
  const second = md5(first);
  expect(first).toEqual(copy);
  expect(Buffer.from(second)).toEqual(createHash('md5').update(copy).digest());
});

import { createHash, createHmac, pbkdf2Sync, scryptSync } from 'node:crypto';
import argon2 from 'argon2';
import bcrypt from 'bcrypt';
import { expect, it } from 'vitest';
import { buildRegistry } from '../../../src/hashing/registry.ts';
import {
  argon2Hash,
  bcryptHash,
  firebaseHash,
  hmacHash,
  pbkdf2Hash,
  saltedDigest,
  scryptHash,
} from '../../../src/sources/fields/hashes.ts';
import type { SourcePassword } from '../../../src/sources/source-user.ts';
import { DEFAULT_LIMITS } from '../../support/vectors.ts';

const PASSWORD = 'pässwörd';
const SALT = Buffer.from('a salt of 16 b..');
const registry = buildRegistry(DEFAULT_LIMITS);

async function matches(hash: SourcePassword, password = PASSWORD): Promise<boolean | undefined> {
  if (!('encoded' in hash) || hash.algorithm === undefined) return undefined;
  return registry.named(hash.algorithm)?.parse(hash.encoded).verify(Buffer.from(password));
}

it.each(['sha1', 'sha256', 'sha512'] as const)(
  'combines PBKDF2 with %s from bytes and from base64',
  async (digest) => {
    const hash = pbkdf2Sync(PASSWORD, SALT, 1000, 40, digest);
    const ofBytes = pbkdf2Hash({ digest, iterations: 1000, salt: SALT, hash });
    expect(ofBytes).toMatchObject({ encoded: expect.stringContaining(',l=40$') });
    const inBase64 = { salt: SALT.toString('base64'), hash: hash.toString('base64') };
    const ofText = pbkdf2Hash({ digest, iterations: 1000, ...inBase64 });
    expect(await Promise.all([ofBytes, ofText].map((one) => matches(one)))).toEqual([true, true]);
    expect(await matches(ofBytes, 'password')).toBe(false);
  },
);

it('combines scrypt, and refuses a cost that is not a power of two', async () => {
  const hash = scryptSync(PASSWORD, SALT, 32, { N: 1024, r: 4, p: 2 });
  const pieces = { cost: 1024, blockSize: 4, parallelization: 2, salt: SALT, hash };
  expect(await matches(scryptHash(pieces))).toBe(true);
  for (const cost of [0, 1, 1000, -2, Number.NaN, Number.POSITIVE_INFINITY]) {
    expect(scryptHash({ ...pieces, cost })).toMatchObject({ problem: 'PASSWORD_HASH_INVALID' });
  }
});

it.each([0x10, 0x13])('combines argon2 of version %d', async (version) => {
  const options = { memoryCost: 64, timeCost: 2, parallelism: 1, salt: SALT, version, hashLength: 24 };
  const hash = await argon2.hash(PASSWORD, { ...options, type: argon2.argon2i, raw: true });
  const pieces = {
    variant: 'argon2i',
    version,
    memoryKiB: 64,
    passes: 2,
    lanes: 1,
    salt: SALT,
    hash,
  } as const;
  expect(await matches(argon2Hash(pieces))).toBe(true);
  const inBase64 = { salt: SALT.toString('base64'), hash: hash.toString('base64') };
  expect(await matches(argon2Hash({ ...pieces, ...inBase64 }))).toBe(true);
});

it('combines bcrypt that was split in two', async () => {
  const [, , , rest = ''] = (await bcrypt.hash(PASSWORD, 5)).split('$');
  const pieces = { cost: '5', salt: rest.slice(0, 22), digest: rest.slice(22) };
  expect(await matches(bcryptHash(pieces))).toBe(true);
});

it.each(['md5', 'sha1', 'sha256', 'sha512'] as const)('combines a single digest: %s', async (digest) => {
  const of = (...parts: (string | Buffer)[]) =>
    parts.reduce((hash, part) => hash.update(part), createHash(digest)).digest();
  const none = Buffer.alloc(0);
  const utf16 = Buffer.from(PASSWORD, 'utf16le');
  const hashes = [
    saltedDigest({ digest, order: 'sp', salt: SALT, hash: of(SALT, PASSWORD) }),
    saltedDigest({ digest, order: 'ps', salt: SALT, hash: of(PASSWORD, SALT) }),
    saltedDigest({ digest, order: 'sp', salt: none, hash: of(PASSWORD) }),
    saltedDigest({ digest, order: 'sp', salt: none, hash: of(utf16), isUtf16: true }),
    hmacHash({ digest, key: SALT, hash: createHmac(digest, SALT).update(PASSWORD).digest() }),
    hmacHash({ digest, key: SALT, hash: createHmac(digest, SALT).update(utf16).digest(), isUtf16: true }),
  ];
  expect(await Promise.all(hashes.map((hash) => matches(hash)))).toEqual(hashes.map(() => true));
});

it("combines Firebase's scrypt", () => {
  const pieces = { hash: 'aGFzaA==', salt: 'c2FsdA==', memCost: '14', rounds: '8', saltSeparator: 'Bw==' };
  expect(firebaseHash(pieces)).toEqual({
    encoded: '$f_scrypt$aGFzaA==$c2FsdA==$m=14$r=8$s=Bw==',
    algorithm: 'external_scrypt',
  });
});

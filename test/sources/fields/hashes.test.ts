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
const UTF16 = Buffer.from(PASSWORD, 'utf16le');
const registry = buildRegistry(DEFAULT_LIMITS);
const base64 = (bytes: Buffer) => bytes.toString('base64');
const bytesOf = (part: string | Buffer) => Buffer.from(part);

async function matches(hash: SourcePassword, password = PASSWORD): Promise<boolean | undefined> {
  if (!('encoded' in hash) || hash.algorithm === undefined) return undefined;
  return registry.named(hash.algorithm)?.parse(hash.encoded).verify(Buffer.from(password));
}

const DIGESTS = ['md5', 'sha1', 'sha256', 'sha512'] as const;
const SCRYPT = { cost: 1024, blockSize: 4, parallelization: 2, salt: SALT } as const;
const scrypt = scryptSync(PASSWORD, SALT, 32, { N: 1024, r: 4, p: 2 });
const ARGON2 = { variant: 'argon2i', memoryKiB: 64, passes: 2, lanes: 1, salt: SALT } as const;
const argon2Of = (version: number) =>
  argon2.hash(PASSWORD, {
    ...{ memoryCost: 64, timeCost: 2, parallelism: 1, salt: SALT, version, hashLength: 24 },
    ...{ type: argon2.argon2i, raw: true },
  });
const bcryptParts = (await bcrypt.hash(PASSWORD, 5)).split('$')[3] ?? '';

it.each<[string, SourcePassword]>([
  ...(['sha1', 'sha256', 'sha512'] as const).map((digest): [string, SourcePassword] => [
    `PBKDF2 with ${digest}`,
    pbkdf2Hash({ digest, iterations: 1000, salt: SALT, hash: pbkdf2Sync(PASSWORD, SALT, 1000, 40, digest) }),
  ]),
  ['scrypt', scryptHash({ ...SCRYPT, hash: scrypt })],
  ['scrypt in base64', scryptHash({ ...SCRYPT, salt: base64(SALT), hash: base64(scrypt) })],
  ['argon2 1.0', argon2Hash({ ...ARGON2, version: 0x10, hash: await argon2Of(0x10) })],
  ['argon2 1.3', argon2Hash({ ...ARGON2, version: 0x13, hash: await argon2Of(0x13) })],
  ['bcrypt', bcryptHash({ cost: '5', salt: bcryptParts.slice(0, 22), digest: bcryptParts.slice(22) })],
  ...DIGESTS.flatMap((digest): [string, SourcePassword][] => {
    const of = (...parts: (string | Buffer)[]) =>
      createHash(digest)
        .update(Buffer.concat(parts.map(bytesOf)))
        .digest();
    const hmac = (text: string | Buffer) => createHmac(digest, SALT).update(text).digest();
    const none = Buffer.alloc(0);
    return [
      [`${digest}, salt first`, saltedDigest({ digest, order: 'sp', salt: SALT, hash: of(SALT, PASSWORD) })],
      [`${digest}, salt last`, saltedDigest({ digest, order: 'ps', salt: SALT, hash: of(PASSWORD, SALT) })],
      [`${digest}, no salt`, saltedDigest({ digest, order: 'sp', salt: none, hash: of(PASSWORD) })],
      [
        `${digest}, UTF-16`,
        saltedDigest({ digest, order: 'sp', salt: none, hash: of(UTF16), isUtf16: true }),
      ],
      [`HMAC of ${digest}`, hmacHash({ digest, key: SALT, hash: hmac(PASSWORD) })],
      [`HMAC of ${digest}, UTF-16`, hmacHash({ digest, key: SALT, hash: hmac(UTF16), isUtf16: true })],
    ];
  }),
])('combines the parts of %s', async (_, hash) => {
  expect(await matches(hash)).toBe(true);
  expect(await matches(hash, 'password')).toBe(false);
});

it('refuses a cost of scrypt that is not a power of two', () => {
  for (const cost of [0, 1, 1000, -2, Number.NaN, Number.POSITIVE_INFINITY])
    expect(scryptHash({ ...SCRYPT, hash: scrypt, cost })).toMatchObject({ problem: 'PASSWORD_HASH_INVALID' });
});

it("combines Firebase's scrypt", () => {
  const pieces = { hash: 'aGFzaA==', salt: 'c2FsdA==', memCost: '14', rounds: '8', saltSeparator: 'Bw==' };
  const encoded = '$f_scrypt$aGFzaA==$c2FsdA==$m=14$r=8$s=Bw==';
  expect(firebaseHash(pieces)).toEqual({ encoded, algorithm: 'external_scrypt' });
});

import argon2 from 'argon2';
import bcrypt from 'bcrypt';
import { expect, it } from 'vitest';
import { type NewHashSettings, newHashMaker } from '../../src/hashing/new-hash.ts';
import { buildRegistry, type HashRegistry } from '../../src/hashing/registry.ts';
import { HashRefused } from '../../src/hashing/verifier.ts';
import { CHEAP_LIMITS } from './vectors.ts';

const registry = buildRegistry(CHEAP_LIMITS, undefined);
const SETTINGS: NewHashSettings = {
  algorithm: 'ARGON2',
  argon2: { memoryKb: 64, iterations: 3, parallelism: 2 },
  bcryptCost: 5,
};
const PASSWORDS = ['correct horse', 'pässwörd 密码 🔑', ' \n ', 'x'.repeat(500), 'a\0b'].map((text) =>
  Buffer.from(text),
);

it('makes nothing that this service would not accept', () => {
  const tooCostly = { ...SETTINGS, argon2: { memoryKb: 2048, iterations: 1, parallelism: 1 } };
  expect(() => newHashMaker(tooCostly, registry)).toThrow(HashRefused);
  expect(() => newHashMaker({ ...SETTINGS, algorithm: 'BCRYPT', bcryptCost: 6 }, registry)).toThrow(
    HashRefused,
  );
});

it('needs a verifier of what it makes', () => {
  const none: HashRegistry = { ...registry, find: () => undefined };
  expect(() => newHashMaker(SETTINGS, none)).toThrow('no verifier for argon2');
});

it.each(['ARGON2', 'BCRYPT'] as const)(
  'makes %s hashes that its own verifier takes for the password and no other',
  async (algorithm) => {
    const maker = newHashMaker({ ...SETTINGS, algorithm }, registry);
    for (const password of PASSWORDS) {
      const hash = await maker.make(password);
      const verifier = registry.find(hash.algorithm);
      expect(await verifier?.verify(hash.encoded, password)).toBe(true);
      expect(await verifier?.verify(hash.encoded, Buffer.concat([Buffer.from('.'), password]))).toBe(false);
      expect(registry.recognise(hash.encoded)).toBe(verifier);
    }
  },
);

it.each(['ARGON2', 'BCRYPT'] as const)(
  'never makes the same %s hash twice, and an example of the same cost',
  async (algorithm) => {
    const maker = newHashMaker({ ...SETTINGS, algorithm }, registry);
    const password = Buffer.from('password');
    const [first, second] = [await maker.make(password), await maker.make(password)];
    expect(first.encoded).not.toBe(second.encoded);
    const verifier = registry.find(first.algorithm);
    expect(maker.example.algorithm).toBe(first.algorithm);
    expect(verifier?.decoy(first.encoded)).toBe(verifier?.decoy(maker.example.encoded));
  },
);

it('writes argon2 as other programs read it: m, t, p in this order, 16 bytes of salt, 32 of digest', async () => {
  const { encoded, algorithm } = await newHashMaker(SETTINGS, registry).make(Buffer.from('password'));
  expect(algorithm).toBe('argon2');
  expect(encoded).toMatch(/^\$argon2id\$v=19\$m=64,t=3,p=2\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
  expect(await argon2.verify(encoded, 'password')).toBe(true);
  expect(await argon2.verify(encoded, 'Password')).toBe(false);
  expect(argon2.needsRehash(encoded, { memoryCost: 64, timeCost: 3, parallelism: 2 })).toBe(false);
});

it('writes bcrypt as other programs read it', async () => {
  const { encoded, algorithm } = await newHashMaker({ ...SETTINGS, algorithm: 'BCRYPT' }, registry).make(
    Buffer.from('password'),
  );
  expect(algorithm).toBe('bcrypt');
  expect(encoded).toMatch(/^\$2b\$05\$[./A-Za-z0-9]{53}$/);
  expect(await bcrypt.compare('password', encoded)).toBe(true);
  expect(await bcrypt.compare('Password', encoded)).toBe(false);
});

import argon2 from 'argon2';
import bcrypt from 'bcrypt';
import { expect, it } from 'vitest';
import { OWN_FAMILIES } from '../../src/hashing/families.ts';
import { HashRefused } from '../../src/hashing/refused.ts';
import { buildRegistry, newHashMaker } from '../../src/hashing/registry.ts';
import { CHEAP_LIMITS, CHEAP_SETTINGS } from '../support/vectors.ts';

const registry = buildRegistry(CHEAP_LIMITS, undefined);
const SETTINGS = { argon2_memory_kb: 64, argon2_iterations: 3, argon2_parallelism: 2, bcrypt_log_rounds: 5 };
const OWN = OWN_FAMILIES.map(({ name }) => name);
const PASSWORDS = ['correct horse', 'pässwörd 密码 🔑', ' \n ', 'x'.repeat(500), 'a\0b'].map((text) =>
  Buffer.from(text),
);

it('makes only hashes that the service accepts', () => {
  const settings = { ...CHEAP_SETTINGS, argon2_memory_kb: 16_384, bcrypt_log_rounds: 8 };
  for (const algorithm of OWN) {
    expect(() => newHashMaker({ algorithm, settings }, registry)).toThrow(HashRefused);
  }
});

it('requires a verifier of the hashes that it makes', () => {
  const none = { find: () => undefined };
  expect(() => newHashMaker({ algorithm: 'argon2', settings: SETTINGS }, none)).toThrow(
    'no verifier for argon2',
  );
  expect(() => newHashMaker({ algorithm: 'external_scrypt', settings: SETTINGS }, registry)).toThrow(
    'no verifier for external_scrypt',
  );
});

it.each(OWN)('makes %s hashes that match the password and no other', async (algorithm) => {
  const maker = newHashMaker({ algorithm, settings: SETTINGS }, registry);
  for (const password of PASSWORDS) {
    const hash = await maker.make(password);
    expect(await hash.verify(password)).toBe(true);
    expect(await hash.verify(Buffer.concat([Buffer.from('.'), password]))).toBe(false);
    expect(registry.recognise(hash.encoded)).toBe(hash.verifier);
  }
});

it.each(OWN)(
  'never makes the same %s hash twice, and makes an example of the same cost',
  async (algorithm) => {
    const maker = newHashMaker({ algorithm, settings: SETTINGS }, registry);
    const password = Buffer.from('password');
    const [first, second] = [await maker.make(password), await maker.make(password)];
    expect(first.encoded).not.toBe(second.encoded);
    expect(maker.example.algorithm).toBe(algorithm);
    expect(first.decoy()).toBe(maker.example.decoy());
  },
);

it('writes argon2 in the usual format: m, t, p in this order, 16 bytes of salt, 32 of digest', async () => {
  const { encoded, algorithm } = await newHashMaker(
    { algorithm: 'argon2', settings: SETTINGS },
    registry,
  ).make(Buffer.from('password'));
  expect(algorithm).toBe('argon2');
  expect(encoded).toMatch(/^\$argon2id\$v=19\$m=64,t=3,p=2\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
  expect(await argon2.verify(encoded, 'password')).toBe(true);
  expect(await argon2.verify(encoded, 'Password')).toBe(false);
  expect(argon2.needsRehash(encoded, { memoryCost: 64, timeCost: 3, parallelism: 2 })).toBe(false);
});

it('writes bcrypt in the usual format', async () => {
  const { encoded, algorithm } = await newHashMaker(
    { algorithm: 'bcrypt', settings: SETTINGS },
    registry,
  ).make(Buffer.from('password'));
  expect(algorithm).toBe('bcrypt');
  expect(encoded).toMatch(/^\$2b\$05\$[./A-Za-z0-9]{53}$/);
  expect(await bcrypt.compare('password', encoded)).toBe(true);
  expect(await bcrypt.compare('Password', encoded)).toBe(false);
});
